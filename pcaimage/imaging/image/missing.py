"""Missing pixels and other properties of pixels, computed strip by strip."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pcaimage.machine.mapped import Footprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pcaimage.imaging.image.types import Pixels

STRIP_BYTES = 1 << 26
"""Bytes of mapped pixels that are read at a time."""


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
