"""The steps of the course: a formula, and one thing to try that the program checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.formatting import percent, share_percent
from pcaimage.insight.lab.biplot import closest, correlation
from pcaimage.insight.lab.direction import angle_between
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.step_figures import code_figures
from pcaimage.pca import components_for_ratio

NEARLY = 0.005
"""Share of the trace by which what is found by hand may miss the best."""

CLOSE = np.radians(1.0)
"""Angle within which a direction counts as found."""


@dataclass(frozen=True)
class Check:
    """Whether a task is done, and what has been reached."""

    done: bool
    words: str


@dataclass(frozen=True)
class Step:
    """A step of the course.

    Parameters
    ----------
    key, title : str
        Its name in programs and for people.
    formula : str
        The formula that it shows.
    task : str
        The exercise.
    reached : callable
        Takes a state and returns how far the task is done.
    """

    key: str
    title: str
    formula: str
    task: str
    reached: Callable[[LabState], Check]


def check(state: LabState) -> Check:
    """Return how far the task of the state's step is done."""
    return step_named(state.step).reached(state)


def step_named(key: str) -> Step:
    """Return a step; raise SettingsError if there is none of that name."""
    found = next((step for step in STEPS if step.key == key), None)
    if found is None:
        raise SettingsError(f"There is no step {key!r}; the steps are {', '.join(s.key for s in STEPS)}.")
    return found


def _data(state: LabState) -> Check:
    data = state.data
    return Check(bool(state.marked), f"{data.n_samples:,} samples of {data.n_features:,} features.")


def _centre(state: LabState) -> Check:
    largest = float(np.abs(state.prepared.samples.mean(axis=0)).max())
    if not state.convention.centre:
        angle = np.degrees(_from_mean(state))
        words = f"The first component is {figure(angle, 3)}° from the mean. Centre the samples."
        return Check(False, f"Means are left in; the largest is {figure(largest, 4)}. {words}")
    if not state.was_uncentred:
        return Check(False, "Every mean is zero. Choose “Not centred” once.")
    return Check(True, "The mean of every feature is zero again.")


def _from_mean(state: LabState) -> float:
    """Return the angle between the first component and the mean of the prepared samples; 0 without a mean."""
    mean = state.prepared.samples.mean(axis=0)
    return angle_between(mean, state.prepared.pca.components[0]) if mean.any() else 0.0


def _standardise(state: LabState) -> Check:
    if not state.convention.standardized:
        widths = state.prepared.deviations[state.prepared.deviations > 0]
        ratio = float(widths.max() / widths.min()) if widths.size else 1.0
        return Check(False, f"The widest feature is {figure(ratio, 3)} times as wide as the narrowest.")
    return Check(True, "Every feature that varies has the same variance.")


def _covariance(state: LabState) -> Check:
    i, j = state.basis.largest()
    if len(state.basis) < 2:
        return Check(True, "One feature has a variance and no covariance.")
    value = figure(float(state.basis.matrix[i, j]), 4)
    done = set(state.plane) == {i, j}
    here = figure(float(state.basis.matrix[state.plane]), 4)
    return Check(done, f"The largest is {value}." if done else f"The plane that is drawn has {here}.")


def _turn(state: LabState) -> Check:
    if len(state.basis) < 2:
        return Check(True, "There is only one line.")
    i, j = state.plane
    matrix = state.basis.matrix
    middle, half = (matrix[i, i] + matrix[j, j]) / 2, (matrix[i, i] - matrix[j, j]) / 2
    least = max(state.prepared.trace - float(middle + np.hypot(half, matrix[i, j])), 0.0)
    yours = state.best_error
    if yours is None:
        return Check(False, "Drag the handle of the line.")
    done = yours - least <= NEARLY * state.prepared.trace
    return Check(done, f"Yours {figure(yours, 4)}, best {figure(least, 4)}.")


def _diagonal(state: LabState) -> Check:
    off = state.basis.off_diagonal
    share = off / float(np.linalg.norm(state.basis.matrix)) if off else 0.0
    left = share_percent(100 * share)
    first = figure(float(state.basis.variances.max(initial=0.0)), 5)
    best = figure(float(state.prepared.pca.variances.max(initial=0.0)), 5)
    return Check(share <= NEARLY, f"Off the diagonal {left}; largest variance {first} of {best}.")


def _power(state: LabState) -> Check:
    if state.power is None:
        return Check(False, "Multiply a direction by C.")
    angle = angle_between(state.power, state.prepared.pca.components[0])
    return Check(angle <= CLOSE, f"{figure(float(np.degrees(angle)), 3)}° from the first component.")


def _encode(state: LabState) -> Check:
    found = code_figures(state)
    least = figure(found.least, 4)
    if found.error is None:
        return Check(False, f"Drag the code c along the parabola of sample {state.sample + 1}.")
    done = found.error - found.least <= NEARLY * (found.square or 1.0)
    return Check(done, f"Yours {figure(found.error, 4)}, least {least} at c = dᵀx.")


def _decode(state: LabState) -> Check:
    error, trace = state.error, state.prepared.trace
    done = 0 < state.k < len(state.basis) and error <= 0.1 * trace
    lost = share_percent(100 * error / trace if trace else 0.0)
    return Check(done, f"k = {state.k} loses {lost} of the variance.")


def _keep(state: LabState) -> Check:
    wanted = components_for_ratio(np.sort(np.maximum(state.basis.variances, 0.0))[::-1], 0.95)
    reached = state.kept_variance / state.prepared.trace if state.prepared.trace else 1.0
    done = reached >= 0.95 and state.k <= wanted
    return Check(done, f"k = {state.k} keeps {percent(100 * reached)}; these axes need {wanted}.")


def _take_away(state: LabState) -> Check:
    _, taken = state.taken
    if not taken:
        return Check(False, "Take the direction of your line away.")
    least = state.prepared.trace - float(state.prepared.pca.variances[: len(taken)].sum())
    done = len(taken) >= 2 and taken[-1].left <= least + NEARLY * state.prepared.trace
    return Check(done, f"{figure(taken[-1].left, 4)} is left; the least is {figure(max(least, 0.0), 4)}.")


def _biplot(state: LabState) -> Check:
    if state.basis.off_diagonal > NEARLY * float(np.linalg.norm(state.basis.matrix)):
        return Check(False, "Finish the PCA first.")
    if len(state.basis) < 2:
        return Check(True, "There is only one arrow.")
    if len(state.arrows) < 2:
        return Check(False, "Click two arrows.")
    yours, (largest, pair) = correlation(state, *state.arrows), closest(state)
    one, other = (state.data.features[each] for each in pair)
    words = f"Yours correlate by {figure(yours, 3)}"
    if yours >= largest - 0.02:
        return Check(True, f"{words}; none more than {one} and {other}.")
    return Check(False, f"{words}; others by {figure(largest, 3)}.")


def _cost(state: LabState) -> Check:
    n, d = state.data.samples.shape
    numbers = state.k * (n + d) + d
    done = state.k > 0 and numbers < n * d
    return Check(done, f"{numbers:,} numbers instead of {n * d:,}.")


STEPS: tuple[Step, ...] = (
    Step("data", "Data", "X: n samples × d features", "Choose a number in the table of samples.", _data),
    Step("centre", "Centre", "x − x̄", "Leave the mean in, find the best line, and centre again.", _centre),
    Step("standardise", "Standardise", "(x − x̄) / σ", "Let every feature count alike.", _standardise),
    Step(
        "covariance",
        "Covariance",
        "C = XᵀX / (n − 1)",
        "Choose the plane of the largest covariance.",
        _covariance,
    ),
    Step("turn", "Turn a line", "variance + error = trace", "Find the line of least error.", _turn),
    Step("diagonal", "Make it diagonal", "V C Vᵀ = Λ", "Turn planes until no covariance is left.", _diagonal),
    Step("power", "Power iteration", "w ← C w / ‖C w‖", "Come within 1° of the first component.", _power),
    Step("encode", "Encode", "c = V (x − x̄)", "Find the code of least error.", _encode),
    Step("decode", "Decode", "x̂ = x̄ + Σ cⱼ vⱼ", "Lose less than a tenth of the variance.", _decode),
    Step("keep", "Choose k", "Σ λ₁…λₖ / Σ λ ≥ 0.95", "Keep 95 % with as few axes as possible.", _keep),
    Step("take", "Take it away", "x ← x − (xᵀw) w", "Take two directions, and leave the least.", _take_away),
    Step("biplot", "Biplot", "scores and √λ · v", "Choose the two features that correlate most.", _biplot),
    Step("cost", "What it costs", "k (n + d) + d numbers", "Need fewer numbers than the data.", _cost),
)
"""All steps, in their order."""
