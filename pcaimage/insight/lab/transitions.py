"""Transitions from a state of the lab to the next, as pure functions, and the states between two others."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.basis import Basis, Removed, best_angle, cosines, power_step, unit
from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.steps import check, step_named
from pcaimage.insight.numeric import Convention, Prepared

_MOST_LINES, _SAME_ANGLE = 6, 1e-6  # lines that can be laid; radians within which two are the same


def with_step(state: LabState, key: str) -> LabState:
    """Follow another step of the course; raise SettingsError if there is none of that name."""
    return _checked(_begun(replace(state, step=step_named(key).key)))


def with_data(state: LabState, data: LabData) -> LabState:
    """Take other samples; the basis and the exercises begin anew, the convention and the step stay."""
    return _checked(_begun(replace(LabState.of(data, state.convention), step=state.step)))


def with_convention(state: LabState, convention: Convention) -> LabState:
    """Prepare the samples otherwise; the basis begins anew, since its variances would be others."""
    begun = LabState.of(state.data, convention)
    names = ("plane", "k", "step", "marked", "newcomer", "visited", "found_uncentred")
    return _checked(replace(begun, **{name: getattr(state, name) for name in names}))


def with_samples(state: LabState, data: LabData) -> LabState:
    """Take samples, some of which were moved, added, removed or renamed; the axes stay.

    With more features or fewer, everything begins anew.
    """
    if data.n_features != state.data.n_features:
        return with_data(state, data)
    prepared = Prepared(data.samples, state.convention)
    basis = Basis.of_axes(state.basis.axes, prepared.matrix)
    marked = tuple(sample for sample in state.marked if sample < data.n_samples)
    return _checked(
        replace(
            state,
            data=data,
            prepared=prepared,
            basis=basis,
            marked=marked,
            removed=None,
            powers=(),
            best_error=None,
        )
    )


def with_marked(state: LabState, marked: tuple[int, ...]) -> LabState:
    """Mark samples, from 0; raise SettingsError if there is no such sample."""
    if any(not 0 <= sample < state.data.n_samples for sample in marked):
        raise SettingsError(f"There are samples 1 to {state.data.n_samples}.")
    code = state.code if marked[:1] == state.marked[:1] else None
    return _checked(replace(state, marked=tuple(dict.fromkeys(marked)), code=code))


def with_newcomer(state: LabState, values: Floats) -> LabState:
    """Encode another sample that the axes are not found with, in the units of the data."""
    LabData("The new sample", state.data.features, np.stack([values, values]))  # refuses what is no sample
    return replace(state, newcomer=values)


def with_line_laid(state: LabState) -> LabState:
    """Leave a line where the present one is, to compare others with it; or remove it from there."""
    rest = tuple(each for each in state.lines if abs(each - state.angle) > _SAME_ANGLE)
    return replace(state, lines=rest if len(rest) < len(state.lines) else (*rest, state.angle)[-_MOST_LINES:])


def with_code(state: LabState, code: float) -> LabState:
    """Try a code of the marked sample for the first axis of the plane."""
    return _checked(replace(state, code=code))


def with_arrow(state: LabState, feature: int) -> LabState:
    """Choose the arrow of a feature, from 0, in the biplot; two stay chosen, and a chosen one is let go."""
    if feature in state.arrows:
        return replace(state, arrows=tuple(each for each in state.arrows if each != feature))
    return _checked(replace(state, arrows=(*state.arrows[-1:], feature)))


def with_rounding(state: LabState, rounding: float | None) -> LabState:
    """Round scores to multiples of a step in the units of prepared samples; None for the usual one."""
    return _checked(replace(state, rounding=rounding))


def with_plane(state: LabState, i: int, j: int) -> LabState:
    """Draw and turn other axes, from 0."""
    state.basis.best_angle(i, j)  # refuses what is no plane
    anew = replace(state, plane=(i, j), angle=0.0, lines=(), best_error=None, code=None, picked=state.basis)
    return _checked(anew)


def with_line(state: LabState, angle: float) -> LabState:
    """Lay the line through the plane at an angle, in radians from the first axis, and remember the best.

    Power iteration, which starts from the line, is begun anew.
    """
    laid = replace(state, angle=angle, powers=())
    error = laid.line_errors[2]
    best = error if state.best_error is None else min(error, state.best_error)
    found = not (state.convention.centre or state.held) and laid.on_best_line
    return _checked(replace(laid, best_error=best, found_uncentred=state.found_uncentred or found))


def with_best_line(state: LabState) -> LabState:
    """Lay the line where its variance is largest."""
    return with_line(state, best_angle(state.matrix, *state.plane))


def turned(state: LabState, angle: float) -> LabState:
    """Turn the two axes of the plane by an angle in radians."""
    return _checked(_on(state, state.basis.turned(*state.plane, angle)))


def turned_to_line(state: LabState) -> LabState:
    """Turn the first axis of the plane onto the line."""
    return turned(state, state.angle)


def turned_best(state: LabState) -> LabState:
    """Turn the plane so that its covariance vanishes, one step of Jacobi's method."""
    once = state.basis.turned(*state.plane, best_angle(state.matrix, *state.plane))
    if state.matrix is state.basis.matrix and once.matrix[state.plane]:
        # A turn by nearly 90° is rounded too much for variances that differ very much.
        once = once.turned(*state.plane, once.best_angle(*state.plane))
    return _checked(_on(state, once))


def turned_where_most(state: LabState) -> LabState:
    """Choose the plane of the largest covariance, and turn it best."""
    return turned_best(replace(state, plane=state.basis.largest(), best_error=None))


def finished(state: LabState) -> LabState:
    """Turn the basis to the PCA, the largest entry of each axis positive, and draw the first two."""
    axes = state.prepared.pca.components
    # In the axes of the PCA the matrix is that of the eigenvalues, but for rounding.
    widths = state.basis.widths
    basis = Basis(axes, np.diag(state.prepared.pca.variances), widths, np.abs(axes) @ widths)
    return _checked(replace(_on(state, basis), plane=(0, min(1, len(axes) - 1)), best_error=None))


def with_cosines(state: LabState) -> LabState:
    """Take the axes of the DCT in the order of their variances; SettingsError if samples are no pictures."""
    if state.data.picture is None:
        raise SettingsError("Only pictures, such as blocks of an image, have a DCT.")
    basis = Basis.of_axes(cosines(state.data.picture), state.prepared.matrix).in_order()
    return _checked(replace(_on(state, replace(basis, given=True)), best_error=None))


def begun_anew(state: LabState) -> LabState:
    """Return to the features as basis."""
    return _checked(replace(_on(state, Basis.of_features(state.prepared.matrix)), best_error=None, powers=()))


def in_order(state: LabState) -> LabState:
    """Put the axes into descending order of variance, or if they are in it, into ascending order."""
    falling = bool((np.diff(state.basis.variances) <= 0).all())
    return _checked(replace(_on(state, state.basis.in_order(ascending=falling)), best_error=None))


def flipped(state: LabState, axis: int) -> LabState:
    """Let an axis, from 0, point the other way."""
    if not 0 <= axis < len(state.basis):
        raise SettingsError(f"There is no axis {axis + 1}; there are {len(state.basis)}.")
    angle = -state.angle if axis in state.plane else 0.0
    return replace(state, basis=state.basis.flipped(axis), angle=angle, lines=())


def plane_flipped(state: LabState) -> LabState:
    """Let the first axis of the plane point the other way."""
    return flipped(state, state.plane[0])


def with_k(state: LabState, k: int) -> LabState:
    """Keep another number of axes, from 0 to all."""
    if not 0 <= k <= len(state.basis):
        raise SettingsError(f"k must be between 0 and {len(state.basis)}, not {k}.")
    return _checked(replace(state, k=k))


def powered(state: LabState, start: Floats | None = None) -> LabState:
    """Multiply the direction of power iteration by the matrix; it begins along the line, or as given."""
    begun = state.powers or (unit(state.direction if start is None else start),)
    return _checked(replace(state, powers=(*begun, power_step(state.prepared.matrix, begun[-1]))))


def taken_away(state: LabState) -> LabState:
    """Take the direction of the line away from the samples."""
    before = state.removed or Removed(state.prepared.samples, state.prepared.divisor)
    return _checked(replace(state, removed=before.and_also(state.direction), best_error=None))


def given_back(state: LabState) -> LabState:
    """Give back everything that was taken away."""
    return replace(state, removed=None, best_error=None)


def _begun(state: LabState) -> LabState:
    """Draw another plane than the one that the step's task asks for."""
    i, j = state.plane
    sizes = np.abs(state.basis.matrix)
    if state.step != "covariance" or len(sizes) < 3 or sizes[i, j] < sizes[state.basis.largest()]:
        return state
    np.fill_diagonal(sizes, np.inf)
    least = divmod(int(sizes.argmin()), len(sizes))
    return replace(state, plane=least, angle=0.0, lines=(), best_error=None, code=None, picked=None)


def _on(state: LabState, basis: Basis) -> LabState:
    """Use another basis, with the line along the first axis of the plane."""
    return replace(state, basis=basis, angle=0.0, lines=(), code=None)


def _checked(state: LabState) -> LabState:
    """Note the present step as done if its task is."""
    if state.step in state.visited or not check(state).done:
        return state
    return replace(state, visited=state.visited | {state.step})


MOST_TURNED = 32  # most features whose axes are turned all at once; more would take too long for a picture
FRAMES = 12  # pictures of a turn


@dataclass(frozen=True, eq=False)
class Motion:
    """The turn that leads from one basis to another, in parts of which each is a turn itself.

    The rotation R between them has the powers R^t = U Λ^t U⁻¹ with its eigenvalues e^{iφ}, of which the real
    part is taken: an axis that is only flipped shrinks to nothing half way, and grows again.
    """

    before: LabState
    after: LabState
    phases: Floats = field(repr=False)
    vectors: NDArray[np.complex128] = field(repr=False)
    inverse: NDArray[np.complex128] = field(repr=False)

    @classmethod
    def between(cls, before: LabState, after: LabState) -> Motion | None:
        """Return the way between two states of the same samples; None if there is none to be shown."""
        same = before.prepared is after.prepared and before.removed is after.removed
        stays = before.basis is after.basis
        if not same or (stays and (before.angle == after.angle or before.plane != after.plane)):
            return None
        if not stays and len(after.basis) > MOST_TURNED:
            return None
        turn = np.eye(1) if stays else after.basis.axes @ before.basis.axes.T
        if np.linalg.det(turn) < 0 and np.abs(np.diagonal(turn)).sum() < len(turn) - 1e-9:
            turn[-1] *= -1.0  # more than a flip: the last axis flips at the end, and all before is a turn
        values, vectors = np.linalg.eig(turn.astype(np.complex128))
        return cls(before, after, np.angle(values), vectors, np.linalg.inv(vectors))

    def at(self, share: float) -> LabState:
        """Return the state after a share of the way, from 0 to 1."""
        before, after = self.before, self.after
        start = before.angle if before.plane == after.plane else 0.0
        # A line has no ends: it takes the shorter way round.
        way = (after.angle - start + math.pi / 2) % math.pi - math.pi / 2
        shown = replace(after, angle=start + share * way, held=True)
        if before.basis is after.basis:
            return shown
        turn = ((self.vectors * np.exp(1j * share * self.phases)) @ self.inverse).real
        basis = Basis.of_axes(turn @ before.basis.axes, after.prepared.matrix)
        return replace(shown, basis=basis)

    def frames(self, count: int = FRAMES) -> list[LabState]:
        """Return states on the way, evenly slow at both ends; the last one is where it leads."""
        shares = (0.5 - 0.5 * math.cos(math.pi * number / count) for number in range(1, count))
        return [*map(self.at, shares), self.after]
