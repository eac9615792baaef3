"""Pixels: their type and alpha, the header of an image file, strips, and which of them are missing."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pcaimage.machine.mapped import Footprint

Pixels: TypeAlias = NDArray[np.uint8 | np.uint16 | np.int16 | np.float32]  # pixels or alpha of any shape
IPTC_RESOURCE = 0x0404  # number of Photoshop's resource with IPTC records, in JPEGs

_KINDS = {"u": "uint", "i": "int", "f": "float"}


@dataclass(frozen=True)
class ImageHeader:
    """The header of an image file, read without decoding it; sizes are those after reading."""

    width: int  # with the EXIF orientation applied
    height: int
    channels: int  # or bands, without alpha; a palette becomes three
    has_alpha: bool
    bits: int  # of one value: 8, 16 or 32
    format: str  # by Pillow's name, such as "PNG"
    frames: int  # pages or frames of an animation; pages that are read as bands are one image
    file_size: int  # in bytes
    kind: str = "u"  # "u", "i" or "f": unsigned, signed, or real numbers

    @property
    def dtype(self) -> str:
        """Name of the dtype of the pixels: ``"uint8"``, ``"uint16"``, ``"int16"`` or ``"float32"``."""
        return f"{_KINDS[self.kind]}{self.bits}"

    @property
    def bytes_per_pixel(self) -> int:
        """Bytes of one pixel's channels and alpha."""
        return (self.channels + self.has_alpha) * self.bits // 8

    @property
    def raw_bytes(self) -> int:
        """Bytes of one image, uncompressed."""
        return self.width * self.height * self.bytes_per_pixel


def split_alpha(array: Pixels) -> tuple[Pixels, Pixels]:
    """Split an array of shape (H, W, C + 1) into contiguous pixels (H, W, C) and alpha (H, W)."""
    return np.ascontiguousarray(array[..., :-1]), np.ascontiguousarray(array[..., -1])


def join_alpha(pixels: Pixels, alpha: Pixels | None) -> Pixels:
    """Append alpha, shape (H, W), to pixels, shape (H, W, C), as a last channel, if there is any."""
    return pixels if alpha is None else np.concatenate([pixels, alpha[..., None]], axis=-1)


STRIP_BYTES = 1 << 26  # bytes of mapped pixels that are read at a time


def strips(pixels: Pixels) -> Iterator[tuple[int, Pixels]]:
    """Yield the pixels in parts that take little memory, each with the index of its first row.

    Images are cut into rows, stacks into images. The parts are views; those of mapped pixels are released
    from memory when the next one is requested.
    """
    each = max(1, pixels.nbytes // pixels.shape[0])
    step = max(1, STRIP_BYTES // each)
    footprint = Footprint(pixels)
    for start in range(0, pixels.shape[0], step):
        part = pixels[start : start + step]
        yield start, part
        footprint.walked(part.nbytes)


def missing_pixels(pixels: Pixels, nodata: float | None) -> NDArray[np.bool_] | None:
    """Find the pixels that were not measured in at least one band of an image or a stack, shape (..., C).

    NaN and infinity always mark them, and `nodata` if there is one. The mask has the shape (...); None if all
    were measured.
    """
    if pixels.dtype.kind != "f" and (nodata is None or not holds(pixels.dtype, nodata)):
        return None
    found = np.zeros(pixels.shape[:-1], bool)
    for start, part in strips(pixels):
        found[start : start + len(part)] = _of_values(part, nodata).any(axis=-1)
    return found if found.any() else None


def _of_values(part: Pixels, nodata: float | None) -> NDArray[np.bool_]:
    found = np.logical_not(np.isfinite(part)) if part.dtype.kind == "f" else np.zeros(part.shape, bool)
    if nodata is not None and math.isfinite(nodata):
        with np.errstate(over="ignore"):  # what is too large for the type equals none of its finite values
            found |= part == np.array(nodata).astype(part.dtype)
    return found


def holds(dtype: np.dtype[Any], value: float) -> bool:
    """Return whether a type can represent a value; real types represent whatever is within their range."""
    if dtype.kind == "f":
        return not math.isfinite(value) or abs(value) <= float(np.finfo(dtype).max)
    limits = np.iinfo(dtype)
    return math.isfinite(value) and value == math.floor(value) and limits.min <= value <= limits.max


def recut(strips: Iterable[NDArray[Any]], lengths: Iterable[int]) -> Generator[NDArray[Any]]:
    """Yield the same lines in strips of other lengths, each as soon as its last line is available.

    Strips must not be modified afterwards, as results may be views of them. The last of the new lengths is
    cut short if lines run out; surplus lines are dropped.
    """
    source, rest = iter(strips), None
    for length in lengths:
        held, lacking = list[Any](), length
        while lacking:
            if rest is None or not len(rest):
                rest = next(source, None)
                if rest is None:
                    break
            held.append(rest[:lacking])
            lacking -= len(held[-1])
            rest = rest[len(held[-1]) :]
        if held:
            yield held[0] if len(held) == 1 else np.concatenate(held)
