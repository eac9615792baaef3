"""The step at which the error of each band matches its noise."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

VARIANCES = np.log2([0.05, 0.08, 0.11, 0.15, 0.2, 0.25, 0.35, 0.5, 0.75, 1.4, 3.0, 10.0, 100.0, 1e4])
ERRORS = np.array([0.6, 0.95, 1.3, 1.7, 2.05, 2.1, 1.65, 1.37, 1.18, 1.09, 1.04, 1.02, 1.01, 1.0])
"""Mean squared error of a coded component's scores in units of Δ²/12, by log2 of its variance in units of Δ².

Measured on AVIRIS scenes. Where scores are barely larger than a step, most are rounded to zero to save bits,
and the error is twice that of uniform rounding; below, it is the variance itself.
"""

HALVINGS = 40
"""Bisection steps of the search."""


def score_errors(variances: Floats, step: float) -> Floats:
    """Return the mean squared error of each component's scores, at most its variance.

    `variances` and the result have shape (n_components,) and are in squared units of the scores.
    """
    relative = np.log2(np.maximum(variances, 1e-300)) - 2 * math.log2(step)
    coded = np.interp(relative, VARIANCES, ERRORS) * step**2 / 12
    errors: Floats = np.minimum(np.maximum(variances, 0), coded)
    return errors


def step_within(limits: Floats, variances: Floats, synthesis: Floats, finest: float) -> float:
    """Return the coarsest step, `finest` at least, at which no band's RMS error exceeds its limit.

    Row j of the synthesis is the contribution of a unit score, whose variance is given, to the bands.
    """
    energies, most = np.square(synthesis), np.square(limits)
    low = math.log2(finest)
    high = max(low, math.log2(max(float(variances.max(initial=0.0)), finest**2)) / 2 + 4)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        within = bool((score_errors(variances, 2.0**middle) @ energies <= most).all())
        low, high = (middle, high) if within else (low, middle)
    return float(2.0**low)
