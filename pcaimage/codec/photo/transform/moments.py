"""Exact moments of scores: the same on every machine and in any order of summation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import LONG, Array, function
from pcaimage.sampling.lapped import BLOCK

Floats = NDArray[np.float64]

EXACT = 1 << 53
"""Integers up to this bound are exact in float64."""

STRIP = 1 << 16
"""Number of blocks whose moments are accumulated at once."""

_SUMS = Array(np.int64, writable=True)
_MOMENTS = function("pcai_moments_16", None, Array(np.int16), LONG, LONG, LONG, LONG, _SUMS, _SUMS)


def exact_moments(planes: NDArray[Any], axis: int = 0) -> Floats:
    """Return the second moments of vertical (axis 0) or horizontal (axis 1) components, summed over blocks.

    The planes are scores by vertical and horizontal component, of shape (8, 8, n). The moments of the
    constant component, the first, are zero.
    """
    if planes.dtype == np.int16:
        return _of_words(np.ascontiguousarray(planes), axis)
    varying = planes.swapaxes(0, axis)[1:]
    peak = max(1, int(varying.max()), -int(varying.min()))
    strip = min(STRIP, max(1, EXACT // peak**2))
    total = np.zeros((BLOCK, BLOCK), object)
    for line in range(varying.shape[1]):
        for start in range(0, varying.shape[2], strip):
            # Sums of whole numbers below 2^53 are exact, in whatever order a BLAS adds them.
            piece = varying[:, line, start : start + strip].astype(np.float64)
            total[1:, 1:] += (piece @ piece.T).astype(np.int64).astype(object)
    result: Floats = total.astype(np.float64)
    return result


def _of_words(planes: NDArray[np.int16], axis: int) -> Floats:
    lines, count = BLOCK - 1, planes.shape[2]
    along, across = (BLOCK * count, count) if axis == 0 else (count, BLOCK * count)
    sums, products = np.zeros(lines, np.int64), np.zeros((lines, lines), np.int64)
    for line in range(BLOCK):
        _MOMENTS(planes, along + line * across, lines, along, count, sums, products)
    result = np.zeros((BLOCK, BLOCK))
    result[1:, 1:] = products + np.tril(products, -1).T
    return result


def variances(planes: NDArray[Any]) -> Floats:
    """Return the variance of each plane (divisor n − 1), shape (n,)."""
    flat = np.ascontiguousarray(planes).reshape(len(planes), -1)
    count = flat.shape[1]
    if flat.dtype == np.int16:
        sums, squares = np.zeros(len(flat), np.int64), np.zeros(len(flat), np.int64)
        for index in range(len(flat)):
            _MOMENTS(flat, index * count, 1, 0, count, sums[index : index + 1], squares[index : index + 1])
        means, totals = sums / count, squares.astype(np.float64)
    else:
        means = flat.mean(axis=1, dtype=np.float64)
        totals = np.array([np.square(plane, dtype=np.float32).sum(dtype=np.float64) for plane in flat])
    found: Floats = np.maximum(totals - count * means**2, 0.0) / max(count - 1, 1)
    return found
