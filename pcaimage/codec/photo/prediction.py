"""From scores to coefficients: prediction from the DC of neighbouring blocks, and biased reconstruction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import LONG, Array, function, function_of

FRACTION_BITS = 8
"""Coefficients are in units of Δ / 256."""

WEIGHT_BITS = 11
"""Prediction weights are in units of 2^-11, and at most 1."""

FARTHEST = 1 << 15
"""Differences of means are clipped to this many steps, so that sums fit into 32 bits."""

BIAS_ONE, BIAS_MORE = 10, 5
"""Bias of the reconstruction points towards zero, in 1/256 step: for scores of ±1, and for larger ones.

Small scores are more frequent than large ones, so the mean of each quantisation interval lies nearer to zero
than its centre.
"""

IntArray = NDArray[np.int32]


_RESULT = Array(np.int32, writable=True)
_DIFFERENCES = function_of("pcai_differences", lambda kind: (Array(kind), LONG, LONG, _RESULT))
_EXPECT = function("pcai_expect", None, Array(np.int32), Array(np.int32), LONG, _RESULT)
_SETTLE = function_of("pcai_settle", lambda kind: (Array(kind), LONG, _RESULT))
_SETTLE_HALVES = function_of("pcai_settle_halves", lambda kind: (Array(kind), LONG, _RESULT))


def differences(means: NDArray[Any], result: IntArray) -> None:
    """Compute the differences between the neighbours' means and each block's own.

    Parameters
    ----------
    means : ndarray of int16 or int32, shape (rows, columns)
        Scores of a constant component in a slice.
    result : ndarray of int32, shape (8, rows, columns)
        Receives the differences, neighbour by neighbour in raster order; beyond the slice its nearest block
        is repeated.
    """
    _DIFFERENCES[means.dtype](means, *means.shape, result)


def expect(around: IntArray, weights: IntArray, result: IntArray) -> None:
    """Predict one component from the means around each block.

    Parameters
    ----------
    around : ndarray of int32, shape (8, rows, columns)
        From :func:`differences`.
    weights : ndarray of int32, shape (8,)
        In units of 2^-11, at most 1 each.
    result : ndarray of int32, shape (rows, columns)
        Receives the prediction, in units of Δ / 256.
    """
    _EXPECT(around, weights, result.size, result)


def settle(scores: NDArray[Any], result: IntArray, *, halves: bool = False) -> None:
    """Add the reconstruction points of rounded scores.

    Parameters
    ----------
    scores : ndarray of int16 or int32, shape (rows, columns)
        In units of the step, or half of it.
    result : ndarray of int32, shape (rows, columns)
        In units of Δ / 256; changed.
    halves : bool, default False
        Whether scores are in half steps, which are reconstructed without bias.
    """
    (_SETTLE_HALVES if halves else _SETTLE)[scores.dtype](scores, scores.size, result)
