"""One direction, and all of a plane: variance along it, error about it, and what is left without it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.basis import Basis
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.numeric.prepared import without_dust
from pcaimage.insight.numeric.steps import Taken, take_away

_DUST = 1e-13
"""Share of the trace up to which an error is zero but for rounding."""


def unit(direction: Floats) -> Floats:
    """Return a direction with length 1; raise SettingsError if it has none."""
    length = float(np.linalg.norm(direction))
    if not np.isfinite(length) or length == 0:
        raise SettingsError("A direction has at least one number that is not zero.")
    return direction / length


@dataclass(frozen=True)
class Spread:
    """The spread of samples along a direction and about it.

    Error and variance add up to the trace, for every direction, by Pythagoras for every sample; so the line
    of most variance is that of least error.
    """

    variance: float  # sum of squared scores over the divisor, wᵀCw
    error: float  # sum of squared distances from the line over the divisor

    @property
    def total(self) -> float:
        """The trace."""
        return self.variance + self.error


def spread(samples: Floats, direction: Floats, divisor: float) -> Spread:
    """Measure samples along and about a line through zero, each by itself."""
    w = unit(direction)
    scores = samples @ w
    rest = samples - np.outer(scores, w)
    return Spread(float(scores @ scores) / divisor, float(np.square(rest).sum()) / divisor)


@dataclass(frozen=True, eq=False)
class Line:
    """A line in the plane of two axes, and where the samples fall on it."""

    angle: float  # in radians, from the first axis towards the second
    points: Floats = field(repr=False)
    trace: float  # variance of all axes, also of those outside the plane
    divisor: float  # of the sums of squares

    @property
    def direction(self) -> Floats:
        """Unit vector, shape (2,)."""
        return np.array([np.cos(self.angle), np.sin(self.angle)])

    @property
    def scores(self) -> Floats:
        """Coordinates on the line, the strip of scores: (n_samples,)."""
        return self.points @ self.direction

    @property
    def feet(self) -> Floats:
        """The points' projections onto the line: (n_samples, 2)."""
        return np.outer(self.scores, self.direction)

    @property
    def spread(self) -> Spread:
        """Variance along the line, and error about it in all dimensions."""
        variance = float(np.square(self.scores).sum()) / self.divisor
        return Spread(variance, rest_of(self.trace, variance))


def rest_of(trace: float, variance: float) -> float:
    """Return the error about a line, the rest of the trace; what rounding leaves of zero is zero."""
    rest = trace - variance
    return rest if rest > _DUST * trace else 0.0


def variance_at(matrix: Floats, i: int, j: int, angles: Floats) -> Floats:
    """Return the variance along directions of the plane of two axes: C_ii cos² + 2 C_ij cos sin + C_jj sin².

    Angles are in radians, from axis i towards axis j.
    """
    c, s = np.cos(angles), np.sin(angles)
    found: Floats = matrix[i, i] * c * c + 2 * matrix[i, j] * c * s + matrix[j, j] * s * s
    return found


def power_step(matrix: Floats, direction: Floats) -> Floats:
    """Return C w / ‖C w‖, a direction that is nearer to the first component by about λ₂/λ₁.

    SettingsError is raised if the samples do not vary along the direction at all.
    """
    product = matrix @ unit(direction)
    if not product.any():
        raise SettingsError("The matrix turns this direction into zero: nothing varies along it.")
    return unit(product)


def angle_between(one: Floats, other: Floats) -> float:
    """Return the angle of two lines, in radians from 0 to π/2."""
    a, b = unit(one), unit(other)
    # The arc cosine alone loses half of the digits of small angles.
    return float(np.arctan2(np.linalg.norm(a - (a @ b) * b), abs(a @ b)))


def code_error(sample: Floats, direction: Floats, codes: Floats) -> Floats:
    """Return ‖x − c d‖² for every code c of a sample, a parabola whose least is at c = dᵀx.

    It is xᵀx − 2 c dᵀx + c², measured as a distance.
    """
    found: Floats = np.square(sample - np.outer(codes, unit(direction))).sum(axis=1)
    return found


_NOTHING = 1e-24
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
        dust = _NOTHING * (self.rounds_before[0].before if self.rounds_before else taken.before)
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
