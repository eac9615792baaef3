"""Deflation with any direction: what is left of the samples once their part along it is taken away."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pcaimage.insight.lab.basis import Basis
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.direction import unit
from pcaimage.insight.numeric.prepared import without_dust
from pcaimage.insight.numeric.steps import Taken, take_away

_DUST = 1e-24
"""Share of the variance up to which a variance is zero but for rounding."""


@dataclass(frozen=True, eq=False)
class Removed:
    """Directions that were taken away from prepared samples, one after the other; none at first."""

    whole: Floats = field(repr=False)
    divisor: float
    directions: tuple[Floats, ...] = field(default=(), repr=False)
    before: Removed | None = field(default=None, repr=False)

    def and_also(self, direction: Floats) -> Removed:
        """Take one direction more away."""
        return Removed(self.whole, self.divisor, (*self.directions, unit(direction)), self)

    @cached_property
    def last(self) -> tuple[Floats, list[Taken]]:
        """The rest of the samples, and the figures of the last direction, alone in a list; empty at first."""
        if self.before is None:
            return take_away(self.whole, self.directions, self.divisor)
        rest, (taken,) = take_away(self.before.rest, self.directions[-1:], self.divisor)
        dust = _DUST * (self.rounds_before[0].before if self.rounds_before else taken.before)
        numbers = (taken.before, taken.along, taken.left)
        before, along, left = (0.0 if number <= dust else number for number in numbers)
        return rest, [replace(taken, before=before, along=along, left=left)]

    @property
    def rest(self) -> Floats:
        """The rest of the samples, shape (n_samples, n_features)."""
        return self.last[0]

    @property
    def rounds_before(self) -> tuple[Taken, ...]:
        """Figures of each direction but the last."""
        return () if self.before is None else self.before.rounds

    @cached_property
    def rounds(self) -> tuple[Taken, ...]:
        """Figures of each direction."""
        return (*self.rounds_before, *self.last[1])

    def matrix(self, basis: Basis) -> Floats:
        """Return the matrix of what is left, in a basis: (n_features, n_features).

        Each direction w turns the matrix C into (I − wwᵀ) C (I − wwᵀ).
        """
        left, reach = basis.matrix, basis.reach
        for direction in self.directions:
            w = basis.axes @ direction
            along = left @ w
            across = np.outer(w, along)
            left = left - across - across.T + float(w @ along) * np.outer(w, w)
            reach = reach + np.abs(w) * float(np.abs(w) @ reach)
        return without_dust(left, reach, reach)
