"""From scores to coefficients for display: :mod:`.prediction` in float32, with the quantisation included.

Coefficients are in units of the step, so that quantisation is rounding to integers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.prediction import BIAS_MORE, BIAS_ONE, FRACTION_BITS
from pcaimage.core.library import LONG, STRUCT, Array, function_of, held

AnyArray = NDArray[Any]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int64]

STORED, ROUNDED, EXACT, HALVES = 0, 1, 2, 3
"""Kinds of scores: a file's integers; to be rounded; to be shown as they are; a file's half steps."""

_FLOATS, _LONGS, _RESULT = Array(np.float32), Array(np.int64), Array(np.float32, writable=True)
_MEANS = function_of("pcai_means_around", lambda kind: (STRUCT, Array(kind), _LONGS, LONG, _RESULT))
_COEFFICIENTS = function_of(
    "pcai_coefficients",
    lambda kind: (STRUCT, Array(kind), _LONGS, _FLOATS, _FLOATS, LONG, LONG, LONG, _RESULT),
)

_NO_LEVELS, _NO_FACTORS = np.zeros((0, 0), np.int8), np.zeros((0, 0), np.float32)


class Rectangle(NamedTuple):
    """A rectangle of a slice and its quantiser; mirrors the struct of the same name in the core.

    Parameters
    ----------
    start, stop : int
        Range of rows of the slice.
    rows, columns : int
        Shape of the planes.
    row, column, height, width : int
        The rectangle in the planes.
    kind : int
        One of :data:`STORED`, :data:`ROUNDED`, :data:`EXACT` and :data:`HALVES`.
    factor : float
        Multiplies the scores, to express them in units of the step.
    first, others : float
        Dead zone: smaller magnitudes become zero. Rounding offset: added to larger ones, which are then
        rounded down.
    one_less, more_less : float
        Bias of the reconstruction towards zero, for scores of ±1 and for larger ones.
    levels : ndarray of int8, shape (slice's rows, columns)
        Each block's level of the step.
    factors : ndarray of float32, shape (m, levels)
        Factors of the step at each level, for each chosen component; for scores in half steps, and for those
        that are rounded with steps that differ.
    n_levels : int
        Number of levels; 0 if scores are rounded with one step.
    """

    start: int
    stop: int
    rows: int
    columns: int
    row: int
    column: int
    height: int
    width: int
    kind: int
    factor: float
    first: float = 0.5
    others: float = 0.5
    one_less: float = BIAS_ONE / (1 << FRACTION_BITS)
    more_less: float = BIAS_MORE / (1 << FRACTION_BITS)
    levels: NDArray[np.int8] = _NO_LEVELS
    factors: NDArray[np.float32] = _NO_FACTORS
    n_levels: int = 0


def means_around(
    planes: AnyArray,
    bounds: tuple[int, int],
    places: IntArray,
    corner: tuple[int, int],
    factor: np.float32,
    kind: int,
    around: Floats,
) -> None:
    """Read the blocks' means in a rectangle and around it.

    Parameters
    ----------
    planes : ndarray of int16 or int32, shape (n, rows, columns), in C order
        Scores.
    bounds : (int, int)
        Range of rows of the slice.
    places : ndarray of int64, shape (C,)
        Planes of the constant components, -1 for those that are left out.
    corner : (int, int)
        First row and column of the rectangle.
    factor : float32
        Multiplies the scores, to express them in units of the step.
    kind : int
        One of :data:`STORED`, :data:`ROUNDED`, :data:`EXACT` and :data:`HALVES`.
    around : ndarray of float32, shape (C, height + 2, width + 2)
        Receives the means of the rectangle and of a border of one block; beyond the slice its nearest block
        is repeated.
    """
    size = around.shape[1] - 2, around.shape[2] - 2
    rectangle = Rectangle(*bounds, planes.shape[1], planes.shape[2], *corner, *size, kind, float(factor))
    _MEANS[planes.dtype](held(rectangle), planes, places, len(places), around)


def coefficients(
    planes: AnyArray,
    chosen: IntArray,
    weights: Floats,
    around: Floats,
    corner: tuple[int, int],
    factor: np.float32,
    zones: tuple[np.float32, np.float32],
    kind: int,
    rows: tuple[int, int],
    result: Floats,
    start: int = 0,
    levels: NDArray[np.int8] = _NO_LEVELS,
    factors: Floats = _NO_FACTORS,
) -> None:
    """Compute the coefficients of chosen components in a rectangle of a slice.

    Parameters
    ----------
    planes : ndarray of int16 or int32, shape (n, rows, columns), in C order
        Scores.
    chosen : ndarray of int64, shape (m, 3)
        For each component its plane, or -1 if it is only predicted; its channel; and whether it is predicted,
        -1 for the constant components.
    weights : ndarray of float32, shape (m, 9)
        Prediction weights of the 3 × 3 means around and including the block's own, in raster order.
    around : ndarray of float32, shape (C, height + 2, width + 2)
        From :func:`means_around`.
    corner : (int, int)
        First row and column of the rectangle.
    factor : float32
        Multiplies the scores, to express them in units of the step.
    zones : (float32, float32)
        Dead zone and rounding offset, as in :class:`Rectangle`.
    kind : int
        One of :data:`STORED`, :data:`ROUNDED`, :data:`EXACT` and :data:`HALVES`.
    rows : (int, int)
        Range of rows of the result to compute.
    result : ndarray of float32, shape (m, height, width), in C order
        Receives the coefficients.
    start : int, default 0
        The first row of the slice in the planes.
    levels, factors : ndarray of int8, ndarray of float32
        As in :class:`Rectangle`.
    """
    size, shape = (rows[1] - rows[0], result.shape[2]), (planes.shape[1], planes.shape[2])
    first, others = float(zones[0]), float(zones[1])
    rectangle = Rectangle(
        start,
        shape[0],
        *shape,
        *corner,
        *size,
        kind,
        float(factor),
        first,
        others,
        levels=levels,
        factors=factors,
        n_levels=factors.shape[1],
    )
    inputs = planes, chosen, weights, around
    _COEFFICIENTS[planes.dtype](held(rectangle), *inputs, len(chosen), rows[0], result.shape[1], result)
