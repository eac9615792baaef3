"""PCA of a small table, with every intermediate result."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import SettingsError
from pcaimage.insight.numeric.columns import NumericTable
from pcaimage.pca import PCA, Moments, components_for_ratio, cumulative_shares, deflation

Floats = NDArray[np.float64]

MAX_DEFLATED = 50_000
"""Most numbers of a table whose components are found one at a time."""


@dataclass(frozen=True, eq=False)
class TableSteps:
    """A table and all results of its PCA; all variances have the divisor n − 1.

    Parameters
    ----------
    table : NumericTable
        The numbers.
    standardized : bool
        Whether each feature was divided by its standard deviation.
    k : int
        Number of components kept.
    mean : ndarray of float64, shape (n_features,)
        Means of the features.
    deviations : ndarray of float64, shape (n_features,)
        Standard deviations of the features, divisor n − 1; 0 for constant features.
    covariance : ndarray of float64, shape (n_features, n_features)
        Covariance of the original features.
    prepared : ndarray of float64, shape (n_samples, n_features)
        The numbers minus the mean and, if standardised, divided by the nonzero deviations.
    matrix : ndarray of float64, shape (n_features, n_features)
        The decomposed matrix: covariance of the prepared numbers, which is the correlation if standardised.
    pca : PCA
        Fitted to the prepared numbers, with as many components as there are features.
    scores : ndarray of float64, shape (n_samples, n_features)
        Scores of all samples on all components.
    """

    table: NumericTable
    standardized: bool
    k: int
    mean: Floats = field(repr=False)
    deviations: Floats = field(repr=False)
    covariance: Floats = field(repr=False)
    prepared: Floats = field(repr=False)
    matrix: Floats = field(repr=False)
    pca: PCA = field(repr=False)
    scores: Floats = field(repr=False)

    @property
    def divisor(self) -> int:
        """Divisor of variances and covariances, n − 1."""
        return len(self.table.values) - 1

    @property
    def variances(self) -> Floats:
        """The eigenvalues of the matrix in descending order, shape (n_features,)."""
        return self.pca.explained_variance_

    @property
    def components(self) -> Floats:
        """The eigenvectors as rows, each with its largest entry positive: (n_features, n_features)."""
        return self.pca.components_

    @property
    def shares(self) -> Floats:
        """Share of the variance of each component, shape (n_features,); zeros if nothing varies."""
        return self.pca.explained_variance_ratio_

    @cached_property
    def cumulative(self) -> Floats:
        """Share of the variance of the first components together, shape (n_features,)."""
        return cumulative_shares(self.variances)[1:]

    @property
    def total_variance(self) -> float:
        """The trace of the matrix."""
        return float(self.pca.total_variance_)

    @cached_property
    def kept_variances(self) -> Floats:
        """Total variance of the first k scores at index k − 1, measured on the scores."""
        return np.cumsum(self.scores.var(axis=0, ddof=1))

    @cached_property
    def squared_errors(self) -> Floats:
        """Squared error of the reconstruction from k components at index k − 1, divided by n − 1.

        It is measured on the reconstructions of the prepared numbers. Whatever components are kept, it is the
        total variance minus that of their scores; so the components of the largest variance are those of the
        smallest error.
        """
        rest, errors = self.prepared.copy(), np.empty(len(self.variances))
        for index, component in enumerate(self.components):
            rest -= np.outer(self.scores[:, index], component)
            errors[index] = float(np.square(rest).sum()) / self.divisor
        return errors

    @cached_property
    def reconstruction(self) -> Floats:
        """The table from its first k components, in its own units: (n_samples, n_features)."""
        found = self.pca.inverse_transform(self.scores[:, : self.k])
        widths = np.where(self.deviations > 0, self.deviations, 1.0) if self.standardized else 1.0
        result: Floats = found * widths + self.mean
        return result

    @property
    def rms_error(self) -> float:
        """Root mean squared difference between table and reconstruction, in the table's units."""
        return math.sqrt(float(np.square(self.reconstruction - self.table.values).mean()))


@dataclass(frozen=True, eq=False)
class Deflated:
    """A component found in the residuals of the previous ones.

    Parameters
    ----------
    before : float
        Remaining variance before it.
    variance : float
        Variance along the component.
    component : ndarray of float64, shape (n_features,)
        Direction in which the residuals vary most.
    difference : float
        Largest absolute difference from the entries of the eigenvector.
    """

    before: float
    variance: float
    component: Floats = field(repr=False)
    difference: float

    @property
    def after(self) -> float:
        """Remaining variance once the samples' parts along the component are subtracted."""
        return max(self.before - self.variance, 0.0)


def take_apart(
    table: NumericTable, *, standardize: bool = False, k: int | None = None, variance: float | None = None
) -> TableSteps:
    """Find the components of a table.

    Standard deviations have the divisor n − 1 like everything else here, so that the covariance of
    standardised features is their correlation. (``PCA(standardize=True)`` divides by those with the divisor
    n, and has variances n / (n − 1) times as large.)

    Parameters
    ----------
    table : NumericTable
        The numbers.
    standardize : bool, default False
        Whether to divide each feature by its standard deviation.
    k : int, optional
        Number of components to keep; all by default.
    variance : float, optional
        Keep the fewest that explain this share of the variance, in (0, 1].

    Returns
    -------
    TableSteps
        All intermediate results.

    Raises
    ------
    DataError
        If the numbers are too large.
    SettingsError
        If k or the share is out of range, or both are given.
    """
    count, features = table.values.shape
    if k is not None and variance is not None:
        raise SettingsError("Give one of k and variance, not both: each says what to keep.")
    if k is not None and not 1 <= k <= features:
        raise SettingsError(f"The table has {features} components; k = {k} cannot be kept.")
    moments = Moments.of(table.values)
    covariance = moments.covariance()
    # PCA knows which features vary by more than rounding. Its deviations have the divisor n, and are 1 for
    # constant features.
    widths = PCA(standardize=True).fit_moments(moments).scale_ * math.sqrt(count / (count - 1))
    varies = np.isclose(widths, np.sqrt(np.diagonal(covariance)))
    prepared = table.values - moments.mean
    if standardize:
        prepared /= np.where(varies, widths, 1.0)
    of_prepared = Moments.of(prepared)
    pca = PCA(features).fit_moments(of_prepared)
    if k is None:
        k = features if variance is None else components_for_ratio(pca.explained_variance_, variance)
    return TableSteps(
        table=table,
        standardized=standardize,
        k=k,
        mean=moments.mean,
        deviations=np.where(varies, widths, 0.0),
        covariance=covariance,
        prepared=prepared,
        matrix=of_prepared.covariance(),
        pca=pca,
        scores=pca.transform(prepared),
    )


def deflate(steps: TableSteps) -> list[Deflated]:
    """Find the kept components again, one at a time by deflation.

    Parameters
    ----------
    steps : TableSteps
        The PCA of the table.

    Returns
    -------
    list of Deflated
        At most k; fewer if nothing is left before.

    Raises
    ------
    SettingsError
        If the table is too large for that.
    """
    if steps.prepared.size > MAX_DEFLATED:
        raise SettingsError(
            f"The table has {steps.prepared.size:,} numbers; components are found one at a time in tables of "
            f"at most {MAX_DEFLATED:,}."
        )
    found, left, result = deflation(steps.prepared, steps.k), steps.total_variance, list[Deflated]()
    for index, component in enumerate(found.components):
        variance = float(found.variances[index])
        difference = float(np.abs(component - steps.components[index]).max())
        result.append(Deflated(left, variance, component, difference))
        left = result[-1].after
    return result
