"""The part of an image to be rendered, and the rendered picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Cells(NamedTuple):
    """A range of rows and columns of a grid; bottom and right are exclusive."""

    top: int
    bottom: int
    left: int
    right: int


@dataclass(frozen=True)
class Region:
    """A rectangle of whole pixels; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether it contains no pixel."""
        return self.right <= self.left or self.bottom <= self.top

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom."""
        return self.left, self.top, self.right, self.bottom

    def united(self, other: Region) -> Region:
        """Return the bounding box of this region and another; an empty region is ignored."""
        if self.empty or other.empty:
            return other if self.empty else self
        return Region(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def cells(self, side: int, grid: tuple[int, int]) -> Cells:
        """Return the cells of a grid that the region covers; at least the nearest one.

        Parameters
        ----------
        side : int
            Pixels along a side of a cell.
        grid : (int, int)
            Number of rows and of columns of cells.
        """
        top, left = min(max(self.top // side, 0), grid[0] - 1), min(max(self.left // side, 0), grid[1] - 1)
        bottom, right = min(-(-self.bottom // side), grid[0]), min(-(-self.right // side), grid[1])
        return Cells(top, max(bottom, top + 1), left, max(right, left + 1))


@dataclass(frozen=True, eq=False)
class Screen:
    """An affine map from the values of an image's channels to screen colours.

    Parameters
    ----------
    mix : ndarray of float32, shape (C, n)
        Contribution of a channel's unit value to each colour; white is 255.
    offset : ndarray of float32, shape (n,)
        The colours of a pixel whose values are all zero.
    """

    mix: NDArray[np.float32]
    offset: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class View:
    """A picture of part of an image.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (h, w, n)
        The picture; each of its pixels is the average of a cell of the image's.
    left, top, right, bottom : int
        The part that it shows, in pixels of the image; it may extend beyond the image.
    """

    pixels: NDArray[np.uint8]
    left: int
    top: int
    right: int
    bottom: int
