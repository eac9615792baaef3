"""Transitions from a state of the lab to the next, as pure functions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.basis import Basis
from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.lab.direction import power_step, variance_at
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.steps import STEPS, check, step_named
from pcaimage.insight.numeric import Convention


def with_step(state: LabState, key: str) -> LabState:
    """Follow another step of the course; raise SettingsError if there is none of that name."""
    return _checked(replace(state, step=step_named(key).key))


def next_step(state: LabState) -> LabState:
    """Follow the next step of the course; the last one stays."""
    keys = [step.key for step in STEPS]
    return with_step(state, keys[min(keys.index(state.step) + 1, len(keys) - 1)])


def with_data(state: LabState, data: LabData) -> LabState:
    """Take other samples; the basis begins anew, the convention and the step stay."""
    return _checked(replace(LabState.of(data, state.convention), step=state.step))


def with_convention(state: LabState, convention: Convention) -> LabState:
    """Prepare the samples otherwise; the basis begins anew, since its variances would be others."""
    begun = LabState.of(state.data, convention)
    return _checked(replace(begun, plane=state.plane, k=state.k, step=state.step, visited=state.visited))


def with_plane(state: LabState, i: int, j: int) -> LabState:
    """Draw and turn other axes, from 0."""
    state.basis.best_angle(i, j)  # refuses what is no plane
    return replace(state, plane=(i, j), angle=0.0)


def with_line(state: LabState, angle: float) -> LabState:
    """Lay the line through the plane at an angle, in radians from the first axis, and remember the best."""
    variance = float(variance_at(state.basis.matrix, *state.plane, np.array(angle)))
    error = max(state.prepared.trace - variance, 0.0)
    best = error if state.best_error is None else min(error, state.best_error)
    return _checked(replace(state, angle=angle, best_error=best))


def with_best_line(state: LabState) -> LabState:
    """Lay the line where its variance is largest."""
    return with_line(state, state.basis.best_angle(*state.plane))


def turned(state: LabState, angle: float) -> LabState:
    """Turn the two axes of the plane by an angle in radians."""
    return _checked(replace(state, basis=state.basis.turned(*state.plane, angle), angle=0.0))


def turned_to_line(state: LabState) -> LabState:
    """Turn the first axis of the plane onto the line."""
    return turned(state, state.angle)


def turned_best(state: LabState) -> LabState:
    """Turn the plane so that its covariance vanishes, one step of Jacobi's method."""
    return turned(state, state.basis.best_angle(*state.plane))


def turned_where_most(state: LabState) -> LabState:
    """Choose the plane of the largest covariance, and turn it best."""
    return turned_best(replace(state, plane=state.basis.largest()))


def finished(state: LabState) -> LabState:
    """Turn the basis to the PCA, each axis towards where its predecessor pointed."""
    axes = state.prepared.pca.components
    signs = np.where(np.einsum("ij,ij->i", axes, state.basis.axes) < 0, -1.0, 1.0)
    basis = Basis.of_axes(axes * signs[:, None], state.prepared.matrix)
    return _checked(replace(state, basis=basis, angle=0.0))


def begun_anew(state: LabState) -> LabState:
    """Return to the features as basis."""
    return _checked(replace(state, basis=Basis.of_features(state.prepared.matrix), angle=0.0))


def in_order(state: LabState) -> LabState:
    """Put the axes into descending order of variance."""
    return _checked(replace(state, basis=state.basis.in_order(), angle=0.0))


def flipped(state: LabState, axis: int) -> LabState:
    """Let an axis, from 0, point the other way."""
    if not 0 <= axis < len(state.basis):
        raise SettingsError(f"There is no axis {axis + 1}; there are {len(state.basis)}.")
    return replace(state, basis=state.basis.flipped(axis), angle=-state.angle if axis in state.plane else 0.0)


def with_k(state: LabState, k: int) -> LabState:
    """Keep another number of axes, from 0 to all."""
    if not 0 <= k <= len(state.basis):
        raise SettingsError(f"k must be between 0 and {len(state.basis)}, not {k}.")
    return _checked(replace(state, k=k))


def powered(state: LabState, start: Floats | None = None) -> LabState:
    """Multiply the direction of power iteration by the matrix; it begins as the first axis of the plane."""
    direction = start if state.power is None else state.power
    if direction is None:
        direction = state.basis.axes[state.plane[0]]
    step = power_step(state.prepared.matrix, direction, state.prepared.pca.components[0])
    return _checked(replace(state, power=step.direction))


def taken_away(state: LabState) -> LabState:
    """Take the direction of the line away from the samples."""
    i, j = state.plane
    direction = math.cos(state.angle) * state.basis.axes[i] + math.sin(state.angle) * state.basis.axes[j]
    return _checked(replace(state, directions=(*state.directions, direction)))


def given_back(state: LabState) -> LabState:
    """Give back everything that was taken away."""
    return replace(state, directions=())


def _checked(state: LabState) -> LabState:
    """Note the present step as done if its task is."""
    if state.step in state.visited or not check(state).done:
        return state
    return replace(state, visited=state.visited | {state.step})
