"""What the settings of a PCA mean for data of a given shape."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.pca.solvers import Solver, choose_solver

if TYPE_CHECKING:
    from pcaimage.pca._samples import Floats

SolverSetting = Solver | Literal["auto"]
"""A solver, or the wish to have one chosen."""


def wanted_components(n_components: Any, n_features: int) -> int | None:
    """Say how many components are asked for.

    Parameters
    ----------
    n_components : int, float or None
        A count, a share of the variance, or all.
    n_features : int
        The most there can be.

    Returns
    -------
    int or None
        The count; None if the whole spectrum is needed to know.

    Raises
    ------
    SettingsError
        If it is none of these, or out of range.
    """
    try:
        if n_components is None or 0 < n_components < 1:
            return None
        k = 0 if isinstance(n_components, bool) else operator.index(n_components)
    except TypeError:
        k = 0
    if not 1 <= k <= n_features:
        raise SettingsError(
            f"n_components must be an integer from 1 to {n_features} (the number of features), "
            f"a share of the variance between 0 and 1, or None, not {n_components!r}."
        )
    return k


def resolve_solver(solver: SolverSetting, n_samples: int, n_features: int, wanted: int | None) -> Solver:
    """Turn ``"auto"`` into a solver, and check any other.

    Parameters
    ----------
    solver : {"auto", "covariance", "gram", "randomized"}
        The setting.
    n_samples, n_features : int
        Shape of the data.
    wanted : int or None
        Number of components, None if not known beforehand.

    Returns
    -------
    {"covariance", "gram", "randomized"}
        The solver.

    Raises
    ------
    SettingsError
        If there is no such solver, or it cannot do what is wanted.
    """
    if solver == "auto":
        return choose_solver(n_samples, n_features, wanted)
    names = get_args(Solver)
    if solver not in names:
        raise SettingsError(f"There is no solver {solver!r}; choose auto, {', '.join(names)}.")
    if solver == "randomized" and wanted is None:
        raise SettingsError("The randomized solver must be told how many components to find.")
    return solver


def feature_scale(mean: Floats, squares: Floats, n_samples: int, *, standardize: bool) -> Floats:
    """Find what to divide each feature by.

    Parameters
    ----------
    mean : ndarray of float64, shape (n_features,)
        The mean.
    squares : ndarray of float64, shape (n_features,)
        Sum of squared deviations from it.
    n_samples : int
        n.
    standardize : bool
        Whether to divide at all.

    Returns
    -------
    ndarray of float64, shape (n_features,)
        The population standard deviation (divisor n), or 1 where a feature is constant, and everywhere
        without standardising. A feature that differs only in the last bits of its numbers is constant:
        dividing by such a deviation would make rounding errors as important as the data.
    """
    if not standardize:
        return np.ones_like(mean)
    deviation = np.sqrt(squares / n_samples)
    rounding = 8 * np.finfo(np.float64).eps * np.abs(mean)
    return np.where(deviation > rounding, deviation, 1.0)
