"""Prediction of integers from their neighbours, as differences and running sums along axes.

Each predictor is a difference that a running sum inverts, so that both directions are whole-array operations.
They act on the quantised integers, so prediction is lossless.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

_STRIPS, _STRIP_ROWS = 6, 16


class Predictor(IntEnum):
    """Neighbours from which a number of an (h, w, c) array is predicted."""

    NONE = 0
    LEFT = 1
    """The previous column; in the first column, the row above."""
    UP = 2
    """The row above; in the first row, the previous column."""
    PLANE = 3
    """left + above - above left."""
    CHANNEL = 4
    """The previous channel."""


_AXES: dict[Predictor, tuple[int, ...]] = {
    Predictor.NONE: (),
    Predictor.LEFT: (1,),
    Predictor.UP: (0,),
    Predictor.PLANE: (0, 1),
    Predictor.CHANNEL: (2,),
}


def residuals(array: IntArray, predictor: Predictor) -> IntArray:
    """Return the prediction residuals of an (h, w, c) array; :func:`restore` inverts this."""
    for axis in _AXES[predictor]:
        array = _differences(array, axis)
    if predictor is Predictor.LEFT:
        array[:, 0] = _differences(array[:, 0], 0)
    elif predictor is Predictor.UP:
        array[0] = _differences(array[0], 0)
    return array


def _differences(array: IntArray, axis: int) -> IntArray:
    """Return first differences; np.diff(prepend=0) takes three times as long for small arrays."""
    every = (slice(None),) * axis
    found = array.astype(np.int64)
    found[(*every, slice(1, None))] -= array[(*every, slice(-1))]
    return found


def restore(array: IntArray, predictor: Predictor) -> IntArray:
    """Return the array whose residuals are given, in their place."""
    if predictor is Predictor.LEFT:
        array[:, 0] = np.cumsum(array[:, 0], axis=0)
    elif predictor is Predictor.UP:
        array[0] = np.cumsum(array[0], axis=0)
    for axis in _AXES[predictor]:
        np.cumsum(array, axis=axis, out=array)
    return array


def best_predictor(array: IntArray) -> Predictor:
    """Choose the predictor of an (h, w, c) array with the lowest estimated cost on a few strips.

    The cost is the sum of log2(1 + 2 |residual|), which approximates the number of bits.
    """
    step = max(_STRIP_ROWS, array.shape[0] // _STRIPS)
    strips = [array[top : top + _STRIP_ROWS] for top in range(0, array.shape[0], step)]
    costs = [sum(of_strips) for of_strips in zip(*map(_costs, strips), strict=True)]
    return Predictor(costs.index(min(costs)))


def _costs(strip: IntArray) -> list[float]:
    """Estimate the bits of a strip with each predictor, all at once as strips may be tiny."""
    several = strip.shape[2] > 1
    left_over = np.empty((Predictor.CHANNEL + several, *strip.shape), np.int64)
    left_over[:] = strip
    left, up, plane = left_over[1:4]
    plane[1:] -= strip[:-1]
    up[1:] = plane[1:]
    up[0, 1:] -= strip[0, :-1]
    left[:, 1:] -= strip[:, :-1]
    left[1:, 0] -= strip[:-1, 0]
    plane[:, 1:] -= plane[:, :-1].copy()
    if several:
        left_over[Predictor.CHANNEL, :, :, 1:] -= strip[:, :, :-1]
    size = np.abs(left_over, out=left_over).reshape(len(left_over), -1)
    size <<= 1
    size += 1
    costs: list[float] = np.add.reduce(np.log2(size), axis=1).tolist()
    return costs
