"""Exact moments of scores: the same on every machine and in any order of summation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.sampling.blocks import BLOCK

Floats = NDArray[np.float64]

EXACT = 1 << 53  # integers up to this bound are exact in float64
STRIP = 1 << 13  # number of blocks whose moments are accumulated at once: in doubles, they stay in the cache


def exact_moments(planes: NDArray[Any], axis: int = 0) -> Floats:
    """Return the second moments of vertical (axis 0) or horizontal (axis 1) components, summed over blocks.

    The planes are scores by vertical and horizontal component, of shape (8, 8, n). The moments of the
    constant component, the first, are zero.
    """
    varying = planes.swapaxes(0, axis)[1:]
    peak = max(1, int(varying.max()), -int(varying.min()))
    strip = min(STRIP, max(1, EXACT // peak**2))
    fits = peak**2 * varying[0].size < 1 << 63
    total = np.zeros((BLOCK, BLOCK), np.int64 if fits else object)
    for line in range(varying.shape[1]):
        for start in range(0, varying.shape[2], strip):
            # Sums of whole numbers below 2^53 are exact, in whatever order a BLAS adds them.
            piece = varying[:, line, start : start + strip].astype(np.float64)
            total[1:, 1:] += (piece @ piece.T).astype(np.int64)
    result: Floats = total.astype(np.float64)
    return result


def variances(planes: NDArray[Any]) -> Floats:
    """Return the variance of each plane (divisor n − 1), shape (n,)."""
    flat = np.ascontiguousarray(planes).reshape(len(planes), -1)
    count = flat.shape[1]
    sums, squares = np.array([_sums(plane) for plane in flat]).T
    found: Floats = np.maximum(squares - sums**2 / count, 0.0) / max(count - 1, 1)
    return found


def _sums(plane: NDArray[Any]) -> tuple[float, float]:
    """Return the sum of a plane and that of its squares: of numbers of 16 bits exactly, below 2^53."""
    if plane.dtype == np.int16:
        doubles = plane.astype(np.float64)
        return float(doubles.sum()), float(doubles @ doubles)
    return float(plane.sum(dtype=np.float64)), float(np.square(plane, dtype=np.float32).sum(dtype=np.float64))
