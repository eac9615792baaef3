"""Deflation with any direction: what is left of the samples once their part along it is taken away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.direction import unit


@dataclass(frozen=True, eq=False)
class Taken:
    """One direction, taken away.

    Parameters
    ----------
    direction : ndarray of float64, shape (n_features,)
        Unit vector.
    before, along, left : float
        Variance of the samples before, along the direction, and after; the first is the sum of the others.
    """

    direction: Floats = field(repr=False)
    before: float
    along: float
    left: float


def take_away(samples: Floats, directions: Sequence[Floats], divisor: float) -> tuple[Floats, list[Taken]]:
    """Take directions away one after the other.

    Parameters
    ----------
    samples : ndarray of float64, shape (n_samples, n_features)
        Prepared samples.
    directions : sequence of ndarray of float64, shape (n_features,)
        Any directions; each need not be orthogonal to the others.
    divisor : float
        Divisor of the sums of squares.

    Returns
    -------
    rest : ndarray of float64, shape (n_samples, n_features)
        What is left, x − (xᵀw) w again and again; orthogonal to the last direction, and to all if they are
        orthogonal to each other.
    taken : list of Taken
        What each direction took.
    """
    rest, found = samples, list[Taken]()
    before = float(np.square(rest).sum()) / divisor
    for direction in directions:
        w = unit(direction)
        scores = rest @ w
        rest = rest - np.outer(scores, w)
        left = float(np.square(rest).sum()) / divisor
        found.append(Taken(w, before, float(scores @ scores) / divisor, left))
        before = left
    return rest, found
