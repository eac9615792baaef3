"""From scores to coefficients for display: :mod:`.prediction` in float32, with the quantisation included.

Coefficients are in units of the step, so that quantisation is rounding to integers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.scores.prediction import BIAS_MORE, BIAS_ONE, FRACTION_BITS
from pcaimage.core.library import LONG, STRUCT, Array, function_of, held

AnyArray = NDArray[Any]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int64]

STORED, ROUNDED, EXACT = 0, 1, 2
"""Kinds of scores: a file's half steps; to be rounded; to be shown as they are."""

_FLOATS, _LONGS, _RESULT = Array(np.float32), Array(np.int64), Array(np.float32, writable=True)
_MEANS = function_of("pcai_means_around", lambda kind: (STRUCT, Array(kind), _LONGS, LONG, _RESULT))
_COEFFICIENTS = function_of(
    "pcai_coefficients",
    lambda kind: (STRUCT, Array(kind), _LONGS, _FLOATS, _FLOATS, LONG, LONG, LONG, _RESULT),
)

_NO_LEVELS, _NO_FACTORS = np.zeros((0, 0), np.int8), np.zeros((0, 0), np.float32)


class Rectangle(NamedTuple):
    """A rectangle of a slice and its quantiser; mirrors the struct of the same name in the core.

    In the dead zone, magnitudes below `first` become zero; to larger ones `others` is added before they are
    rounded down. The reconstruction is biased towards zero by `one_less` for scores of ±1, and by `more_less`
    for larger ones. The factors of the step for each chosen component at each level are for scores in half
    steps, and for those that are rounded with steps that differ.
    """

    start: int  # range of rows of the slice
    stop: int
    rows: int  # shape of the planes
    columns: int
    row: int
    column: int
    height: int
    width: int
    kind: int  # one of STORED, ROUNDED and EXACT
    factor: float  # expresses the scores in steps
    first: float = 0.5
    others: float = 0.5
    one_less: float = BIAS_ONE / (1 << FRACTION_BITS)
    more_less: float = BIAS_MORE / (1 << FRACTION_BITS)
    levels: NDArray[np.int8] = _NO_LEVELS  # each block's level of the step
    factors: NDArray[np.float32] = _NO_FACTORS  # shape (m, levels)
    n_levels: int = 0  # 0 if scores are rounded with one step


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

    The bounds are the slice's rows; planes are given in C order, and their places are -1 for constant
    components that are left out. Multiplied by `factor`, scores are in steps. `around`, (C, height + 2, width
    + 2), receives a border of one block as well; beyond the slice its nearest block is repeated.
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
    """Compute the coefficients of chosen components in a rectangle of a slice: (m, height, width).

    `chosen` has for each component its plane, or -1 if it is only predicted; its channel; and whether it is
    predicted, -1 for the constant components. `weights`, (m, 9), predict from the 3 × 3 means
    :func:`means_around` in raster order, the block's own included. Planes and result are given in C order,
    and the slice begins with the row `start` of the planes. Factor, zones, kind, levels and factors are those
    of :class:`Rectangle`.
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
