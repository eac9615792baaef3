"""Arrays saved by NumPy: ``.npy``, and ``.npz`` archives of several.

References
----------
NumPy Enhancement Proposal 1: A Simple File Format for NumPy Arrays. Headers are read by ``numpy.lib.format``;
pickled objects, which can run programs, are refused.
"""

from __future__ import annotations

import math
import zipfile
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.raw import RawArray, check_values, load, reading_for
from pcaimage.imaging.image.bands import BandInfo, unit_of
from pcaimage.imaging.image.contents import Contents, ReadAs, Reading
from pcaimage.imaging.image.image import Image, ImageStream
from pcaimage.imaging.image.limits import Limits
from pcaimage.imaging.image.source import file_size
from pcaimage.progress import Progress, no_progress

PATTERNS: Final = ("*.npy", "*.npz")  # glob patterns of NumPy files' names

NPY: Final = b"\x93NUMPY"
NPZ: Final = b"PK\x03\x04"
COLOURS: Final = (1, 3, 4)
_MOST_BANDS: Final = 4096  # bands that spectrometers may have: a longer first axis is one of images
_MAX_MEMBERS: Final = 1000
_PIXELS: Final = "pixels"
_MAX_HEADER: Final = 1 << 16
"""Characters of an array's header; longer ones are refused before they are parsed."""
_MAX_LIST_BYTES: Final = 1 << 23  # bytes of a list that describes bands or images


@dataclass(frozen=True)
class _Stored:
    """An array's header: its layout in the file in C order, its readings, and its shape as NumPy has it."""

    raw: RawArray
    readings: tuple[Reading, ...]
    shape: tuple[int, ...]
    ambiguous: bool


def numpy_contents(file: BinaryIO, name: str, member: str | None = None) -> Contents:
    """Return the contents of a NumPy file; `member` of an ``.npz`` is by default ``pixels`` or the largest.

    An array of three axes is ambiguous unless its first or last axis is one of colours.
    """
    size = file_size(file)
    if not _is_zip(file):
        stored = _stored(file, name)
        return _contents(stored, name, "NPY", size, mappable=stored.raw.mappable)
    with zipfile.ZipFile(file) as archive:
        members = _members(archive, name)
        chosen = _choose(members, member, name)
        frames = members[chosen].readings[0]
        labels = _npz_labels(archive, frames.shape[0]) if frames.kind == "stack" else None
        found = _contents(
            members[chosen], name, "NPZ", size, members=(chosen, *sorted(set(members) - {chosen}))
        )
        info = _npz_bands(archive, frames.shape[-1])
    return replace(found, labels=labels, bands=info)


def read_numpy(
    file: BinaryIO, path: Path | None, name: str, reading: Reading, limits: Limits, member: str | None = None
) -> tuple[Image, NDArray[np.int64] | None]:
    """Read an array that NumPy saved, and the labels of a stack in an ``.npz``.

    `path`, if not None, is where the file can be mapped from; `reading` is one of :func:`numpy_contents`.
    """
    if not _is_zip(file):
        return Image(load(file, path, _stored(file, name).raw, reading, limits, name)), None
    with zipfile.ZipFile(file) as archive:
        members = _members(archive, name)
        chosen = _choose(members, member, name)
        with archive.open(f"{chosen}.npy") as stream:
            source = cast("BinaryIO", stream)
            pixels = load(source, None, members[chosen].raw, reading, limits, f"{chosen} in {name}")
        labels = _npz_labels(archive, len(pixels)) if reading.kind == "stack" else None
        values = None if labels is None else _short_array(archive, labels).astype(np.int64)
        return Image(pixels, bands=_npz_bands(archive, reading.shape[-1])), values


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


def _is_zip(file: BinaryIO) -> bool:
    file.seek(0)
    start = file.read(4)
    file.seek(0)
    return start == NPZ


def _contents(stored: _Stored, name: str, kind: str, size: int, **more: Any) -> Contents:
    return Contents(
        name=name,
        format=kind,
        shape=stored.shape,
        dtype=stored.raw.dtype.name,
        readings=stored.readings,
        ambiguous=stored.ambiguous,
        file_size=size,
        **more,
    )


def _header(file: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return the shape of an array, whether it is in Fortran order, and its type."""
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ImageError(
            f"{name} is in version {version[0]}.{version[1]} of NumPy's format, which is not known."
        )
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    return read(file, max_header_size=_MAX_HEADER)


def _stored(file: Any, name: str) -> _Stored:
    shape, fortran, dtype = _header(file, name)
    if dtype.hasobject:
        raise ImageError(f"{name} holds Python objects instead of numbers.")
    check_values(dtype, shape, name)
    axes, ambiguous = guessed_axes(shape, name, dtype)
    kinds: tuple[ReadAs, ...] = (
        ("image",)
        if axes == "YX"
        else ("stack",)
        if len(axes) == 4 and dtype.kind != "f"
        else ("bands", "stack")  # real numbers are compressed by their bands alone
    )
    if len(axes) == 3 and not ambiguous and dict(zip(axes, shape, strict=True))["C"] in COLOURS:
        kinds = ("image",)
    elif len(axes) == 3 and shape[0] > _MOST_BANDS and shape[1] == shape[2]:
        kinds = ("stack", "bands")
    stored_shape, stored_axes = (shape[::-1], axes[::-1]) if fortran else (shape, axes)
    of_images = stored_axes.replace("C", "N") if len(axes) == 3 else stored_axes
    readings = tuple(
        reading_for(stored_shape, of_images if kind == "stack" else stored_axes, kind) for kind in kinds
    )
    return _Stored(RawArray(stored_shape, dtype, file.tell()), readings, shape, ambiguous)


def guessed_axes(shape: tuple[int, ...], name: str, dtype: np.dtype[Any]) -> tuple[str, bool]:
    """Guess the meaning of an array's axes; the flag says whether it is no more than a guess."""
    if len(shape) == 2:
        return "YX", False
    if len(shape) == 4:
        channels_first = shape[1] in COLOURS and shape[3] not in COLOURS
        return ("NCYX" if channels_first else "NYXC"), False
    if len(shape) != 3:
        raise ImageError(
            f"{name} holds an array of {len(shape)} axes; images have two or three, stacks three or four."
        )
    if shape[2] in COLOURS and dtype.kind in "bu":
        return "YXC", False
    if shape[1] == shape[2] or shape[0] < min(shape[1:]):
        return "CYX", True
    return "YXC", True


def _members(archive: zipfile.ZipFile, name: str) -> dict[str, _Stored]:
    """Return the headers of the arrays that can be images."""
    names = [each for each in archive.namelist() if each.endswith(".npy")][:_MAX_MEMBERS]
    found: dict[str, _Stored] = {}
    for each in names:
        with archive.open(each) as stream:
            try:
                found[each.removesuffix(".npy")] = _stored(stream, name)
            except (ImageError, ValueError):
                continue  # labels, names, and other arrays beside the pixels
    if not found:
        raise ImageError(f"{name} holds no array that can be an image.")
    return found


def _choose(members: dict[str, _Stored], member: str | None, name: str) -> str:
    if member is None:
        return max(members, key=lambda each: (each == _PIXELS, math.prod(members[each].shape)))
    if member not in members:
        raise ImageError(f"{name} has no array {member!r} that can be an image; it has {', '.join(members)}.")
    return member


def _short_array(archive: zipfile.ZipFile, member: str) -> NDArray[Any]:
    """Read a list or number that describes bands or images; empty if there is none."""
    try:
        with archive.open(f"{member}.npy") as stream:
            shape, _, dtype = _header(stream, member)
            n_bytes = math.prod(shape) * dtype.itemsize
            if len(shape) > 1 or dtype.hasobject or n_bytes > _MAX_LIST_BYTES:
                return np.zeros(0)
            data = stream.read(n_bytes)
        return np.frombuffer(data, dtype).reshape(shape)
    except (ImageError, KeyError, ValueError):
        return np.zeros(0)


def _npz_labels(archive: zipfile.ZipFile, count: int) -> str | None:
    """Return the name of the array of whole numbers that has one for each image."""
    for name in archive.namelist():
        member = name.removesuffix(".npy")
        if name.endswith(".npy") and member not in ("info", "wavelengths"):
            values = _short_array(archive, member)
            if values.shape == (count,) and values.dtype.kind in "iu":
                return member
    return None


def _npz_bands(archive: zipfile.ZipFile, bands: int) -> BandInfo:
    """Return the band metadata in the arrays of an archive, as far as they fit the number of bands."""
    if (packed := _short_array(archive, "info")).dtype == np.uint8:
        return BandInfo.from_bytes(packed.tobytes()).fitted(bands)
    lists = {key: _short_array(archive, key) for key in ("wavelengths", "widths", "names", "unit", "nodata")}
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
    ).fitted(bands)
