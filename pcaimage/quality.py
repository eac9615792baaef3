"""How far apart two images are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

_CHUNK = 1 << 20


def mean_squared_error(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the mean squared difference of two images of whole numbers, exact but for the last division.

    Parameters
    ----------
    first, second : ndarray of uint8 or uint16
        Of one shape. No converted copy of them is made.

    Returns
    -------
    float
        In squared units of a pixel's value.

    Raises
    ------
    DataError
        If the shapes differ, or there is nothing to compare.
    """
    if first.shape != second.shape or first.size == 0:
        raise DataError(f"Images of shape {first.shape} and {second.shape} cannot be compared.")
    one, two = np.ascontiguousarray(first).reshape(-1), np.ascontiguousarray(second).reshape(-1)
    total = 0
    for start in range(0, one.size, _CHUNK):
        # Differences of 16 bits and their squares are exact in float64, and so are sums of a million.
        difference = np.subtract(one[start : start + _CHUNK], two[start : start + _CHUNK], dtype=np.float64)
        total += int(difference @ difference)
    return total / one.size


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
