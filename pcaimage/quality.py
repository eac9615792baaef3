"""Mean squared error and PSNR of two images."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.mapped import Footprint

_CHUNK = 1 << 20


def mean_squared_error(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the mean squared difference; for whole numbers exact up to the final division.

    Parameters
    ----------
    first, second : ndarray of whole numbers of at most 16 bits, or of real numbers
        Of the same shape. They are neither copied as a whole nor, if mapped, read into memory at once.

    Returns
    -------
    float
        In squared pixel values. Two NaN (missing values) count as equal; NaN if only one of two values is.

    Raises
    ------
    DataError
        If the shapes differ, or the images are empty.
    """
    if first.shape != second.shape or first.size == 0:
        raise DataError(f"Images of shape {first.shape} and {second.shape} cannot be compared.")
    return squared_error(first, second) / first.size


def squared_error(first: NDArray[Any], second: NDArray[Any]) -> int | float:
    """Return the sum of squared differences, an exact int for whole numbers, so that parts can be added."""
    whole = first.dtype.kind != "f" and second.dtype.kind != "f"
    footprint, sums = Footprint(first, second), list[int | float]()
    for one, two in _chunks(first, second):
        # Differences of 16 bits and their squares are exact in float64, and so are sums of a million.
        difference = np.subtract(one, two, dtype=np.float64)
        if not whole:
            difference[np.isnan(one) & np.isnan(two)] = 0
        square = float(difference @ difference)
        sums.append(int(square) if whole else square)
        footprint.walked(one.nbytes + two.nbytes)
    return total_error(sums)


def total_error(sums: Sequence[int | float]) -> int | float:
    """Return the sum of several results of :func:`squared_error`."""
    return sum(sums) if all(isinstance(each, int) for each in sums) else math.fsum(sums)


def _chunks(first: NDArray[Any], second: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield corresponding values of two arrays in one dimension."""
    if first.flags.c_contiguous and second.flags.c_contiguous:
        first, second, step = first.reshape(-1), second.reshape(-1), _CHUNK
    else:
        step = max(1, _CHUNK // max(1, first.size // first.shape[0]))
    for start in range(0, len(first), step):
        one, two = first[start : start + step].reshape(-1), second[start : start + step].reshape(-1)
        for place in range(0, one.size, _CHUNK):
            yield one[place : place + _CHUNK], two[place : place + _CHUNK]


def psnr_of_mse(mse: float, peak: float) -> float:
    """Return the peak signal-to-noise ratio, 10 log10(peak² / MSE).

    Parameters
    ----------
    mse : float
        Mean squared error, in squared pixel values.
    peak : float
        The largest possible pixel value.

    Returns
    -------
    float
        Decibels; infinite if there is no error.
    """
    return math.inf if mse <= 0 else 20 * math.log10(peak) - 10 * math.log10(mse)
