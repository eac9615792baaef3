"""The figures of a step in plain Python: a listing that runs as it stands, by the convention of a state."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import cost_figures
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.numeric import Divisor, Sigma

MOST_WRITTEN = 200
"""Numbers of a matrix that are written out; more are read from a file that *Copy as CSV* makes."""


def listing(state: LabState) -> str:
    """Return a program, for NumPy, that works out the figures of the state's step from the samples."""
    return "\n".join(["import numpy as np", "", *_data(state), *_LISTINGS[state.step](state), ""])


def _array(name: str, values: Floats, columns: tuple[str, ...], table: str) -> list[str]:
    if values.size <= MOST_WRITTEN:
        rows = ",\n".join(f"    {row}" for row in values.tolist())
        return [f"{name} = np.array([\n{rows},\n])"]
    # The first line has the names of the columns, which may have several lines themselves.
    skipped = 1 + "".join(columns).count("\n")
    options = f'delimiter=",", skiprows={skipped}, usecols=range(1, {values.shape[1] + 1})'
    read = f'{name} = np.loadtxt("{name}.csv", {options}, comments=None, quotechar=\'"\', ndmin=2)'
    return [f"# {name}.csv: choose “{table}” among the numbers, and copy it as CSV.", read]


def _data(state: LabState) -> list[str]:
    return [*_array("X", state.data.samples, state.data.features, "Samples X"), "n, d = X.shape"]


def _prepared(state: LabState) -> list[str]:
    """Return lines that make the prepared samples Z."""
    by = state.convention
    lines = ["mean = X.mean(axis=0)" if by.centre else "mean = np.zeros(d)  # the mean is left in"]
    sigma = f"sigma = X.std(axis=0, ddof={0 if by.sigma is Sigma.N else 1})"
    if not by.standardized:
        return [*lines, f"{sigma}  # features are not divided by it", "Z = X - mean"]
    lines.append(sigma)
    constant = np.flatnonzero(state.prepared.deviations == 0).tolist()
    if constant:
        lines.append(f"sigma[{constant}] = 1  # features that never vary")
    return [*lines, "Z = (X - mean) / sigma"]


def _matrix(state: LabState) -> list[str]:
    return [*_prepared(state), f"C = Z.T @ Z{_over(state)}"]


def _over(state: LabState) -> str:
    return {Divisor.N_MINUS_1: " / (n - 1)", Divisor.N: " / n", Divisor.NONE: ""}[state.convention.divisor]


def _based(state: LabState) -> list[str]:
    """Return lines that make the present axes: the features, the components, or as they were turned."""
    axes, pca = state.basis.axes, state.prepared.pca
    if np.array_equal(axes, np.eye(len(axes))):
        return [*_matrix(state), "axes = np.eye(d)"]
    if not np.array_equal(axes, pca.components):
        return [*_matrix(state), *_array("axes", axes, state.data.features, "Axes V")]
    return [
        *_matrix(state),
        "_, _, axes = np.linalg.svd(Z, full_matrices=n < d)",
        "sizes = np.abs(axes)",
        "largest = np.argmax(sizes >= sizes.max(axis=1, keepdims=True) * (1 - 1e-9), axis=1)",
        "axes *= np.sign(axes[np.arange(d), largest])[:, None]  # any sign would do",
    ]


def _line(state: LabState) -> list[str]:
    (i, j), degrees = state.plane, float(np.degrees(state.angle))
    if i == j:
        return [*_based(state), "w = axes[0]"]
    turned = f"w = np.cos(angle) * axes[{i}] + np.sin(angle) * axes[{j}]"
    return [*_based(state), f"angle = np.radians({degrees!r})", turned]


def _turn(state: LabState) -> list[str]:
    return [*_line(state), "along = w @ C @ w", "error = np.trace(C) - along"]


def _diagonal(state: LabState) -> list[str]:
    return [
        *_based(state),
        "present = axes @ C @ axes.T",
        "",
        "from pcaimage.insight.lab import Basis  # turns planes until nothing is off the diagonal",
        "basis = Basis.of_axes(axes, C)",
        "while basis.off_diagonal > 1e-9 * np.trace(C):",
        "    i, j = basis.largest()",
        "    basis = basis.turned(i, j, basis.best_angle(i, j))",
        "eigenvalues = np.sort(basis.variances)[::-1]",
    ]


def _power(state: LabState) -> list[str]:
    steps = f"for _ in range({max(len(state.powers) - 1, 1)}):"
    start = _line(state)
    if state.powers and not np.array_equal(state.powers[0], state.direction):
        start = [*_matrix(state), f"w = np.array({state.powers[0].tolist()})"]
    return [*start, steps, "    w = C @ w", "    growth = np.linalg.norm(w)", "    w = w / growth"]


def _encode(state: LabState) -> list[str]:
    return [*_based(state), f"k = {state.k}", "codes = Z @ axes[:k].T"]


def _decode(state: LabState) -> list[str]:
    decoded = "(codes @ axes[:k]) * sigma" if state.convention.standardized else "codes @ axes[:k]"
    return [
        *_encode(state),
        f"X_hat = mean + {decoded}",
        "whole, kept = (Z**2).sum(axis=1), (codes**2).sum(axis=1)",
        "left = ((Z - codes @ axes[:k]) ** 2).sum(axis=1)  # whole = kept + left",
    ]


def _keep(state: LabState) -> list[str]:
    return [
        *_based(state),
        "bars = np.diag(axes @ C @ axes.T)",
        "shares = np.cumsum(bars) / bars.sum()",
        f"kept = bars[:{state.k}].sum() / bars.sum()",
        "k95 = int(np.argmax(shares >= 0.95 - 1e-12)) + 1  # in the order of the axes",
    ]


def _take(state: LabState) -> list[str]:
    directions = np.array([taken.direction for taken in state.taken[1]]).reshape(-1, state.data.n_features)
    if not len(directions):
        return [*_matrix(state), "rest = Z  # nothing is taken away yet"]
    return [
        *_matrix(state),
        "rest = Z",
        f"for w in np.array({directions.tolist()}):",
        "    rest = rest - np.outer(rest @ w, w)",
        f"left = (rest**2).sum(){_over(state)}",
    ]


def _biplot(state: LabState) -> list[str]:
    return [
        *_based(state),
        f"plane = {list(state.plane)}",
        "lengths = np.sqrt(np.abs(np.diag(axes @ C @ axes.T)))[plane]",
        "arrows = axes[plane].T * lengths",
        "points = Z @ axes[plane].T / np.where(lengths > 1e-9 * lengths.max(), lengths, np.inf)",
    ]


def _cost(state: LabState) -> list[str]:
    more = state.convention.centre + state.convention.standardized
    return [
        *_encode(state),
        f"step = {cost_figures(state).step!r}",
        "rounded = np.round(codes / step) * step",
        f"numbers = k * {'n' if state.basis.given else '(n + d)'}{f' + {more} * d' if more else ''}",
        "lost = ((Z - codes @ axes[:k]) ** 2).mean()",
        "by_rounding = ((codes - rounded) ** 2).sum() / (n * d)",
    ]


_LISTINGS: dict[str, Callable[[LabState], list[str]]] = {
    "data": lambda _: [],
    "centre": _prepared,
    "standardise": _prepared,
    "covariance": _matrix,
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
