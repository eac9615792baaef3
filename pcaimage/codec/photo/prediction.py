"""From scores to coefficients: what the means around a block tell of it, and where rounded scores lie."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import kernel

FRACTION_BITS = 8
"""Coefficients are in units of Δ / 256."""

WEIGHT_BITS = 11
"""Prediction's weights are in units of 2^-11, and not above 1."""

FARTHEST = 1 << 15
"""Differences of means count up to so many steps, so that sums stay within 32 bits."""

BIAS_ONE, BIAS_MORE = 10, 5
"""A score of ±1 stands for (256 - 10) / 256 steps, a larger one for 5 / 256 less than itself: small scores
are more frequent than large ones, so those that come to be rounded are mostly nearer to zero."""

IntArray = NDArray[np.int32]


@kernel
def differences(means: NDArray[Any], result: IntArray) -> None:
    """Find the differences of the neighbours' means to each block's own.

    Parameters
    ----------
    means : ndarray of int16 or int32, shape (rows, columns)
        A constant component's scores in a slice.
    result : ndarray of int32, shape (8, rows, columns)
        Takes them, neighbour by neighbour in reading order; outside of the slice stands its nearest block.
    """
    rows, columns = means.shape
    place = 0
    for down in range(-1, 2):
        for right in range(-1, 2):
            if down == 0 and right == 0:
                continue
            for row in range(rows):
                y = min(max(row + down, 0), rows - 1)
                for column in range(columns):
                    x = min(max(column + right, 0), columns - 1)
                    found = int(means[y, x]) - int(means[row, column])
                    result[place, row, column] = min(max(found, -FARTHEST), FARTHEST)
            place += 1


@kernel
def expect(around: IntArray, weights: IntArray, result: IntArray) -> None:
    """Predict one component from the means around each block.

    Parameters
    ----------
    around : ndarray of int32, shape (8, rows, columns)
        From :func:`differences`.
    weights : ndarray of int32, shape (8,)
        In units of 2^-11, at most 1 each.
    result : ndarray of int32, shape (rows, columns)
        Takes the prediction, in units of Δ / 256.
    """
    half, shift = np.int32(1 << (WEIGHT_BITS - FRACTION_BITS - 1)), np.int32(WEIGHT_BITS - FRACTION_BITS)
    for row in range(result.shape[0]):
        for column in range(result.shape[1]):
            result[row, column] = half
        for place in range(8):
            weight = weights[place]
            for column in range(result.shape[1]):
                result[row, column] += np.int32(weight * around[place, row, column])
        for column in range(result.shape[1]):
            result[row, column] >>= shift


@kernel
def settle(scores: NDArray[Any], result: IntArray) -> None:
    """Add where rounded scores come to lie.

    Parameters
    ----------
    scores : ndarray of int16 or int32, shape (rows, columns)
        In units of the step.
    result : ndarray of int32, shape (rows, columns)
        In units of Δ / 256; changed.
    """
    for row in range(result.shape[0]):
        for column in range(result.shape[1]):
            score = np.int32(scores[row, column])
            bias = np.int32(0)
            if abs(score) == 1:
                bias = np.int32(BIAS_ONE)
            elif score != 0:
                bias = np.int32(BIAS_MORE)
            result[row, column] += np.int32(256) * score - (bias if score > 0 else -bias)
