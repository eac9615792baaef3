"""Numbers as text, with decimals below each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MOST_DECIMALS = 15


def aligned_numbers(values: ArrayLike, digits: int, *, dust: ArrayLike = 0.0) -> list[list[str]]:
    """Format a matrix with a common number of decimals, or, if its columns differ too much, one per column.

    `digits` are the significant figures of the largest number. Common trailing zeros are dropped, down to two
    decimals. If the largest number of some column would have fewer than four figures, every column has its
    own number of decimals. A number that would have fewer than two figures is shown with a power of ten. Up
    to the magnitude `dust`, which is broadcast, numbers are rounding errors and shown as zero.
    """
    array = _without_dust(values, dust)
    if _alike(array, digits):
        flat = iter(_aligned(array.ravel(), digits))
        return [[next(flat) for _ in row] for row in array]
    columns = [_aligned(column, digits) for column in array.T]
    return [list(row) for row in zip(*columns, strict=True)]


def aligned_products(values: ArrayLike, digits: int, *, dust: ArrayLike = 0.0) -> list[list[str]]:
    """Format a matrix whose rows and columns have units, such as a covariance.

    It is formatted as by :func:`aligned_numbers`, but if rows or columns differ too much, every number has
    its own decimals, so that a symmetric matrix looks symmetric.
    """
    array = _without_dust(values, dust)
    if _alike(array, digits) and _alike(array, digits, axis=1):
        return aligned_numbers(array, digits)
    return [[_aligned(np.array([value]), digits)[0] for value in row] for row in array.tolist()]


def _without_dust(values: ArrayLike, dust: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    # Adding zero turns negative zero into zero.
    return np.where(np.abs(array) <= dust, 0.0, array) + 0.0


def _alike(array: NDArray[np.float64], digits: int, *, axis: int = 0) -> bool:
    """Return whether one number of decimals leaves four figures in every column (or row) that is not zero."""
    largest = np.abs(array).max(axis=axis, initial=0.0)
    lost = digits - min(digits, 4)
    return not largest.any() or bool((largest[largest > 0] >= largest.max() * 10.0**-lost).all())


def _aligned(column: NDArray[np.float64], digits: int) -> list[str]:
    """Format numbers with one number of decimals."""
    largest = float(np.abs(column).max(initial=0.0))
    whole = math.floor(math.log10(largest)) + 1 if largest > 0 else 1
    if not -4 < whole < _MOST_DECIMALS:
        return [f"{value:.{digits - 1}e}" for value in column.tolist()]
    decimals = min(max(digits - whole, 0), _MOST_DECIMALS)
    rounded = np.round(column, decimals) + 0.0
    while decimals > 2 and np.array_equal(rounded, np.round(column, decimals - 1) + 0.0):
        decimals -= 1
    # Below this, rounding to the common decimals leaves fewer than two figures.
    least = 10.0 ** (1 - decimals)
    return [
        f"{value:.{digits - 1}e}"
        if 0 < abs(value) < least and abs(value - shown) > abs(value) * 10.0**-digits
        else f"{shown:.{decimals}f}"
        for value, shown in zip(column.tolist(), rounded.tolist(), strict=True)
    ]
