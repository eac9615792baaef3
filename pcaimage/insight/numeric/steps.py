"""PCA of a small table by a convention, with every intermediate result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Divisor
from pcaimage.errors import SettingsError
from pcaimage.insight.numeric.reading import NumericTable
from pcaimage.pca import components_for_ratio, cumulative_shares, deflation
from pcaimage.pca.moments import feature_deviations, moments_of_features
from pcaimage.pca.solvers import Decomposition, solve_covariance, solve_svd


class Sigma(StrEnum):
    """Standard deviations by which features are divided."""

    NONE = "none"  # features keep their units
    N_MINUS_1 = "n-1"  # divided by the deviation with the divisor n − 1, as R's `scale` does
    N = "n"  # divided by the deviation with the divisor n, as scikit-learn's `StandardScaler` does


@dataclass(frozen=True)
class Convention:
    """The convention by which a table becomes the matrix that is decomposed.

    Without centring, components are the directions of the largest mean square, and the first one points
    towards the mean. Sigma is the standard deviation, about the mean, by which each feature is divided; the
    divisor is that of sums of squares and products.
    """

    centre: bool = True
    sigma: Sigma = Sigma.NONE
    divisor: Divisor = Divisor.N_MINUS_1

    @property
    def standardized(self) -> bool:
        """Whether features are divided by their standard deviations."""
        return self.sigma is not Sigma.NONE

    @property
    def correlation(self) -> bool:
        """Whether the matrix is the correlation matrix: its diagonal is 1."""
        return self.centre and self.standardized and self.sigma.value == self.divisor.value

    @property
    def matrix_name(self) -> str:
        """Name of the matrix that is decomposed."""
        if self.correlation:
            return "Correlation (covariance of the standardised features)"
        kind = " of the standardised features" if self.standardized else ""
        if self.divisor is Divisor.NONE:
            return f"Scatter matrix XᵀX, undivided{kind and ','}{kind}"
        centred = "" if self.centre else ", not centred,"
        return f"{self.products.capitalize()}{centred}{kind}".rstrip(",")

    @property
    def squares(self) -> str:
        """What the diagonal of the matrix has, which is a variance of centred samples only."""
        if self.divisor is Divisor.NONE:
            return "sum of squares"
        if self.centre:
            return "variance"
        return "mean square" if self.divisor is Divisor.N else "squares / (n − 1)"

    @property
    def products(self) -> str:
        """What the matrix has off its diagonal: covariances of centred samples."""
        words = {"variance": "covariance", "mean square": "mean product"}
        return words.get(self.squares, self.squares.replace("squares", "products"))


Floats = NDArray[np.float64]

SMALL = 1_000_000  # most numbers whose PCA is found by singular values, which are right to the last digits
SAME_VARIANCE = 1e-9  # relative difference up to which two variances count as equal
_DUST = 1e-13  # share of the largest terms of a sum up to which the sum is zero but for rounding


@dataclass(frozen=True, eq=False)
class Prepared:
    """Samples as the PCA sees them: centred, scaled and divided by a convention.

    Mean and deviations are their own, or those of other samples of as many features.
    """

    original: Floats = field(repr=False)  # (n_samples, n_features), as typed
    convention: Convention = field(default_factory=Convention)
    like: Prepared | None = field(default=None, repr=False)

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        """Mean of each feature, and its sum of squares about the mean."""
        return moments_of_features(self.original) if self.like is None else self.like.moments

    @property
    def mean(self) -> Floats:
        """Means of the features, shape (n_features,)."""
        return self.moments[0]

    @cached_property
    def deviations(self) -> Floats:
        """Standard deviations about the mean, by the convention's σ (n − 1 if it has none); 0 if constant."""
        n = len((self.like or self).original)
        unbiased = 1.0 if self.convention.sigma is Sigma.N else np.sqrt(n / (n - 1))
        return feature_deviations(*self.moments, n) * unbiased

    @property
    def shift(self) -> Floats:
        """The mean, which is subtracted from every sample, or zeros: (n_features,)."""
        return self.mean if self.convention.centre else np.zeros_like(self.mean)

    @property
    def widths(self) -> Floats:
        """Divisors of the features: their nonzero deviations, or ones. Shape (n_features,)."""
        return np.where((self.deviations > 0) & self.convention.standardized, self.deviations, 1.0)

    @cached_property
    def samples(self) -> Floats:
        """The prepared samples, (x − shift) / widths: (n_samples, n_features)."""
        return (self.original - self.shift) / self.widths

    @cached_property
    def reach(self) -> Floats:
        """The largest magnitude of each feature before centring, in the units of prepared samples."""
        found: Floats = np.abs(self.original).max(axis=0) / self.widths
        return found

    @property
    def divisor(self) -> int:
        """Divisor of sums of squares and products: n − 1, n or 1."""
        return self.convention.divisor.of(len(self.original))

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
        n, d = self.original.shape
        if self.samples.size > SMALL:
            return solve_covariance(self.matrix, d)
        found = solve_svd(self.samples, np.zeros(d), np.ones(d), d)
        return Decomposition(found.variances * ((n - 1) / self.divisor), found.components)

    @property
    def ties(self) -> tuple[range, ...]:
        """Runs of components of equal variance; see :func:`ties`."""
        return ties(self.pca.variances.tolist())

    @cached_property
    def correlation(self) -> Floats:
        """Correlations of the features, 0 with those that never vary: (n_features, n_features)."""
        centred = self.original - self.mean
        widths = np.where(self.deviations > 0, np.linalg.norm(centred, axis=0), np.inf)
        unit = centred / widths
        return unit.T @ unit


def ties(variances: Sequence[float]) -> tuple[range, ...]:
    """Return the runs of two or more components of equal variance, as indices from 0.

    Variances are in descending order, none negative; zeros are equal. Components of a run are arbitrary: any
    orthonormal basis of the space that they span would do.
    """
    equal = [one - other <= SAME_VARIANCE * one for one, other in pairwise(variances)]
    found, first = list[range](), 0
    for index, same in enumerate([*equal, False], start=1):
        if not same:
            if index - first > 1:
                found.append(range(first, index))
            first = index
    return tuple(found)


def without_dust(values: Floats, rows: Floats, columns: Floats) -> Floats:
    """Return sums of products as zero where they are rounding beside the scales of their rows and columns."""
    return np.where(np.abs(values) <= np.outer(_DUST * rows, columns), 0.0, values)


def scales_of(matrix: Floats) -> Floats:
    """Return the roots of a matrix's diagonal: the scales of its rows and columns."""
    return np.sqrt(np.maximum(np.diagonal(matrix), 0.0))


def cleared(matrix: Floats) -> Floats:
    """Return a matrix of sums of products of features without what rounding leaves of zeros."""
    scales = scales_of(matrix)
    return without_dust(matrix, scales, scales)


MAX_DEFLATED = 50_000  # most numbers of a table whose components are found one at a time


@dataclass(frozen=True, eq=False)
class TableSteps:
    """A table and all results of its PCA, of which k components are kept."""

    table: NumericTable
    prepared: Prepared
    k: int

    @property
    def covariance(self) -> Floats:
        """The covariance of the original features, or their mean products if they are not centred."""
        shifted = self.table.values - self.prepared.shift
        return shifted.T @ shifted / self.prepared.divisor

    @property
    def variances(self) -> Floats:
        """The eigenvalues in descending order: (n_features,)."""
        return self.prepared.pca.variances

    @property
    def components(self) -> Floats:
        """Their eigenvectors as rows, the largest entry positive: (n_features, n_features)."""
        return self.prepared.pca.components

    @cached_property
    def scores(self) -> Floats:
        """Scores of all samples on all components: (n_samples, n_features)."""
        return self.prepared.samples @ self.components.T

    @property
    def scores_covariance(self) -> Floats:
        """The matrix of the scores: diagonal, and its diagonal the eigenvalues."""
        return self.scores.T @ self.scores / self.prepared.divisor

    @property
    def shares(self) -> Floats:
        """Share of the variance of each component, shape (n_features,); zeros if nothing varies."""
        return self.variances / (self.prepared.trace or 1.0)

    @cached_property
    def cumulative(self) -> Floats:
        """Share of the variance of the first components together, shape (n_features,)."""
        return cumulative_shares(self.variances)[1:]

    @cached_property
    def kept_variances(self) -> Floats:
        """Total variance of the first k scores at index k − 1, measured on the scores."""
        return np.cumsum(np.square(self.scores).sum(axis=0)) / self.prepared.divisor

    @cached_property
    def squared_errors(self) -> Floats:
        """Squared error of the reconstruction from k components at index k − 1, over the divisor.

        It is measured on the reconstructions of the prepared numbers. Whatever components are kept, it is the
        total variance minus that of their scores; so the components of the largest variance are those of the
        smallest error.
        """
        _, taken = take_away(self.prepared.samples, self.components, self.prepared.divisor)
        return np.array([each.left for each in taken])

    @property
    def discarded_variances(self) -> Floats:
        """Sum of the variances after the first k at index k − 1, shape (n_features,)."""
        return np.append(np.cumsum(self.variances[:0:-1])[::-1], 0.0)

    @cached_property
    def reconstruction(self) -> Floats:
        """The table from its first k components, in its own units: (n_samples, n_features)."""
        found = self.scores[:, : self.k] @ self.components[: self.k]
        return found * self.prepared.widths + self.prepared.shift

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

    SettingsError is raised if k is out of range, or both k and variance are given.
    """
    features = len(table.features)
    if k is not None and variance is not None:
        raise SettingsError("Give one of k and variance, not both: each says what to keep.")
    if k is not None and not 1 <= k <= features:
        raise SettingsError(f"The table has {features} components; k = {k} cannot be kept.")
    prepared = Prepared(table.values, convention or Convention())
    if k is None:
        k = features if variance is None else components_for_ratio(prepared.pca.variances, variance)
    return TableSteps(table, prepared, k)


@dataclass(frozen=True, eq=False)
class Taken:
    """One direction, of length 1, and the variance before it was taken away, along it, and left."""

    direction: Floats = field(repr=False)
    before: float
    along: float
    left: float


def take_away(
    samples: Floats, directions: Sequence[Floats] | Floats, divisor: float
) -> tuple[Floats, list[Taken]]:
    """Return the rest of samples, x − (xᵀw) w for one direction after the other, and the figures of each.

    The rest is orthogonal to the last direction, and to all if they are orthogonal to each other. Directions
    have length 1.
    """
    rest, found = samples, list[Taken]()
    before = float(np.square(rest).sum()) / divisor
    for w in directions:
        scores = rest @ w
        rest = rest - np.outer(scores, w)
        left = float(np.square(rest).sum()) / divisor
        found.append(Taken(w, before, float(scores @ scores) / divisor, left))
        before = left
    return rest, found


@dataclass(frozen=True, eq=False)
class Deflated(Taken):
    """A component found in the residuals of the previous ones, and its difference from the eigenvector.

    Where several have the same variance, it is that from the nearest vector of the space that they span.
    """

    difference: float


def deflate(steps: TableSteps) -> list[Deflated]:
    """Find the kept components again, one at a time by deflation; fewer if nothing is left before.

    SettingsError is raised if the table is too large for that.
    """
    prepared = steps.prepared
    if prepared.samples.size > MAX_DEFLATED:
        raise SettingsError(
            f"The table has {prepared.samples.size:,} numbers; components are found one at a time in tables "
            f"of at most {MAX_DEFLATED:,}."
        )
    found = deflation(prepared.samples, steps.k, centre=prepared.convention.centre)
    _, taken = take_away(prepared.samples, found.components, prepared.divisor)
    return [
        Deflated(**vars(each), difference=float(np.abs(each.direction - _nearest(steps, index, each)).max()))
        for index, each in enumerate(taken)
    ]


def _nearest(steps: TableSteps, index: int, taken: Taken) -> Floats:
    """Return the eigenvector of an index, or of those that share its variance the nearest combination."""
    tied = next((run for run in steps.prepared.ties if index in run), range(index, index + 1))
    space = steps.components[tied.start : tied.stop]
    # A single eigenvector is unique up to its sign, which the same rule fixes in both.
    return taken.direction @ space.T @ space if len(tied) > 1 else space.sum(axis=0)
