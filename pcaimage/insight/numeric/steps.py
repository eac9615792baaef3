"""PCA of a small table, with every intermediate result."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import SettingsError
from pcaimage.insight.numeric.columns import NumericTable
from pcaimage.insight.numeric.convention import Convention, Sigma
from pcaimage.insight.numeric.ties import ties
from pcaimage.pca import PCA, Moments, components_for_ratio, cumulative_shares, solve_svd

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TableSteps:
    """A table and all results of its PCA, by one convention, of which k components are kept.

    Deviations are those of the features about their means, with the divisor of ``convention.sigma`` (n − 1 if
    features are not standardised), and 0 for constant features. The covariance is that of the original
    features, or their mean products if they are not centred. Prepared numbers are centred and divided by the
    nonzero deviations by the convention. Variances are the eigenvalues in descending order, from singular
    values of the prepared numbers, and components their eigenvectors as rows, the largest entry positive.
    """

    table: NumericTable
    convention: Convention
    k: int
    mean: Floats = field(repr=False)
    deviations: Floats = field(repr=False)
    covariance: Floats = field(repr=False)
    prepared: Floats = field(repr=False)
    variances: Floats = field(repr=False)
    components: Floats = field(repr=False)

    @property
    def standardized(self) -> bool:
        """Whether each feature was divided by its standard deviation."""
        return self.convention.standardized

    @property
    def divisor(self) -> int:
        """Divisor of variances and covariances: n − 1, n or 1."""
        return self.convention.divisor.of(len(self.table.values))

    @property
    def shift(self) -> Floats:
        """The vector subtracted from every sample: the mean, or zeros. Shape (n_features,)."""
        return self.mean if self.convention.centre else np.zeros_like(self.mean)

    @property
    def widths(self) -> Floats:
        """Divisors of the features: their nonzero deviations, or ones. Shape (n_features,)."""
        return np.where((self.deviations > 0) & self.standardized, self.deviations, 1.0)

    @cached_property
    def scatter(self) -> Floats:
        """Sums of products of the prepared numbers, undivided: (n_features, n_features)."""
        return self.prepared.T @ self.prepared

    @property
    def matrix(self) -> Floats:
        """The decomposed matrix: :attr:`scatter` over :attr:`divisor`, (n_features, n_features)."""
        return self.scatter / self.divisor

    @cached_property
    def scores(self) -> Floats:
        """Scores of all samples on all components: (n_samples, n_features)."""
        return self.prepared @ self.components.T

    @property
    def scores_covariance(self) -> Floats:
        """The same matrix of the scores: diagonal, and its diagonal the eigenvalues."""
        return self.scores.T @ self.scores / self.divisor

    @property
    def shares(self) -> Floats:
        """Share of the variance of each component, shape (n_features,); zeros if nothing varies."""
        return self.variances / (self.total_variance or 1.0)

    @cached_property
    def cumulative(self) -> Floats:
        """Share of the variance of the first components together, shape (n_features,)."""
        return cumulative_shares(self.variances)[1:]

    @property
    def total_variance(self) -> float:
        """The trace of the matrix."""
        return float(np.square(self.prepared).sum()) / self.divisor if self.variances.any() else 0.0

    @cached_property
    def ties(self) -> tuple[range, ...]:
        """Runs of two or more components of equal variance, as indices from 0.

        Their components are arbitrary: any orthonormal basis of the space that they span would do.
        """
        return ties(self.variances.tolist())

    @cached_property
    def kept_variances(self) -> Floats:
        """Total variance of the first k scores at index k − 1, measured on the scores."""
        return np.cumsum(np.square(self.scores).sum(axis=0)) / self.divisor

    @cached_property
    def squared_errors(self) -> Floats:
        """Squared error of the reconstruction from k components at index k − 1, over the divisor.

        It is measured on the reconstructions of the prepared numbers. Whatever components are kept, it is the
        total variance minus that of their scores; so the components of the largest variance are those of the
        smallest error.
        """
        rest, errors = self.prepared.copy(), np.empty(len(self.variances))
        for index, component in enumerate(self.components):
            rest -= np.outer(self.scores[:, index], component)
            errors[index] = float(np.square(rest).sum()) / self.divisor
        return errors

    @property
    def discarded_variances(self) -> Floats:
        """Sum of the variances after the first k at index k − 1, shape (n_features,)."""
        return np.append(np.cumsum(self.variances[:0:-1])[::-1], 0.0)

    @cached_property
    def reconstruction(self) -> Floats:
        """The table from its first k components, in its own units: (n_samples, n_features)."""
        found = self.scores[:, : self.k] @ self.components[: self.k]
        result: Floats = found * self.widths + self.shift
        return result

    @property
    def residuals(self) -> Floats:
        """The table minus its reconstruction, in its own units: (n_samples, n_features)."""
        return self.table.values - self.reconstruction

    @property
    def rms_error(self) -> float:
        """Root mean squared difference between table and reconstruction, in the table's units."""
        return math.sqrt(float(np.square(self.residuals).mean()))

    @cached_property
    def rounding(self) -> Floats:
        """Size of the rounding error in each feature's numbers, shape (n_features,)."""
        epsilon: float = float(np.finfo(np.float64).eps) * 8 * max(self.table.values.shape)
        largest: Floats = np.abs(self.table.values).max(axis=0)
        return largest * epsilon


def take_apart(
    table: NumericTable,
    *,
    convention: Convention | None = None,
    k: int | None = None,
    variance: float | None = None,
) -> TableSteps:
    """Find the components of a table; k of them are kept, or the fewest that explain a share of the variance.

    Variances are the squared singular values of the prepared numbers over the divisor, so that small ones are
    right beside large ones. SettingsError is raised if k is out of range, or both k and variance are given.
    """
    by = convention or Convention()
    count, features = table.values.shape
    if k is not None and variance is not None:
        raise SettingsError("Give one of k and variance, not both: each says what to keep.")
    if k is not None and not 1 <= k <= features:
        raise SettingsError(f"The table has {features} components; k = {k} cannot be kept.")
    divisor = by.divisor.of(count)
    moments = Moments.of(table.values)
    # PCA decides which features vary by more than rounding error. Its deviations have the divisor n, and
    # are 1 for constant features.
    found_scale = PCA(standardize=True).fit_moments(moments).scale_
    varies = np.isclose(found_scale, np.sqrt(np.diagonal(moments.scatter) / count))
    unbiased = 1.0 if by.sigma is Sigma.N else math.sqrt(count / (count - 1))
    deviations = np.where(varies, found_scale * unbiased, 0.0)
    shifted = table.values - moments.mean if by.centre else table.values.copy()
    prepared = shifted / np.where(varies, deviations, 1.0) if by.standardized else shifted
    found = solve_svd(prepared, np.zeros(features), np.ones(features), features)
    variances = found.variances * ((count - 1) / divisor)
    if k is None:
        k = features if variance is None else components_for_ratio(variances, variance)
    return TableSteps(
        table=table,
        convention=by,
        k=k,
        mean=moments.mean,
        deviations=deviations,
        covariance=shifted.T @ shifted / divisor,
        prepared=prepared,
        variances=variances,
        components=found.components,
    )
