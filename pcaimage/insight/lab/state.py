"""The lab's state: samples, convention, and the basis as far as it is turned; and undo."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from pcaimage.insight.lab.basis import Basis, Removed, rest_of, variance_at
from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.numeric import Convention, Prepared
from pcaimage.insight.numeric.steps import Taken

CLOSE = math.radians(1.0)  # angle within which a direction counts as found


@dataclass(frozen=True, eq=False)
class LabState:
    """Everything that the lab shows follows from this; axes, samples and features are numbered from 0."""

    data: LabData
    prepared: Prepared
    basis: Basis  # the present axes
    plane: tuple[int, int]  # axes that are drawn and turned; equal for a single feature
    k: int  # number of axes kept
    step: str = "data"  # a key of :data:`~pcaimage.insight.lab.steps.STEPS`
    angle: float = 0.0  # of the line in the plane, in radians from the first axis
    lines: tuple[float, ...] = ()  # angles of lines that were laid beside it
    best_error: float | None = None  # least mean squared error of a line so far
    powers: tuple[Floats, ...] = field(default=(), repr=False)  # of power iteration, from its start
    removed: Removed | None = field(default=None, repr=False)  # what was taken away
    marked: tuple[int, ...] = ()  # samples; steps about one are about the first
    code: float | None = None  # the code of that sample that was tried last
    newcomer: Floats | None = field(default=None, repr=False)  # a sample that the axes were not found with
    arrows: tuple[int, ...] = ()  # at most two features, chosen in the biplot
    rounding: float | None = None  # step of the scores; None for the usual one
    found_uncentred: bool = False  # the best line was found with the mean left in
    picked: Basis | None = field(default=None, repr=False)  # where the plane was chosen by hand
    held: bool = False  # something is being dragged; no task is done before
    visited: frozenset[str] = frozenset()  # steps whose task is done

    @classmethod
    def of(cls, data: LabData, convention: Convention | None = None) -> LabState:
        """Return the first state: the features are the basis, and all axes are kept.

        The plane is that of the first two features; of pictures, whose first pixels may never vary, it is
        that of the largest covariance.
        """
        prepared = Prepared(data.samples, convention or Convention())
        basis = Basis.of_features(prepared.matrix)
        plane = (0, min(1, data.n_features - 1)) if data.picture is None else basis.largest()
        return cls(data, prepared, basis, plane, data.n_features)

    @property
    def convention(self) -> Convention:
        """The convention by which the samples are prepared."""
        return self.prepared.convention

    @cached_property
    def scores(self) -> Floats:
        """Coordinates of the samples on all axes: (n_samples, n_features)."""
        return self.scores_of(slice(None))

    def scores_of(self, samples: int | slice) -> Floats:
        """Return the coordinates of some samples, from 0, on all axes: (…, n_features)."""
        found: Floats = self.prepared.samples[samples] @ self.basis.axes.T
        return found

    def decoded(self, samples: int | slice) -> Floats:
        """Return some samples, from 0, from their first k coordinates, in their units: (…, n_features)."""
        found: Floats = self.scores_of(samples)[..., : self.k] @ self.basis.axes[: self.k]
        return found * self.prepared.widths + self.prepared.shift

    @cached_property
    def reconstruction(self) -> Floats:
        """All samples from their first k coordinates: (n_samples, n_features)."""
        return self.decoded(slice(None))

    @property
    def kept_variance(self) -> float:
        """Variance along the axes that are kept."""
        return float(self.basis.variances[: self.k].sum())

    @property
    def error(self) -> float:
        """Squared error of the reconstruction over the divisor: the variance of the axes left out."""
        return float(self.basis.variances[self.k :].sum())

    @property
    def sample(self) -> int:
        """The sample, from 0, that steps about one sample are about."""
        return self.marked[0] if self.marked else 0

    @cached_property
    def of_newcomer(self) -> LabState:
        """The same axes with two other samples, both the newcomer; without one, both are about the mean."""
        usual = [float(f"{value:.3g}") for value in self.prepared.mean.tolist()]
        values = np.array(usual) if self.newcomer is None else self.newcomer
        samples = np.stack([values, values])
        prepared = Prepared(samples, self.convention, self.prepared)
        return replace(self, data=self.data.of_rows([0, 1]).moved(slice(None), samples), prepared=prepared)

    @property
    def direction(self) -> Floats:
        """Unit vector along the line: (n_features,)."""
        i, j = self.plane
        found: Floats = math.cos(self.angle) * self.basis.axes[i] + math.sin(self.angle) * self.basis.axes[j]
        return found

    def error_at(self, angle: float) -> float:
        """Return the error of the line at an angle, in radians from the first axis of the plane."""
        return rest_of(self.trace, float(variance_at(self.matrix, *self.plane, np.array(angle))))

    @property
    def line_errors(self) -> tuple[float, float, float]:
        """The least and the greatest error of a line in the plane, and that of the present one."""
        (i, j), matrix, trace = self.plane, self.matrix, self.trace
        middle, half = (matrix[i, i] + matrix[j, j]) / 2, (matrix[i, i] - matrix[j, j]) / 2
        reach = float(np.hypot(half, matrix[i, j]))
        least, most = (rest_of(trace, float(each)) for each in (middle + reach, middle - reach))
        return least, most, self.error_at(self.angle)

    @property
    def on_best_line(self) -> bool:
        """Whether the line is within 1° of the best one of the plane, by its error."""
        least, most, now = self.line_errors
        return now - least <= math.sin(CLOSE) ** 2 * (most - least)

    @property
    def power(self) -> Floats | None:
        """The present direction of power iteration; None before it starts."""
        return self.powers[-1] if self.powers else None

    @property
    def taken(self) -> tuple[Floats, tuple[Taken, ...]]:
        """The rest of the prepared samples, (n_samples, n_features), and the figures of each direction."""
        if self.removed is None:
            return self.prepared.samples, ()
        return self.removed.rest, self.removed.rounds

    @property
    def samples(self) -> Floats:
        """The prepared samples, or in the step of deflation what is left of them."""
        return self.taken[0] if self.step == "take" else self.prepared.samples

    @cached_property
    def matrix(self) -> Floats:
        """The matrix of :attr:`samples` in the present basis: (n_features, n_features)."""
        left = self.removed if self.step == "take" else None
        return self.basis.matrix if left is None else left.matrix(self.basis)

    @property
    def trace(self) -> float:
        """The variance of :attr:`samples`."""
        return float(np.trace(self.matrix))


MOST = 100  # most states that can be undone

MOST_BYTES = 256 << 20
"""Most memory of bases and samples of states that can be undone: a turn of 784 features makes 10 MB."""


@dataclass(frozen=True, eq=False)
class LabHistory:
    """The present state, with those before it and those that were undone."""

    state: LabState
    past: tuple[LabState, ...] = ()
    future: tuple[LabState, ...] = ()
    before_drag: LabState | None = None  # the state before something was dragged; None while nothing is

    def moved(self, state: LabState) -> LabHistory:
        """Show a state while something is dragged; the drag is undone as a whole."""
        return replace(self, state=state, before_drag=self.before_drag or self.state)

    def amended(self, state: LabState) -> LabHistory:
        """Show a state that is not worth an undo of its own, such as another marked sample."""
        return replace(self, state=state)

    def committed(self, state: LabState) -> LabHistory:
        """Go on to a state, which can be undone."""
        before = self.before_drag or self.state
        # A copy of it, without the scores and pictures that were worked out while it was shown.
        return LabHistory(state, _affordable((*self.past, replace(before))[-MOST:]))

    def undone(self) -> LabHistory:
        """Return to the state before; the first one stays."""
        if not self.past:
            return self
        return LabHistory(self.past[-1], self.past[:-1], (self.state, *self.future))

    def redone(self) -> LabHistory:
        """Repeat what was undone last."""
        if not self.future:
            return self
        return LabHistory(self.future[0], (*self.past, self.state), self.future[1:])


def _affordable(past: tuple[LabState, ...]) -> tuple[LabState, ...]:
    """Return the newest states whose arrays fit into memory; the last one always does."""
    total, counted = 0, set[int]()
    for number, state in enumerate(reversed(past)):
        for array in (state.basis.axes, state.basis.matrix, state.data.samples):
            total += array.nbytes * (id(array) not in counted)
            counted.add(id(array))
        if number and total > MOST_BYTES:
            return past[-number:]
    return past
