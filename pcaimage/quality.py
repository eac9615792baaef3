"""How far apart two images are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

_CHUNK = 1 << 20


def mean_squared_error(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the mean squared difference of two images, of whole numbers exact but for the last division.

    Parameters
    ----------
    first, second : ndarray of whole numbers of at most 16 bits, or of real numbers
        Of one shape. No converted copy of them is made, nor are mapped ones read into memory at once.

    Returns
    -------
    float
        In squared units of a pixel's value; NaN where only one of two numbers is: where nothing was
        measured, both are.

    Raises
    ------
    DataError
        If the shapes differ, or there is nothing to compare.
    """
    if first.shape != second.shape or first.size == 0:
        raise DataError(f"Images of shape {first.shape} and {second.shape} cannot be compared.")
    whole = first.dtype.kind != "f" and second.dtype.kind != "f"
    sums: list[float] = []
    total = 0
    for one, two in _chunks(first, second):
        # Differences of 16 bits and their squares are exact in float64, and so are sums of a million.
        difference = np.subtract(one, two, dtype=np.float64)
        if not whole:
            difference[np.isnan(one) & np.isnan(two)] = 0
        square = float(difference @ difference)
        if whole:
            total += int(square)
        else:
            sums.append(square)
    return (total if whole else math.fsum(sums)) / first.size


def _chunks(first: NDArray[Any], second: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield values of two arrays that stand at the same places, in one dimension."""
    if first.flags.c_contiguous and second.flags.c_contiguous:
        first, second, step = first.reshape(-1), second.reshape(-1), _CHUNK
    else:
        step = max(1, _CHUNK // max(1, first.size // first.shape[0]))
    for start in range(0, len(first), step):
        one, two = first[start : start + step].reshape(-1), second[start : start + step].reshape(-1)
        for place in range(0, one.size, _CHUNK):
            yield one[place : place + _CHUNK], two[place : place + _CHUNK]


def psnr_of_mse(mse: float, peak: float) -> float:
    """Return the peak signal-to-noise ratio.

    Parameters
    ----------
    mse : float
        Mean squared error.
    peak : float
        The largest value of a pixel.

    Returns
    -------
    float
        Decibels; infinite for no error.
    """
    return math.inf if mse <= 0 else 20 * math.log10(peak) - 10 * math.log10(mse)
