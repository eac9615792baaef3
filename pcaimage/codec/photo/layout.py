"""The order of a photo's components, and the division of its blocks into slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.photo.local_steps import LocalSteps
from pcaimage.codec.photo.scores.relations import LARGEST
from pcaimage.codec.photo.scores.shrinkage import REACH
from pcaimage.errors import SettingsError
from pcaimage.sampling.lapped import BLOCK

UNIT = 1 / 8
"""Unit of the stored scores: an eighth of a grey level, far finer than any step."""

PER_CHANNEL = 64
"""Components per channel: 8×8."""

SLICE_BLOCKS = 1 << 15
"""Approximate number of blocks in a slice. Slices are coded independently and in parallel."""

LOWEST = 2
"""Fewest rows of blocks in a slice that the encoder makes."""


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
        """The smallest integer type that holds every valid score: int16 or int32."""
        # A lapped block's score is at most the block's norm: 8 times the peak for every channel.
        largest = 8 * self.header.peak * np.sqrt(self.channels) / float(self.header.step)
        if largest > LARGEST:
            raise SettingsError(
                f"A step of {float(self.header.step):g} is too small for the range of the image's values."
            )
        largest *= 2  # half steps are kept
        local = LocalSteps.of(self.header)
        largest /= 1.0 if local is None else min(local.finest, 1.0)
        return np.dtype(np.int16) if largest < 0.9 * np.iinfo(np.int16).max else np.dtype(np.int32)


def channel_map(order: NDArray[np.int64], channels: int) -> NDArray[np.int64]:
    """Return the non-constant components of an image of some channels, in the order of the file.

    Each of the 63 * channels is its channel in the image and its index in `order`, which has channel,
    vertical and horizontal frequency of those of three channels. Components of a fourth channel each follow
    those of the third.
    """
    pairs = []
    for place, channel in enumerate(order[:, 0].tolist()):
        if channel < channels:
            pairs.append((channel, place))
        if channel == 2 and channels == 4:
            pairs.append((3, place))
    return np.array(pairs, np.int64).reshape(-1, 2)
