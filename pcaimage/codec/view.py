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
        """Return the cells of a side that the region covers in a grid of rows and columns; at least one."""
        top, left = min(max(self.top // side, 0), grid[0] - 1), min(max(self.left // side, 0), grid[1] - 1)
        bottom, right = min(-(-self.bottom // side), grid[0]), min(-(-self.right // side), grid[1])
        return Cells(top, max(bottom, top + 1), left, max(right, left + 1))


@dataclass(frozen=True, eq=False)
class Screen:
    """An affine map from the values of an image's channels to screen colours."""

    mix: NDArray[np.float32]
    """Contribution of a channel's unit value to each colour, shape (C, n); white is 255."""
    offset: NDArray[np.float32]  # the colours of a pixel whose values are all zero, shape (n,)


@dataclass(frozen=True, eq=False)
class View:
    """A picture of part of an image, each of whose pixels is the average of a cell of the image's."""

    pixels: NDArray[np.uint8]  # shape (h, w, n)
    left: int  # the part that it shows, in pixels of the image; it may extend beyond the image
    top: int
    right: int
    bottom: int
