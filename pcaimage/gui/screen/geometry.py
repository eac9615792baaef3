"""Sizes and regions of images and views. No Qt here."""

from __future__ import annotations

from typing import NamedTuple


class Size(NamedTuple):
    """Width and height, of an image in image pixels or of a view in device pixels."""

    width: float
    height: float


class Region(NamedTuple):
    """Whole image pixels from (x0, y0) up to and without (x1, y1)."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def empty(self) -> bool:
        """Whether it holds no pixel."""
        return self.x1 <= self.x0 or self.y1 <= self.y0

    def united(self, other: Region) -> Region:
        """Return the smallest region that holds both.

        Parameters
        ----------
        other : Region
            May be empty.

        Returns
        -------
        Region
            The bounding region.
        """
        if self.empty or other.empty:
            return other if self.empty else self
        return Region(
            min(self.x0, other.x0),
            min(self.y0, other.y0),
            max(self.x1, other.x1),
            max(self.y1, other.y1),
        )
