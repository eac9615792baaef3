"""Comparing two images a strip at a time, so that no converted copy of them is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.reduction import halved
from pcaimage.parallel import in_parallel

Floats = NDArray[np.float32]

FINEST = 1 / 16
"""Errors of pixels are kept to so many levels of pixel values, where they leave room for it."""

STRIP = 1 << 18
"""About how many values are worked on at once: they should stay in the processor's cache."""

WORTH = 1 << 20
"""From so many values on, all cores are used."""

_MANY = 8
_SHOWN_IN_FULL = 0.995
"""The share of pixels whose errors an automatic scale shows without clipping."""

_SAMPLE = 1 << 18


def in_strips(
    original: NDArray[Any], reconstruction: NDArray[Any], use: Callable[[slice, Floats], None]
) -> None:
    """Hand out strips of rows and the mean squared differences of their pixels, on all cores.

    Parameters
    ----------
    original, reconstruction : ndarray of uint8, uint16, int16 or float32, shape (H, W, C)
        Of one shape. Where nothing was measured, both may be NaN, which is no difference.
    use : callable
        Called from several threads with the rows of a strip and, as ndarray of float32 of shape (h, W), the
        mean over the channels of the squared differences of its pixels, which it may change.
    """
    height, width, channels = original.shape
    high = max(1, STRIP // (width * channels))

    def find(first: int, last: int) -> None:
        for start in range(first, last, high):
            rows = slice(start, min(start + high, last))
            use(rows, _mean_squares(original[rows], reconstruction[rows]))

    in_parallel(find, height, worth=original.size > WORTH)


def halved_squares(errors: NDArray[np.uint16]) -> Floats:
    """Return the mean squares of groups of 2 by 2 pixels; an odd last row or column stands for itself.

    Parameters
    ----------
    errors : ndarray of uint16, shape (H, W)
        Errors of pixels.

    Returns
    -------
    ndarray of float32, shape (ceil(H / 2), ceil(W / 2))
        In squared units of the errors.
    """
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
    """Return a scale that suits errors: 1, 2, 4, 8 … levels, which almost all of them lie below.

    Parameters
    ----------
    errors : ndarray
        Errors, in units.
    unit : float, default 1
        Levels to a unit.
    least : float, default 1
        The smallest scale, a power of two; below 1 for real numbers.

    Returns
    -------
    float
        In levels.
    """
    flat = errors.reshape(-1)
    # Odd steps do not meet the same columns of blocks again and again.
    sample = flat[:: max(1, flat.size // _SAMPLE) | 1]
    if not sample.size:
        return least
    place = min(int(_SHOWN_IN_FULL * sample.size), sample.size - 1)
    reached = float(np.partition(sample, place)[place]) * unit
    return float(2.0 ** math.ceil(math.log2(max(reached, least))))


def largest_difference(original: NDArray[Any], reconstruction: NDArray[Any]) -> float:
    """Return the largest difference of two values.

    Parameters
    ----------
    original, reconstruction : ndarray
        Of one shape and type, with something in it.

    Returns
    -------
    float
        An int of whole numbers; of real ones to four figures.
    """
    if original.dtype.kind != "f":
        return int(np.abs(np.subtract(reconstruction, original, dtype=np.int32)).max())
    difference = np.nan_to_num(np.subtract(reconstruction, original, dtype=np.float64))
    return float(f"{np.abs(difference).max():.4g}")


def finest_unit(original: NDArray[Any], reconstruction: NDArray[Any]) -> float:
    """Return the finest unit in which the errors of pixels have room in 16 bits.

    Parameters
    ----------
    original, reconstruction : ndarray, shape (H, W, C)
        Of one shape.

    Returns
    -------
    float
        A power of two; of whole numbers :data:`FINEST` or more.
    """
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
