"""Costs of what is kept: numbers, bytes, and two errors that add up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.state import LabState


@dataclass(frozen=True)
class Cost:
    """The costs and losses of k axes.

    Parameters
    ----------
    numbers, raw_numbers : int
        Numbers that are kept: scores, axes and mean; and those of the data.
    score_bytes : int
        Entropy of the rounded scores, in bytes: what an ideal coder without context would need.
    lost : float
        Mean squared error of the prepared numbers that the axes leave out: PCA's own loss, unrounded.
    rounded : float
        Mean squared error that rounding the scores adds, about k Δ² / (12 d). It is none of PCA's.
    """

    numbers: int
    raw_numbers: int
    score_bytes: int
    lost: float
    rounded: float

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
    bits = sum(_entropy(column) for column in rounded.T)
    return Cost(
        numbers=state.k * (n + d) + d,
        raw_numbers=n * d,
        score_bytes=math.ceil(bits / 8),
        lost=float(np.square(rest).mean()),
        rounded=float(np.square(rounded * step - scores).sum()) / (n * d),
    )


def _entropy(numbers: Floats) -> float:
    """Return the entropy of a column of whole numbers in bits, for all of them together."""
    counts = np.unique(numbers, return_counts=True)[1]
    return float((counts * -np.log2(counts / counts.sum())).sum())
