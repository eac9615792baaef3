"""Samples, centred and scaled by a convention, with their matrix and its PCA."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pcaimage.insight.lab.basis import cleared
from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.numeric import Convention, Sigma
from pcaimage.pca import PCA, Decomposition, solve_covariance, solve_svd

SMALL = 1_000_000
"""Most numbers whose PCA is found by singular values, which are right to the last digits."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """Samples as the PCA sees them: centred, scaled and divided by a convention."""

    data: LabData
    convention: Convention = field(default_factory=Convention)

    @cached_property
    def mean(self) -> Floats:
        """Means of the features, shape (n_features,)."""
        first = self.data.samples[0]
        found: Floats = first + (self.data.samples - first).mean(axis=0)
        return found

    @cached_property
    def deviations(self) -> Floats:
        """Standard deviations about the mean, by the convention's σ (n − 1 if it has none); 0 if constant."""
        found = PCA(1, standardize=True).fit(self.data.samples)
        squares = np.square(self.data.samples - self.mean).mean(axis=0)
        varies = np.isclose(found.scale_, np.sqrt(squares))
        n = self.data.n_samples
        unbiased = 1.0 if self.convention.sigma is Sigma.N else np.sqrt(n / (n - 1))
        return np.where(varies, found.scale_ * unbiased, 0.0)

    @cached_property
    def shift(self) -> Floats:
        """The mean, which is subtracted from every sample, or zeros. Shape (n_features,)."""
        return self.mean if self.convention.centre else np.zeros(self.data.n_features)

    @cached_property
    def widths(self) -> Floats:
        """Divisors of the features: their nonzero deviations, or ones. Shape (n_features,)."""
        if not self.convention.standardized:
            return np.ones(self.data.n_features)
        return np.where(self.deviations > 0, self.deviations, 1.0)

    @cached_property
    def samples(self) -> Floats:
        """The prepared samples, (x − shift) / widths: (n_samples, n_features)."""
        found: Floats = (self.data.samples - self.shift) / self.widths
        return found

    @cached_property
    def reach(self) -> Floats:
        """The largest magnitude of each feature before centring, in the units of prepared samples."""
        found: Floats = np.abs(self.data.samples).max(axis=0) / self.widths
        return found

    @property
    def divisor(self) -> int:
        """Divisor of sums of squares and products: n − 1, n or 1."""
        return self.convention.divisor.of(self.data.n_samples)

    @cached_property
    def matrix(self) -> Floats:
        """Sums of products over the divisor, such as the covariance: (n_features, n_features)."""
        return cleared(self.samples.T @ self.samples / self.divisor)

    @property
    def trace(self) -> float:
        """The total variance."""
        return float(np.trace(self.matrix))

    @cached_property
    def pca(self) -> Decomposition:
        """All components, with variances by the convention's divisor."""
        d = self.data.n_features
        if self.samples.size > SMALL:
            return solve_covariance(self.matrix, d)
        found = solve_svd(self.samples, np.zeros(d), np.ones(d), d)
        return Decomposition(found.variances * ((self.data.n_samples - 1) / self.divisor), found.components)

    @cached_property
    def correlation(self) -> Floats:
        """Correlations of the features, 0 with those that never vary: (n_features, n_features)."""
        centred = self.data.samples - self.mean
        widths = np.where(self.deviations > 0, np.linalg.norm(centred, axis=0), np.inf)
        unit = centred / widths
        found: Floats = unit.T @ unit
        return found
