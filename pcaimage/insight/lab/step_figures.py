"""Figures of the steps that have a picture of their own: power iteration, codes, parts, deflation, costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.basis import angle_between, code_error
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.formula import figure, low
from pcaimage.insight.lab.state import LabState

CODES = 121  # codes of the parabola
_DUST = 1e-12  # angle in radians up to which two directions are the same but for rounding
_RIGHT = 1e-9  # degrees up to which an angle is right but for rounding
MOST_PARTS = 8  # terms of a reconstruction that are drawn by themselves; the others together


@dataclass(frozen=True, eq=False)
class PowerFigures:
    """The convergence of power iteration, before the first step and after each.

    Angles, in degrees, are those to the first component, or if several eigenvalues are `equal` to the first
    one to the space of their components. The expected ones are as if their tangent shrank by exactly `ratio`
    in every step, which it does for two features: the next eigenvalue over the first. Growths are ‖C w‖ of
    each step, which becomes the first eigenvalue. There are `count` eigenvalues.
    """

    angles: Floats = field(repr=False)
    expected: Floats = field(repr=False)
    growths: Floats = field(repr=False)
    first: float
    equal: int
    count: int
    ratio: float

    @property
    def is_across(self) -> bool:
        """Whether the start is at right angles to the first component, which it then never finds."""
        return bool(self.angles[0] >= 90 - _RIGHT)

    @property
    def ratio_words(self) -> str:
        """By what the angle shrinks."""
        if self.equal == self.count:
            return "all λ are equal: any direction is a first component"
        return f"λ{low(self.equal + 1)} / λ₁ = {figure(self.ratio, 3)}"


def power_figures(state: LabState) -> PowerFigures:
    """Return the figures of power iteration; before it starts, those of the line."""
    directions = state.powers or (state.direction,)
    variances = state.prepared.pca.variances
    equal = next((len(run) for run in state.prepared.ties if run.start == 0), 1)
    space = state.prepared.pca.components[:equal]
    angles = np.array([angle_between(each, _nearest(each, space)) for each in directions])
    angles[angles < _DUST] = 0.0
    ratio = float(variances[equal] / variances[0]) if equal < len(variances) and variances[0] > 0 else 0.0
    shrunk = np.arctan(np.tan(min(angles[0], np.pi / 2 - 1e-12)) * ratio ** np.arange(len(angles)))
    growths = np.array([float(np.linalg.norm(state.prepared.matrix @ each)) for each in directions[:-1]])
    return PowerFigures(
        np.degrees(angles), np.degrees(shrunk), growths, float(variances[0]), equal, len(variances), ratio
    )


def _nearest(direction: Floats, space: Floats) -> Floats:
    """Return the direction of a space, of orthonormal rows, that is nearest; one of them if none is."""
    found: Floats = direction @ space.T @ space
    return found if np.linalg.norm(found) > _DUST else space[0]


@dataclass(frozen=True, eq=False)
class CodeFigures:
    """The error ‖x − c d‖² of a sample over its code on one axis, from 0.

    `best` is dᵀx, where the error is `least`; `square` is xᵀx, the error of the code 0. `yours` is the code
    that was tried, `error` and `slope` are its error and its gradient 2 (c − dᵀx).
    """

    axis: int
    codes: Floats = field(repr=False)
    errors: Floats = field(repr=False)
    best: float
    least: float
    yours: float | None
    error: float | None
    slope: float | None
    square: float


def code_figures(state: LabState) -> CodeFigures:
    """Return the figures of the marked sample's code on the first axis of the plane."""
    axis = state.plane[0]
    sample, direction = state.prepared.samples[state.sample], state.basis.axes[axis]
    best = float(direction @ sample)
    best = best if abs(best) > 1e-13 * float(np.abs(direction) @ state.prepared.reach) else 0.0
    reach = 2 * abs(best) or float(np.linalg.norm(sample)) or 1.0
    codes = np.linspace(best - reach, best + reach, CODES)
    least = float(code_error(sample, direction, np.array([best]))[0])
    yours = state.code
    error = None if yours is None else float(code_error(sample, direction, np.array([yours]))[0])
    slope = None if yours is None else 2 * (yours - best)
    square = float(sample @ sample)
    return CodeFigures(
        axis, codes, code_error(sample, direction, codes), best, least, yours, error, slope, square
    )


@dataclass(frozen=True, eq=False)
class PartFigures:
    """A sample, from 0, as the sum of its mean, its parts along the axes, and its residual, in its units.

    `whole` is ‖x‖² of the prepared sample, the sum of the squares of its scores and of `left`, that of the
    residual. Of many terms c v the last part but one has those that are not by themselves.
    """

    sample: int
    whole: float
    squares: Floats = field(repr=False)
    left: float
    parts: tuple[Floats, ...] = field(repr=False)
    names: tuple[str, ...]
    original: Floats = field(repr=False)
    decoded: Floats = field(repr=False)


def part_figures(state: LabState, most: int = MOST_PARTS) -> PartFigures:
    """Return the parts of the marked sample, of which the first `most` terms are by themselves."""
    prepared, sample = state.prepared, state.sample
    scores, axes = state.scores_of(sample)[: state.k], state.basis.axes[: state.k]
    decoded, original = state.decoded(sample), prepared.original[sample]
    shown = state.k if state.k <= most else most - 1
    terms = scores[:shown, None] * axes[:shown] * prepared.widths
    parts, names = [prepared.shift, *terms], ["mean", *(f"axis {axis}" for axis in range(1, shown + 1))]
    if shown < state.k:
        parts.append(decoded - prepared.shift - terms.sum(axis=0))
        names.append(f"{state.k - shown} more")
    parts.append(original - decoded)
    names.append("residual")
    rest = prepared.samples[sample] - scores @ axes
    left = float(np.square(rest[np.abs(rest) > 1e-13 * prepared.reach]).sum())
    whole = float(prepared.samples[sample] @ prepared.samples[sample])
    return PartFigures(sample, whole, np.square(scores), left, tuple(parts), tuple(names), original, decoded)


@dataclass(frozen=True, eq=False)
class CostFigures:
    """The costs of the kept axes by a step of the scores, beside the error of keeping nothing."""

    step: float
    cost: Cost
    whole: float


def usual_step(state: LabState) -> float:
    """Return the step whose rounding costs as much as the first axis that is left out, to one figure.

    That is Δ²/12 = its variance; with all axes kept the last one that varies counts.
    """
    variances = np.maximum(state.basis.variances, 0.0)
    varies = variances[variances > 0]
    if not varies.size:
        return 1.0
    step = float(np.sqrt(12 * varies[min(state.k, len(varies) - 1)]))
    return float(f"{step:.1g}")


def cost_figures(state: LabState) -> CostFigures:
    """Return the figures of what the kept axes cost, with the state's step or the usual one."""
    step = usual_step(state) if state.rounding is None else state.rounding
    n, d = state.data.samples.shape
    return CostFigures(step, cost(state, step), state.prepared.trace * state.prepared.divisor / (n * d))


MODEL_BYTES = 4  # bytes of a number of axes, mean and deviations, whose rounding then does not count


@dataclass(frozen=True)
class Cost:
    """The costs and losses of k axes; losses are mean squared errors.

    Numbers are kept for scores and axes, mean and deviations. Those of rounded scores, and the data's at
    their own precision, take as few bits as the range of their column needs; those of axes, mean and
    deviations :data:`MODEL_BYTES` each.
    """

    numbers: int
    raw_numbers: int
    score_bytes: int
    model_bytes: int
    raw_bytes: int
    lost: float  # of the numbers that the axes leave out: PCA's own loss, unrounded
    rounded: float  # what rounding scores adds, about k Δ² / (12 d); none of it is PCA's

    @property
    def n_bytes(self) -> int:
        """Bytes of all that is kept."""
        return self.score_bytes + self.model_bytes

    @property
    def error(self) -> float:
        """Mean squared error altogether: residuals and rounding errors are orthogonal."""
        return self.lost + self.rounded


def cost(state: LabState, step: float) -> Cost:
    """Return what the axes that are kept cost, with scores rounded to multiples of a step Δ.

    The step is in the units of prepared samples; errors are measured, not estimated.
    """
    if not (math.isfinite(step) and step > 0):
        raise SettingsError(f"A step must be a positive number, not {step}.")
    n, d = state.data.samples.shape
    scores = state.scores[:, : state.k]
    rounded = np.round(scores / step)
    rest = state.prepared.samples - scores @ state.basis.axes[: state.k]
    levels = np.ptp(rounded, axis=0) + 1
    return Cost(
        numbers=numbers_of(state),
        raw_numbers=n * d,
        score_bytes=math.ceil(n * float(np.log2(levels).sum()) / 8),
        model_bytes=MODEL_BYTES * (numbers_of(state) - state.k * n),
        raw_bytes=math.ceil(n * state.data.bits / 8),
        lost=float(np.square(rest).mean()),
        rounded=float(np.square(rounded * step - scores).sum()) / (n * d),
    )


def numbers_of(state: LabState) -> int:
    """Return how many numbers the kept axes take: scores, axes, and what undoes centring and scaling."""
    n, d = state.data.samples.shape
    return int(
        state.k * (n + d * (not state.basis.given))
        + d * (state.convention.centre + state.convention.standardized)
    )
