"""Comparison of two images strip by strip, without converted copies of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.reduction import halved
from pcaimage.machine.parallel import in_parallel

Floats = NDArray[np.float32]

FINEST = 1 / 16
"""Unit of stored errors in levels, unless they are too large for it."""

STRIP = 1 << 18
"""Approximate number of values processed at a time, which fit into the processor's cache."""

WORTH = 1 << 20
"""Number of values from which all cores are used."""

_MANY = 8
_SHOWN_IN_FULL = 0.995
"""Share of pixels whose errors an automatic scale shows without clipping."""

_SAMPLE = 1 << 18


def in_strips(
    original: NDArray[Any], reconstruction: NDArray[Any], use: Callable[[slice, Floats], None]
) -> None:
    """Call `use` with the rows of each strip and the mean squared differences of its pixels, on all cores.

    The images are of shape (H, W, C); two NaN (missing values) count as equal. `use` is called from several
    threads with an ndarray of float32 of shape (h, W), the means over channels, which it may overwrite.
    """
    height, width, channels = original.shape
    high = max(1, STRIP // (width * channels))

    def find(first: int, last: int) -> None:
        for start in range(first, last, high):
            rows = slice(start, min(start + high, last))
            use(rows, _mean_squares(original[rows], reconstruction[rows]))

    in_parallel(find, height, worth=original.size > WORTH)


def halved_squares(errors: NDArray[np.uint16]) -> Floats:
    """Return mean squares of 2 by 2 errors; an odd last row or column counts by itself."""
    height, width = errors.shape
    result = np.empty(((height + 1) // 2, (width + 1) // 2), np.float32)
    rows = max(1, STRIP // (2 * width))

    def find(first: int, last: int) -> None:
        for start in range(first, last, rows):
            stop = min(start + rows, last)
            squares = np.square(errors[2 * start : 2 * stop], dtype=np.float32)
            result[start:stop] = halved(squares[None])[0]

    in_parallel(find, len(result), worth=errors.size > WORTH)
    return result


def full_scale(errors: NDArray[Any], unit: float = 1.0, least: float = 1.0) -> float:
    """Return a suitable display scale for errors: 1, 2, 4, 8 … levels, which almost all errors are below.

    `unit` is the number of levels in a unit of the errors; `least` is the smallest scale, a power of two
    below 1 for real numbers.
    """
    flat = errors.reshape(-1)
    # An odd step does not sample the same columns of blocks again and again.
    sample = flat[:: max(1, flat.size // _SAMPLE) | 1]
    if not sample.size:
        return least
    place = min(int(_SHOWN_IN_FULL * sample.size), sample.size - 1)
    reached = float(np.partition(sample, place)[place]) * unit
    return float(2.0 ** math.ceil(math.log2(max(reached, least))))


def largest_difference(original: NDArray[Any], reconstruction: NDArray[Any]) -> float:
    """Return the largest absolute difference: an int for whole numbers, four digits of real ones."""
    if original.dtype.kind != "f":
        return int(np.abs(np.subtract(reconstruction, original, dtype=np.int32)).max())
    difference = np.nan_to_num(np.subtract(reconstruction, original, dtype=np.float64))
    return float(f"{np.abs(difference).max():.4g}")


def finest_unit(original: NDArray[Any], reconstruction: NDArray[Any]) -> float:
    """Return the finest unit, a power of two, in which the errors of pixels fit in 16 bits."""
    peaks = [0.0]
    in_strips(original, reconstruction, lambda _, squares: peaks.append(float(squares.max())))
    largest, room = math.sqrt(max(peaks)), np.iinfo(np.uint16).max
    if largest == 0:
        return FINEST
    unit = 2.0 ** math.ceil(math.log2(largest / room))
    return unit if original.dtype.kind == "f" else max(unit, FINEST)


def _mean_squares(original: NDArray[Any], reconstruction: NDArray[Any]) -> Floats:
    channels = original.shape[-1]
    difference = np.subtract(reconstruction, original, dtype=np.float32)
    if original.dtype.kind == "f":
        difference[np.isnan(difference)] = 0
    squares: Floats
    if channels > _MANY:
        squares = np.einsum("ijk,ijk->ij", difference, difference)
    else:  # A loop over three adjacent values is too short to be fast.
        squares = np.square(difference[..., 0])
        for channel in range(1, channels):
            squares += np.square(difference[..., channel])
    if channels > 1:
        squares /= np.float32(channels)
    return squares
