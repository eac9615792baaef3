"""Files of the sciences that libraries of their own read: FITS, DICOM, NIfTI, OpenEXR, Zarr, microscopes'.

The extras ``formats`` and ``zarr`` install them; each is imported when the first of its files is opened.
Lines of FITS, which are stored from below, are turned round; other arrays have the order of their files.

References
----------
FITS Standard 4.0; DICOM PS3.10, section 7.1; NIfTI-1 and NIfTI-2 data formats; OpenEXR File Layout; OME-NGFF
0.4 and 0.5: axes and omero, with ``emissionWave`` as in the JSON of OMERO's web gateway.
"""

from __future__ import annotations

import importlib
import math
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging.cubes.variables import Part, Variable, Variables, lacking, text_of
from pcaimage.imaging.disk.atomic import temporary_folder
from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.source import ZARR, head_of
from pcaimage.machine.folders import tables

_READ: Final = tables("files.json")
_SIGNATURES: Final = [
    ("Zarr", 0, ZARR),
    *((kind, at, text.encode()) for kind, at, text in _READ["signatures"]),
]
_ENDINGS: Final[dict[str, str]] = _READ["endings"]
"""Endings of files that are not known by their first bytes."""
PATTERNS: Final = ("*.fits", "*.fit", "*.fts", "*.dcm", "*.nii", "*.exr", *(f"*{each}" for each in _ENDINGS))
"""Glob patterns of the names of these files."""
_SPECTRAL: Final = ("wave", "awav", "freq", "vrad", "velo")  # kinds of axes of FITS


def kind_of(file: BinaryIO, name: str) -> str | None:
    """Return which of these formats a file has; None if it has another. It is left at its beginning."""
    start = head_of(file, 348)
    found = next((kind for kind, at, sign in _SIGNATURES if start[at:].startswith(sign)), None)
    return found or next((kind for end, kind in _ENDINGS.items() if name.lower().endswith(end)), None)


@contextmanager
def open_known(kind: str, file: BinaryIO, path: Path | None, name: str) -> Iterator[Variables]:
    """Open a file of one of these formats; arrays are read within the context."""
    package, read = _READERS[kind]
    with ExitStack() as stack:
        if path is None:
            path = stack.enter_context(temporary_folder(Path(tempfile.gettempdir()), private=True)) / name
            with path.open("xb") as copy:
                shutil.copyfileobj(file, copy)
        try:
            found = tuple(read(importlib.import_module(package), path, stack))
        except ImportError as error:
            extra = "zarr" if kind == "Zarr" else "formats"
            raise lacking(name, (error.name or package).partition(".")[0], extra) from error
        yield Variables(kind, found)


def _variable(
    path: Path, name: str, dims: tuple[str, ...], source: Any, *, rising: bool = False, **known: Any
) -> Variable:
    """Return the variable of what is read as an array is; if it rises, lines are counted from below."""
    everything = (slice(None),) * len(dims)

    def read(part: Part) -> NDArray[Any]:
        place = part or everything
        if not rising:
            return np.asarray(source[place])
        return np.asarray(source[*place[:-2], :, :])[..., ::-1, :][..., *place[-2:]]

    one = np.asarray(source[(slice(0, 1),) * len(dims)])
    stored = path.stat().st_size
    return Variable(name, tuple(source.shape), one.dtype, read, dims, stored=stored, **known)


def _coordinate(name: str, unit: str, values: NDArray[Any]) -> Variable:
    return Variable(name, values.shape, values.dtype, values.__getitem__, attributes={"units": unit})


def _of_fits(fits: Any, path: Path, stack: ExitStack) -> Iterator[Variable]:
    file = stack.enter_context(path.open("rb"))  # which astropy leaves open if it is damaged
    for number, each in enumerate(stack.enter_context(fits.open(file))):
        if not each.is_image or len(each.shape) < 2:
            continue
        header, axes = each.header, range(len(each.shape), 2, -1)
        kinds = [str(header.get(f"CTYPE{axis}", "plane")).partition("-")[0].lower() for axis in axes]
        dims = ["band" if len(kinds) == 1 or kind in _SPECTRAL else kind for kind in kinds]
        about = {"units": str(header.get("BUNIT", "")), "_FillValue": header.get("BLANK")}
        name = f"{number}/{each.name}"
        yield _variable(path, name, (*dims, "y", "x"), each.section, rising=True, attributes=about)
        for axis, kind, side in zip(axes, kinds, each.shape, strict=False):
            if kind in ("wave", "awav"):
                start, step, at = (header.get(f"{key}{axis}", 1.0) for key in ("CRVAL", "CDELT", "CRPIX"))
                unit = str(header.get(f"CUNIT{axis}", "m"))
                values = (start + step * (np.arange(1, side + 1) - at)) * (1e9 if unit == "m" else 1)
                yield _coordinate("wavelength", "nm" if unit == "m" else unit, values)


def _of_dicom(pydicom: Any, path: Path, _stack: ExitStack) -> Iterator[Variable]:
    data = pydicom.dcmread(path)
    several, colour = data.get("NumberOfFrames", 1) > 1, data.get("SamplesPerPixel", 1) > 1
    dims = (*["frame"] * several, "y", "x", *["band"] * colour)
    about = {"scale_factor": data.get("RescaleSlope"), "add_offset": data.get("RescaleIntercept")}
    unit = str(data.get("RescaleType", "")).replace("US", "")
    yield _variable(path, "pixels", dims, data.pixel_array, attributes=about | {"units": unit})


def _of_nifti(nibabel: Any, path: Path, _stack: ExitStack) -> Iterator[Variable]:
    image = nibabel.load(path)
    dims = ("x", "y", "z", "time", *(f"axis{axis}" for axis in range(5, 8)))[: len(image.shape)]
    yield _variable(path, "volume", dims, image.dataobj)


def _of_exr(library: Any, path: Path, stack: ExitStack) -> Iterator[Variable]:
    for number, part in enumerate(stack.enter_context(library.File(str(path), separate_channels=True)).parts):
        layers: dict[tuple[Any, ...], list[str]] = {}
        for name, channel in part.channels.items():
            layers.setdefault((name.rpartition(".")[0], channel.pixels.shape), []).append(name)
        for (layer, _), names in layers.items():
            names.sort(
                key=lambda name: "RGBA".find(name[-1]) % 5
            )  # other names stay as they are, behind these
            planes = np.stack([part.channels[name].pixels for name in names], axis=-1)
            title = f"{number}/{layer or 'image'}"
            yield _variable(path, title, ("y", "x", "band"), planes, bands=BandInfo(names=tuple(names)))


def _of_rosetta(library: Any, path: Path, _stack: ExitStack) -> Iterator[Variable]:
    suffix = path.suffix.lower().removeprefix(".")
    able = [each for each in library.IO_PLUGINS if suffix in map(str.lower, each["file_extensions"])]
    able.sort(key=lambda each: each["name"].lower() != suffix)  # two read .mrc
    for number, signal in enumerate(importlib.import_module(able[0]["api"]).file_reader(str(path))):
        axes = signal["axes"]
        dims = tuple(text_of(axis.get("name")).lower() for axis in axes)
        yield _variable(path, f"{number}/signal", dims, np.asarray(signal["data"]))
        spectral = [axis for axis in axes if not axis.get("navigate")]
        if len(spectral) == 1 and "scale" in spectral[0]:
            only = spectral[0]
            values = only.get("offset", 0.0) + only["scale"] * np.arange(only["size"])
            yield _coordinate(text_of(only.get("name")).lower() or "band", text_of(only.get("units")), values)


def _of_zarr(zarr: Any, path: Path, _stack: ExitStack) -> Iterator[Variable]:
    opened = zarr.open(path, mode="r")
    several, bands = isinstance(opened, zarr.Group), BandInfo()
    about = dict(opened.attrs)
    about = about.get("ome", about)  # from version 0.5 on
    axes = [axis["name"] for axis in about.get("multiscales", [{}])[0].get("axes", [])]
    if channels := about.get("omero", {}).get("channels", []):
        waves = [float(each["emissionWave"]) for each in channels if "emissionWave" in each]
        names = tuple(str(each.get("label", "")) for each in channels)
        bands = BandInfo(names, wavelengths=tuple(waves), unit="nm" if waves else "")
    for name, each in opened.members(max_depth=None) if several else [("array", opened)]:
        if not isinstance(each, zarr.Group):
            attributes = dict(each.attrs)
            dims = getattr(each.metadata, "dimension_names", None) or attributes.get(
                "_ARRAY_DIMENSIONS", axes
            )
            yield Variable(
                name,
                tuple(each.shape),
                each.dtype,
                partial(_of_array, each),
                tuple(dim or "" for dim in dims),
                attributes,
                bands=bands,
                stored=each.nbytes_stored(),
                unit_bytes=math.prod(each.chunks) * each.dtype.itemsize,
            )


def _of_array(array: Any, part: Part) -> NDArray[Any]:
    return np.asarray(array[part or ...])


_READERS: Final[dict[str, tuple[str, Callable[[Any, Path, ExitStack], Iterator[Variable]]]]] = {
    "FITS": ("astropy.io.fits", _of_fits),
    "DICOM": ("pydicom", _of_dicom),
    "NIfTI": ("nibabel", _of_nifti),
    "OpenEXR": ("OpenEXR", _of_exr),
    "RosettaSciIO": ("rsciio", _of_rosetta),
    "Zarr": ("zarr", _of_zarr),
}
FORMATS: Final = tuple(_READERS)
