"""From scores to coefficients for display, quantisation included, and to 8-bit pixels.

What :mod:`.prediction` computes is computed in float32 here. Coefficients are in units of the step, so that
quantisation is rounding to integers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.picture import SCORE_BITS
from pcaimage.core.library import LONG, STRUCT, Array, function, held

AnyArray = NDArray[Any]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int64]

BIAS_ONE, BIAS_MORE = 10, 5
"""Bias of the reconstruction points towards zero, in 1/256 step: for scores of ±1, and for larger ones.

Small scores are more frequent than large ones, so the mean of each quantisation interval lies nearer to zero
than its centre.
"""

STORED, ROUNDED, EXACT = 0, 1, 2
"""Kinds of scores: a file's half steps; to be rounded; to be shown as they are."""

_FLOATS, _LONGS, _RESULT = Array(np.float32), Array(np.int64), Array(np.float32, writable=True)

MEANS = function("pcai_means_around", None, STRUCT, Array(np.uint8), _LONGS, LONG, _RESULT)
"""Read the blocks' means in a rectangle and around it.

Parameters are the rectangle, the bytes of the planes, the places in them of constant components, -1 for
those that are left out, how many these are, and the result, (C, height + 2, width + 2): beyond the slice its
nearest block is repeated.
"""

COEFFICIENTS = function(
    "pcai_coefficients", *(None, STRUCT, Array(np.uint8), _LONGS, _FLOATS, _FLOATS, LONG, LONG, LONG, _RESULT)
)
"""Compute the coefficients of chosen components in a rectangle of a slice.

Parameters are the rectangle, the bytes of the planes, for each component its plane, or -1 if it is only
predicted, its channel, and whether it is predicted, -1 for the constant ones; its weights, (m, 9), of the
3 × 3 means in raster order; the means; the number m; the first row of the result, its rows, and the result:
(m, rows, width).
"""

_NO_LEVELS, NO_FACTORS = np.zeros((0, 0), np.int8), np.zeros((0, 0), np.float32)


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
    one_less: float = BIAS_ONE / (1 << SCORE_BITS)
    more_less: float = BIAS_MORE / (1 << SCORE_BITS)
    levels: NDArray[np.int8] = _NO_LEVELS  # each block's level of the step
    factors: NDArray[np.float32] = NO_FACTORS  # shape (m, levels)
    n_levels: int = 0  # 0 if scores are rounded with one step
    wide: bool = False  # whether the planes have 32 bits rather than 16


_paint = function("pcai_paint", None, STRUCT, Array(np.uint8, writable=True))


class Painting(NamedTuple):
    """Arguments of :func:`paint`; mirrors the struct of the same name in the core."""

    vertical: Floats
    horizontal: Floats
    rotation: Floats
    offset: Floats
    values: Floats
    lines: IntArray
    present: int  # bit set of the p*8 + v that occur
    cells: int  # averages along a block's side
    shown: int  # number n of channels shown
    components: int  # shape of the values, with height and width
    height: int
    width: int
    top: int  # width of the halo in blocks, on each side
    bottom: int
    left: int
    right: int
    limit: int = 255  # the largest value of a pixel
    wide: bool = False  # whether pixels have 16 bits


def paint(
    values: Floats,
    lines: IntArray,
    halo: tuple[int, int, int, int],
    vertical: Floats,
    horizontal: Floats,
    rotation: Floats,
    offset: Floats,
    picture: AnyArray,
) -> None:
    """Render a rectangle of blocks into `picture`, uint8 of shape (8 h / r, 8 w / r, n).

    `values` are the coefficients of m components in the rectangle and its halo, which has so many blocks
    above, below, left and right, 0 at the image's border. `lines` has each component's p*8 + v, ascending,
    and u, for channel p, horizontal frequency v and vertical frequency u: (m, 2). The maps are those of
    :func:`.axes.averages` for blocks that are neither first nor last, first, last, and
    both. `rotation` is the weight of each channel component in each channel shown, (4, n), zero where unused,
    and `offset` a constant for each, with one half for rounding.
    """
    present = int(np.bitwise_or.reduce(1 << lines[:, 0])) if len(lines) else 0
    cells, shown = vertical.shape[1], len(offset)
    look, shape = (vertical, horizontal, rotation, offset), values.shape
    sizes = cells, shown, shape[0], shape[1], shape[2]
    painting = Painting(*look, values, lines, present, *sizes, *halo)
    _paint(held(painting), picture)
