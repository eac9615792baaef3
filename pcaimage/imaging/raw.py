"""Arrays that stand in a file as they are: mapped or read, checked before, and arranged to images."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.colour import narrow
from pcaimage.imaging.contents import Reading

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from pcaimage.imaging.contents import ReadAs
    from pcaimage.imaging.limits import Limits
    from pcaimage.imaging.types import Pixels

MAP_FROM = 1 << 28
"""Bytes from which pixels stay in their file: less is faster, and safer from changes of it, in memory."""

SUPPORTED = ("uint8", "uint16", "int16", "float32")
"""Types of pixels that an image has; all others are brought into one of them."""

_CONVERTIBLE = "biuf"


@dataclass(frozen=True)
class RawArray:
    """Where an array stands in a file, uncompressed and in one run.

    Parameters
    ----------
    shape : tuple of int
        Of the array, in the order in which it is stored.
    dtype : numpy.dtype
        With its byte order.
    offset : int
        Of the first value in the file.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    offset: int = 0

    @property
    def n_bytes(self) -> int:
        """How many bytes it takes."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def mappable(self) -> bool:
        """Whether its values can be used where they stand."""
        return self.dtype.isnative and self.dtype.name in SUPPORTED


def check_values(dtype: np.dtype[Any], shape: tuple[int, ...], name: str) -> None:
    """Refuse an array that can be no image, whatever its values are.

    Parameters
    ----------
    dtype : numpy.dtype
        Type of the values.
    shape : tuple of int
        Of the array.
    name : str
        What the file is called in messages.

    Raises
    ------
    ImageError
        When it has no values, or they are no real numbers.
    """
    if dtype.kind not in _CONVERTIBLE:
        kind = "complex numbers" if dtype.kind == "c" else f"values of type {dtype}"
        raise ImageError(f"{name} holds {kind}; pixels are whole or real numbers.")
    if not all(side > 0 for side in shape):
        sides = " x ".join(str(side) for side in shape)
        raise ImageError(f"{name} is empty: its array has {sides} values.")


def arranged(shape: tuple[int, ...], axes: str, kind: ReadAs) -> Reading:
    """Return the reading that an array's axes give.

    Parameters
    ----------
    shape : tuple of int
        Of the array.
    axes : str
        A letter for each of its axes: ``Y``, ``X``, ``C``, or any other for images.
    kind : {'image', 'bands', 'stack'}
        What is wanted.

    Returns
    -------
    Reading
        With the shape of the pixels.
    """
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
    """Bring an array into the order of an image; no value is copied where that can be avoided.

    Parameters
    ----------
    array : ndarray
        As it stands in the file, with the axes of `reading`.
    reading : Reading
        What is wanted.

    Returns
    -------
    ndarray
        Of the reading's shape.
    """
    axes = reading.axes
    others = [letter for letter in axes if letter not in "YX"]
    if reading.kind != "stack":
        order = ["Y", "X", *others]
    elif len(others) > 1 and "C" in others:
        order = [*(letter for letter in others if letter != "C"), "Y", "X", "C"]
    else:
        order = [*others, "Y", "X"]
    return array.transpose([axes.index(letter) for letter in order]).reshape(reading.shape)


def load(
    file: BinaryIO, path: Path | None, raw: RawArray, reading: Reading, limits: Limits, name: str
) -> Pixels:
    """Read an array, or leave it in its file when it is large.

    Parameters
    ----------
    file : BinaryIO
        The file, opened.
    path : Path or None
        Where it can be opened again, to be mapped; None for a file in memory, or compressed as a whole.
    raw : RawArray
        Where the array stands in it.
    reading : Reading
        What is wanted.
    limits : Limits
        How large it may be.
    name : str
        What the file is called in messages.

    Returns
    -------
    ndarray of uint8, uint16, int16 or float32
        Of the reading's shape. A read-only view of a ``numpy.memmap`` for large files, whose axes may be in
        any order in memory; otherwise C-contiguous or a view of an array in memory.

    Raises
    ------
    ImageError
        When the file is shorter than its header says, or the values cannot be those of pixels.
    ImageTooLargeError
        When the array is over a limit, before memory is taken.
    """
    check_values(raw.dtype, raw.shape, name)
    height, width, channels = reading.shape[-3:]
    frames = reading.shape[0] if reading.kind == "stack" else 1
    mapped = path is not None and raw.mappable and raw.n_bytes >= MAP_FROM
    limits.check(width, height, channels * raw.dtype.itemsize, frames=frames, name=name, mapped=mapped)
    if path is not None:
        with path.open("rb") as opened:
            opened.seek(0, 2)
            _check_length(opened.tell() - raw.offset, raw, name)
        array: NDArray[Any] = np.memmap(path, raw.dtype, "r", raw.offset, raw.shape)
        if mapped:
            return arrange(array, reading)
        return narrow(np.array(arrange(array, reading), raw.dtype.newbyteorder("="), order="C"), name)
    return narrow(arrange(_read(file, raw, name), reading), name)


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
            f"{raw.n_bytes:,} bytes, and there are {max(found, 0):,}."
        )
