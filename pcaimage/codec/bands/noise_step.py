"""The step at which the error of each band suits its noise."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

VARIANCES = np.log2([0.05, 0.08, 0.11, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1.4, 3.0, 10.0, 100.0, 1e4])
ERRORS = np.array([0.6, 0.95, 1.3, 1.7, 2.05, 2.1, 1.65, 1.37, 1.18, 1.09, 1.04, 1.02, 1.01, 1.0])
"""How wrong a coded component's scores are, in units of Δ²/12, by log2 of its variance in units of Δ².

Measured on AVIRIS scenes. Where scores are hardly larger than a step, most of them are rounded to zero, which
costs fewer bits, and the error is twice as large as that of rounding; below, it is the variance itself.
"""

HALVINGS = 40
"""How often the range of steps is halved in the search."""


def score_errors(variances: Floats, step: float) -> Floats:
    """Return the mean squared error of the scores of each component at a step.

    Parameters
    ----------
    variances : ndarray of float64, shape (n_components,)
        Of the scores.
    step : float
        Δ.

    Returns
    -------
    ndarray of float64, shape (n_components,)
        In squared units of the scores, and never more than the variances.
    """
    relative = np.log2(np.maximum(variances, 1e-300)) - 2 * math.log2(step)
    coded = np.interp(relative, VARIANCES, ERRORS) * step**2 / 12
    errors: Floats = np.minimum(np.maximum(variances, 0), coded)
    return errors


def step_within(limits: Floats, variances: Floats, synthesis: Floats, finest: float) -> float:
    """Return the coarsest step at which no band's error exceeds its limit.

    Parameters
    ----------
    limits : ndarray of float64, shape (n_features,)
        The largest root mean square of each band's errors.
    variances : ndarray of float64, shape (n_components,)
        Of the scores.
    synthesis : ndarray of float64, shape (n_components, n_features)
        What a score of one contributes to the bands.
    finest : float
        The finest step worth taking.

    Returns
    -------
    float
        Δ, at least `finest`.
    """
    energies, most = np.square(synthesis), np.square(limits)
    low = math.log2(finest)
    high = max(low, math.log2(max(float(variances.max(initial=0.0)), finest**2)) / 2 + 4)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        within = bool((score_errors(variances, 2.0**middle) @ energies <= most).all())
        low, high = (middle, high) if within else (low, middle)
    return float(2.0**low)
