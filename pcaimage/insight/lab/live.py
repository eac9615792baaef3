"""The formula of a step with the numbers of a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pcaimage.insight.formatting import percent
from pcaimage.insight.lab.biplot import correlation, cosine
from pcaimage.insight.lab.direction import variance_at
from pcaimage.insight.lab.formula import Number, figure, low, products
from pcaimage.insight.lab.numbers import Kind, formula
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.step_figures import code_figures, part_figures, power_figures

_MOST = 6
"""Entries of a vector that are written out."""


def live(state: LabState) -> str:
    """Return the formula of the state's step, with its numbers."""
    return _LIVE[state.step](state)


def _vector(values: Sequence[float]) -> str:
    shown = [figure(value, 4) for value in values[:_MOST]]
    return f"({', '.join([*shown, '…'] if len(values) > _MOST else shown)})"


def _data(state: LabState) -> str:
    n, d = state.data.samples.shape
    return f"X: {n:,} samples × {d:,} features = {n * d:,} numbers"


def _centre(state: LabState) -> str:
    return f"x̄ = {_vector(state.prepared.mean.tolist())}"


def _standardise(state: LabState) -> str:
    return f"σ = {_vector(state.prepared.deviations.tolist())}"


def _covariance(state: LabState) -> str:
    divisor = state.prepared.divisor
    over = "" if divisor == 1 else f" / {divisor:,}"
    trace = f"Tr C = ‖X‖²{over} = {figure(state.prepared.trace, 4)}"
    if len(state.basis) < 2:
        return trace
    return f"{formula(state, Kind.MATRIX, *state.plane).text()}; {trace}"


def _turn(state: LabState) -> str:
    if len(state.basis) < 2:
        return _covariance(state)
    variance = float(variance_at(state.matrix, *state.plane, np.array(state.angle)))
    error, angle = max(state.trace - variance, 0.0), figure(float(np.degrees(state.angle)), 4)
    total = figure(state.trace, 4)
    return f"at {angle}°: variance {figure(variance, 4)} + error {figure(error, 4)} = trace {total}"


def _diagonal(state: LabState) -> str:
    if len(state.basis) < 2:
        return _covariance(state)
    (i, j), matrix = state.plane, state.matrix
    above, one, other = (figure(float(matrix[place]), 4) for place in ((i, j), (i, i), (j, j)))
    angle = figure(float(np.degrees(state.basis.best_angle(i, j))), 4)
    plane = f"C{low(i + 1)},{low(j + 1)}"
    return f"{plane} = 0 after a turn by ½ · atan2(2 · {above}, {one} − {other}) = {angle}°"


def _power(state: LabState) -> str:
    found = power_figures(state)
    growth = f"‖C w‖ = {figure(float(found.growths[-1]), 5)}, " if found.growths.size else ""
    ratio, angle = figure(found.ratio, 3), figure(float(found.angles[-1]), 3)
    return f"{growth}λ₁ = {figure(found.first, 5)}; {angle}° to go, by λ₂ / λ₁ = {ratio} in each step"


def _encode(state: LabState) -> str:
    found = code_figures(state)
    if found.yours is None or found.error is None or found.slope is None:
        sample, axis = state.prepared.samples[state.sample], state.basis.axes[found.axis]
        inner = products(axis.tolist(), sample.tolist())
        return f"dᵀx = {inner.text(4)} = {figure(found.best, 4)}"
    square, twice, code = (Number(value).text(4) for value in (found.square, 2 * found.best, found.yours))
    error = f"{square} − {twice} · {code} + {code}² = {figure(found.error, 4)}"
    return f"dᵀx = {figure(found.best, 4)}; ‖x − c d‖² = {error}, gradient {figure(found.slope, 3)}"


def _decode(state: LabState) -> str:
    found = part_figures(state)
    kept = figure(float(found.squares.sum()), 4)
    return f"‖x‖² = Σ c² + ‖x − x̂‖²: {figure(found.whole, 4)} = {kept} + {figure(found.left, 4)}"


def _keep(state: LabState) -> str:
    kept, trace = state.kept_variance, state.prepared.trace
    share = percent(100 * kept / trace) if trace else "everything"
    return f"Σ λ₁…λ{low(state.k)} / Σ λ = {figure(kept, 4)} / {figure(trace, 4)} = {share}"


def _take(state: LabState) -> str:
    _, taken = state.taken
    if not taken:
        return f"Nothing is taken away yet: {figure(state.prepared.trace, 4)}"
    rounds = [f"{figure(t.before, 4)} = {figure(t.along, 4)} + {figure(t.left, 4)}" for t in taken[-3:]]
    return "before = along + left: " + "; ".join(rounds)


def _biplot(state: LabState) -> str:
    if len(state.arrows) < 2:
        return "arrow of a feature = √λ · v; cosine of two arrows ≈ their correlation"
    one, other = state.arrows
    names = f"{state.data.features[one]}, {state.data.features[other]}"
    angle = figure(cosine(state, one, other), 3)
    return f"r({names}) = {figure(correlation(state, one, other), 3)}; cosine of the arrows {angle}"


def _cost(state: LabState) -> str:
    n, d = state.data.samples.shape
    k = state.k
    return f"k (n + d) + d = {k} · ({n:,} + {d:,}) + {d:,} = {k * (n + d) + d:,} of {n * d:,} numbers"


_LIVE: dict[str, Callable[[LabState], str]] = {
    "data": _data,
    "centre": _centre,
    "standardise": _standardise,
    "covariance": _covariance,
    "turn": _turn,
    "diagonal": _diagonal,
    "power": _power,
    "encode": _encode,
    "decode": _decode,
    "keep": _keep,
    "take": _take,
    "biplot": _biplot,
    "cost": _cost,
}
