"""Figures of the steps that have a picture of their own: power iteration, codes, parts, deflation, costs."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pcaimage.insight.lab.cost import Cost, cost
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.direction import angle_between, code_error
from pcaimage.insight.lab.state import LabState

CODES = 121
"""Codes of the parabola."""

_DUST = 1e-12
"""Angle in radians up to which two directions are the same but for rounding."""

MOST_PARTS = 8
"""Terms of a reconstruction that are drawn by themselves; the others together."""


@dataclass(frozen=True, eq=False)
class PowerFigures:
    """The convergence of power iteration.

    Parameters
    ----------
    angles : ndarray of float64, shape (steps + 1,)
        Angle to the first component before the first step and after each, in degrees.
    expected : ndarray of float64, shape (steps + 1,)
        The same if its tangent shrank by exactly `ratio` in every step, which it does for two features.
    growths : ndarray of float64, shape (steps,)
        ‖C w‖ of each step, which becomes the first eigenvalue.
    first : float
        The first eigenvalue.
    ratio : float
        λ₂ / λ₁; 0 for a single feature.
    """

    angles: Floats = field(repr=False)
    expected: Floats = field(repr=False)
    growths: Floats = field(repr=False)
    first: float
    ratio: float


def power_figures(state: LabState) -> PowerFigures:
    """Return the figures of power iteration; before it starts, those of the line."""
    directions = state.powers or (state.direction,)
    component, variances = state.prepared.pca.components[0], state.prepared.pca.variances
    angles = np.array([angle_between(each, component) for each in directions])
    angles[angles < _DUST] = 0.0
    ratio = float(variances[1] / variances[0]) if len(variances) > 1 and variances[0] > 0 else 0.0
    shrunk = np.arctan(np.tan(min(angles[0], np.pi / 2 - 1e-12)) * ratio ** np.arange(len(angles)))
    growths = [float(np.linalg.norm(state.prepared.matrix @ each)) for each in directions[:-1]]
    return PowerFigures(np.degrees(angles), np.degrees(shrunk), np.array(growths), float(variances[0]), ratio)


@dataclass(frozen=True, eq=False)
class CodeFigures:
    """The error of a sample over its code on one axis.

    Parameters
    ----------
    axis : int
        The axis, from 0.
    codes, errors : ndarray of float64, shape (121,)
        ‖x − c d‖² for codes c around zero and the best.
    best : float
        dᵀx, where the error is least.
    least : float
        The error there.
    yours : float or None
        The code that was tried.
    error : float or None
        Its error.
    slope : float or None
        Its gradient, 2 (c − dᵀx), which is zero at the best.
    square : float
        xᵀx, the error of the code 0.
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
    """A sample as the sum of its mean, its parts along the axes, and its residual.

    Parameters
    ----------
    sample : int
        The sample, from 0.
    whole : float
        ‖x‖² of the prepared sample.
    squares : ndarray of float64, shape (k,)
        Squares of its scores.
    left : float
        ‖x − Σ c v‖²; with the squares it adds up to the whole.
    parts : tuple of ndarray of float64, shape (n_features,)
        Mean; the first terms c v, and the sum of the others that are kept; residual. In the units of the
        samples.
    names : tuple of str
        The name of each part.
    original, decoded : ndarray of float64, shape (n_features,)
        The sample and its reconstruction.
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
    decoded, original = state.decoded(sample), prepared.data.samples[sample]
    shown = state.k if state.k <= most else most - 1
    terms = scores[:shown, None] * axes[:shown] * prepared.widths
    parts, names = [prepared.shift, *terms], ["mean", *(f"axis {axis}" for axis in range(1, shown + 1))]
    if shown < state.k:
        parts.append(decoded - prepared.shift - terms.sum(axis=0))
        names.append(f"{state.k - shown} more")
    parts.append(original - decoded)
    names.append("residual")
    rest = prepared.samples[sample] - scores @ axes
    whole = float(prepared.samples[sample] @ prepared.samples[sample])
    return PartFigures(
        sample, whole, np.square(scores), float(rest @ rest), tuple(parts), tuple(names), original, decoded
    )


@dataclass(frozen=True, eq=False)
class CostFigures:
    """The costs of the kept axes.

    Parameters
    ----------
    step : float
        The step that scores are rounded to.
    cost : Cost
        Numbers, bytes and errors.
    whole : float
        Mean square of the prepared samples, the error of keeping nothing.
    """

    step: float
    cost: Cost
    whole: float


def usual_step(state: LabState) -> float:
    """Return the step whose rounding costs as much as the first axis that is left out.

    That is Δ²/12 = its variance; with all axes kept the last one that varies counts. It is rounded to one
    figure.
    """
    variances = np.maximum(state.basis.variances, 0.0)
    varies = variances[variances > 1e-12 * (state.prepared.trace or 1.0)]
    if not varies.size:
        return 1.0
    step = float(np.sqrt(12 * varies[min(state.k, len(varies) - 1)]))
    return float(f"{step:.1g}")


def cost_figures(state: LabState) -> CostFigures:
    """Return the figures of what the kept axes cost, with the state's step or the usual one."""
    step = usual_step(state) if state.rounding is None else state.rounding
    n, d = state.data.samples.shape
    return CostFigures(step, cost(state, step), state.prepared.trace * state.prepared.divisor / (n * d))
