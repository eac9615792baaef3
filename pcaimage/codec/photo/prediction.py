"""From scores to coefficients: prediction from the DC of neighbouring blocks, and biased reconstruction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import LONG, STRUCT, Array, Held, function, function_of

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
_FILL = function_of("pcai_fill_coefficients", lambda kind: (STRUCT, Array(kind), *(LONG,) * 5, _RESULT))
_WORDS = Array(np.int16, writable=True)
_KEEP = function("pcai_keep_known", None, Array(np.int32), *(LONG,) * 3, _WORDS)
_LEARN = function_of(
    "pcai_learn_component", lambda kind: (STRUCT, Array(kind), Array(np.int32), LONG, LONG, _WORDS)
)
_NO_FACTORS, _NO_LEVELS = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.int8)


class Settling(NamedTuple):
    """From the scores of a slice to its coefficients; mirrors the struct of the same name in the core.

    Parameters
    ----------
    planes : ndarray of int64, shape (64 * C,)
        Each component's plane in the cascade, those of constant components first.
    weights : ndarray of int32, shape (63 * C, 8)
        Weights that predict the others, as for :func:`expect`.
    factors : ndarray of int32, shape (64 * C, MOST_LEVELS)
        Of the step, in 2^-20: for each plane and level.
    levels : ndarray of int8, shape (rows, columns)
        Each block's level of the step.
    kind : int
        0 for scores in steps, 1 in half steps, and 2 where these differ by level.
    channels, rows, columns : int
        The size of the slice.
    """

    planes: NDArray[np.int64]
    weights: IntArray
    factors: IntArray
    levels: NDArray[np.int8]
    kind: int
    channels: int
    rows: int
    columns: int

    @classmethod
    def of(
        cls,
        planes: NDArray[np.int64],
        weights: IntArray,
        shape: tuple[int, int],
        steps: tuple[IntArray, NDArray[np.int8]] | None,
        *,
        halves: bool,
    ) -> Settling:
        """Return how scores come to lie, with factors and levels if steps differ."""
        kind, (factors, levels) = 2 if steps else int(halves), steps or (_NO_FACTORS, _NO_LEVELS)
        return cls(planes, weights, factors, levels, kind, len(planes) - len(weights), *shape)


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


def fill(
    settling: Held[Settling], scores: NDArray[Any], rows: tuple[int, int], result: IntArray, target: int
) -> None:
    """Find the coefficients of some rows of a slice.

    Parameters
    ----------
    settling : Settling
        How scores come to lie.
    scores : ndarray of int16 or int32, shape (k, rows, columns)
        Those of the slice, constant components first.
    rows : (int, int)
        The first row, and the one behind the last.
    result : ndarray of int32, shape (C * 64, held, columns)
        Receives them, from row `target` on, in the cascade's order and in units of Δ / 256.

    Raises
    ------
    ValueError
        If there are no such rows.
    """
    if not 0 <= rows[0] <= rows[1] <= scores.shape[1]:
        raise ValueError(f"A slice of {scores.shape[1]} rows has no rows {rows[0]} to {rows[1]}.")
    _FILL[scores.dtype](settling, scores, len(scores), *rows, target, result.shape[1], result)


def keep(numbers: IntArray, shift: int, result: NDArray[np.int16]) -> None:
    """Keep numbers of a slice's blocks as networks take them.

    Parameters
    ----------
    numbers : ndarray of int32, shape (rows, columns)
        Any numbers.
    shift : int
        They are divided by 2^shift, rounded down.
    result : ndarray of int16, shape (rows + 2, columns + 2)
        Receives them, with a border of the nearest blocks.
    """
    _KEEP(numbers, *numbers.shape, shift, result)


def learn(
    settling: Held[Settling],
    scores: NDArray[Any],
    around: IntArray,
    index: int,
    shift: int,
    result: NDArray[np.int16],
) -> None:
    """Find the coefficients of a component, and keep them as :func:`keep` does.

    Parameters
    ----------
    settling : Settling
        How scores come to lie.
    scores : ndarray of int16 or int32, shape (rows, columns)
        The component's.
    around : ndarray of int32, shape (8, rows, columns)
        From :func:`differences`, of its channel.
    index : int
        Zero-based index of the component in the file.
    shift, result
        As for :func:`keep`.
    """
    _LEARN[scores.dtype](settling, scores, around, index, shift, result)
