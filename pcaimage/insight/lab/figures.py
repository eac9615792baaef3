"""Figures of the lab's panes: scatter plot with its line, covariance, spectrum, and biplot."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.basis import Basis, Line, variance_at
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.numeric import ties
from pcaimage.pca import components_for_ratio, cumulative_shares

CURVE_POINTS = 181  # angles of the curves of variance and error: one for each degree, and 180° once more

ELLIPSE_POINTS = 73


@dataclass(frozen=True, eq=False)
class ScatterFigures:
    """The plane of two axes: points of shape (n_samples, 2), and what is drawn with them.

    Arrows are the features' own axes, of length 1 where they lie in the plane. The ellipse is the curve at
    one standard deviation from the mean of the points. The origin is the place of zero scores in the plane as
    it is without centring. Angles, from 0 to π, have the variance along the line and the error about it in
    all dimensions, whose sum is the trace.
    """

    axes: tuple[str, str]
    points: Floats = field(repr=False)
    arrows: Floats = field(repr=False)
    mean: Floats = field(repr=False)
    ellipse: Floats = field(repr=False)
    line: Line
    origin: Floats = field(repr=False)
    angles: Floats = field(repr=False)
    variances: Floats = field(repr=False)
    errors: Floats = field(repr=False)

    @cached_property
    def extent(self) -> tuple[Floats, Floats]:
        """The least and the greatest coordinates of the points and of the origin: (2,) each."""
        # A contiguous row is searched several times as fast as a column of two.
        rows = np.ascontiguousarray(self.points.T)
        return np.minimum(rows.min(axis=1), 0.0), np.maximum(rows.max(axis=1), 0.0)


def scatter(state: LabState) -> ScatterFigures:
    """Return the figures of the plane that is drawn; the state needs two features."""
    i, j = state.plane
    basis, prepared, names = state.basis, state.prepared, axis_names(state)
    # Two columns of the scores: all of them would take d / 2 times as long.
    points = state.samples @ basis.axes[[i, j]].T
    mean = points.mean(axis=0)
    angles = np.linspace(0.0, np.pi, CURVE_POINTS)
    variances = variance_at(state.matrix, i, j, angles)
    trace = state.trace
    return ScatterFigures(
        axes=(names[i], names[j]),
        points=points,
        arrows=basis.axes[[i, j]].T,
        mean=mean,
        ellipse=_ellipse(points, mean, prepared.divisor),
        line=Line(state.angle, points, trace, prepared.divisor),
        origin=(prepared.shift / prepared.widths) @ basis.axes[[i, j]].T,
        angles=angles,
        variances=variances,
        errors=np.maximum(trace - variances, 0.0),
    )


def with_line_of(figures: ScatterFigures, state: LabState) -> ScatterFigures:
    """Return figures with the line of a state whose samples, basis and plane they show."""
    line = figures.line
    return replace(figures, line=Line(state.angle, figures.points, line.trace, line.divisor))


def _ellipse(points: Floats, mean: Floats, divisor: float) -> Floats:
    centred = points - mean
    values, vectors = np.linalg.eigh(centred.T @ centred / divisor)
    turn = np.linspace(0.0, 2 * np.pi, ELLIPSE_POINTS)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    found: Floats = circle * np.sqrt(np.maximum(values, 0.0)) @ vectors.T + mean
    return found


def axis_names(state: LabState) -> tuple[str, ...]:
    """Return the names of the axes: a feature's own name as long as an axis is that feature."""
    return _axis_names(state.basis, state.data.features)


@lru_cache(maxsize=1)
def _axis_names(basis: Basis, features: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        f"axis {axis}" if feature is None else features[feature]
        for axis, feature in enumerate(basis.features, start=1)
    )


@dataclass(frozen=True, eq=False)
class MatrixFigures:
    """The matrix in the present basis, and the cell that is chosen."""

    names: tuple[str, ...]
    values: Floats = field(repr=False)
    plane: tuple[int, int]

    @property
    def is_correlation(self) -> bool:
        """Whether entries off the diagonal are correlations, or cosines."""
        return bool(np.allclose(np.diagonal(self.values), 1.0, rtol=0.0, atol=1e-9))

    @cached_property
    def shade(self) -> Floats:
        """Values over the largest, from −1 to 1, for diverging colours: (n_features, n_features)."""
        return self.values / (float(np.abs(self.values).max(initial=0.0)) or 1.0)


def matrix(state: LabState, *, kind: str = "matrix") -> MatrixFigures:
    """Return the figures of the covariance pane, for the matrix, undivided sums or correlations.

    An axis along which nothing varies has correlation 0.
    """
    values = state.matrix
    if kind == "scatter":
        values = values * state.prepared.divisor
    elif kind == "correlation":
        values = _correlations(values)
    return MatrixFigures(axis_names(state), values, state.plane)


@dataclass(frozen=True, eq=False)
class SpectrumFigures:
    """Variances along the present axes beside the eigenvalues, the ghosts, that they become.

    The share of the variance of the first k axes is at index k of `cumulative`; `k95` is the smallest k that
    keeps 95 % with the present axes in their order. `ties` are runs of equal eigenvalues, from 0.
    """

    bars: Floats = field(repr=False)
    ghosts: Floats = field(repr=False)
    cumulative: Floats = field(repr=False)
    k: int
    k95: int
    ties: tuple[range, ...]


def spectrum(state: LabState) -> SpectrumFigures:
    """Return the figures of the spectrum pane."""
    bars = np.maximum(np.diagonal(state.matrix), 0.0)
    cumulative = cumulative_shares(bars)
    reached = np.flatnonzero(cumulative >= 0.95 - 1e-12)
    k95 = int(reached[0]) if reached.size else components_for_ratio(np.sort(bars)[::-1], 0.95)
    ghosts = state.prepared.pca.variances
    return SpectrumFigures(bars, ghosts, cumulative, state.k, k95, ties(ghosts.tolist()))


@dataclass(frozen=True, eq=False)
class Biplot:
    """Samples as points (n_samples, 2), and features as arrows (n_features, 2).

    Points are scores over σ^α, for the deviations σ along the two axes, and arrows entries of the axes times
    σ^α: the inner product of both is the part of the number in the table that the two axes explain, whatever
    α (K. R. Gabriel 1971, doi:10.1093/biomet/58.3.453). Correlations of the features with the two axes lie
    within the circle of radius 1, and on it if the two axes explain all of the feature.
    """

    points: Floats = field(repr=False)
    arrows: Floats = field(repr=False)
    correlations: Floats = field(repr=False)


def biplot(state: LabState, alpha: float = 1.0) -> Biplot:
    """Return the biplot of the plane that is drawn, best that of the PCA's axes.

    With the exponent 0 distances of points are those of samples, with 1 arrows are as long as the features'
    deviations and their angles tell correlations. An axis along which nothing varies has zero coordinates.
    """
    if not 0 <= alpha <= 1:
        raise SettingsError(f"The exponent of a biplot is from 0 to 1, not {alpha}.")
    plane = list(state.plane)
    axes, scores = state.basis.axes[plane], state.prepared.samples @ state.basis.axes[plane].T
    variances = np.maximum(state.basis.variances[plane], 0.0)
    varies = variances > 0
    scale = np.where(varies, variances, 1.0) ** (alpha / 2)
    lengths = np.linalg.norm(state.prepared.samples, axis=0)
    norms = np.linalg.norm(scores, axis=0)
    both = np.outer(np.where(lengths > 0, lengths, np.inf), np.where(varies, norms, np.inf))
    products = state.prepared.samples.T @ scores
    arrows = np.where(varies, axes.T * scale, 0.0)
    return Biplot(np.where(varies, scores / scale, 0.0), arrows, products / both)


def correlation(state: LabState, one: int, other: int) -> float:
    """Return the correlation of two features, from 0; 0 with one that never varies.

    Without centring it is the cosine of their columns.
    """
    return float(_correlations(state.prepared.matrix)[one, other])


def cosine(state: LabState, one: int, other: int) -> float:
    """Return the cosine of two features' arrows in the biplot; 0 if one has no length."""
    arrows = biplot(state).arrows[[one, other]]
    lengths = np.linalg.norm(arrows, axis=1)
    return float(arrows[0] @ arrows[1] / lengths.prod()) if lengths.all() else 0.0


def closest(state: LabState) -> tuple[float, tuple[int, int]]:
    """Return the correlation of largest magnitude, and of which two features; two features at least."""
    products = _correlations(state.prepared.matrix)
    np.fill_diagonal(products, 0.0)
    i, j = divmod(int(np.abs(products).argmax()), len(products))
    i, j = (i, j) if i != j else (0, 1)
    return float(products[i, j]), (min(i, j), max(i, j))


def _correlations(matrix: Floats) -> Floats:
    """Return the covariances of a matrix over the deviations; 0 for what never varies."""
    variances = np.diagonal(matrix)
    widths = np.sqrt(np.where(variances > 0, variances, np.inf))
    return matrix / widths / widths[:, None]
