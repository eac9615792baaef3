"""A many-band image and its principal components, computed in one pass over its lines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.linear.analysis import CHUNK, Analysis, pseudoinverse
from pcaimage.codec.linear.missing import find_missing
from pcaimage.codec.linear.model import place_of
from pcaimage.codec.linear.slices import Tile
from pcaimage.codec.linear.statistics import NoiseSum, header_in_range, moments_of, spread_runs, step_within
from pcaimage.codec.step import Step
from pcaimage.core.library import LONG, Array, function
from pcaimage.errors import DataError
from pcaimage.machine.mapped import Footprint
from pcaimage.pca import PCA
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import TYPES
from pcaimage.sampling import Bands

LARGE, TAIL, WORTH = 6.0, 0.9, 5.0
"""Of files with corrections, found by experiment: the least large variance, in means of all smaller ones, but
never one of the smaller half; the water level in means of the others; the least component in water levels."""

FEW, FEW_TAIL = 12, 5.0
"""Of fewer bands the water level is a multiple of the mean of the smaller half of the variances."""

USUAL_PSNR = 50.0  # default quality, in decibels

NOISE_NUMBERS, NOISE_LINES, NOISE_RUNS = 4 << 20, 16, 8
"""Sample for the estimate of the noise: approximate number of values, least lines of a run, most runs."""

MOST_ROWS = 24  # of so many rows the core finds projections, of more BLAS

_REALS = Array(np.float64, writable=True)
_PROJECT = function("pcai_project", None, *(LONG,) * 8, Array(np.float64), LONG, LONG, _REALS, _REALS)

PIXELS_PER_BAND = 2  # least number of pixels for each band that an estimate of its noise needs


def with_bands(array: NDArray[Any]) -> NDArray[Any]:
    """Return an image with an axis of bands; DataError if type or shape are not supported."""
    if array.dtype.name not in TYPES:
        raise DataError(f"Images are of type {', '.join(TYPES)}; this array is {array.dtype}.")
    if array.ndim not in {2, 3} or 0 in array.shape:
        raise DataError(f"An array of shape {array.shape} is no image with bands.")
    return array if array.ndim == 3 else array[..., None]


@dataclass(frozen=True, eq=False)
class BandsAnalysis(Analysis):
    """A many-band image and its principal components.

    `samples` is the image itself, (H, W, n_features), which may be mapped from a file: a matrix of samples
    would copy all of it if bands are interleaved by line or stored one after the other. With the noise
    whitening of the minimum noise fraction transform, components and variances are those of the whitened
    samples.
    """

    @classmethod
    def fit_bands(
        cls,
        array: NDArray[Any],
        *,
        standardize: bool = False,
        mnf: bool = False,
        nodata: float | None = None,
        precision: float | None = None,
        brightest: float | None = None,
        sampled: bool = False,
        progress: Progress = no_progress,
    ) -> BandsAnalysis:
        """Fit the components of an image; one mapped from a file is read a few lines at a time.

        With `mnf` the noise is whitened first, as estimated from differences between neighbouring pixels
        (docs/bands.md). `precision` is the largest error allowed. DataError is raised if type or shape
        are not supported, or no pixel has data. `brightest` is the white of values of 16 bits. The components
        of a large image may be those of pixels `sampled` from it.
        """
        full = with_bands(array)
        missing = find_missing(full, nodata)
        plain = Header(full.shape, array.dtype.name, Bands(), Step.nearest(1.0))
        noise = NoiseSum(full.shape[2]) if mnf else None
        moments, low, high = moments_of(full, plain, missing, noise, progress, sampled=sampled)
        header = header_in_range(plain, low, high, precision, has_axis=array.ndim == 3, white=brightest)
        white = None if noise is None else noise.whitening(whole=array.dtype.kind != "f")
        if white is not None:
            moments = white.of_moments(moments)
        pca = PCA(standardize=standardize).fit_moments(moments)
        corrected = 0 if precision is None else full.shape[2]
        return cls(header, full, pca, missing=missing, white=white, corrected=corrected)

    @cached_property
    def whole_projection(self) -> NDArray[np.float64]:
        """Projection of centred samples to scores with all components: (n_components, n_features)."""
        rows = self.pca.components_
        if self.external_basis is not None:
            return pseudoinverse(rows).T
        return self._unscaled(rows)

    @property
    def _divided(self) -> bool:
        return self.pca.standardize or self.white is not None or self.external_basis is not None

    @property
    def vectors(self) -> NDArray[np.float64]:
        """Components as files hold them: contributions of a unit score to the bands; zero if left out."""
        return self.synthesis

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """Length of each of these vectors, shape (n_components,).

        Whitened components have very different norms in the bands' space, where an entry's error counts.
        """
        return np.full(self.n_components, self.typical_scale) if self.white is None else np.sqrt(self.gains)

    def _inverse(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least-squares projection, in units of the bands' scale."""
        return self._unscaled(pseudoinverse(self._unscaled(vectors)).T)

    def _unscaled(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Divide vectors of bands, shape (n, n_features), by the bands' scale, or whiten them."""
        return rows / self.pca.scale_ if self.white is None else rows @ self.white.inverse

    @cached_property
    def noise(self) -> NDArray[np.float64] | None:
        """Standard deviation of each band's noise, in units of the bands, shape (n_features,).

        It is estimated from differences between neighbouring pixels, less what the other bands predict of
        them; in a large image from a sample of its lines. None if neighbours do not differ, or there are too
        few pixels.
        """
        white, count = self.white, self.header.n_samples
        if white is None:
            found = NoiseSum(self.header.n_features)
            for start, stop in spread_runs(self.header, NOISE_NUMBERS, NOISE_LINES, NOISE_RUNS):
                gone = None if self.missing is None else self.missing.incomplete[start:stop]
                lines = np.asarray(self.samples[start:stop])
                found.add(lines, gone)
                self._footprint.walked(lines.nbytes)
            white, count = found.whitening(whole=self.header.dtype != "float32"), found.count // 2
        if white is None or count < PIXELS_PER_BAND * self.header.n_features:
            return None
        # Regressing on the other bands uses up as many degrees of freedom.
        deviations: NDArray[np.float64] = white.of_bands * math.sqrt(count / (count - self.header.n_features))
        return deviations

    @property
    def usual_step(self) -> Step:
        """The step Δ expected to give about :data:`USUAL_PSNR`."""
        wanted = self.header.n_features * self.header.peak**2 * 10 ** (-USUAL_PSNR / 10)
        levels, gains = np.maximum(self.variances, 0), self.gains
        low, high = 0.0, float(levels.max(initial=0.0)) + 1e-9
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if np.minimum(levels, middle) @ gains < wanted else (low, middle)
        return Step.nearest(max(math.sqrt(12 * low), self.finest_step))

    def default_step(self, max_error: float | None) -> float:
        """Return the step for about :data:`USUAL_PSNR`, or the one that minimises a file with corrections."""
        if max_error is None:
            return float(self.usual_step)
        return float(self.step_for_corrections(int(max_error * 2.0**self.header.value_bits)))

    def step_for_corrections(self, error: int) -> Step:
        """Return the step that minimises a file with corrections: it codes the components above the noise.

        `error` is the largest error of the values, in their unit.
        """
        rising = np.maximum(np.sort(self.variances), 0)
        means, half = np.cumsum(rising) / np.arange(1, len(rising) + 1), max(1, len(rising) // 2)
        if len(rising) < FEW:
            tail = FEW_TAIL * float(means[half - 1])
        else:
            # Corrections hold what is left out anyway: scores need not be much finer than that.
            large = np.flatnonzero(rising[half:] > LARGE * means[half - 1 : -1])
            tail = TAIL * float(means[half + large[0] - 1 if large.size else -1])
        unit, gain = 2.0**-self.header.value_bits, 1.0 if self.white is None else float(self.gains.mean())
        level = max(tail, (unit * (2 * error + 1)) ** 2 / (12 * gain))
        return Step.nearest(max(math.sqrt(12 * level), self.finest_step))

    def k_beside(self, step: float, max_error: float | None) -> int:
        """Return k for a step; beside corrections a component must be worth more."""
        if max_error is None or self.n_components < FEW:
            return super().k_beside(step, max_error)
        return max(1, int(np.count_nonzero(self.levels > WORTH * step**2 / 12)))

    def step_for_noise(self, times: float) -> Step | None:
        """Return the step whose error is `times` the noise in the worst band; None if noise is unknown."""
        if self.noise is None:
            return None
        limits = times * self.noise
        return Step.nearest(step_within(limits, self.variances, self.whole_synthesis, self.finest_step))

    def _project(self, rows: NDArray[np.float64], where: Any, centre: NDArray[np.float64]) -> NDArray[Any]:
        """Project some samples: on few rows by the core, as BLAS would need copies in double precision."""
        few = isinstance(where, Tile) and len(rows) <= MOST_ROWS and self.missing is None
        if not few or not self.samples.dtype.isnative:
            return super()._project(rows, where, centre)
        values = where.of(self.samples)
        vectors = np.ascontiguousarray(np.pad(rows, [(0, -length % 8) for length in rows.shape]))
        found, room = np.empty((len(vectors), math.prod(where.shape))), np.zeros(vectors.shape[1])
        _PROJECT(*place_of(values), *values.shape[1:], found.shape[1], vectors, *vectors.shape, room, found)
        self._footprint.walked(values.nbytes)
        return np.subtract(found[: len(rows)], (rows @ centre)[:, None], out=found[: len(rows)])

    def runs(self, tile: Tile) -> Iterator[tuple[slice, Tile]]:
        """Yield runs of whole lines of a tile of about a million numbers."""
        return tile.runs(CHUNK // self.header.n_features)

    @cached_property
    def _footprint(self) -> Footprint:
        return Footprint(self.samples)

    def centred(
        self, where: Tile | slice | NDArray[np.intp], centre: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return some samples less a centre, shape (n, n_features), with zeros for missing data."""
        width, bands = self.header.shape[1:]
        if isinstance(where, Tile):
            found = where.of(self.samples).reshape(-1, bands)
            where = where.samples(self.header)
        elif isinstance(where, slice):
            found = self.samples[where.start // width : where.stop // width].reshape(-1, bands)
        else:
            found = self.samples[np.divmod(where, width)]
        values: NDArray[np.float64] = np.subtract(found, centre, dtype=np.float64)
        self._footprint.walked(found.nbytes)
        if self.missing is not None:
            values[self.missing.of_samples(where, values.shape)] = 0.0
        return values
