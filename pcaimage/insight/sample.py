"""The samples of an image: which one contains a pixel, and which of its partial sums to show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Header, Region
from pcaimage.sampling import Stack

FIRST, MOST = 12, 32
"""Number of components shown in order, and the most shown in all."""

_AROUND_PIXEL = 16


@dataclass(frozen=True)
class SamplePlace:
    """Position of a sample in the grid of an image; of a stack, row 0 and the number of the image."""

    row: int
    column: int
    region: Region  # its pixels within the image
    around: Region  # the same with its surroundings

    @property
    def centre(self) -> tuple[int, int]:
        """The pixel at its centre."""
        return (self.region.left + self.region.right) // 2, (self.region.top + self.region.bottom) // 2


@dataclass(frozen=True)
class Samples:
    """The division of an image into samples."""

    width: int
    height: int
    size: int  # side of a block; 1 for pixels, 0 for the images of a stack

    @classmethod
    def of(cls, header: Header) -> Samples:
        """Return the samples of an image, by the shape and sampling in its header."""
        height, width = header.shape[-3:-1]
        if isinstance(header.sampling, Stack):
            return cls(width, height, 0)
        return cls(width, height, header.sampling.feature_grid(header.shape)[0])

    def at(self, x: int, y: int, frame: int = 0) -> SamplePlace:
        """Return the sample that contains the pixel nearest to (x, y); of a stack, image `frame`."""
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

    def neighbour(self, place: SamplePlace, across: int, down: int) -> SamplePlace:
        """Return the sample some samples to the right and down (negative: left and up), within the image."""
        return self.at(
            place.region.left + across * self.size, place.region.top + down * self.size, place.column
        )

    def _inside(self, left: int, top: int, across: int, down: int) -> Region:
        return Region(left, top, min(left + across, self.width), min(top + down, self.height))


def components_to_show(
    scores: NDArray[np.float32], k: int, left_out: frozenset[int], first: int = FIRST, most: int = MOST
) -> list[int]:
    """Choose at most `most` components, from 1, whose partial sums are worth showing, in ascending order.

    They are the `first` few, those of the others with the largest absolute scores, and the last that is kept,
    so that the sum is complete.
    """
    kept = np.array([n for n in range(1, min(k, scores.size) + 1) if n not in left_out], np.int64)
    if kept.size <= most:
        return [int(n) for n in kept]
    middle = kept[first:-1]
    largest = middle[np.argsort(-np.abs(scores[middle - 1]), kind="stable")[: most - first - 1]]
    return sorted({*kept[:first].tolist(), *largest.tolist(), int(kept[-1])})
