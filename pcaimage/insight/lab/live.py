"""The formula of a step by a convention, with the numbers of a state, and the conventions of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pcaimage.insight.formatting import percent
from pcaimage.insight.lab import figures
from pcaimage.insight.lab.basis import variance_at
from pcaimage.insight.lab.formula import Number, correlation_figure, figure, low, products
from pcaimage.insight.lab.numbers import Kind, formula
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.numeric import Convention, Divisor, Sigma

_MOST = 6  # entries of a vector that are written out


def live(state: LabState) -> str:
    """Return the formula of the state's step, with its numbers."""
    return _LIVE[state.step](state)


def _vector(values: Sequence[float]) -> str:
    shown = [figure(value, 4) for value in values[:_MOST]]
    return f"({', '.join([*shown, '…'] if len(values) > _MOST else shown)})"


def _data(state: LabState) -> str:
    n, d = state.data.samples.shape
    return f"X: {n:,} samples × {d:,} features = {n * d:,} numbers"


def _standardise(state: LabState) -> str:
    feature, n = state.basis.features[state.plane[0]] or 0, state.data.n_samples
    column, mean = state.data.samples[:, feature].tolist(), float(state.prepared.mean[feature])
    inner, square, whole = products(column, column), mean**2, sum(value**2 for value in column)
    variance = figure(float(state.prepared.deviations[feature] ** 2), 4)
    if state.convention.sigma is Sigma.N:
        parts = f"({inner.text(4)}) / {n:,} − {Number(mean).text(4)}²"
        parts += f" = {figure(whole / n, 6)} − {figure(square, 6)}"
    else:
        parts = f"({inner.text(4)} − {n:,} · {Number(mean).text(4)}²) / {n - 1:,}"
    return f"σ{low(feature + 1)}² = {parts} = {variance}; σ = {_vector(state.prepared.deviations.tolist())}"


def _covariance(state: LabState) -> str:
    divisor = state.prepared.divisor
    over = "" if divisor == 1 else f" / {divisor:,}"
    trace = f"Tr C = ‖X̃‖²{over} = {figure(state.prepared.trace, 4)}"
    if len(state.basis) < 2:
        return trace
    return f"{formula(state, Kind.MATRIX, *state.plane).text()}; {trace}"


def _turn(state: LabState) -> str:
    if len(state.basis) < 2:
        return _covariance(state)
    variance = float(variance_at(state.matrix, *state.plane, np.array(state.angle)))
    error, total = figure(state.line_errors[2], 4), figure(state.trace, 4)
    words = f"{state.convention.squares} {figure(variance, 4)}"
    return f"at {figure(float(np.degrees(state.angle)), 4)}°: {words} + error {error} = trace {total}"


def _diagonal(state: LabState) -> str:
    if len(state.basis) < 2:
        return _covariance(state)
    (i, j), matrix = state.plane, state.matrix
    above, one, other = (figure(float(matrix[place]), 4) for place in ((i, j), (i, i), (j, j)))
    angle = figure(float(np.degrees(state.basis.best_angle(i, j))), 4)
    plane = f"C{low(i + 1)},{low(j + 1)}"
    return f"{plane} = 0 after a turn by ½ · atan2(2 · {above}, {one} − {other}) = {angle}°"


def _power(state: LabState) -> str:
    found = figures.power_figures(state)
    growth = f"‖C w‖ = {figure(float(found.growths[-1]), 5)}, " if found.growths.size else ""
    if found.is_across:
        return f"{growth}λ₁ = {figure(found.first, 5)}; this start has no part along the first component"
    angle = f"{figure(float(found.angles[-1]), 3)}° to go"
    by = f"by {found.ratio_words} in each step" if found.ratio else found.ratio_words
    return f"{growth}λ₁ = {figure(found.first, 5)}; {angle}, {by}"


def _encode(state: LabState) -> str:
    found = figures.code_figures(state)
    if found.yours is None or found.error is None or found.slope is None:
        sample, axis = state.prepared.samples[state.sample], state.basis.axes[found.axis]
        inner = products(axis.tolist(), sample.tolist())
        return f"dᵀx = {inner.text(4)} = {figure(found.best, 4)}"
    square, twice, code = (Number(value).text(4) for value in (found.square, 2 * found.best, found.yours))
    error = f"{square} − {twice} · {code} + {code}² = {figure(found.error, 4)}"
    return f"dᵀx = {figure(found.best, 4)}; ‖x − c d‖² = {error}, gradient {figure(found.slope, 3)}"


def _decode(state: LabState) -> str:
    found = figures.part_figures(state)
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
    found, angle = (correlation_figure(of(state, one, other)) for of in (figures.correlation, figures.cosine))
    return f"{'r' if state.convention.centre else 'cosine'}({names}) = {found}; cosine of the arrows {angle}"


def _cost(state: LabState) -> str:
    n, d = state.data.samples.shape
    words = numbers = numbers_formula(state.convention, given=state.basis.given)
    for name, value in (("2 d", "2 · d"), ("k", f"{state.k} ·"), ("n", f"{n:,}"), ("d", f"{d:,}")):
        numbers = numbers.replace(name, value)
    return f"{words} = {numbers} = {figures.numbers_of(state):,} of {n * d:,} numbers"


_LIVE: dict[str, Callable[[LabState], str]] = {
    "data": _data,
    "centre": lambda state: f"x̄ = {_vector(state.prepared.mean.tolist())}",
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


def step_formula(step: str, by: Convention) -> str:
    """Return the formula of a step by a convention; x̃ is a sample as the PCA sees it."""
    centred = "x − x̄" if by.centre else "x"
    prepared = f"({centred}) / σ" if by.standardized and by.centre else centred + " / σ" * by.standardized
    over = {Divisor.N_MINUS_1: " / (n − 1)", Divisor.N: " / n", Divisor.NONE: ""}[by.divisor]
    squares = f"σ² = Σ (x − x̄)² / {'n' if by.sigma.value == 'n' else '(n − 1)'}"
    return {
        "data": "X: n samples × d features",
        "centre": centred if by.centre else "x, the mean left in",
        "standardise": f"x̃ = {prepared}, {squares if by.standardized else 'not divided by σ'}",
        "covariance": f"C = X̃ᵀX̃{over}, x̃ = {prepared}",
        "turn": f"{by.squares} + error = trace",
        "diagonal": "V C Vᵀ = Λ",
        "power": "w ← C w / ‖C w‖",
        "encode": f"c = V ({prepared})" if len(prepared) > 1 else "c = V x",
        "decode": f"x̂ = {'x̄ + ' * by.centre}{'σ · ' * by.standardized}Σ cⱼ vⱼ",
        "keep": "Σ λ₁…λₖ / Σ λ ≥ 0.95",
        "take": "x̃ ← x̃ − (x̃ᵀw) w",
        "biplot": "x̃ᵀv / √λ and √λ · v",
        "cost": f"{numbers_formula(by)} numbers",
    }[step]


def numbers_formula(by: Convention, *, given: bool = False) -> str:
    """Return how many numbers k axes take: scores, axes unless given, what undoes centring and scaling."""
    return ("k n" if given else "k (n + d)") + ("", " + d", " + 2 d")[by.centre + by.standardized]


@dataclass(frozen=True)
class Text:
    """A text's convention of PCA: its name in programs, its title, and how it centres, scales and divides."""

    key: str
    title: str
    convention: Convention


TEXTS: tuple[Text, ...] = (
    Text("linear-algebra", "Linear Algebra in ML: PCA", Convention(divisor=Divisor.NONE)),
    Text("encoder", "Principal Component Analysis", Convention(centre=False, divisor=Divisor.NONE)),
    Text("tacos", "Unveiling Dimensionality Reduction", Convention(sigma=Sigma.N)),
    Text("under-the-hood", "PCA under the hood", Convention(sigma=Sigma.N_MINUS_1)),
    Text("notes", "Principle Component Analysis", Convention(sigma=Sigma.N, divisor=Divisor.N)),
)
"""The texts that the course follows."""

CONVENTIONS: dict[str, Convention] = {
    "As scikit-learn": Convention(),
    "Standardised, n − 1": Convention(sigma=Sigma.N_MINUS_1),
    "Standardised, n": Convention(sigma=Sigma.N, divisor=Divisor.N),
    "Not centred": Convention(centre=False),
    "Undivided": Convention(divisor=Divisor.NONE),
    **{f"As in “{text.title}”": text.convention for text in TEXTS},
}


def differences(convention: Convention) -> tuple[str, ...]:
    """Return how figures by a convention differ from those of scikit-learn's PCA, one sentence each."""
    found = list[str]()
    if not convention.centre:
        words = {Divisor.N_MINUS_1: "sums of squares over n − 1", Divisor.N: "mean squares"}
        squares = words.get(convention.divisor, "sums of squares")
        found.append(
            f"The mean is left in, which scikit-learn always subtracts: eigenvalues are {squares} about zero."
        )
    if convention.sigma is Sigma.N_MINUS_1:
        found.append("Deviations have the divisor n − 1; those of scikit-learn's StandardScaler have n.")
    if convention.divisor is not Divisor.N_MINUS_1:
        undivided = convention.divisor is Divisor.NONE
        found.append("Sums are not divided." if undivided else "The divisor is n instead of n − 1.")
    if found and convention.centre:
        found.append(f"Eigenvalues are {_FACTORS[convention.sigma, convention.divisor]} times those there.")
    return tuple(found)


_FACTORS = {
    (sigma, divisor): factors[sigma is Sigma.N_MINUS_1]
    for sigma in Sigma
    for divisor, factors in {
        Divisor.N_MINUS_1: ("1", "(n − 1) / n"),
        Divisor.N: ("(n − 1) / n", "(n − 1)² / n²"),
        Divisor.NONE: ("n − 1", "(n − 1)² / n"),
    }.items()
}
"""Eigenvalues of centred samples over those of scikit-learn, of standardised ones by its StandardScaler."""
