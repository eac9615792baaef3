"""Pictures of part of a reconstruction, at about the size at which they are shown, in milliseconds.

Reconstruction is linear, and so is averaging pixels: the average of a cell of pixels of a block is the
block's scores times *averaged components*. A view that shows one pixel in sixteen therefore needs a
sixteenth of the arithmetic, and no full picture is ever made. Components that average to almost nothing
are left out, and where blocks are smaller than a screen pixel, the scores are averaged instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.blocks.parts import Parts, Planes
from pcaimage.codec.coding.reduction import halved, reduction, significant
from pcaimage.codec.coding.rounding import rounded
from pcaimage.codec.spectrum import indices
from pcaimage.codec.view import Region, Screen, View
from pcaimage.parallel import in_parallel
from pcaimage.sampling import Blocks, Stack

Floats = NDArray[np.float32]

NEGLIGIBLE = 0.05
"""Averaged components that together change a picture by less than this are left out: a squared error on the
scale of 255, at which no rounded value moves."""

QUANTIZED_NUMBERS = 1 << 22
"""Views with at most so many scores show the quantiser's effect while k moves."""


PARALLEL_NUMBERS = 1 << 19
"""From so many numbers on, a picture is made on all cores."""


@dataclass(frozen=True, eq=False)
class Preview(Parts):
    """Shows an image's first k components. It may be asked from several threads."""

    _levels: dict[int, Planes] = field(default_factory=dict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def render(
        self,
        region: Region,
        scale: float,
        k: int,
        *,
        step: float | None = None,
        zone: float = 0.0,
        bands: tuple[int, ...] | None = None,
        white: float | None = None,
        screen: Screen | None = None,
        frame: int = 0,
        left_out: frozenset[int] = frozenset(),
    ) -> View:
        """Return a picture of part of the reconstruction from k components.

        Parameters
        ----------
        region : Region
            The part, in pixels of the image; a picture covers it in whole cells.
        scale : float
            Pixels of the screen to a pixel of the image. The picture has about as many; never more than
            the image has.
        k : int
            How many components.
        step : float, optional
            Round the scores to multiples of it, where the view is small enough.
        zone : float, default 0
            How far scores are drawn towards zero before, from :func:`pcaimage.codec.dead_zone`.
        bands : tuple of int, optional
            Which channels to show; all by default.
        white : float, optional
            The value that is shown as 255; by default the largest that the image's type has.
        screen : Screen, optional
            How values become those of the screen, instead of `bands` and `white`.
        frame : int, default 0
            Which image of a stack.
        left_out : frozenset of int, optional
            Components, counted from 1, whose scores count as zero.

        Returns
        -------
        View
            The picture.
        """
        size, _, channels = self.header.sampling.feature_grid(self.header.shape)
        shown = list(range(channels)) if bands is None else list(bands)
        gain = 255 / (self.header.peak if white is None else white) if screen is None else 1.0
        if isinstance(self.header.sampling, Stack):
            return self._render_frame(region, scale, k, step, zone, shown, frame, gain, left_out, screen)
        cell, level = reduction(size if isinstance(self.header.sampling, Blocks) else 1, scale)
        planes, unit = self._planes(level), size << level
        top, bottom, left, right = region.cells(unit, (planes.shape[1], planes.shape[2]))
        weights, mean, kept = self._averaged(k, cell, shown, gain, left_out, screen)
        side, columns, numbers = size // cell, right - left, len(kept) * (bottom - top) * (right - left)
        quantised = step if level == 0 and numbers <= QUANTIZED_NUMBERS else None
        colours = len(shown) if screen is None else screen.mix.shape[1]
        pixels = np.empty(((bottom - top) * side, columns * side, colours), np.uint8)

        def show(first: int, last: int) -> None:
            part = np.empty((len(kept), last - first, columns), np.float32)
            for place, number in enumerate(kept):
                part[place] = planes[number, top + first : top + last, left:right]
            scores = part.reshape(len(kept), (last - first) * columns)
            if quantised is not None:
                scores = self._rounded(scores, quantised, zone)
            blocks = _to_bytes(scores.T @ weights + mean, gain)
            strip = pixels[first * side : last * side]
            strip[...] = (
                Blocks(side).from_samples(blocks, strip.shape) if side > 1 else blocks.reshape(strip.shape)
            )

        in_parallel(show, bottom - top, worth=numbers + pixels.size > PARALLEL_NUMBERS)
        return View(pixels, left * unit, top * unit, right * unit, bottom * unit)

    def _render_frame(
        self,
        region: Region,
        scale: float,
        k: int,
        step: float | None,
        zone: float,
        shown: list[int],
        frame: int,
        gain: float,
        left_out: frozenset[int],
        screen: Screen | None,
    ) -> View:
        """Return a part of one image of a stack; all of its pixels are features of one sample."""
        grid = self.header.sampling.feature_grid(self.header.shape)
        skip = max(1, math.floor(1 / scale)) if scale < 1 else 1
        rows = np.arange(max(region.top, 0), min(region.bottom, grid[0]), skip)
        columns = np.arange(max(region.left, 0), min(region.right, grid[1]), skip)
        wanted = np.array(shown) if screen is None else np.arange(grid[2])
        numbers = (rows[:, None, None] * grid[1] + columns[:, None]) * grid[2] + wanted
        scores = self.planes[:k, frame].astype(np.float32)
        scores[indices(left_out, len(scores))] = 0
        if step is not None:
            scores = self._rounded(scores, step, zone)
        values = (scores @ self.rows[:k, numbers.ravel()] + self.mean[numbers.ravel()]).reshape(numbers.shape)
        pixels = _to_bytes(values if screen is None else values @ screen.mix + screen.offset, gain)
        left, top = int(columns[0]), int(rows[0])
        return View(pixels, left, top, left + skip * len(columns), top + skip * len(rows))

    def _rounded(self, scores: Floats, step: float, zone: float) -> Floats:
        width = np.float32(step / self.unit)
        whole: Floats = rounded(scores / width, zone)
        return whole * width

    def _averaged(
        self,
        k: int,
        cell: int,
        shown: list[int],
        gain: float,
        left_out: frozenset[int] = frozenset(),
        screen: Screen | None = None,
    ) -> tuple[Floats, Floats, list[int]]:
        """Return averaged components, those of them that matter, and the averaged mean."""
        size, width, channels = self.header.sampling.feature_grid(self.header.shape)
        cells = (-1, size // cell, cell, width // cell, cell, channels)
        weights = self.rows[:k].reshape(cells).mean(axis=(2, 4))
        mean = self.mean.reshape(cells).mean(axis=(2, 4))
        if screen is None:
            weights, mean = weights[..., shown], mean[..., shown]
        else:
            weights, mean = weights @ screen.mix, mean @ screen.mix + screen.offset
        weights, mean = weights.reshape(k, -1), mean.reshape(-1)
        effect = self.variances[:k] * np.square(weights).mean(axis=1, dtype=np.float64)
        effect *= gain * gain
        effect[indices(left_out, len(effect))] = 0
        kept = significant(effect, NEGLIGIBLE)
        return np.ascontiguousarray(weights[kept]), mean, kept.tolist()

    def _planes(self, level: int) -> Planes:
        """Return the score planes, each side halved `level` times: (n_components, rows, columns)."""
        with self._lock:
            if 0 not in self._levels:
                rows, columns = self.header.sampling.grid(self.header.shape)
                self._levels[0] = self.planes.reshape(-1, rows, columns)
            for finer in range(level):
                if finer + 1 not in self._levels:
                    self._levels[finer + 1] = halved(self._levels[finer])
            return self._levels[level]


def _to_bytes(values: Floats, gain: float) -> NDArray[np.uint8]:
    if gain != 1:
        values *= np.float32(gain)
    values += np.float32(0.5)
    return np.clip(values, 0, 255, out=values).astype(np.uint8)
