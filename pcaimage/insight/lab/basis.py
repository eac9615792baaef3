"""A basis that is turned plane by plane until it is the PCA, and one direction: what is along it and left."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.numeric.steps import Taken, scales_of, take_away, without_dust

_ROWS = 32  # rows of a matrix that are searched at a time
_WHOLE = 1 - 1e-12  # entry of an axis from which it is a feature


@dataclass(frozen=True, eq=False)
class Basis:
    """An orthonormal basis of the features, and the matrix of the samples in it.

    It begins as the features themselves. Turning two of its axes moves variance from one to the other and
    changes their covariance, while the sum of all variances, the trace, stays. The turn that makes the
    covariance zero also makes one of the variances as large as it can be: Jacobi's method of 1846
    (doi:10.1515/crll.1846.30.51) makes such turns until the matrix is diagonal, and the basis is then that of
    the PCA. The reach of an axis, Σ |a_if| √C_ff, is what its scores are sums of, and says how far they are
    rounded.
    """

    axes: Floats = field(repr=False)  # orthonormal rows
    matrix: Floats = field(repr=False)  # axes · C · axesᵀ for the samples' matrix C
    widths: Floats = field(repr=False)  # √C_ff, the scales of the features
    reach: Floats = field(repr=False)  # of each axis
    given: bool = False  # whether decoders know the axes anyway, as those of the DCT, and none is stored

    @classmethod
    def of_features(cls, matrix: Floats) -> Basis:
        """Return the features themselves as basis, for the matrix of the samples."""
        widths = scales_of(matrix)
        return cls(np.eye(len(matrix)), matrix, widths, widths)

    @classmethod
    def of_axes(cls, axes: Floats, matrix: Floats) -> Basis:
        """Return a basis of given axes, for the matrix of the samples in the features."""
        turned, widths = axes @ matrix @ axes.T, scales_of(matrix)
        reach = np.abs(axes) @ widths
        return cls(axes, without_dust((turned + turned.T) / 2, reach, reach), widths, reach)

    def __len__(self) -> int:
        return len(self.axes)

    @property
    def variances(self) -> Floats:
        """Variances along the axes, the diagonal of the matrix: (n_features,)."""
        return np.diagonal(self.matrix)

    @cached_property
    def features(self) -> tuple[int | None, ...]:
        """The feature, from 0, that each axis still is, whatever its sign; None once it was turned."""
        whole = (self.axes > _WHOLE) | (self.axes < -_WHOLE)
        nearest: list[int] = whole.argmax(axis=1).tolist()
        same: list[bool] = np.any(whole, axis=1).tolist()
        return tuple(feature if one else None for feature, one in zip(nearest, same, strict=True))

    @cached_property
    def off_diagonal(self) -> float:
        """Root of the sum of squares off the diagonal, which every best turn reduces; 0 for the PCA."""
        # Subtracting the diagonal's squares from those of all would leave the root of their rounding.
        off = self.matrix - np.diag(np.diagonal(self.matrix))
        return float(np.hypot.reduce(off, axis=None))

    def best_angle(self, i: int, j: int) -> float:
        """Return the angle, in radians, by which to turn the plane of two axes.

        The first axis then has the largest variance in the plane, the second the smallest, and their
        covariance is zero: ½ · atan2(2 C_ij, C_ii − C_jj).
        """
        self._require(i, j)
        return best_angle(self.matrix, i, j)

    def turned(self, i: int, j: int, angle: float) -> Basis:
        """Return the basis with the plane of two axes turned by an angle in radians, from i towards j.

        Axis i becomes cos · a_i + sin · a_j, and axis j becomes cos · a_j − sin · a_i.
        """
        self._require(i, j)
        c, s = math.cos(angle), math.sin(angle)
        turn, plane = np.array([[c, s], [-s, c]]), [i, j]
        axes, matrix = self.axes.copy(), self.matrix.copy()
        axes[plane] = turn @ axes[plane]
        matrix[plane] = turn @ matrix[plane]
        matrix[:, plane] = matrix[:, plane] @ turn.T
        matrix[i, j] = matrix[j, i] = (matrix[i, j] + matrix[j, i]) / 2
        reach = self.reach.copy()
        reach[plane] = np.abs(axes[plane]) @ self.widths
        matrix[plane] = without_dust(matrix[plane], reach[plane], reach)
        matrix[:, plane] = matrix[plane].T
        return Basis(axes, matrix, self.widths, reach)

    def largest(self) -> tuple[int, int]:
        """Return the two axes of the largest covariance, whose turn brings the matrix nearest to diagonal."""
        most, found = 0.0, (0, min(1, len(self) - 1))
        # Some rows at a time: their copies stay in the cache, and the whole matrix's would be fresh memory.
        for top in range(0, len(self), _ROWS):
            off = np.abs(self.matrix[top : top + _ROWS])
            np.fill_diagonal(off[:, top:], 0.0)
            i, j = divmod(int(off.argmax()), len(self))
            if off[i, j] > most:
                most, found = off[i, j], (min(top + i, j), max(top + i, j))
        return found

    def flipped(self, i: int) -> Basis:
        """Return the basis with one axis pointing the other way."""
        signs = np.ones(len(self))
        signs[i] = -1.0
        return replace(self, axes=self.axes * signs[:, None], matrix=self.matrix * signs * signs[:, None])

    def in_order(self, *, ascending: bool = False) -> Basis:
        """Return the basis with its axes in descending order of variance, or in ascending order."""
        order = np.argsort(self.variances if ascending else -self.variances, kind="stable")
        matrix = self.matrix[np.ix_(order, order)]
        return Basis(self.axes[order], matrix, self.widths, self.reach[order])

    def _require(self, i: int, j: int) -> None:
        if i == j or not (0 <= i < len(self) and 0 <= j < len(self)):
            raise SettingsError(f"Axes {i + 1} and {j + 1} of {len(self)} span no plane.")


def cosines(picture: tuple[int, ...]) -> Floats:
    """Return the axes of the two-dimensional DCT of pictures, (H, W) or (H, W, C), each channel by itself.

    It is the orthonormal DCT-II (N. Ahmed et al. 1974, doi:10.1109/T-C.1974.223784), which JPEG has.
    """
    height, width, *depth = picture
    return np.kron(np.kron(_waves(height), _waves(width)), np.eye(math.prod(depth)))


def _waves(count: int) -> Floats:
    place = np.arange(count)
    waves = np.cos(np.pi * np.outer(place, 2 * place + 1) / (2 * count))
    found: Floats = waves / np.linalg.norm(waves, axis=1, keepdims=True)
    return found


def best_angle(matrix: Floats, i: int, j: int) -> float:
    """Return ½ · atan2(2 C_ij, C_ii − C_jj), the angle from axis i at which the variance is largest."""
    return 0.5 * math.atan2(2 * matrix[i, j], matrix[i, i] - matrix[j, j])


_DUST = 1e-13  # share of the trace up to which an error is zero but for rounding


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


_NOTHING = 1e-24  # share of the variance up to which a variance is zero but for rounding


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
