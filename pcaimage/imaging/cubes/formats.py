"""Files of the sciences that libraries of their own read: FITS, DICOM, NIfTI, OpenEXR, Zarr, microscopes'.

The extras ``formats`` and ``zarr`` install them; each is imported when the first of its files is opened.
Lines of FITS, which are stored from below, are turned round; other arrays have the order of their files.

OME-Zarr, an image with smaller copies in chunks, is also written: in version 0.4, on Zarr 2, which Fiji,
napari and web viewers all read; later ones, on Zarr 3, are read by fewer.

References
----------
FITS Standard 4.0; DICOM PS3.10, section 7.1; NIfTI-1 and NIfTI-2 data formats; OpenEXR File Layout; OME-NGFF
0.4: axes, multiscales, omero, with ``emissionWave`` as in the JSON of OMERO's web gateway; Zarr storage
specification, version 2.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial, reduce
from itertools import repeat
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.variables import Part, Variable, Variables, lacking, text_of
from pcaimage.imaging.disk.atomic import exists_error, temporary_folder
from pcaimage.imaging.georeference.geo import place_of
from pcaimage.imaging.image.bands import BandInfo
from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.pixels import recut
from pcaimage.imaging.image.source import ZARR, head_of, is_folder
from pcaimage.imaging.measures.pyramid import SMALLEST, halve
from pcaimage.machine.folders import tables
from pcaimage.progress import Progress, no_progress

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


_SIDE: Final = 512  # most pixels along a side of a chunk
_LEAST: Final = 16  # fewest lines of one
_HELD: Final = 1 << 27  # bytes of lines that wait until chunks are full
_PACKED: Final = {"compressor": {"id": "zlib", "level": 1}, "order": "C", "filters": None}
_KINDS: Final = {"t": "time", "c": "channel", "z": "space", "y": "space", "x": "space"}
_COLOURS: Final = {"Red": "FF0000", "Green": "00FF00", "Blue": "0000FF"}


def write_ome_zarr(
    path: str | os.PathLike[str], image: ImageStream, progress: Progress = no_progress, *, overwrite: bool
) -> None:
    """Write an image or a stack of numbers of any type, a few lines at a time, as OME-Zarr.

    ImageError if there is something else than a folder of Zarr, or it may not be replaced or written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not overwrite:
        raise exists_error(target.name)
    if target.exists() and (not target.is_dir() or is_folder(target)):
        raise ImageError(f"{target.name} is something else than a folder of Zarr, and is not replaced.")
    try:
        with temporary_folder(target.parent, private=False) as folder:
            made = folder / target.name
            _Levels(made, image).write(progress)
            if target.exists():
                target.rename(folder / "replaced")
            made.rename(target)
    except OSError as error:
        reason = (error.strerror or "the disk reported an error").lower()
        raise ImageError(f"The folder {target.name} cannot be written: {reason}.") from error


class _Levels:
    """An image and its copies of a half, a quarter and so on, and the range of what was seen of it."""

    def __init__(self, folder: Path, image: ImageStream) -> None:
        self.folder, self.image = folder, image
        sides = {"z" if image.timing is None else "t": image.frames, "c": image.samples}
        sides |= {"y": image.height, "x": image.width}
        size = {axis: sides[axis] for axis in _KINDS if sides.get(axis, 1) > 1 or axis in "yx"}
        rows, line = _SIDE, image.width * image.samples * image.dtype.itemsize
        while rows > _LEAST and rows * line > _HELD:
            rows //= 2
        self.most, self.sizes = {"y": rows, "x": _SIDE}, [size]
        while max(size["y"], size["x"]) > SMALLEST:
            size = size | {axis: -(-size[axis] // 2) for axis in "yx"}
            self.sizes.append(size)
        nodata = image.bands.nodata
        self.nodata = nodata if nodata is not None and math.isfinite(nodata) else None
        self.range = np.full((2, image.samples), np.nan)

    def write(self, progress: Progress) -> None:
        """Write all files; what says that it is an image comes last."""
        image, info = self.image, self.image.bands
        frames = ([each] for each in image.images()) if image.is_stack else [image.joined()]
        for number, frame in enumerate(frames):
            levels = enumerate(self.sizes)
            for small in reduce(lambda lines, level: self._written(lines, level[0], number), levels, frame):
                values = small.reshape(-1, small.shape[-1]).astype(np.float64)
                values[~np.isfinite(values) | (values == self.nodata)] = np.nan
                self.range[0] = np.fmin(self.range[0], np.fmin.reduce(values))
                self.range[1] = np.fmax(self.range[1], np.fmax.reduce(values))
                progress(number, image.frames)
        said = (("scale_factor", set(info.scales)), ("add_offset", set(info.offsets)))
        about: dict[str, Any] = {key: each.pop() for key, each in said if len(each) == 1}
        about |= {"_ARRAY_DIMENSIONS": [*self.sizes[0]], "units": info.value_unit, "_FillValue": self.nodata}
        array = {"zarr_format": 2, "dtype": image.dtype.newbyteorder("<").str, "dimension_separator": "/"}
        array |= _PACKED | {"fill_value": self.nodata or 0}
        for level, size in enumerate(self.sizes):
            sides = {"shape": [*size.values()], "chunks": self._chunks(level)}
            self._save(f"{level}/.zarray", array | sides)
            self._save(f"{level}/.zattrs", about)
        self._save(".zattrs", {"multiscales": [self._multiscales()], "omero": self._omero()})
        self._save(".zgroup", {"zarr_format": 2})

    def _chunks(self, level: int) -> list[int]:
        return [min(self.most.get(axis, 1), side) for axis, side in self.sizes[level].items()]

    def _written(self, lines: Iterable[NDArray[Any]], level: int, frame: int) -> Iterator[NDArray[Any]]:
        """Write lines as chunks of a level, and yield them at half the size.

        There a pixel has no data where one of four has none.
        """
        *_, high, wide = self._chunks(level)
        for row, part in enumerate(recut(lines, repeat(high, -(-self.sizes[level]["y"] // high)))):
            for column, left in enumerate(range(0, part.shape[1], wide)):
                some = np.moveaxis(part[:, left : left + wide], -1, 0)
                block = np.zeros((len(some), high, wide), self.image.dtype.newbyteorder("<"))
                block[:, : some.shape[1], : some.shape[2]] = some
                for channel, plane in enumerate(block):
                    place = {"t": frame, "z": frame, "c": channel, "y": row, "x": column}
                    name = "/".join(str(place[axis]) for axis in self.sizes[0])
                    self._save(f"{level}/{name}", zlib.compress(plane, 1))
            small = halve(part)
            if self.nodata is not None:
                gone = halve(np.where(part == self.nodata, np.uint8(255), np.uint8(0))) > 0
                small[gone] = self.nodata
            yield small

    def _multiscales(self) -> dict[str, Any]:
        _, dx, across, _, down, dy = place_of(self.image.bands).transform or (0, 1, 0, 0, 0, 1)
        sides, datasets = {"x": math.hypot(dx, down), "y": math.hypot(across, dy)}, []
        for level in range(len(self.sizes)):
            scale = {axis: sides.get(axis, 1.0) * (2**level if axis in "yx" else 1) for axis in self.sizes[0]}
            # The centre of the first pixel is the middle of those that it is the mean of.
            shift = [(scale[axis] - sides.get(axis, 1.0)) / 2 for axis in scale]
            steps = [
                {"type": "scale", "scale": [*scale.values()]},
                {"type": "translation", "translation": shift},
            ]
            datasets.append({"path": str(level), "coordinateTransformations": steps})
        axes = [{"name": axis, "type": _KINDS[axis]} for axis in self.sizes[0]]
        return {"version": "0.4", "name": self.image.name, "axes": axes, "datasets": datasets, "type": "mean"}

    def _omero(self) -> dict[str, Any]:
        """Return how channels are called and shown: colours as such, three bands, or the first one."""
        image, info, channels = self.image, self.image.bands, list[dict[str, Any]]()
        colours = tuple(_COLOURS) if image.channels == 3 and not info.wavelengths else ()
        shown = info.shown or tuple(range(len(colours))) or (0,)
        names = info.names or tuple(f"{wave:g} {info.unit}" for wave in info.wavelengths) or colours
        if image.dtype.kind == "u" and image.channels in (1, 3):
            self.range[:] = [[0], [image.declared or np.iinfo(image.dtype).max]]
        hues = dict(zip(shown, _COLOURS.values(), strict=False)) if len(shown) == 3 else {}
        for band, (low, high) in enumerate(np.nan_to_num(self.range.T).tolist()):
            label = "alpha" if band == image.channels else names[band] if names else str(band + 1)
            window = {"min": low, "max": high, "start": low, "end": high}
            about = {"label": label, "active": band in shown, "window": window}
            wave = {"emissionWave": info.nanometres[band]} if band < len(info.nanometres) else {}
            channels.append({"color": hues.get(band, "FFFFFF"), **about, **wave})
        return {"channels": channels, "rdefs": {"model": "color" if hues else "greyscale"}}

    def _save(self, name: str, content: bytes | dict[str, Any]) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, indent=1).encode())
