"""A fair sample of a large image: tiles from all over it, put together to a smaller image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from pcaimage.imaging.types import Pixels

TILE = 256
_ALIGNED = 16
"""Tiles begin at multiples of it, so that a codec's own blocks lie in a tile as they lie in the image."""


@dataclass(frozen=True)
class Mosaic:
    """Where the tiles of a sample lie.

    Parameters
    ----------
    tops, lefts : tuple of int
        Rows and columns at which tiles begin; each row of tiles has the same columns.
    height, width : int
        Size of a tile.
    """

    tops: tuple[int, ...]
    lefts: tuple[int, ...]
    height: int
    width: int

    @classmethod
    def of(cls, shape: Sequence[int], most: int, tile: int = TILE) -> Self:
        """Spread tiles over an image.

        Parameters
        ----------
        shape : sequence of int
            (H, W, ...), the image's.
        most : int
            About how many pixels the sample has.
        tile : int, default 256
            Side of a tile in pixels.

        Returns
        -------
        Mosaic
            One tile that is the whole image where that is not much larger than `most`, or narrow.
        """
        height, width = shape[:2]
        if height * width <= most * 4 / 3 or min(height, width) < tile:
            return cls((0,), (0,), height, width)
        wanted = most / tile**2
        down = min(max(1, round(math.sqrt(wanted * height / width))), height // tile)
        across = min(max(1, round(wanted / down)), width // tile)
        return cls(_starts(height, tile, down), _starts(width, tile, across), tile, tile)

    @property
    def corners(self) -> list[tuple[int, int]]:
        """Top and left of each tile, row by row."""
        return [(top, left) for top in self.tops for left in self.lefts]

    @property
    def is_whole(self) -> bool:
        """Whether it has one tile only, which is the image."""
        return len(self.tops) == len(self.lefts) == 1 and (self.tops[0], self.lefts[0]) == (0, 0)

    def cut(self, pixels: Pixels) -> Pixels:
        """Put the tiles together.

        Parameters
        ----------
        pixels : ndarray, shape (H, W, C)
            The image.

        Returns
        -------
        ndarray, shape (h, w, C)
            The image itself, where that is the sample.
        """
        if self.is_whole:
            return pixels
        return self.join([self._tile(pixels, top, left) for top, left in self.corners])

    def join(self, tiles: list[Pixels]) -> Pixels:
        """Put tiles together that come from elsewhere.

        Parameters
        ----------
        tiles : list of ndarray
            In the order of :attr:`corners`.

        Returns
        -------
        ndarray, shape (h, w, C)
            The sample.
        """
        across = len(self.lefts)
        rows = [np.concatenate(tiles[i : i + across], axis=1) for i in range(0, len(tiles), across)]
        return np.concatenate(rows, axis=0)

    def _tile(self, pixels: Pixels, top: int, left: int) -> Pixels:
        return pixels[top : top + self.height, left : left + self.width]


def mosaic(pixels: Pixels, most: int, tile: int = TILE) -> Pixels:
    """Return a smaller image that takes about as many bits a pixel as a large one.

    Parameters
    ----------
    pixels : ndarray, shape (H, W, C)
        The image.
    most : int
        About how many pixels the sample has.
    tile : int, default 256
        Side of a tile in pixels.

    Returns
    -------
    ndarray, shape (h, w, C)
        The image itself where it is not much larger than `most`.
    """
    return Mosaic.of(pixels.shape, most, tile).cut(pixels)


def _starts(size: int, tile: int, count: int) -> tuple[int, ...]:
    """Return where tiles begin that are spread evenly along a side, each in the middle of its share."""
    shares = ((number + 0.5) * size / count - tile / 2 for number in range(count))
    return tuple(int(min(max(start, 0), size - tile)) // _ALIGNED * _ALIGNED for start in shares)
