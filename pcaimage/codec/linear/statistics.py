"""Statistics of a many-band image from one pass over its lines: moments, range, header, and noise.

Noise is estimated from neighbours, and whitened; a step may match it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.linear.model import MOST_REAL, line_strips
from pcaimage.codec.step import Step
from pcaimage.errors import DataError
from pcaimage.machine.mapped import Footprint
from pcaimage.machine.parallel import in_order
from pcaimage.pca import Moments
from pcaimage.progress import Progress
from pcaimage.quality import white_between

Floats = NDArray[np.float64]

ROUNDING = 1 / 12  # variance of rounding to whole numbers: a lower bound on the noise of integers
FLATTEST = 1e-8  # lower bound on the noise in any direction, relative to the noisiest one


@dataclass(eq=False)
class NoiseSum:
    """Accumulates products of differences between neighbouring pixels."""

    bands: int
    products: Floats = field(init=False)
    count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.products = np.zeros((self.bands, self.bands))

    def add(self, lines: NDArray[Any], gone: NDArray[np.bool_] | None) -> None:
        """Add the pairs of horizontal and vertical neighbours in some lines, except missing data."""
        for one, other in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])):
            pairs = np.subtract(lines[one], lines[other], dtype=np.float64).reshape(-1, self.bands)
            if gone is not None:
                pairs = pairs[~(gone[one] | gone[other]).ravel()]
            self.products += pairs.T @ pairs
            self.count += len(pairs)

    def take(self, other: NoiseSum) -> None:
        """Add the sums of other lines."""
        self.products += other.products
        self.count += other.count

    def whitening(self, *, whole: bool) -> Whitening | None:
        """Return the whitening of the noise; None if neighbours do not exist or do not differ."""
        if not self.count or not self.products.any():
            return None
        # The difference of two samples has twice the noise of one.
        variances, directions = np.linalg.eigh(self.products / (2 * self.count))
        least = max(FLATTEST * float(variances[-1]), ROUNDING if whole else 0.0)
        return Whitening(np.sqrt(np.maximum(variances, least)), directions)


@dataclass(frozen=True, eq=False)
class Whitening:
    """The square root of the noise covariance, and its inverse."""

    deviations: Floats  # of the noise along each direction
    directions: Floats  # orthonormal columns

    @property
    def root(self) -> Floats:
        """Noise covariance to the power of 1/2, symmetric, shape (C, C)."""
        found: Floats = (self.directions * self.deviations) @ self.directions.T
        return found

    @property
    def inverse(self) -> Floats:
        """Noise covariance to the power of −1/2, symmetric, shape (C, C)."""
        found: Floats = (self.directions / self.deviations) @ self.directions.T
        return found

    @property
    def of_bands(self) -> Floats:
        """Standard deviation of the noise of each band: of what the other bands do not predict, shape (C,).

        Neighbours differ by the scene too, but such differences are shared by several bands. This is the
        residual of regressing each band on all others (Roger and Arnold 1996, doi:10.1080/01431169608949106):
        1 / sqrt((Σ⁻¹)_bb) for the noise covariance Σ.
        """
        found: Floats = 1 / np.sqrt(np.square(self.inverse).sum(axis=0))
        return found

    def of_moments(self, moments: Moments) -> Moments:
        """Return the moments of the whitened samples, about the mean of the original ones."""
        scatter = self.inverse @ moments.scatter @ self.inverse
        return Moments(moments.count, moments.mean, (scatter + scatter.T) / 2)


VARIANCES = np.log2([0.05, 0.08, 0.11, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1.4, 3.0, 10.0, 100.0, 1e4])
ERRORS = np.array([0.6, 0.95, 1.3, 1.7, 2.05, 2.1, 1.65, 1.37, 1.18, 1.09, 1.04, 1.02, 1.01, 1.0])
"""Mean squared error of a coded component's scores in units of Δ²/12, by log2 of its variance in units of Δ².

Measured on AVIRIS scenes. Where scores are barely larger than a step, most are rounded to zero to save bits,
and the error is twice that of uniform rounding; below, it is the variance itself.
"""

HALVINGS = 40  # bisection steps of the search


def score_errors(variances: Floats, step: float) -> Floats:
    """Return the mean squared error of each component's scores, at most its variance.

    `variances` and the result have shape (n_components,) and are in squared units of the scores.
    """
    relative = np.log2(np.maximum(variances, 1e-300)) - 2 * math.log2(step)
    coded = np.interp(relative, VARIANCES, ERRORS) * step**2 / 12
    errors: Floats = np.minimum(np.maximum(variances, 0), coded)
    return errors


def step_within(limits: Floats, variances: Floats, synthesis: Floats, finest: float) -> float:
    """Return the coarsest step, `finest` at least, at which no band's RMS error exceeds its limit.

    Row j of the synthesis is the contribution of a unit score, whose variance is given, to the bands.
    """
    energies, most = np.square(synthesis), np.square(limits)
    low = math.log2(finest)
    high = max(low, math.log2(max(float(variances.max(initial=0.0)), finest**2)) / 2 + 4)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        within = bool((score_errors(variances, 2.0**middle) @ energies <= most).all())
        low, high = (middle, high) if within else (low, middle)
    return float(2.0**low)


SAMPLE, SAMPLE_OF_BANDS = 1 << 17, 256  # least pixels from which components are found, and for each band

MAX_VALUE_BITS, LARGEST_REAL = 40, 2.0**30
"""Limits on the fractional bits and on the magnitude of real numbers."""


class _LineStatistics(NamedTuple):
    """Moments, range and, optionally, noise sums of some lines."""

    moments: Moments | None
    low: float
    high: float
    noise: NoiseSum | None


def spread_runs(header: Header, numbers: int, least: int, most: int) -> list[tuple[int, int]]:
    """Return the bounds of runs of lines, spread over an image, that represent all of it.

    There are at most `most` runs, each of at least `least` lines, with about `numbers` values in all.
    """
    height, width, bands = header.shape
    lines = max(least, numbers // (width * bands))
    if lines >= height:
        return [(0, height)]
    count = max(1, min(most, lines // least))
    each = lines // count
    gap = (height - count * each) / count
    starts = [round(gap * (number + 0.5)) + each * number for number in range(count)]
    return [(start, start + each) for start in starts]


def moments_of(
    array: NDArray[Any],
    header: Header,
    missing: Missing | None,
    noise: NoiseSum | None,
    progress: Progress,
    *,
    sampled: bool = False,
) -> tuple[Moments, float, float]:
    """Return the moments of the pixels without missing bands, and the range of all known values.

    `noise` accumulates the same lines. Moments may be those of pixels `sampled` from a large image, each of
    which stands for several. Raises DataError if there are no such pixels.
    """
    parts, footprint = line_strips(header), Footprint(array)
    # An odd distance, as instruments have stripes at even ones.
    every = header.n_samples // max(SAMPLE, SAMPLE_OF_BANDS * header.n_features) | 1 if sampled else 1

    def examine(number: int) -> _LineStatistics:
        start, stop = parts[number]
        lines = np.asarray(array[start:stop])
        gone = None if missing is None else np.atleast_3d(missing.mask[start:stop])
        found = _statistics_of(lines, gone, every, with_noise=noise is not None)
        footprint.walked(lines.nbytes)
        return found

    total, low, high = Moments.empty(array.shape[2]), math.inf, -math.inf
    for (_, stop), found in zip(parts, in_order(examine, len(parts)), strict=True):
        if noise is not None and found.noise is not None:
            noise.take(found.noise)
        if found.moments is not None:
            total = total + found.moments if total.count else found.moments
        low, high = min(low, found.low), max(high, found.high)
        progress(stop, array.shape[0])
    footprint.let_go()
    if not total.count:
        raise DataError("No pixel of the image was measured in all bands, so there are no components.")
    return Moments(every * total.count, total.mean, every * total.scatter), low, high


def _statistics_of(
    lines: NDArray[Any], gone: NDArray[np.bool_] | None, every: int, *, with_noise: bool
) -> _LineStatistics:
    """Return the statistics of some lines, whose values are missing in some pixels, or in some bands."""
    noise = NoiseSum(lines.shape[2]) if with_noise else None
    incomplete = None if gone is None else np.asarray(gone.any(axis=2))
    if noise is not None:
        noise.add(lines, incomplete)
    samples = (lines if incomplete is None else lines[~incomplete]).reshape(-1, lines.shape[2])
    known = lines if gone is None else lines[~np.broadcast_to(gone, lines.shape)]
    if not known.size:
        return _LineStatistics(None, math.inf, -math.inf, noise)
    moments = Moments.of(samples[::every]) if samples.size else None
    return _LineStatistics(moments, float(known.min()), float(known.max()), noise)


def header_in_range(
    plain: Header,
    low: float,
    high: float,
    precision: float | None,
    *,
    has_axis: bool,
    white: float | None = None,
) -> Header:
    """Complete the header of an image with a range of numbers: unit of values, peak.

    `precision` is the largest error allowed for real values. Raises DataError if they are too large for it,
    and SettingsError if values are above a given white.
    """
    if plain.dtype == "float32" and precision is not None and precision <= 0:
        raise DataError("Real numbers are not kept without loss; give an error above 0.")
    largest = max(abs(low), abs(high))
    bits = 0
    if plain.dtype == "float32":
        if largest > LARGEST_REAL:
            raise DataError(f"Numbers up to {largest:g} are too large; multiply them by something smaller.")
        most = min(MAX_VALUE_BITS, math.floor(math.log2(MOST_REAL / max(largest, 2.0**-60))) - 1)
        bits = most
        if precision is not None:
            bits = min(most, math.ceil(-math.log2(2 * precision)) + 3)
            if 0.5 * 2.0**-bits > precision:
                raise DataError(
                    f"An error of {precision:g} is finer than 24 bits of numbers up to {largest:g} can be."
                )
    return Header(
        plain.shape,
        plain.dtype,
        plain.sampling,
        Step.nearest(1.0),
        has_channel_axis=has_axis,
        value_bits=bits,
        largest=white_between(plain.dtype, low, high, white),
    )
