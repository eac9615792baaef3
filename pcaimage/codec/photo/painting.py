"""From coefficients to what a screen shows: averages of pixels, of the components that matter, in bytes."""

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
    """What is painted and how, as the core's struct of the same name.

    Parameters
    ----------
    vertical, horizontal : ndarray of float32, shape (4, 8 / r, 24)
        As of :func:`paint`.
    rotation, offset : ndarray of float32, shapes (4, n) and (n,)
        Likewise.
    values : ndarray of float32, shape (m, rows, columns)
        Likewise.
    lines : ndarray of int64, shape (m, 2)
        Likewise.
    present : int
        A bit for each p*8 + v that there is.
    cells, shown : int
        Averages along a block's side, and n.
    components, height, width : int
        The shape of the values.
    top, bottom, left, right : int
        The halo.
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
    """Paint a rectangle of blocks.

    Parameters
    ----------
    values : ndarray of float32, shape (m, rows, columns)
        The coefficients of the rectangle and of its halo.
    lines : ndarray of int64, shape (m, 2)
        For each component p*8 + v, in ascending order, and u: its channel, its horizontal frequency and its
        vertical one.
    halo : (int, int, int, int)
        How many blocks there are beyond the rectangle above, below, left and right; 0 where the image ends.
    vertical, horizontal : ndarray of float32, shape (4, 8 / r, 24)
        As of :func:`pcaimage.codec.photo.axes.averages`, for blocks that are neither first nor last, first,
        last, and both.
    rotation : ndarray of float32, shape (4, n)
        What the channels' principal components add to the channels shown; zeros where there are fewer.
    offset : ndarray of float32, shape (n,)
        What is shown without any, and one half.
    picture : ndarray of uint8, shape (8 h / r, 8 w / r, n)
        Takes the pixels.
    """
    present = int(np.bitwise_or.reduce(1 << lines[:, 0])) if len(lines) else 0
    cells, shown = vertical.shape[1], len(offset)
    look, shape = (vertical, horizontal, rotation, offset), values.shape
    sizes = cells, shown, shape[0], shape[1], shape[2]
    painting = Painting(*look, values, lines, present, *sizes, *halo)
    _paint(held(painting), picture)
