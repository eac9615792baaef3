"""Validation of the settings of a PCA against the shape of the data."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.pca.moments import feature_deviations
from pcaimage.pca.solvers import Solver, choose_solver

if TYPE_CHECKING:
    from pcaimage.pca._samples import Floats

SolverSetting = Solver | Literal["auto"]
"""A solver, or ``"auto"`` to have one chosen."""


def wanted_components(n_components: Any, n_features: int) -> int | None:
    """Return the requested number of components; None if it depends on the whole spectrum."""
    try:
        if n_components is None or (isinstance(n_components, str) and n_components == "mle"):
            return None
        if 0 < n_components < 1:
            return None
        k = 0 if isinstance(n_components, bool) else operator.index(n_components)
    except TypeError:
        k = 0
    if not 1 <= k <= n_features:
        raise SettingsError(
            f"n_components must be an integer from 1 to {n_features} (the number of features), "
            f"a share of the variance between 0 and 1, 'mle', or None, not {n_components!r}."
        )
    return k


def resolve_solver(solver: SolverSetting, n_samples: int, n_features: int, wanted: int | None) -> Solver:
    """Resolve ``"auto"`` to a solver, and check any other; `wanted` is None if unknown beforehand."""
    if solver == "auto":
        return choose_solver(n_samples, n_features, wanted)
    names = get_args(Solver)
    if solver not in names:
        raise SettingsError(f"There is no solver {solver!r}; choose auto, {', '.join(names)}.")
    if solver == "randomized" and wanted is None:
        raise SettingsError("The randomized solver must be told how many components to find.")
    return solver


def feature_scale(mean: Floats, squares: Floats, n_samples: int, *, standardize: bool) -> Floats:
    """Return the population standard deviation (divisor n) of each feature, or ones.

    It is 1 where a feature is constant, and everywhere without standardising.
    """
    if not standardize:
        return np.ones_like(mean)
    deviations = feature_deviations(mean, squares, n_samples)
    return np.where(deviations > 0, deviations, 1.0)
