"""The order of a photo's components, and the division of its blocks into slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.photo.tables import plan_of
from pcaimage.sampling.blocks import BLOCK

UNIT = 1 / 8  # unit of the stored scores: an eighth of a grey level, far finer than any step
PER_CHANNEL = 64  # components per channel: 8×8
REACH = 3  # shrinkage of a pixel depends on pixels up to so many lines and columns away

SLICE_BLOCKS = 1 << 15
"""Approximate number of blocks in a slice. Slices are coded independently and in parallel."""

LOWEST = 2  # fewest rows of blocks in a slice that the encoder makes


def slice_rows(rows: int, columns: int) -> int:
    """Return the number of rows of blocks in a slice."""
    count = min(max(1, round(rows * columns / SLICE_BLOCKS)), MAX_SLICES)
    # Shrinkage reaches over a row's half: of lower slices, lines would depend on more than two.
    return max(-(-rows // count), LOWEST)


@dataclass(frozen=True)
class PhotoLayout:
    """The layout of a photo's scores in its file, which follows from the header."""

    header: Header

    @property
    def channels(self) -> int:
        """Number of channels."""
        return self.header.shape[-1]

    @property
    def grid(self) -> tuple[int, int]:
        """Number of rows and of columns of blocks."""
        return self.header.sampling.grid(self.header.shape)

    @property
    def slices(self) -> list[slice]:
        """The range of rows of blocks of each slice."""
        rows = self.grid[0]
        height = self.header.slice_rows or rows
        return [slice(start, min(start + height, rows)) for start in range(0, rows, height)]

    def complete_lines(self, rows: int) -> int:
        """Return how many lines of pixels the first rows of blocks suffice for: the next row laps over."""
        return self.header.shape[0] if rows >= self.grid[0] else max(rows * BLOCK - self.reach, 0)

    @property
    def reach(self) -> int:
        """Lines on each side of the border between two rows of blocks that depend on both."""
        return BLOCK // 2 + (REACH if self.header.strengths else 0)

    @property
    def dtype(self) -> np.dtype[np.signedinteger]:
        """The smallest integer type that holds every valid score; SettingsError if the step is too small."""
        return plan_of(self.header).dtype
