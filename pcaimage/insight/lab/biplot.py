"""Biplot: samples and features in one picture, and the circle of correlations."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.state import LabState


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
