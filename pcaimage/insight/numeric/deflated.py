"""Components of a table, found one at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.numeric.steps import Floats, TableSteps
from pcaimage.pca import deflation

MAX_DEFLATED = 50_000
"""Most numbers of a table whose components are found one at a time."""


@dataclass(frozen=True, eq=False)
class Deflated:
    """A component found in the residuals of the previous ones; the variance before, along and after it.

    The difference is the largest from the entries of the eigenvector; where several have the same variance,
    from the nearest vector of the space that they span.
    """

    before: float
    variance: float
    after: float
    component: Floats = field(repr=False)
    difference: float


def deflate(steps: TableSteps) -> list[Deflated]:
    """Find the kept components again, one at a time by deflation; fewer if nothing is left before.

    SettingsError is raised if the table is too large for that.
    """
    if steps.prepared.size > MAX_DEFLATED:
        raise SettingsError(
            f"The table has {steps.prepared.size:,} numbers; components are found one at a time in tables of "
            f"at most {MAX_DEFLATED:,}."
        )
    found = deflation(steps.prepared, steps.k, centre=steps.convention.centre)
    rest, left, result = steps.prepared.copy(), steps.total_variance, list[Deflated]()
    for index, component in enumerate(found.components):
        scores = rest @ component
        rest -= np.outer(scores, component)
        difference = float(np.abs(component - _nearest(steps, index, component)).max())
        along, after = float(scores @ scores) / steps.divisor, float(np.square(rest).sum()) / steps.divisor
        result.append(Deflated(left, along, after, component, difference))
        left = after
    return result


def _nearest(steps: TableSteps, index: int, component: Floats) -> Floats:
    """Return the eigenvector of an index, or of those that share its variance the nearest combination."""
    tied = next((run for run in steps.ties if index in run), range(index, index + 1))
    space = steps.components[tied.start : tied.stop]
    # A single eigenvector is unique up to its sign, which the same rule fixes in both.
    nearest: Floats = component @ space.T @ space if len(tied) > 1 else space.sum(axis=0)
    return nearest
