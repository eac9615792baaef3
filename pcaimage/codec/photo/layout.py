"""Which components a photo has, in which order, and how its blocks are divided into slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.photo.relations import LARGEST
from pcaimage.codec.photo.shrinkage import REACH
from pcaimage.errors import SettingsError
from pcaimage.sampling.lapped import BLOCK

PER_CHANNEL = 64
"""Components of one channel: 8×8 pixels."""

SLICE_BLOCKS = 1 << 15
"""About how many blocks a slice has. Slices are coded side by side, and know nothing of each other."""


def slice_rows(rows: int, columns: int) -> int:
    """Return how many rows of blocks a slice of an image has."""
    count = min(max(1, round(rows * columns / SLICE_BLOCKS)), MAX_SLICES)
    return -(-rows // count)


@dataclass(frozen=True)
class PhotoLayout:
    """How a photo's scores lie in its file.

    Parameters
    ----------
    header : Header
        The image's shape, and how many rows of blocks a slice has.
    """

    header: Header

    @property
    def channels(self) -> int:
        """Channels of the image."""
        return self.header.shape[-1]

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of blocks."""
        return self.header.sampling.grid(self.header.shape)

    @property
    def slices(self) -> list[slice]:
        """The rows of blocks of each slice."""
        rows = self.grid[0]
        height = self.header.slice_rows or rows
        return [slice(start, min(start + height, rows)) for start in range(0, rows, height)]

    def complete_lines(self, rows: int) -> int:
        """Return how many lines of pixels the first rows of blocks suffice for: the next row laps over."""
        reach = BLOCK // 2 + (REACH if self.header.strengths else 0)
        return self.header.shape[0] if rows >= self.grid[0] else max(rows * BLOCK - reach, 0)

    @property
    def dtype(self) -> np.dtype[np.signedinteger]:
        """The type that every score fits into: int16, where no sensible score of the image is larger."""
        # A lapped block's score is at most the length of the block, 8 times the peak for every channel.
        largest = 8 * self.header.peak * np.sqrt(self.channels) / float(self.header.step)
        if largest > LARGEST:
            raise SettingsError(
                f"A step of {float(self.header.step):g} is too small for the range of the image's values."
            )
        if self.header.dependent:
            largest *= 2  # half steps are kept
        return np.dtype(np.int16) if largest < 0.9 * np.iinfo(np.int16).max else np.dtype(np.int32)


def channel_map(order: NDArray[np.int64], channels: int) -> NDArray[np.int64]:
    """Return the components of an image of some channels.

    Parameters
    ----------
    order : ndarray of int64, shape (n, 3)
        Channel, vertical and horizontal frequency of the components of three channels that are not constant.
    channels : int
        How many channels the image has, from 1 to 4.

    Returns
    -------
    ndarray of int64, shape (63 * channels, 2)
        For each component its channel in the image, and its place in `order`. A fourth channel follows the
        third, component by component.
    """
    pairs = []
    for place, channel in enumerate(order[:, 0].tolist()):
        if channel < channels:
            pairs.append((channel, place))
        if channel == 2 and channels == 4:
            pairs.append((3, place))
    return np.array(pairs, np.int64).reshape(-1, 2)
