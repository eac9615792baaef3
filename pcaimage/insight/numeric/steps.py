"""A small table taken apart, with every number on the way."""

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
"""How many numbers a table may have whose components are found one at a time."""


@dataclass(frozen=True, eq=False)
class TableSteps:
    """A table and all that follows from it; all variances have the divisor n − 1.

    Parameters
    ----------
    table : NumericTable
        The numbers.
    standardized : bool
        Whether each feature was divided by its standard deviation.
    k : int
        How many components are kept.
    mean : ndarray of float64, shape (n_features,)
        The features' means.
    deviations : ndarray of float64, shape (n_features,)
        The features' standard deviations, divisor n − 1; 0 where a feature never varies.
    covariance : ndarray of float64, shape (n_features, n_features)
        Of the features as they are.
    prepared : ndarray of float64, shape (n_samples, n_features)
        The numbers minus the mean and, if standardised, divided by the deviations where there are any.
    matrix : ndarray of float64, shape (n_features, n_features)
        The covariance of the prepared numbers, which was taken apart; if standardised the correlation.
    pca : PCA
        Fitted to the prepared numbers, with as many components as there are features.
    scores : ndarray of float64, shape (n_samples, n_features)
        Of all samples on all components.
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
        """That of variances and covariances, n − 1."""
        return len(self.table.values) - 1

    @property
    def variances(self) -> Floats:
        """The eigenvalues of the matrix in descending order, shape (n_features,)."""
        return self.pca.explained_variance_

    @property
    def components(self) -> Floats:
        """The eigenvectors, in rows, each with its largest entry positive: (n_features, n_features)."""
        return self.pca.components_

    @property
    def shares(self) -> Floats:
        """Share of the variance of each component, shape (n_features,); zeros where nothing varies."""
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
        """Variance of the first k scores together at index k − 1, measured on the scores."""
        return np.cumsum(self.scores.var(axis=0, ddof=1))

    @cached_property
    def squared_errors(self) -> Floats:
        """Squared error of the reconstruction from k components at index k − 1, over n − 1.

        Measured on the reconstructions of the prepared numbers. Whatever components are kept, it is what
        their scores' variance lacks to the total one; so the components of the largest variance are those
        of the smallest error.
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
        """Root of the mean squared difference between table and reconstruction, in the table's units."""
        return math.sqrt(float(np.square(self.reconstruction - self.table.values).mean()))


@dataclass(frozen=True, eq=False)
class Deflated:
    """A component found from what the components before it left over.

    Parameters
    ----------
    before : float
        The variance that was left.
    variance : float
        That along the component.
    component : ndarray of float64, shape (n_features,)
        The direction in which the rest varies most.
    difference : float
        The largest difference between its entries and those of the eigenvector.
    """

    before: float
    variance: float
    component: Floats = field(repr=False)
    difference: float

    @property
    def after(self) -> float:
        """The variance that is left when the samples have lost their parts along it."""
        return max(self.before - self.variance, 0.0)


def take_apart(
    table: NumericTable, *, standardize: bool = False, k: int | None = None, variance: float | None = None
) -> TableSteps:
    """Find the components of a table.

    Standard deviations have the divisor n − 1 as everything else here, so that the standardised features'
    covariance is their correlation. (``PCA(standardize=True)`` divides by those with the divisor n, and has
    variances n / (n − 1) times as large.)

    Parameters
    ----------
    table : NumericTable
        The numbers.
    standardize : bool, default False
        Whether to divide each feature by its standard deviation.
    k : int, optional
        How many components to keep; all by default.
    variance : float, optional
        Keep the fewest that explain this share of the variance, in (0, 1].

    Returns
    -------
    TableSteps
        Everything on the way.

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
    # The mathematics knows which features vary by more than rounding. Its deviations have the divisor n, and
    # are 1 where nothing varies.
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
    """Find the kept components once more, one at a time.

    Parameters
    ----------
    steps : TableSteps
        The table.

    Returns
    -------
    list of Deflated
        At most k; fewer where nothing is left before.

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
