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

from pcaimage.codec.analysis import Analysis
from pcaimage.codec.compressed import Header
from pcaimage.codec.integers import IntegerModel
from pcaimage.codec.quantizer import rounded
from pcaimage.codec.reduction import halved, reduction
from pcaimage.parallel import in_parallel
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Blocks, Stack

Floats = NDArray[np.float32]
Planes = NDArray[np.int16] | NDArray[np.int32] | Floats

NEGLIGIBLE = 0.05
"""Averaged components that together change a picture by less than this are left out: a squared error on the
scale of 255, at which no rounded value moves."""

QUANTIZED_NUMBERS = 1 << 22
"""Views with at most so many scores show the quantiser's effect while k moves."""


PARALLEL_NUMBERS = 1 << 19
"""From so many numbers on, a picture is made on all cores."""


@dataclass(frozen=True)
class Region:
    """A rectangle of whole pixels; the stop is outside.

    Parameters
    ----------
    left, top, right, bottom : int
        Its sides.
    """

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, eq=False)
class View:
    """A picture of part of an image.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (h, w, n)
        The picture, each of its pixels the average of a cell of the image's.
    left, top, right, bottom : int
        The part that it shows, in pixels of the image; it may reach over the image's edge.
    """

    pixels: NDArray[np.uint8]
    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, eq=False)
class Preview:
    """Shows an image's first k components. It may be asked from several threads.

    Parameters
    ----------
    header : Header
        The image's shape and sampling.
    planes : ndarray of int16, int32 or float32, shape (n_components, n_samples)
        Scores, in some unit.
    rows : ndarray of float32, shape (n_components, n_features)
        What a score of one adds to the features.
    mean : ndarray of float32, shape (n_features,)
        The features for scores of zero.
    variances : ndarray of float64, shape (n_components,)
        Mean squares of the scores.
    unit : float, default 1
        What one of the planes stands for, in the units that steps are given in.
    """

    header: Header
    planes: Planes = field(repr=False)
    rows: Floats = field(repr=False)
    mean: Floats = field(repr=False)
    variances: NDArray[np.float64] = field(repr=False)
    unit: float = 1.0
    _levels: dict[int, Planes] = field(default_factory=dict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @classmethod
    def of_analysis(cls, analysis: Analysis, progress: Progress = no_progress) -> Preview:
        """Return the preview of an image that was analysed.

        Parameters
        ----------
        analysis : Analysis
            The image.
        progress : Progress, optional
            Told of samples whose scores were found.

        Returns
        -------
        Preview
            For every k.
        """
        pca, unit = analysis.pca, analysis.compact_unit
        planes: Planes
        if unit is None:
            unit, planes = 1.0, analysis.scores(progress=progress)
        else:
            planes = analysis.compact_scores(unit, progress)
        rows = (pca.components_ * pca.scale_ * unit).astype(np.float32)
        variances = analysis.variances / unit**2
        return cls(analysis.header, planes, rows, pca.mean_.astype(np.float32), variances, unit)

    @classmethod
    def of_model(cls, model: IntegerModel) -> Preview:
        """Return the preview of a compressed image.

        Parameters
        ----------
        model : IntegerModel
            The image.

        Returns
        -------
        Preview
            For every k up to the model's.
        """
        header = model.header
        rows = np.ldexp(model.entries.astype(np.float64), -np.array(model.precisions, np.int64)[:, None])
        rows *= float(header.step)
        if model.scale is not None and header.scale_bits is not None:
            rows *= np.ldexp(model.scale.astype(np.float64), -header.scale_bits)
        mean = np.ldexp(model.mean.astype(np.float64), -header.mean_bits)
        squares = [float(np.square(plane, dtype=np.float64).mean()) for plane in model.scores]
        variances = np.array(squares, np.float64)
        return cls(header, model.scores, rows.astype(np.float32), mean.astype(np.float32), variances)

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
        frame: int = 0,
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
            How far scores are drawn towards zero before, from :func:`pcaimage.codec.quantizer.dead_zone`.
        bands : tuple of int, optional
            Which channels to show; all by default.
        white : float, optional
            The value that is shown as 255; by default the largest that the image's type has.
        frame : int, default 0
            Which image of a stack.

        Returns
        -------
        View
            The picture.
        """
        size, _, channels = self.header.sampling.feature_grid(self.header.shape)
        shown = list(range(channels)) if bands is None else list(bands)
        gain = 255 / (self.header.peak if white is None else white)
        if isinstance(self.header.sampling, Stack):
            return self._render_frame(region, scale, k, step, zone, shown, frame, gain)
        cell, level = reduction(size if isinstance(self.header.sampling, Blocks) else 1, scale)
        planes, unit = self._planes(level), size << level
        bottom, right = planes.shape[1:]
        top = min(max(region.top // unit, 0), bottom - 1)
        left = min(max(region.left // unit, 0), right - 1)
        bottom, right = min(-(-region.bottom // unit), bottom), min(-(-region.right // unit), right)
        bottom, right = max(bottom, top + 1), max(right, left + 1)
        weights, mean, kept = self._averaged(k, cell, shown, gain)
        side, columns, numbers = size // cell, right - left, len(kept) * (bottom - top) * (right - left)
        quantised = step if level == 0 and numbers <= QUANTIZED_NUMBERS else None
        pixels = np.empty(((bottom - top) * side, columns * side, len(shown)), np.uint8)

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
    ) -> View:
        """Return a part of one image of a stack; all of its pixels are features of one sample."""
        grid = self.header.sampling.feature_grid(self.header.shape)
        skip = max(1, math.floor(1 / scale)) if scale < 1 else 1
        rows = np.arange(max(region.top, 0), min(region.bottom, grid[0]), skip)
        columns = np.arange(max(region.left, 0), min(region.right, grid[1]), skip)
        numbers = (rows[:, None, None] * grid[1] + columns[:, None]) * grid[2] + np.array(shown)
        scores = self.planes[:k, frame].astype(np.float32)
        if step is not None:
            scores = self._rounded(scores, step, zone)
        values = scores @ self.rows[:k, numbers.ravel()] + self.mean[numbers.ravel()]
        pixels = _to_bytes(values, gain).reshape(numbers.shape)
        left, top = int(columns[0]), int(rows[0])
        return View(pixels, left, top, left + skip * len(columns), top + skip * len(rows))

    def _rounded(self, scores: Floats, step: float, zone: float) -> Floats:
        width = np.float32(step / self.unit)
        whole: Floats = rounded(scores / width, zone)
        return whole * width

    def _averaged(self, k: int, cell: int, shown: list[int], gain: float) -> tuple[Floats, Floats, list[int]]:
        """Return averaged components, those of them that matter, and the averaged mean."""
        size, width, channels = self.header.sampling.feature_grid(self.header.shape)
        cells = (-1, size // cell, cell, width // cell, cell, channels)
        weights = self.rows[:k].reshape(cells).mean(axis=(2, 4))[..., shown].reshape(k, -1)
        mean = self.mean.reshape(cells).mean(axis=(2, 4))[..., shown].reshape(-1)
        effect = self.variances[:k] * np.square(weights).mean(axis=1, dtype=np.float64)
        effect *= gain * gain
        order = np.argsort(effect)
        negligible = int(np.searchsorted(np.cumsum(effect[order]), NEGLIGIBLE**2))
        kept = np.sort(order[negligible:])
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
