"""PCA of a small table, with every intermediate result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.numeric.columns import NumericTable
from pcaimage.insight.numeric.prepared import Convention, Floats, Prepared
from pcaimage.pca import components_for_ratio, cumulative_shares, deflation

MAX_DEFLATED = 50_000
"""Most numbers of a table whose components are found one at a time."""


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
