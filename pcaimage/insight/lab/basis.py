"""A basis that is turned plane by plane until it is the PCA."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.numeric.prepared import scales_of, without_dust

_ROWS = 32
"""Rows of a matrix that are searched at a time."""

_WHOLE = 1 - 1e-12
"""Entry of an axis from which it is a feature."""


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

    def in_order(self) -> Basis:
        """Return the basis with its axes in descending order of variance."""
        order = np.argsort(-self.variances, kind="stable")
        matrix = self.matrix[np.ix_(order, order)]
        return Basis(self.axes[order], matrix, self.widths, self.reach[order])

    def _require(self, i: int, j: int) -> None:
        if i == j or not (0 <= i < len(self) and 0 <= j < len(self)):
            raise SettingsError(f"Axes {i + 1} and {j + 1} of {len(self)} span no plane.")


def best_angle(matrix: Floats, i: int, j: int) -> float:
    """Return ½ · atan2(2 C_ij, C_ii − C_jj), the angle from axis i at which the variance is largest."""
    return 0.5 * math.atan2(2 * matrix[i, j], matrix[i, i] - matrix[j, j])
