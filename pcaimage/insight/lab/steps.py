"""The steps of the course, each with one thing to try that the program checks, and the words about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.formatting import percent, share_percent
from pcaimage.insight.lab import figures
from pcaimage.insight.lab.basis import angle_between
from pcaimage.insight.lab.formula import correlation_figure, figure
from pcaimage.insight.lab.plain import chapters
from pcaimage.insight.lab.state import CLOSE, LabState
from pcaimage.insight.numeric import Convention
from pcaimage.pca import components_for_ratio

NEARLY = 0.005  # share of the trace by which what is found by hand may miss the best
_SAME = 1e-9  # share by which figures differ that are the same but for rounding
_OF_CODE = 0.05  # share of the best code by which a code may miss it


@dataclass(frozen=True)
class Check:
    """Whether a task is done, and what has been reached."""

    done: bool
    words: str


@dataclass(frozen=True)
class Step:
    """A step of the course: its name in programs and for people, the exercise, and how far that is done."""

    key: str
    title: str
    task: str
    reached: Callable[[LabState], Check]

    def words(self, by: Convention) -> str:
        """Return the exercise, with what squares and products are by a convention."""
        return self.task.format(squares=by.squares, products=by.products)


def check(state: LabState) -> Check:
    """Return how far the task of the state's step is done; nothing is done while something is dragged."""
    found = step_named(state.step).reached(state)
    return replace(found, done=found.done and not state.held)


def step_named(key: str) -> Step:
    """Return a step; raise SettingsError if there is none of that name."""
    found = next((step for step in STEPS if step.key == key), None)
    if found is None:
        raise SettingsError(f"There is no step {key!r}; the steps are {', '.join(s.key for s in STEPS)}.")
    return found


def _data(state: LabState) -> Check:
    data = state.data
    features = "1 feature" if data.n_features == 1 else f"{data.n_features:,} features"
    return Check(bool(state.marked), f"{data.n_samples:,} samples of {features}.")


def _centre(state: LabState) -> Check:
    if len(state.basis) < 2:
        return Check(False, "One feature has only one line. Take other samples.")
    if state.convention.centre:
        if state.found_uncentred:
            return Check(True, "The mean of every feature is zero again.")
        return Check(False, "Every mean is zero. Choose “Not centred”, and find the best line.")
    mean = state.prepared.samples.mean(axis=0)
    if not state.found_uncentred:
        largest = figure(float(np.abs(mean).max()), 4)
        return Check(False, f"Means are left in; the largest is {largest}. Find the best line.")
    if (np.abs(mean) <= _SAME * state.prepared.reach).all():
        return Check(False, "Found; but these means are zero anyway. Centre again.")
    angle = float(np.degrees(angle_between(mean, state.prepared.pca.components[0])))
    return Check(False, f"Found: the first component is {figure(angle, 3)}° from the mean. Centre again.")


def _standardise(state: LabState) -> Check:
    if not state.convention.standardized:
        widths = state.prepared.deviations[state.prepared.deviations > 0]
        ratio = float(widths.max() / widths.min()) if widths.size else 1.0
        return Check(False, f"The widest feature is {figure(ratio, 3)} times as wide as the narrowest.")
    return Check(True, "Every feature that varies has the same variance.")


def _covariance(state: LabState) -> Check:
    sizes = np.abs(state.basis.matrix[np.triu_indices(len(state.basis), 1)])
    if len(sizes) < 2 or np.ptp(sizes) <= _SAME * sizes.max():
        return Check(False, "There is nothing to choose from here. Start over, or take other samples.")
    here = figure(float(state.basis.matrix[state.plane]), 4)
    largest = bool(np.abs(state.basis.matrix[state.plane]) >= (1 - _SAME) * sizes.max())
    done = largest and state.picked is state.basis
    return Check(done, f"The largest is {here}." if done else f"The plane that is drawn has {here}.")


def _turn(state: LabState) -> Check:
    if len(state.basis) < 2:
        return Check(False, "One feature has only one line. Take other samples.")
    if state.best_error is None:
        return Check(False, "Drag the handle of the line.")
    least, most, now = state.line_errors
    if most - least <= _SAME * state.prepared.trace:
        return Check(True, "Every line of this plane has the same error.")
    best = figure(state.best_error, 4)
    return Check(
        state.on_best_line, f"Now {figure(now, 4)}, best so far {best}; possible {figure(least, 4)}."
    )


def _diagonal(state: LabState) -> Check:
    off = state.basis.off_diagonal
    share = off / float(np.linalg.norm(state.basis.matrix)) if off else 0.0
    left = share_percent(100 * share)
    first = figure(float(state.basis.variances.max(initial=0.0)), 5)
    best = figure(float(state.prepared.pca.variances.max(initial=0.0)), 5)
    return Check(
        share <= NEARLY, f"Off the diagonal {left}; largest {state.convention.squares} {first} of {best}."
    )


def _power(state: LabState) -> Check:
    if state.power is None:
        return Check(False, "Multiply a direction by C.")
    found = figures.power_figures(state)
    if found.equal == found.count:
        return Check(True, "All eigenvalues are equal: any direction is a first component.")
    if found.is_across:
        return Check(False, "This start has no part along the first component. Turn the line.")
    space = f" (any of the {found.equal} with λ₁)" if found.equal > 1 else ""
    angle = float(found.angles[-1])
    return Check(angle <= np.degrees(CLOSE), f"{figure(angle, 3)}° from the first component{space}.")


def _encode(state: LabState) -> Check:
    found = figures.code_figures(state)
    least = figure(found.least, 4)
    if found.yours is None or found.error is None:
        return Check(False, f"Drag the code c along the parabola of sample {state.sample + 1}.")
    # A sample without a part along the axis leaves only the parabola to compare with.
    size = abs(found.best) or float(found.codes[-1])
    done = abs(found.yours - found.best) <= _OF_CODE * size
    return Check(done, f"Yours {figure(found.error, 4)}, least {least} at c = dᵀx.")


def _needed(state: LabState, share: float) -> int:
    """Return the fewest axes that keep a share of the variance, those of the PCA; no others need fewer."""
    return components_for_ratio(state.prepared.pca.variances, share)


def _decode(state: LabState) -> Check:
    error, trace = state.error, state.prepared.trace
    if _needed(state, 0.9) == len(state.basis):
        return Check(False, f"Even PCA needs all {len(state.basis)} here. Take other samples.")
    done = 0 < state.k < len(state.basis) and error <= 0.1 * trace
    lost = share_percent(100 * error / trace if trace else 0.0)
    return Check(done, f"k = {state.k} loses {lost} of the {state.convention.squares}.")


def _keep(state: LabState) -> Check:
    needed = _needed(state, 0.95)
    if needed == len(state.basis):
        return Check(False, f"Even PCA needs all {needed} here. Take other samples.")
    shown, falling = figures.spectrum(state), np.sort(state.basis.variances)[::-1]
    kept = float(shown.cumulative[state.k])
    others = f"in this order {shown.k95}, sorted {components_for_ratio(falling, 0.95)}, PCA {needed}"
    words = f"k = {state.k} keeps {percent(100 * kept)}; 95\u00a0% takes {others}."
    return Check(kept >= 0.95 - _SAME and state.k <= needed, words)


def _take_away(state: LabState) -> Check:
    _, taken = state.taken
    if not taken:
        return Check(False, "Take the direction of your line away.")
    least = float(state.prepared.pca.variances[len(taken) :].sum())
    done = len(taken) >= 2 and taken[-1].left <= least + NEARLY * state.prepared.trace
    return Check(done, f"{figure(taken[-1].left, 4)} is left; the least is {figure(least, 4)}.")


def _biplot(state: LabState) -> Check:
    if state.basis.off_diagonal > NEARLY * float(np.linalg.norm(state.basis.matrix)):
        return Check(False, "Finish the PCA first.")
    if len(state.basis) < 2:
        return Check(True, "There is only one arrow.")
    if len(state.arrows) < 2:
        return Check(False, "Click two arrows.")
    yours, (largest, pair) = figures.correlation(state, *state.arrows), figures.closest(state)
    one, other = (state.data.features[each] for each in pair)
    kind = "correlation" if state.convention.centre else "cosine"
    words = f"The {kind} of yours is {correlation_figure(yours)}"
    # The sign does not matter; nor do differences that are not shown.
    if correlation_figure(abs(yours)) == correlation_figure(abs(largest)):
        return Check(True, f"{words}; none is larger than that of {one} and {other}.")
    return Check(False, f"{words}; another pair has {correlation_figure(largest)}.")


def _cost(state: LabState) -> Check:
    whole, needed = state.data.samples.size, _needed(state, 0.9)
    if (least := figures.numbers_of(replace(state, k=needed))) >= whole:
        return Check(
            False, f"Even PCA needs {least:,} numbers here, no fewer than {whole:,}. Take other samples."
        )
    lost = state.error / (state.prepared.trace or 1.0)
    words = (
        f"{figures.numbers_of(state):,} numbers instead of {whole:,}; {share_percent(100 * lost)} is lost."
    )
    return Check(figures.numbers_of(state) < whole and lost <= 0.1, words)


STEPS: tuple[Step, ...] = (
    Step("data", "Data", "Choose a number in the table of samples.", _data),
    Step("centre", "Centre", "Leave the mean in, find the best line, and centre again.", _centre),
    Step("standardise", "Standardise", "Let every feature count equally.", _standardise),
    Step("covariance", "Covariance", "Choose the plane of the largest {products}.", _covariance),
    Step("turn", "Turn a line", "Find the line of least error.", _turn),
    Step("diagonal", "Make it diagonal", "Turn planes until no {products} is left.", _diagonal),
    Step("power", "Power iteration", "Come within 1° of the first component.", _power),
    Step("encode", "Encode", "Find the code of least error.", _encode),
    Step("decode", "Decode", "Lose less than a tenth of the {squares}.", _decode),
    Step("keep", "Choose k", "Keep 95 % with as few axes as possible.", _keep),
    Step("take", "Take it away", "Take two directions away, and leave as little as possible.", _take_away),
    Step("biplot", "Biplot", "Choose the two features that correlate most, whatever the sign.", _biplot),
    Step("cost", "What it costs", "Use fewer numbers than the data, and lose less than a tenth.", _cost),
)
"""All steps, in their order."""


_BELOW = {"power": "power", "encode": "code", "decode": "parts", "take": "taken", "cost": "cost"}
"""The pane of its own that a step has below the scatter plot, instead of the curves over the angle."""
_INSTEAD = {"biplot": ("biplot",), "keep": ("kept",)}  # what is drawn instead of the scatter plot


def lesson(step: str, by: Convention) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a few sentences about a step, by its key, and its sources by title and address.

    Names of commands stand between asterisks; squares and products are called what they are by a convention.
    """
    words, *sources = chapters("lessons.md")[step].split("\n\n> ")
    read_on = [line.rpartition(" <") for line in "".join(sources).split("\n> ") if line]
    named = tuple((title, address.rstrip(">")) for title, _, address in read_on)
    return _said(words.replace("\n", " "), by), named


def legend(step: str, by: Convention) -> tuple[tuple[str, str, str], ...]:
    """Return the legend of a step's panes: the names of colours, the signs drawn in them, what they mean."""
    drawn = _INSTEAD.get(step, ("plane", _BELOW.get(step, "angles")))
    lines = [line.split(" ", 3) for line in chapters("lessons.md")["legend"].splitlines()]
    panes = (*drawn, "matrix", "spectrum")
    found = ((colour, sign, words) for pane in panes for of, colour, sign, words in lines if of == pane)
    return tuple((colour, sign, _said(words, by)) for colour, sign, words in found)


def _said(words: str, by: Convention) -> str:
    return words.format(squares=by.squares, products=by.products)
