"""Costs of what is kept: numbers, bytes, and two errors that add up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.state import LabState

MODEL_BYTES = 4
"""Bytes of a number of axes, mean and deviations, whose rounding then does not count."""


@dataclass(frozen=True)
class Cost:
    """The costs and losses of k axes; losses are mean squared errors.

    Numbers are kept for scores and axes, mean and deviations. Those of rounded scores, and the data's at
    their own precision, take as few bits as the range of their column needs; those of axes, mean and
    deviations :data:`MODEL_BYTES` each.
    """

    numbers: int
    raw_numbers: int
    score_bytes: int
    model_bytes: int
    raw_bytes: int
    lost: float  # of the numbers that the axes leave out: PCA's own loss, unrounded
    rounded: float  # what rounding scores adds, about k Δ² / (12 d); none of it is PCA's

    @property
    def n_bytes(self) -> int:
        """Bytes of all that is kept."""
        return self.score_bytes + self.model_bytes

    @property
    def error(self) -> float:
        """Mean squared error altogether: residuals and rounding errors are orthogonal."""
        return self.lost + self.rounded


def cost(state: LabState, step: float) -> Cost:
    """Return what the axes that are kept cost, with scores rounded to multiples of a step Δ.

    The step is in the units of prepared samples; errors are measured, not estimated.
    """
    if not (math.isfinite(step) and step > 0):
        raise SettingsError(f"A step must be a positive number, not {step}.")
    n, d = state.data.samples.shape
    scores = state.scores[:, : state.k]
    rounded = np.round(scores / step)
    rest = state.prepared.samples - scores @ state.basis.axes[: state.k]
    levels = np.ptp(rounded, axis=0) + 1
    return Cost(
        numbers=numbers_of(state),
        raw_numbers=n * d,
        score_bytes=math.ceil(n * float(np.log2(levels).sum()) / 8),
        model_bytes=MODEL_BYTES * (numbers_of(state) - state.k * n),
        raw_bytes=math.ceil(n * state.data.bits / 8),
        lost=float(np.square(rest).mean()),
        rounded=float(np.square(rounded * step - scores).sum()) / (n * d),
    )


def numbers_of(state: LabState) -> int:
    """Return how many numbers the kept axes take: scores and axes, and what undoes centring and scaling."""
    n, d = state.data.samples.shape
    return int(state.k * (n + d) + d * (state.convention.centre + state.convention.standardized))
