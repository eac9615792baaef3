"""Arrays saved by NumPy: ``.npy``, and ``.npz`` archives of several.

References
----------
NumPy Enhancement Proposal 1: A Simple File Format for NumPy Arrays. Headers are read by ``numpy.lib.format``;
pickled objects, which can run programs, are refused.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.raw import RawArray, read_raw
from pcaimage.imaging.cubes.variables import Part, Variable, Variables
from pcaimage.imaging.image.bands import BandInfo, unit_of
from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.source import head_of
from pcaimage.progress import Progress, no_progress

PATTERNS: Final = ("*.npy", "*.npz")  # glob patterns of NumPy files' names

NPY: Final = b"\x93NUMPY"
NPZ: Final = b"PK\x03\x04"
_MAX_MEMBERS: Final = 1000
_PIXELS: Final = "pixels"
_MAX_HEADER: Final = 1 << 16
"""Characters of an array's header; longer ones are refused before they are parsed."""
_MAX_LIST_BYTES: Final = 1 << 23  # bytes of a list that describes bands or images


@contextmanager
def open_numpy(file: BinaryIO, path: Path | None, name: str) -> Iterator[Variables]:
    """Open an ``.npy`` or an ``.npz``; arrays are read within the context.

    `path`, if not None, is where a large ``.npy`` is mapped from.
    """
    if head_of(file, 4) != NPZ:
        yield Variables("NPY", (_variable(lambda: nullcontext(file), path, "", name),))
        return
    with zipfile.ZipFile(file) as archive:
        found = dict[str, Variable]()
        for each in [each for each in archive.namelist() if each.endswith(".npy")][:_MAX_MEMBERS]:
            with suppress(ImageError, ValueError):  # such as arrays of objects
                member = each.removesuffix(".npy")
                found[member] = _variable(partial(archive.open, each), None, member, f"{member} in {name}")
        bands = _bands(found)
        yield Variables("NPZ", tuple(replace(each, bands=bands) for each in found.values()))


def _variable(
    opened: Callable[[], AbstractContextManager[Any]], path: Path | None, member: str, name: str
) -> Variable:
    with opened() as file:
        shape, fortran, dtype = _header(file, name)
        raw = RawArray(shape[::-1] if fortran else shape, dtype, file.tell())

    def read(part: Part) -> NDArray[Any]:
        with opened() as file:
            found = read_raw(file, path, raw, name)
        return np.asarray((found.T if fortran else found)[part])

    return Variable(member, shape, dtype, read, mapped=path is not None and raw.stays)


def write_numpy(
    file: BinaryIO, image: ImageStream, progress: Progress = no_progress, *, archive: bool
) -> None:
    """Write pixels as an ``.npy``, or with their metadata as an ``.npz``.

    The archive has ``pixels``, and where they are known ``wavelengths``, ``widths``, ``unit``, ``names``,
    ``nodata``, ``labels``, ``alpha`` and ``info`` (see ``docs/bands.md``). `progress` is called with the rows
    written.
    """
    if not archive:
        _write_pixels(file, image, progress)
        return
    info = image.bands
    parts: dict[str, Any] = {
        "wavelengths": info.wavelengths,
        "widths": info.widths,
        "unit": info.unit,
        "names": info.names,
        "info": np.frombuffer(info.to_bytes(), np.uint8),
    }
    arrays: dict[str, Any] = {key: np.asarray(value) for key, value in parts.items() if len(value)}
    if info.nodata is not None:
        arrays["nodata"] = np.array(info.nodata, np.float64)
    if image.labels is not None:
        arrays["labels"] = image.labels
    if image.alpha is not None:
        arrays["alpha"] = image.alpha
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as stored:
        # The size is not known before; an archive has room for large ones, or it has not.
        with stored.open(f"{_PIXELS}.npy", "w", force_zip64=True) as member:
            _write_pixels(cast("BinaryIO", member), image, progress)
        for key, value in arrays.items():
            with stored.open(f"{key}.npy", "w", force_zip64=True) as member:
                npy.write_array(cast("BinaryIO", member), value, allow_pickle=False)


def _write_pixels(file: BinaryIO, image: ImageStream, progress: Progress) -> None:
    header = {"descr": npy.dtype_to_descr(image.dtype), "fortran_order": False, "shape": image.shape}
    npy.write_array_header_1_0(file, header)
    done = 0
    with closing(image.strips) as strips:
        for rows in strips:
            file.write(np.ascontiguousarray(rows).data)
            done += len(rows)
            progress(done, image.shape[0])


def _header(file: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return the shape of an array, whether it is in Fortran order, and its type."""
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ImageError(
            f"{name} is in version {version[0]}.{version[1]} of NumPy's format, which is not known."
        )
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    found = read(file, max_header_size=_MAX_HEADER)
    if found[2].hasobject:
        raise ImageError(f"{name} holds Python objects instead of numbers.")
    return found


def _bands(members: dict[str, Variable]) -> BandInfo:
    """Return the band metadata in the arrays of an archive."""

    def short(key: str) -> NDArray[Any]:
        found = members.get(key)
        fits = found is not None and len(found.shape) < 2 and found.n_bytes <= _MAX_LIST_BYTES
        return found.values() if found is not None and fits else np.zeros(0)

    if (packed := short("info")).dtype == np.uint8:
        return BandInfo.from_bytes(packed.tobytes())
    lists = {key: short(key) for key in ("wavelengths", "widths", "names", "unit", "nodata")}
    numbers = {
        key: tuple(float(each) for each in lists[key])
        for key in ("wavelengths", "widths")
        if lists[key].ndim == 1 and lists[key].dtype.kind in "iuf" and np.isfinite(lists[key]).all()
    }
    names, unit, nodata = lists["names"], lists["unit"], lists["nodata"]
    return BandInfo(
        names=tuple(map(str, names)) if names.ndim == 1 and names.dtype.kind == "U" else (),
        unit=unit_of(str(unit)) if unit.ndim == 0 and unit.dtype.kind == "U" else "",
        nodata=float(nodata) if nodata.ndim == 0 and nodata.dtype.kind in "iuf" else None,
        wavelengths=numbers.get("wavelengths", ()),
        widths=numbers.get("widths", ()),
    )
