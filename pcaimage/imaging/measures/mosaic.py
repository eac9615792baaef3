"""Representative samples of large images, made of tiles from all over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from pcaimage.imaging.image.pixels import Pixels

TILE = 256
_ALIGNED = 16  # tiles start at multiples of this, so that a codec's blocks are aligned as in the whole image

_MARGIN = 16
"""Pixels at the edges of a tile that what is beyond them affects: colours of half resolution, and ramps."""


@dataclass(frozen=True)
class Mosaic:
    """Positions of the tiles of a sample, in pixels; every row of tiles has the same columns."""

    tops: tuple[int, ...]
    lefts: tuple[int, ...]
    height: int
    width: int

    @classmethod
    def of(cls, shape: Sequence[int], most: int, tile: int = TILE) -> Self:
        """Spread tiles over an image for a sample of about `most` pixels; a small image is one tile."""
        height, width = shape[:2]
        if height * width <= most * 4 / 3 or min(height, width) < tile:
            return cls((0,), (0,), height, width)
        wanted = most / tile**2
        down = min(max(1, round(math.sqrt(wanted * height / width))), height // tile)
        across = min(max(1, round(wanted / down)), width // tile)
        return cls(_starts(height, tile, down), _starts(width, tile, across), tile, tile)

    @property
    def corners(self) -> list[tuple[int, int]]:
        """Top and left edge of each tile, row by row."""
        return [(top, left) for top in self.tops for left in self.lefts]

    @property
    def is_whole(self) -> bool:
        """Whether the only tile is the whole image."""
        return len(self.tops) == len(self.lefts) == 1 and (self.tops[0], self.lefts[0]) == (0, 0)

    def cut(self, pixels: Pixels) -> Pixels:
        """Return the sample of an image of shape (H, W, C): the image itself if it is the only tile."""
        if self.is_whole:
            return pixels
        height, width = self.height, self.width
        return self.join([pixels[top : top + height, left : left + width] for top, left in self.corners])

    def join(self, tiles: list[Pixels]) -> Pixels:
        """Join tiles, in the order of :attr:`corners`, to a sample."""
        across = len(self.lefts)
        rows = [np.concatenate(tiles[i : i + across], axis=1) for i in range(0, len(tiles), across)]
        return np.concatenate(rows, axis=0)

    def inner(self, sample: Pixels) -> Pixels:
        """Return a sample without the margins of its tiles, whose seams cost a codec what no image has."""
        if self.is_whole:
            return sample
        inside = slice(_MARGIN, -_MARGIN)
        tiles = sample.reshape(len(self.tops), self.height, len(self.lefts), self.width, -1)
        kept: Pixels = tiles[:, inside, :, inside]
        return kept.reshape(kept.shape[0] * kept.shape[1], -1, kept.shape[-1])

    def ramped(self, sample: Pixels) -> Pixels:
        """Return a sample of 8 bits with a ramp in the margins in place of each step between tiles."""
        values, ramp = sample.astype(np.float32), 1 - (np.arange(_MARGIN) + 0.5) / _MARGIN
        sides = (self.height, len(self.tops)), (self.width, len(self.lefts))
        for axis, (side, count) in enumerate(sides):
            lines = np.moveaxis(values, axis, 0)
            for start in range(side, count * side, side):
                rise = (lines[start] - lines[start - 1]) / 2
                lines[start - _MARGIN : start] += ramp[::-1, None, None] * rise
                lines[start : start + _MARGIN] -= ramp[:, None, None] * rise
        return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def mosaic(pixels: Pixels, most: int, tile: int = TILE) -> Pixels:
    """Return a sample of about `most` pixels that takes about as many bits per pixel as the image."""
    return Mosaic.of(pixels.shape, most, tile).cut(pixels)


def _starts(size: int, tile: int, count: int) -> tuple[int, ...]:
    """Return the starts of tiles spread evenly along a side, each in the middle of its share."""
    shares = ((number + 0.5) * size / count - tile / 2 for number in range(count))
    return tuple(int(min(max(start, 0), size - tile)) // _ALIGNED * _ALIGNED for start in shares)
