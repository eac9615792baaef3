"""From coefficients to 8-bit pixels for the screen: block averages of the components that matter."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.core.library import STRUCT, Array, function, held

AnyArray = NDArray[Any]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int64]

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
