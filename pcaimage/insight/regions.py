"""Regions of an image of many bands: drawn in the image or among scores, with mean spectra before and after.

A region is a mask of pixels, shape (H, W). Lassos are polygons, in the image or in a plot of scores; both
become masks by the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcaimage.codec import Pictures
from pcaimage.insight.bands import measured_pixels, spectral_angles
from pcaimage.insight.formatting import significant

Mask = NDArray[np.bool_]
Doubles = NDArray[np.float64]

_CELLS, _FINER, _MANY = (160, 120), 2, 50_000
"""Columns and rows of the grid into which scores are counted, how much finer it is for many pixels, and how
many these are."""
_OPACITY = 170
_MOST = 1 << 21  # the number of values of which the spectra of a region are found
_OUTLIERS = 0.01
"""Percentage of pixels at either end of an axis that the grid leaves out, beside what is 10 % farther out."""


def inside(polygon: ArrayLike, rows: int, columns: int) -> Mask:
    """Return which cells of a grid have their centre inside a polygon, shape (rows, columns).

    The polygon, shape (n, 2), is in columns and rows, where cell (0, 0) reaches from 0 to 1. It is closed;
    if it crosses itself, the even-odd rule decides.
    """
    mask = np.zeros((rows, columns + 1), np.int32)
    first = np.asarray(polygon, np.float64).reshape(-1, 2)
    second = np.roll(first, -1, axis=0)
    y = np.arange(rows)[:, None] + 0.5
    crossed = (first[:, 1] <= y) != (second[:, 1] <= y)
    row, edge = np.nonzero(crossed)
    (x0, y0), (x1, y1) = first[edge].T, second[edge].T
    x = x0 + (row + 0.5 - y0) * (x1 - x0) / (y1 - y0)
    np.add.at(mask, (row, np.clip(np.ceil(x - 0.5), 0, columns).astype(np.intp)), 1)
    filled: Mask = np.cumsum(mask[:, :-1], axis=1) % 2 == 1
    return filled


@dataclass(frozen=True, eq=False)
class PixelScatter:
    """The pixels of an image as points by their scores on two components, counted in the cells of a grid."""

    across: int
    up: int
    cells: NDArray[np.intp] = field(repr=False)  # the cell of each pixel, row by row; shape (H, W)
    limits: tuple[float, float, float, float]  # the scores at the left, right, lower and upper edge
    grid: tuple[int, int]  # columns and rows of cells

    @classmethod
    def of(cls, pictures: Pictures, across: int, up: int) -> PixelScatter:
        """Count the scores on two components, from 1, which may be the same; SettingsError without them."""
        most = max(pictures.header.shape)
        planes = [pictures.score_plane(number, most) for number in (across, up)]
        places, limits = [], list[float]()
        columns, rows = (count * (_FINER if planes[0].size > _MANY else 1) for count in _CELLS)
        for plane, count in zip(planes, (columns, rows), strict=True):
            low, high = _extent(plane)
            limits += [low, high]
            places.append(np.clip((plane - low) * (count / (high - low)), 0, count - 1).astype(np.intp))
        left, right, low, high = limits
        return cls(across, up, places[1] * columns + places[0], (left, right, low, high), (columns, rows))

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """The number of pixels in each cell; row 0 has the lowest scores."""
        return self._count(self.cells.reshape(-1))

    def counts_of(self, mask: Mask) -> NDArray[np.intp]:
        """Return the number of a region's pixels in each cell."""
        return self._count(self.cells[mask])

    def lassoed(self, polygon: ArrayLike) -> Mask:
        """Return the pixels inside a polygon of scores, shape (n, 2), as a mask of the image."""
        left, right, low, high = self.limits
        corners = (np.asarray(polygon, np.float64) - (left, low)) / (right - left, high - low) * self.grid
        chosen: Mask = inside(corners, self.grid[1], self.grid[0]).reshape(-1)[self.cells]
        return chosen

    def _count(self, cells: NDArray[np.intp]) -> NDArray[np.intp]:
        columns, rows = self.grid
        return np.bincount(cells, minlength=rows * columns).reshape(rows, columns)


def _extent(plane: NDArray[Any]) -> tuple[float, float]:
    """Return the ends of an axis of scores; a few outliers far from all others lie on its edges."""
    low, high = np.percentile(plane, (_OUTLIERS, 100 - _OUTLIERS))
    room = max(float(high - low) * 0.1, 1e-9)
    return max(float(plane.min()), low - room) - room / 4, min(float(plane.max()), high + room) + room / 4


@dataclass(frozen=True, eq=False)
class RegionSpectra:
    """The mean spectrum of a region and its standard deviation, and the mean of the reconstruction."""

    pixels: int
    mean: Doubles = field(repr=False)
    deviation: Doubles = field(repr=False)
    after: Doubles | None = field(default=None, repr=False)  # None while the reconstruction is not known

    @property
    def summary(self) -> str:
        """The figures in one line, such as ``312 pixels · mean off by RMS 1.2 · spectral angle 0.05°``."""
        parts = [f"{self.pixels:,} pixel{'s' * (self.pixels != 1)}"]
        if self.after is not None:
            rms = float(np.sqrt(np.square(self.after - self.mean).mean()))
            parts.append(f"mean off by RMS {significant(rms)}" if rms else "no error of the mean")
            angle = spectral_angles(self.mean[None], self.after[None])
            parts += [f"spectral angle {angle[0]:.2f}°"] if angle.size else []
        return " · ".join(parts)

    @classmethod
    def of(
        cls,
        pixels: NDArray[Any],
        mask: Mask,
        reconstruction: NDArray[Any] | None = None,
        nodata: float | None = None,
    ) -> RegionSpectra | None:
        """Return the spectra of a region's measured pixels; None where there are none.

        Images have the shape (H, W, C). Large regions are sampled, alike in both images.
        """
        where = np.flatnonzero(mask)
        where = where[:: max(1, -(-len(where) * pixels.shape[-1] // _MOST))]
        rows = pixels.reshape(-1, pixels.shape[-1])[where]
        before = measured_pixels(rows, max(rows.size, 1), nodata)
        if not len(before):
            return None
        after = None
        if reconstruction is not None:
            there = reconstruction.reshape(-1, pixels.shape[-1])[where]
            after = measured_pixels(there, max(there.size, 1), nodata).mean(axis=0)
        mean = before.mean(axis=0)
        return cls(int(mask.sum()), mean, before.std(axis=0), after)


def marks(masks: Sequence[Mask], colours: Sequence[tuple[int, int, int]]) -> NDArray[np.uint8]:
    """Return regions, of which there are some, as a translucent picture, shape (H, W, 4), the last on top."""
    picture = np.zeros((*masks[0].shape, 4), np.uint8)
    for mask, colour in zip(masks, colours, strict=True):
        picture[mask] = (*colour, _OPACITY)
    return picture
