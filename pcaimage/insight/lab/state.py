"""The lab's state: samples, convention, and the basis as far as it is turned."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from pcaimage.insight.lab.basis import Basis
from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.lab.prepared import Prepared
from pcaimage.insight.lab.taken import Taken, take_away
from pcaimage.insight.numeric import Convention


@dataclass(frozen=True, eq=False)
class LabState:
    """Everything that the lab shows follows from this.

    Parameters
    ----------
    prepared : Prepared
        The samples by the convention; it has the PCA that the student looks for.
    basis : Basis
        The present axes: at first the features.
    plane : tuple of int
        The two axes, from 0, that are drawn and turned; equal for a single feature.
    k : int
        How many axes are kept.
    step : str
        The step of the course that is followed; see :data:`~pcaimage.insight.lab.steps.STEPS`.
    angle : float
        Angle of the line that is laid through the plane, in radians from the first axis.
    best_error : float or None
        The least mean squared error of a line that was tried so far.
    power : ndarray of float64, shape (n_features,), or None
        The direction of power iteration; None before it starts.
    directions : tuple of ndarray of float64, shape (n_features,)
        Directions that were taken away, in the units of prepared samples.
    visited : frozenset of str
        Steps whose task is done.
    """

    prepared: Prepared
    basis: Basis
    plane: tuple[int, int]
    k: int
    step: str = "data"
    angle: float = 0.0
    best_error: float | None = None
    power: Floats | None = field(default=None, repr=False)
    directions: tuple[Floats, ...] = field(default=(), repr=False)
    visited: frozenset[str] = frozenset()

    @classmethod
    def of(cls, data: LabData, convention: Convention | None = None) -> LabState:
        """Return the first state: the features are the basis, and all axes are kept."""
        prepared = Prepared(data, convention or Convention())
        basis = Basis.of_features(prepared.matrix)
        return cls(prepared, basis, (0, min(1, data.n_features - 1)), data.n_features)

    @property
    def data(self) -> LabData:
        """The samples."""
        return self.prepared.data

    @property
    def convention(self) -> Convention:
        """How the samples are prepared."""
        return self.prepared.convention

    @cached_property
    def scores(self) -> Floats:
        """Coordinates of the samples on all axes: (n_samples, n_features)."""
        found: Floats = self.prepared.samples @ self.basis.axes.T
        return found

    @cached_property
    def reconstruction(self) -> Floats:
        """The samples from their first k coordinates, in their own units: (n_samples, n_features)."""
        found: Floats = self.scores[:, : self.k] @ self.basis.axes[: self.k]
        return found * self.prepared.widths + self.prepared.shift

    @property
    def residuals(self) -> Floats:
        """The samples minus their reconstruction: (n_samples, n_features)."""
        return self.data.samples - self.reconstruction

    @property
    def kept_variance(self) -> float:
        """Variance along the axes that are kept."""
        return float(self.basis.variances[: self.k].sum())

    @property
    def error(self) -> float:
        """Squared error of the reconstruction over the divisor: the trace minus the variance that is kept."""
        return max(self.prepared.trace - self.kept_variance, 0.0)

    @cached_property
    def taken(self) -> tuple[Floats, tuple[Taken, ...]]:
        """What is left of the prepared samples, (n_samples, n_features), and what each direction took."""
        rest, taken = take_away(self.prepared.samples, self.directions, self.prepared.divisor)
        return rest, tuple(taken)
