"""Figures of the lab's panes: scatter plot with its line, covariance, spectrum."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np

from pcaimage.insight.lab.basis import Basis, best_angle
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.direction import Line, variance_at
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.numeric.ties import ties
from pcaimage.pca import components_for_ratio, cumulative_shares

CURVE_POINTS = 181
"""Angles of the curves of variance and error: one for each degree, and 180° once more."""

ELLIPSE_POINTS = 73


@dataclass(frozen=True, eq=False)
class ScatterFigures:
    """The plane of two axes.

    Parameters
    ----------
    axes : tuple of str
        Names of the two axes.
    points : ndarray of float64, shape (n_samples, 2)
        The samples in the plane.
    arrows : ndarray of float64, shape (n_features, 2)
        The features' own axes in the plane, of length 1 where they lie in it.
    mean : ndarray of float64, shape (2,)
        Mean of the points, zero if they are centred.
    ellipse : ndarray of float64, shape (m, 2)
        The curve at one standard deviation from the mean; at two it is twice as large.
    line : Line
        The line that is laid through the plane.
    best_angle : float
        Its angle of the largest variance, in radians.
    origin : ndarray of float64, shape (2,)
        The place of zero scores, the mean if samples are centred, in the plane as it is without centring.
    angles, variances, errors : ndarray of float64, shape (181,)
        The curves over the angle from 0 to π: variance along the line, error about it in all dimensions.
        Their sum is the trace at every angle.
    """

    axes: tuple[str, str]
    points: Floats = field(repr=False)
    arrows: Floats = field(repr=False)
    mean: Floats = field(repr=False)
    ellipse: Floats = field(repr=False)
    line: Line
    best_angle: float
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
        best_angle=best_angle(state.matrix, i, j),
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
    """The matrix in the present basis.

    Parameters
    ----------
    names : tuple of str
        Names of the axes.
    values : ndarray of float64, shape (n_features, n_features)
        Variances on the diagonal, covariances off it.
    plane : tuple of int
        The cell that is chosen.
    """

    names: tuple[str, ...]
    values: Floats = field(repr=False)
    plane: tuple[int, int]

    @cached_property
    def shade(self) -> Floats:
        """Values over the largest, from −1 to 1, for diverging colours: (n_features, n_features)."""
        return self.values / (float(np.abs(self.values).max(initial=0.0)) or 1.0)


def matrix(state: LabState, *, kind: str = "matrix") -> MatrixFigures:
    """Return the figures of the covariance pane.

    An axis along which nothing varies has correlation 0.

    Parameters
    ----------
    kind : {"matrix", "scatter", "correlation"}
        The matrix in the present basis, the same undivided, or the correlation of the axes.
    """
    values = state.matrix
    if kind == "scatter":
        values = values * state.prepared.divisor
    elif kind == "correlation":
        widths = np.sqrt(np.maximum(np.diagonal(values), 0.0))
        widths = np.where(widths > 1e-12 * (widths.max(initial=0.0) or 1.0), widths, np.inf)
        values = values / widths / widths[:, None]
    return MatrixFigures(axis_names(state), values, state.plane)


@dataclass(frozen=True, eq=False)
class SpectrumFigures:
    """Variances along the present axes beside the eigenvalues.

    Parameters
    ----------
    bars : ndarray of float64, shape (n_features,)
        Variances along the axes.
    ghosts : ndarray of float64, shape (n_features,)
        The eigenvalues, which the bars become when the basis is the PCA.
    cumulative : ndarray of float64, shape (n_features + 1,)
        Share of the variance of the first axes at index k.
    k : int
        Number of axes kept.
    k95 : int
        The smallest k that keeps 95 % with the present axes, in their order.
    ties : tuple of range
        Runs of components of equal variance, from 0, which are arbitrary.
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
