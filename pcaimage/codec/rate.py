"""Size and quality of every k without encoding the image.

With an orthonormal basis the squared error of the picture is the sum of the squared errors of the scores.
So it suffices to quantise and to code the planes of a sample of the image at a few steps; what lies between
is interpolated, component by component. The very coder of the file does it, so estimates follow it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.analysis import Analysis
from pcaimage.codec.pack import code_vector, score_coder
from pcaimage.codec.planes import PlaneCoder
from pcaimage.codec.quantizer import Quantizer, dead_zone, rounded
from pcaimage.codec.step import Step
from pcaimage.codec.thumbnail import LARGEST, SHARE
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import psnr_of_mse
from pcaimage.sampling import Stack

Floats = NDArray[np.float64]
Similarity = Callable[[NDArray[Any], NDArray[Any]], float]
"""Tells how similar two images with an axis of channels are: 1 where they are equal."""

STEPS_PER_OCTAVE = 2
"""How densely steps are tried."""

SAMPLE_NUMBERS = 4 << 20
"""How many numbers the sample of a large image has."""

LEADING, MAX_LEADING_SAMPLES = 6, 1 << 20
"""The first planes, whose scores are predicted from their neighbours and whose tiles would show their
seams, are taken whole where they are not larger than this."""

TILES, LARGE_TILES = 512, 32
"""About how many tiles a sample is taken in, and how many where predicted planes are among it."""

LEARNING_BYTES = 8
"""About what a plane's models take to learn, whatever its size."""

COMPONENT_BYTES, FILE_BYTES, VARIANCE_BYTES = 10, 62, 1.15
"""About what the file adds to each component, around all of them, and for each variance of the spectrum."""


@dataclass(frozen=True)
class Estimate:
    """What some k would give.

    Parameters
    ----------
    k : int
        How many components are kept.
    step : float
        Δ.
    n_bytes : int
        About the size of the file, without metadata and opacity.
    mse : float
        About the mean squared error of the pixels.
    psnr : float
        About the peak signal-to-noise ratio in decibels.
    """

    k: int
    step: float
    n_bytes: int
    mse: float
    psnr: float


@dataclass(frozen=True, eq=False)
class _Point:
    """What each component costs and leaves wrong at one step, and what the rest of the file costs."""

    score_bytes: Floats
    vector_bytes: Floats
    errors: Floats
    fixed_bytes: float


@dataclass(frozen=True, eq=False)
class RateModel:
    """Estimates for every k and step of an analysis. It may be asked from several threads.

    Parameters
    ----------
    analysis : Analysis
        The image.
    """

    analysis: Analysis
    _points: dict[int, _Point] = field(default_factory=dict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def estimate(self, k: int, step: float | None = None) -> Estimate:
        """Estimate size and quality.

        Parameters
        ----------
        k : int
            How many components are kept.
        step : float, optional
            Δ; by default that which belongs to k.

        Returns
        -------
        Estimate
            Size within about 3 %, quality within about 0.1 dB.
        """
        self.analysis.check_k(k)
        step = float(self.analysis.step_for(k)) if step is None else step
        place = math.log2(step) * STEPS_PER_OCTAVE
        below = self._point(math.floor(place))
        above = self._point(math.floor(place) + 1)
        share = place - math.floor(place)

        def between(low: Floats, high: Floats) -> Floats:
            return np.exp((1 - share) * np.log(1e-9 + low) + share * np.log(1e-9 + high))

        gains, variances = self.analysis.gains, self.analysis.variances
        sizes = between(1 + below.score_bytes[:k], 1 + above.score_bytes[:k]) - 1
        sizes += between(below.vector_bytes[:k], above.vector_bytes[:k])
        left_out = self._total - float(variances[:k] @ gains[:k])
        wrong = float(between(below.errors[:k], above.errors[:k]) @ gains[:k])
        wrong += self._basis_error(k, step)
        mse = rounded_mse((max(left_out, 0.0) + wrong) / self.analysis.header.n_features)
        coded = float(sizes.sum())
        preview = min(coded * SHARE, 3 * LARGEST**2)
        fixed = (1 - share) * below.fixed_bytes + share * above.fixed_bytes
        n_bytes = coded + preview + k * COMPONENT_BYTES + fixed
        psnr = psnr_of_mse(max(mse, 1e-10), self.analysis.header.peak)
        return Estimate(k, step, round(n_bytes), mse, psnr)

    def curve(self, progress: Progress = no_progress) -> list[Estimate]:
        """Estimate size and quality of every k at its own step.

        Parameters
        ----------
        progress : Progress, optional
            Told of values of k done.

        Returns
        -------
        list of Estimate
            For k = 1 to n_components.
        """
        count, estimates = self.analysis.n_components, []
        for k in range(count, 0, -1):
            estimates.append(self.estimate(k))
            progress(len(estimates), count)
        return estimates[::-1]

    @cached_property
    def _total(self) -> float:
        """The sum of the variances of all features, in squared pixel units."""
        pca = self.analysis.pca
        known = float(self.analysis.variances @ self.analysis.gains)
        hidden = max(pca.total_variance_ - float(self.analysis.variances.sum()), 0.0)
        return known + hidden * float(np.mean(np.square(pca.scale_)))

    def _basis_error(self, k: int, step: float) -> float:
        """About what rounding the components costs a sample; what lies along them the scores take back."""
        precisions = np.array(Quantizer(self.analysis).precisions(k, step), np.float64)
        rounding = np.exp2(-2 * precisions) / 12
        weights = self.analysis.variances[:k] * self.analysis.gains[:k]
        return (self.analysis.header.n_features - k) * float(weights @ rounding)

    @cached_property
    def _sample(self) -> tuple[NDArray[np.float32], tuple[int, int], float]:
        """Scores of tiles spread over the image, the shape of them side by side, and what one stands for."""
        analysis = self.analysis
        header = analysis.header
        rows, columns = header.sampling.grid(header.shape)
        tiles = TILES if header.n_samples <= MAX_LEADING_SAMPLES else LARGE_TILES
        where = _tiles(rows, columns, SAMPLE_NUMBERS // header.n_features, tiles)
        scores = analysis.scores_of(where.ravel())
        return scores, where.shape, header.n_samples / where.size

    @cached_property
    def _leading(self) -> NDArray[np.float32]:
        """Whole score planes of the first components, where the sample is not the whole image anyway."""
        header = self.analysis.header
        sampled = self._sample[2] > 1 and header.n_samples <= MAX_LEADING_SAMPLES
        return self.analysis.scores(k=LEADING if sampled else 0)

    def _point(self, index: int) -> _Point:
        """Return the costs at a step of the grid, computed once."""
        with self._lock:
            if index not in self._points:
                self._points[index] = self._measure(2.0 ** (index / STEPS_PER_OCTAVE))
            return self._points[index]

    def _measure(self, step: float) -> _Point:
        analysis, (scores, shape, weight) = self.analysis, self._sample
        beside = not isinstance(analysis.header.sampling, Stack)
        coder = PlaneCoder((*shape, 1), beside=beside)
        zone, count = dead_zone(step, analysis.finest_step), analysis.n_components
        n_bytes, errors = np.zeros(count), np.zeros(count)
        for j, plane in enumerate(scores):
            quantized = rounded(plane / np.float32(step), zone)
            n_bytes[j] = len(coder.encode(quantized.astype(np.int64)))
            errors[j] = float(np.square(plane - quantized * np.float32(step)).mean(dtype=np.float64))
        scaled = np.where(n_bytes > 0, weight * np.maximum(n_bytes - LEARNING_BYTES, 0) + LEARNING_BYTES, 0.0)
        coder = score_coder(analysis.header)
        for j, plane in enumerate(self._leading):
            scaled[j] = len(coder.encode(rounded(plane / np.float32(step), zone).astype(np.int64)))
        score_bytes = scaled if weight > 1 else n_bytes
        return _Point(score_bytes, self._vector_bytes(step), errors, self._fixed_bytes(step))

    def _fixed_bytes(self, step: float) -> float:
        """About what the mean, the standard deviations, the spectrum and the frame take."""
        analysis = self.analysis
        header, mean, scale = Quantizer(analysis).fixed(Step.nearest(step))
        vectors = [vector for vector in (mean, scale) if vector is not None]
        coded = sum(len(code_vector(header, vector)) for vector in vectors)
        return FILE_BYTES + coded + VARIANCE_BYTES * analysis.n_components

    def _vector_bytes(self, step: float) -> Floats:
        analysis = self.analysis
        quantizer = Quantizer(analysis)
        precisions = quantizer.precisions(analysis.n_components, step)
        entries = quantizer.entries(analysis.n_components, precisions)
        return np.array([len(code_vector(analysis.header, vector)) for vector in entries], np.float64)


def rounded_mse(mse: float) -> float:
    """Return the mean squared error of whole numbers that were rounded from ones with a Gaussian error.

    Parameters
    ----------
    mse : float
        Mean squared error before rounding.

    Returns
    -------
    float
        ``mse + 1/12`` where it is large; far less where rounding hits the true value.
    """
    if mse > 4:
        return mse + 1 / 12
    sigma = math.sqrt(2 * max(mse, 1e-12))
    # E[round(e)^2] = sum over i >= 1 of (i^2 - (i - 1)^2) P(|e| > i - 1/2)
    return sum((2 * i - 1) * math.erfc((i - 0.5) / sigma) for i in range(1, 20))


def _tiles(rows: int, columns: int, limit: int, tiles: int) -> NDArray[np.intp]:
    """Return the numbers of the samples in tiles spread evenly over a grid, laid side by side."""
    numbers = np.arange(rows * columns).reshape(rows, columns)
    if numbers.size <= limit:
        return numbers
    down = int(np.clip(round(math.sqrt(tiles * rows / columns)), 1, min(rows, tiles)))
    across = int(np.clip(tiles // down, 1, columns))
    share = math.sqrt(limit / numbers.size)
    height, width = (math.ceil(share * size / parts) for size, parts in ((rows, down), (columns, across)))
    tops = np.linspace(0, rows - height, down).astype(int)[:, None] + np.arange(height)
    lefts = np.linspace(0, columns - width, across).astype(int)[:, None] + np.arange(width)
    return numbers[np.ix_(tops.ravel(), lefts.ravel())]
