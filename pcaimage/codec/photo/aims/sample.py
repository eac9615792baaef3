"""Samples of a photo's blocks, and ratio estimates from them to the whole image."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import UNIT, PhotoLayout
from pcaimage.codec.photo.scores.costs import size_bits, square_errors

TILE_BLOCKS = 3 << 12
"""Number of blocks in all tiles together. Images with no more blocks are sampled whole."""

MOST_TIMES = 2  # largest growth of the sample at coarse steps, where blocks are quick and few are informative

TILE, TILES = 2048, 6
"""Number of blocks in a tile, and number of tiles of small samples, whose tiles are smaller.

Tiles are twice as wide as high, so that few blocks lie at their edges, where the neighbours are not those of
the image.
"""

GOLDEN = 0.618
"""The golden ratio, less one: its multiples, less whole numbers, are evenly spread however many there are."""

SPREAD_BLOCKS = 1 << 15  # number of single blocks, evenly spread, with which the tiles are compared

Floats = NDArray[np.float64]
Tile = tuple[slice, slice]


@dataclass(frozen=True, eq=False)
class Sample:
    """Tiles of a large photo, or all of a small one.

    A few tiles are busier or quieter than the image, however they are chosen. So costs measured in them are
    corrected by a ratio estimate (W. G. Cochran, "Sampling Techniques", 3rd ed., 1977, chapter 6): a simple
    formula's value over single blocks all over the image, divided by its value over the tiles' blocks.
    """

    analysis: PhotoAnalysis = field(repr=False)
    limit: int = TILE_BLOCKS
    count: int | None = None  # how many of the first components are looked at; None for all

    @cached_property
    def grid(self) -> tuple[int, int]:
        """Number of rows and of columns of blocks of the image."""
        return PhotoLayout(self.analysis.header).grid

    @property
    def is_whole(self) -> bool:
        """Whether the sample is the whole image."""
        return self.grid[0] * self.grid[1] <= self.limit

    @property
    def order(self) -> NDArray[np.int64]:
        """The planes of the components that are looked at, in the order of the file."""
        return self.analysis.order[: self.count]

    @cached_property
    def tiles(self) -> list[Tile]:
        """Ranges of rows and columns of each tile, spread over the image and all of one shape."""
        rows, columns = self.grid
        if self.is_whole:
            return [(slice(0, rows), slice(0, columns))]
        area = min(TILE, max(self.limit // TILES, 1))
        height = min(rows, max(round(math.sqrt(area / 2)), area // columns, 1))
        width = min(columns, area // height)
        count = max(1, self.limit // (height * width))
        down = int(np.clip(round(math.sqrt(count * rows * width / (columns * height))), 1, rows // height))
        across = int(np.clip(count // down, 1, columns // width))
        tops, lefts = _starts(rows, height, down), _starts(columns, width, across)
        return [(slice(top, top + height), slice(left, left + width)) for top in tops for left in lefts]

    @property
    def blocks(self) -> int:
        """Number of blocks in all tiles together."""
        return sum((rows.stop - rows.start) * (columns.stop - columns.start) for rows, columns in self.tiles)

    @property
    def weight(self) -> float:
        """Number of the image's blocks for each block of the tiles."""
        return self.grid[0] * self.grid[1] / self.blocks

    def size_ratios(self, step: float) -> Floats:
        """Estimate for each component the ratio of its rate in the image to that in the tiles."""
        factor = np.float32(UNIT / step)
        return self._ratios(lambda scores: size_bits(np.abs(scores * factor)), 1e-3)

    def error_ratios(self, step: float) -> Floats:
        """Estimate for each component the ratio of its squared error in the image to that in the tiles."""
        factor = np.float32(UNIT / step)
        return self._ratios(lambda scores: square_errors(np.abs(scores * factor)), 1e-6)

    @cached_property
    def energy_ratios(self) -> Floats:
        """Ratio of the mean squared scores in the image to those in the tiles, shape (n_components,)."""
        return self._ratios(lambda scores: np.square(scores, dtype=np.float32), 1.0)

    def _ratios(self, formula: Callable[[NDArray[Any]], NDArray[Any]], least: float) -> Floats:
        if self.is_whole:
            return np.ones(len(self.order))

        def means(scores: NDArray[Any]) -> Floats:
            return np.array([formula(plane).mean(dtype=np.float64) + least for plane in scores])

        return means(self._spread) / means(self._tiled)

    @cached_property
    def _spread(self) -> NDArray[Any]:
        """Scores of single blocks, spread over the image."""
        stride = math.ceil(math.sqrt(self.grid[0] * self.grid[1] / SPREAD_BLOCKS))
        rows, columns = (np.arange(min(stride // 2, size - 1), size, stride) for size in self.grid)
        return self._scores(rows, columns)

    @cached_property
    def _tiled(self) -> NDArray[Any]:
        """Scores of the tiles' blocks, or of some of many."""
        every = max(1, round(math.sqrt(self.blocks / MOST_TIMES / TILE_BLOCKS)))
        parts = [
            self._scores(*(np.arange(part.start, part.stop, every) for part in tile)) for tile in self.tiles
        ]
        return np.concatenate(parts, axis=1)

    def _scores(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[Any]:
        """Return scores in the order of the file; constant components as differences between blocks."""
        planes, order, here = self.analysis.planes, self.order, np.ix_(rows, columns)
        found = np.stack([planes[number][here].ravel() for number in order])
        for index, number in enumerate(order[: self.analysis.header.shape[-1]]):
            found[index] -= planes[number][np.ix_(rows, np.abs(columns - 1))].ravel()
        return found


@dataclass(frozen=True, eq=False)
class Strips(Sample):
    """Two tiles of each slice, as high as it, or whole slices.

    Where most scores are nearly rounded to zero, how many become zero depends on what a slice's coder has
    learnt, so that smaller tiles tell little of it.
    """

    @cached_property
    def by_slice(self) -> list[list[Tile]]:
        """The tiles of each slice."""
        (rows, columns), slices = self.grid, PhotoLayout(self.analysis.header).slices
        if self.is_whole:
            return [[(part, slice(0, columns))] for part in slices]
        width, found = max(self.limit // (2 * rows), 1), list[list[Tile]]()
        for number, part in enumerate(slices):
            left = int(number * GOLDEN % 1 * (columns // 2 - width))
            found.append([(part, slice(start, start + width)) for start in (left, columns // 2 + left)])
        return found

    @cached_property
    def tiles(self) -> list[Tile]:
        """Ranges of rows and columns of all tiles."""
        return [tile for part in self.by_slice for tile in part]


def _starts(size: int, length: int, count: int) -> list[int]:
    """Return the first index of each tile, which is centred in its share of the axis."""
    centres = (np.arange(count) + 0.5) * size / count - length / 2
    return [int(np.clip(round(centre), 0, size - length)) for centre in centres]
