"""Uncompressed arrays in files: validated, mapped or read, and arranged as images."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ChangedError, ImageError
from pcaimage.imaging.image.contents import ReadAs, Reading
from pcaimage.machine.mapped import check_unchanged, watch
from pcaimage.quality import TYPES

MAP_FROM = 1 << 28
"""Bytes from which pixels stay in their file; smaller arrays are faster and safer in memory."""

_CONVERTIBLE = "biuf"


@dataclass(frozen=True)
class RawArray:
    """Layout of an uncompressed array in a file: its shape in storage order, dtype, and offset in bytes."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int = 0

    @property
    def n_bytes(self) -> int:
        """Size in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def stays(self) -> bool:
        """Whether its values are used in place, as they can be and are many."""
        return self.dtype.isnative and self.dtype.name in TYPES and self.n_bytes >= MAP_FROM


def check_values(dtype: np.dtype[Any], shape: tuple[int, ...], name: str) -> None:
    """Refuse an array that is empty or holds anything but real numbers."""
    if dtype.kind not in _CONVERTIBLE:
        kind = "complex numbers" if dtype.kind == "c" else f"values of type {dtype}"
        raise ImageError(f"{name} holds {kind} and no pixels; `pcaimage encode` keeps complex numbers.")
    if not all(side > 0 for side in shape):
        sides = " x ".join(str(side) for side in shape)
        raise ImageError(f"{name} is empty: its array has {sides} values.")


def reading_for(shape: tuple[int, ...], axes: str, kind: ReadAs) -> Reading:
    """Return the reading of a kind for an array with axes ``Y``, ``X``, ``C``, or others for images."""
    sides = dict(zip(axes, shape, strict=True))
    height, width = sides.pop("Y"), sides.pop("X")
    total, channels = math.prod(sides.values()), sides.get("C", 1)
    if kind == "bands":
        return Reading(kind, axes, (height, width, total))
    if kind == "image":
        return Reading(kind, axes, (height, width, channels))
    if len(sides) < 2:
        channels = 1  # no other axis: each band is an image
    return Reading(kind, axes, (total // channels, height, width, channels))


def arrange(array: NDArray[Any], reading: Reading) -> NDArray[Any]:
    """Bring a stored array into the order of a reading, without copying where possible."""
    axes = reading.axes
    others = [letter for letter in axes if letter not in "YX"]
    if reading.kind != "stack":
        order = ["Y", "X", *others]
    elif len(others) > 1 and "C" in others:
        order = [*(letter for letter in others if letter != "C"), "Y", "X", "C"]
    else:
        order = [*others, "Y", "X"]
    return array.transpose([axes.index(letter) for letter in order]).reshape(reading.shape)


def read_raw(file: BinaryIO, path: Path | None, raw: RawArray, name: str) -> NDArray[Any]:
    """Read an array as it stands in a file, or map it from the path if it is large.

    A file in memory, or compressed as a whole, has no path. Of large files the result is a read-only view of
    a ``numpy.memmap``. ImageError is raised if the file is shorter than its header says, ChangedError if
    another program changes the file meanwhile.
    """
    if path is None:
        return _read(file, raw, name)
    with path.open("rb") as opened:
        opened.seek(0, 2)
        _check_length(opened.tell() - raw.offset, raw, name)
    try:
        array = np.memmap(path, raw.dtype, "r", raw.offset, raw.shape)
    except ValueError as error:  # the file has become shorter since its length was looked at
        raise ChangedError(f"{name} was changed by another program while it was being opened.") from error
    watch(array)
    if raw.stays:
        return array
    values = np.array(array)
    check_unchanged(array)
    return values


def _read(file: BinaryIO, raw: RawArray, name: str) -> NDArray[Any]:
    file.seek(raw.offset)
    values = np.empty(raw.shape, raw.dtype)
    view = values.reshape(-1).view(np.uint8).data
    done = 0
    while done < len(view):
        part = file.read(min(1 << 22, len(view) - done))
        if not part:
            _check_length(done, raw, name)
        view[done : done + len(part)] = part
        done += len(part)
    return values


def _check_length(found: int, raw: RawArray, name: str) -> None:
    if found < raw.n_bytes:
        sides = " x ".join(f"{side:,}" for side in raw.shape)
        raise ImageError(
            f"{name} is cut short, or its header is wrong: {sides} values of type {raw.dtype.name} take "
            f"{raw.n_bytes:,} bytes, but there are {max(found, 0):,}."
        )
