"""Samples of an image: which one lies under a pixel, and which of its components are worth a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Header, Region
from pcaimage.sampling import Channels, Stack

FIRST, MOST = 12, 32
"""So many components are shown one by one, and so many at most."""

_AROUND_PIXEL = 16


@dataclass(frozen=True)
class SamplePlace:
    """A sample of an image, and where it is.

    Parameters
    ----------
    row, column : int
        Which one, from 0; of a stack 0 and the number of the image.
    region : Region
        Its pixels within the image.
    around : Region
        The same with its surroundings.
    """

    row: int
    column: int
    region: Region
    around: Region

    @property
    def centre(self) -> tuple[int, int]:
        """A pixel of it."""
        return (self.region.left + self.region.right) // 2, (self.region.top + self.region.bottom) // 2


@dataclass(frozen=True)
class Samples:
    """How an image is cut into samples.

    Parameters
    ----------
    width, height : int
        Of the image, in pixels.
    size : int
        Pixels along a sample's side: of a block, or 1 for a pixel; 0 where a sample is an image of a stack.
    """

    width: int
    height: int
    size: int

    @classmethod
    def of(cls, header: Header) -> Samples:
        """Return how an image was cut.

        Parameters
        ----------
        header : Header
            Its shape and sampling.

        Returns
        -------
        Samples
            Its samples.
        """
        height, width = header.shape[-3:-1]
        if isinstance(header.sampling, Stack):
            return cls(width, height, 0)
        side = 1 if isinstance(header.sampling, Channels) else header.sampling.feature_grid(header.shape)[0]
        return cls(width, height, side)

    def at(self, x: int, y: int, frame: int = 0) -> SamplePlace:
        """Return the sample that a pixel belongs to.

        Parameters
        ----------
        x, y : int
            The pixel; the nearest one if it is outside.
        frame : int, default 0
            Which image of a stack.

        Returns
        -------
        SamplePlace
            The sample.
        """
        if not self.size:
            whole = Region(0, 0, self.width, self.height)
            return SamplePlace(0, frame, whole, whole)
        x, y = min(max(x, 0), self.width - 1), min(max(y, 0), self.height - 1)
        row, column = y // self.size, x // self.size
        region = self._inside(column * self.size, row * self.size, self.size, self.size)
        if self.size == 1:
            across, down = min(_AROUND_PIXEL, self.width), min(_AROUND_PIXEL, self.height)
            left = min(max(x - across // 2, 0), self.width - across)
            top = min(max(y - down // 2, 0), self.height - down)
            return SamplePlace(row, column, region, Region(left, top, left + across, top + down))
        left, top = max(column - 1, 0) * self.size, max(row - 1, 0) * self.size
        right, bottom = (column + 2) * self.size, (row + 2) * self.size
        return SamplePlace(row, column, region, self._inside(left, top, right - left, bottom - top))

    def beside(self, place: SamplePlace, across: int, down: int) -> SamplePlace:
        """Return a sample near another.

        Parameters
        ----------
        place : SamplePlace
            The other.
        across, down : int
            How many samples to the right, and down; negative to the left, and up.

        Returns
        -------
        SamplePlace
            The last one in that direction, if there are not as many.
        """
        return self.at(
            place.region.left + across * self.size, place.region.top + down * self.size, place.column
        )

    def _inside(self, left: int, top: int, across: int, down: int) -> Region:
        return Region(left, top, min(left + across, self.width), min(top + down, self.height))


def chosen_stages(
    scores: NDArray[np.float32], k: int, left_out: frozenset[int], first: int = FIRST, most: int = MOST
) -> list[int]:
    """Choose the components after which a sum is worth looking at.

    Parameters
    ----------
    scores : ndarray of float32, shape (n_components,)
        The sample's scores.
    k : int
        How many components are kept.
    left_out : frozenset of int
        Components, from 1, that are not.
    first : int, default 12
        How many are shown one by one.
    most : int, default 32
        How many are chosen at most.

    Returns
    -------
    list of int
        Ascending, from 1: the first few, those of the others whose scores are largest by magnitude, and the
        last that is kept, so that the sum is complete.
    """
    kept = np.array([n for n in range(1, min(k, scores.size) + 1) if n not in left_out], np.int64)
    if kept.size <= most:
        return [int(n) for n in kept]
    middle = kept[first:-1]
    largest = middle[np.argsort(-np.abs(scores[middle - 1]), kind="stable")[: most - first - 1]]
    return sorted({*kept[:first].tolist(), *largest.tolist(), int(kept[-1])})
