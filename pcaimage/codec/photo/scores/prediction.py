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
_FILL = function_of("pcai_fill_coefficients", lambda kind: (STRUCT, Array(kind), *(LONG,) * 5, _RESULT))
_WORDS = Array(np.int16, writable=True)
_KEEP = function("pcai_keep_known", None, Array(np.int32), *(LONG,) * 3, _WORDS)
_LEARN = function_of(
    "pcai_learn_component", lambda kind: (STRUCT, Array(kind), Array(np.int32), LONG, LONG, _WORDS)
)
_NO_FACTORS, _NO_LEVELS = np.zeros((1, 1), np.int32), np.zeros((1, 1), np.int8)


class Settling(NamedTuple):
    """From the scores of a slice to its coefficients; mirrors the struct of the same name in the core."""

    planes: NDArray[np.int64]  # of each component in the cascade, those of constant components first
    weights: IntArray  # shape (63 * C, 8), predict the others, as `expect` does
    factors: IntArray  # shape (64 * C, MOST_LEVELS), of the step at each level, in 2^-20
    levels: NDArray[np.int8]  # each block's level of the step
    by_level: int  # whether steps differ by level
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
    ) -> Settling:
        """Return how scores come to lie, with factors and levels if steps differ."""
        factors, levels = steps or (_NO_FACTORS, _NO_LEVELS)
        return cls(
            planes, weights, factors, levels, int(steps is not None), len(planes) - len(weights), *shape
        )


def differences(means: NDArray[Any], result: IntArray) -> None:
    """Put the differences between the neighbours' means and each block's own into `result`.

    The eight neighbours are in raster order; beyond the slice its nearest block is repeated.
    """
    _DIFFERENCES[means.dtype](means, *means.shape, result)


def expect(around: IntArray, weights: IntArray, result: IntArray) -> None:
    """Predict one component, in Δ / 256, from the :func:`differences` around each block.

    There are eight weights, in 2^-11 and at most 1 each.
    """
    _EXPECT(around, weights, result.size, result)


def settle(scores: NDArray[Any], result: IntArray) -> None:
    """Add the reconstruction points of scores, in half steps, to `result`, in Δ / 256."""
    _SETTLE[scores.dtype](scores, scores.size, result)


def fill(
    settling: Held[Settling], scores: NDArray[Any], rows: tuple[int, int], result: IntArray, target: int
) -> None:
    """Find the coefficients of a range of rows of a slice; ValueError if it has no such rows.

    Scores are of shape (k, rows, columns), constant components first. The result, (C * 64, held, columns),
    receives them from row `target` on, in the cascade's order and in Δ / 256.
    """
    if not 0 <= rows[0] <= rows[1] <= scores.shape[1]:
        raise ValueError(f"A slice of {scores.shape[1]} rows has no rows {rows[0]} to {rows[1]}.")
    _FILL[scores.dtype](settling, scores, len(scores), *rows, target, result.shape[1], result)


def keep(numbers: IntArray, shift: int, result: NDArray[np.int16]) -> None:
    """Keep numbers of a slice's blocks as networks take them: divided by 2^shift, rounded down.

    The result, (rows + 2, columns + 2), has a border of the nearest blocks.
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

    The index is that of the component in the file; `around` are the :func:`differences` of its channel.
    """
    _LEARN[scores.dtype](settling, scores, around, index, shift, result)
