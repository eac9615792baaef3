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
    """Arguments of :func:`paint`; mirrors the struct of the same name in the core.

    Parameters
    ----------
    vertical, horizontal, rotation, offset, values, lines : ndarray
        As for :func:`paint`.
    present : int
        Bit set of the p*8 + v that occur.
    cells, shown : int
        Number of averages along a block's side, and number n of channels shown.
    components, height, width : int
        Shape of the values.
    top, bottom, left, right : int
        Width of the halo in blocks.
    """

    vertical: Floats
    horizontal: Floats
    rotation: Floats
    offset: Floats
    values: Floats
    lines: IntArray
    present: int
    cells: int
    shown: int
    components: int
    height: int
    width: int
    top: int
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
    """Render a rectangle of blocks.

    Parameters
    ----------
    values : ndarray of float32, shape (m, rows, columns)
        Coefficients of the rectangle and its halo.
    lines : ndarray of int64, shape (m, 2)
        Each component's p*8 + v, ascending, and u, for channel p, horizontal frequency v and vertical
        frequency u.
    halo : (int, int, int, int)
        Number of blocks present above, below, left and right of the rectangle; 0 at the image's border.
    vertical, horizontal : ndarray of float32, shape (4, 8 / r, 24)
        Maps from :func:`pcaimage.codec.photo.axes.averages` for blocks that are neither first nor last,
        first, last, and both.
    rotation : ndarray of float32, shape (4, n)
        Weight of each channel component in each channel shown; unused rows are zero.
    offset : ndarray of float32, shape (n,)
        Constant term of each channel shown, including one half for rounding.
    picture : ndarray of uint8, shape (8 h / r, 8 w / r, n)
        Receives the pixels.
    """
    present = int(np.bitwise_or.reduce(1 << lines[:, 0])) if len(lines) else 0
    cells, shown = vertical.shape[1], len(offset)
    look, shape = (vertical, horizontal, rotation, offset), values.shape
    sizes = cells, shown, shape[0], shape[1], shape[2]
    painting = Painting(*look, values, lines, present, *sizes, *halo)
    _paint(held(painting), picture)
