"""Noise of a many-band image: its estimate from neighbours, its whitening, and the step that matches it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.pca import Moments

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
