"""Filling of tiles that are cut out of an image."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.tiles.tiles import TILE
from pcaimage.core.library import STRUCT, Array, function, held
from pcaimage.machine.parallel import side_by_side

_FLOATS, _RESULT = Array(np.float32), Array(np.float32, writable=True)
_average = function("pcai_average", None, _FLOATS, STRUCT, _RESULT)
_fill = function("pcai_fill", None, _RESULT, STRUCT, _FLOATS)


class Squares(NamedTuple):
    """The known squares of a picture of some rows and columns; mirrors the struct in the core."""

    known: NDArray[np.uint8]  # shape (⌈rows / side⌉, ⌈columns / side⌉); 1 for those that are
    across: int  # columns of squares
    shift: int  # log2 of the side of a square
    rows: int
    columns: int

    @property
    def coarser(self) -> Squares:
        """The squares of a picture of half the size; a single pixel is known if one of its four is."""
        known, shape = self.known, ((self.rows + 1) // 2, (self.columns + 1) // 2)
        if not self.shift:
            known = np.pad(known, ((0, known.shape[0] % 2), (0, known.shape[1] % 2)))
            known = np.ascontiguousarray(known.reshape(shape[0], 2, shape[1], 2).max(axis=(1, 3)))
        return Squares(known, known.shape[1], max(self.shift - 1, 0), *shape)


def filled(image: NDArray[np.uint8], cut: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return an image whose tiles are cut out and filled in smoothly from what is around them.

    Averages of ever larger squares are taken over known pixels, and fill the smaller squares without any. If
    all is cut out, it is filled with the mean of the image.
    """
    height, width, channels = image.shape
    if cut.all():
        return np.broadcast_to(np.rint(image.mean(axis=(0, 1))).astype(np.uint8), image.shape).copy()
    result = np.empty_like(image)
    squares = Squares((~cut).astype(np.uint8), cut.shape[1], TILE.bit_length() - 1, height, width)

    def fill(channel: int) -> None:
        plane = image[..., channel].astype(np.float32)
        _fill_in(plane, squares)
        result[..., channel] = np.rint(plane)

    side_by_side(fill, channels)
    return result


def _fill_in(values: NDArray[np.float32], squares: Squares) -> None:
    """Fill in a picture where it is not known."""
    if squares.known.all():
        return
    if min(values.shape) < 2:
        side = 1 << squares.shift
        inside = squares.known.repeat(side, axis=0).repeat(side, axis=1)[: values.shape[0], : values.shape[1]]
        values[inside == 0] = values[inside != 0].mean()
        return
    coarser = squares.coarser
    coarse, given = np.empty((coarser.rows, coarser.columns), np.float32), held(squares)
    _average(values, given, coarse)
    _fill_in(coarse, coarser)
    _fill(values, given, coarse)
