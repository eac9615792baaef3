"""The lab's tables of numbers, with the formula of every cell, as text, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import axis_names
from pcaimage.insight.lab.formula import (
    DIGITS,
    LATEX,
    Difference,
    Formula,
    Grouped,
    Number,
    Product,
    Quotient,
    Sum,
    Term,
    figure,
    low,
    products,
)
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.numeric.cells import aligned_numbers, aligned_products
from pcaimage.machine.folders import tables

_DUST = 1e-13  # share of the numbers that are added up to which their sum is zero but for rounding
_HALVINGS, _LEAST_GAP = 60, 1e-17  # of the room between two eigenvalues, in which one is searched
_FIGURES = 5  # significant figures of a table's numbers
_SURELY_BELOW = 1e-9  # difference of a correlation from 1 that is not rounding

_MOST_ALIGNED = 5000
"""Numbers of a table whose decimals stand below each other, for which all of them are worked out."""


class Kind(StrEnum):
    """The tables."""

    DATA = "data"
    PREPARED = "prepared"
    MATRIX = "matrix"
    AXES = "axes"
    SCORES = "scores"
    WHITENED = "whitened"
    LEFT_VECTORS = "left-vectors"
    SINGULAR = "singular"
    RECONSTRUCTION = "reconstruction"
    RESIDUALS = "residuals"
    LEFT = "left"
    PRODUCTS = "products"
    KEPT = "kept"
    CORRELATION = "correlation"
    NEWCOMER = "newcomer"
    PULL = "pull"


_OF_NEWCOMER = {
    "x": Kind.DATA,
    "x̃": Kind.PREPARED,
    "c on each axis": Kind.SCORES,
    "x̂": Kind.RECONSTRUCTION,
    "x − x̂": Kind.RESIDUALS,
}
"""The rows of a sample that the axes were not found with; its code is zero on axes that are not kept."""
_OF_PULL = ("distance", "λ₁ without", "v₁ turns by °")


@dataclass(frozen=True)
class Frame:
    """A table without its numbers: title, and names of columns and rows."""

    title: str
    columns: tuple[str, ...] = field(repr=False)
    rows: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Grid(Frame):
    """A table with its numbers, shape (rows, columns), and whether they are shown as they were typed."""

    values: Floats = field(repr=False)
    typed: bool = False


def grid(state: LabState, kind: Kind) -> Grid:
    """Return a table of numbers; those of samples have a row for each."""
    found = frame(state, kind)
    values = _cells(state, kind, slice(None))
    return Grid(found.title, found.columns, found.rows, values, typed=kind is Kind.DATA)


def row_of(state: LabState, kind: Kind, row: int) -> Floats:
    """Return one row of a table, from 0, without working the others out: (columns,)."""
    return _cells(state, kind, row)


def _cells(state: LabState, kind: Kind, rows: int | slice) -> Floats:
    axes, k = state.basis.axes, state.k
    values: dict[Kind, Callable[[], Floats]] = {
        Kind.DATA: lambda: state.data.samples[rows],
        Kind.PREPARED: lambda: state.prepared.samples[rows],
        Kind.MATRIX: lambda: state.basis.matrix[rows],
        Kind.AXES: lambda: axes[rows],
        Kind.SCORES: lambda: state.scores_of(rows)[..., :k],
        Kind.WHITENED: lambda: state.scores_of(rows)[..., :k] / _lengths(state, 1),
        Kind.LEFT_VECTORS: lambda: state.scores_of(rows)[..., :k] / _lengths(state, state.prepared.divisor),
        Kind.SINGULAR: lambda: _singular(state)[rows],
        Kind.RECONSTRUCTION: lambda: state.decoded(rows),
        Kind.RESIDUALS: lambda: state.data.samples[rows] - state.decoded(rows),
        Kind.LEFT: lambda: state.taken[0][rows],
        Kind.PRODUCTS: lambda: axes[rows] @ axes.T,
        Kind.KEPT: lambda: axes[:k, rows].T @ _kept(state) @ axes[:k],
        Kind.CORRELATION: lambda: state.prepared.correlation[rows],
        Kind.NEWCOMER: lambda: _newcomer(state)[rows],
        Kind.PULL: lambda: pulls(state, rows),
    }
    return _clean(values[kind](), _DUST * _reach(state, kind, rows))


def frame(state: LabState, kind: Kind) -> Frame:
    """Return title and names of a table, as :func:`grid` does, without working its numbers out."""
    axes, features = axis_names(state), state.data.features
    titles = {
        Kind.DATA: "Samples",
        Kind.PREPARED: _prepared_title(state),
        Kind.MATRIX: "Matrix in the present basis",
        Kind.AXES: "Axes",
        Kind.SCORES: "Scores",
        Kind.WHITENED: "Whitened scores",
        Kind.LEFT_VECTORS: "Left singular vectors",
        Kind.SINGULAR: "Singular values",
        Kind.RECONSTRUCTION: f"Reconstruction from {state.k} of {len(axes)}",
        Kind.RESIDUALS: "Residuals",
        Kind.LEFT: f"What is left, {len(state.taken[1])} taken away",
        Kind.PRODUCTS: "Dot products of axes",
        Kind.KEPT: f"Matrix of the reconstruction from {state.k} of {len(axes)}",
        Kind.CORRELATION: "Correlations of the features",
        Kind.NEWCOMER: "A new sample",
        Kind.PULL: "What each sample pulls",
    }
    samples, kept = state.data.sample_names, axes[: state.k]
    squares = "s²" if state.prepared.divisor == 1 else f"s² / {state.prepared.divisor:,}"
    components = tuple(f"component {i + 1}" for i in range(len(axes)))
    names = {
        Kind.AXES: (features, axes),
        Kind.SINGULAR: (("s", squares, "λ"), components),
        Kind.NEWCOMER: (features, tuple(_OF_NEWCOMER)),
        Kind.PULL: (_OF_PULL, samples),
        **dict.fromkeys(_OF_AXES, (axes, axes)),
        **dict.fromkeys(_OF_FEATURES, (features, features)),
        **dict.fromkeys((Kind.SCORES, *_SCALED), (kept, samples)),
    }
    return Frame(titles[kind], *names.get(kind, (features, samples)))


def texts(state: LabState, kind: Kind) -> list[list[str]] | None:
    """Return a table's cells as text with decimals below each other; None of samples and of large tables."""
    names = frame(state, kind)
    if kind in {Kind.DATA, Kind.NEWCOMER, Kind.PULL} or len(names.rows) * len(names.columns) > _MOST_ALIGNED:
        return None
    align = aligned_products if kind in _OF_AXES | _OF_FEATURES | {Kind.SINGULAR} else aligned_numbers
    values, digits = grid(state, kind).values, _FIGURES
    if kind is Kind.CORRELATION:  # nothing that is not 1 is shown as 1
        gaps = 1 - np.abs(values)
        least = float(gaps[gaps > _SURELY_BELOW].min(initial=1.0))
        digits = max(digits, math.ceil(-math.log10(2 * least)) + 2)
    lines = align(values, digits)
    return [[each.replace("-", "−", each.startswith("-")) for each in line] for line in lines]


def text(kind: Kind, value: float, row: int = 0) -> str:
    """Return a number of a table whose decimals do not stand below each other; samples are as typed."""
    return figure(value, DIGITS if is_typed(kind, row) else _FIGURES)


def is_typed(kind: Kind, row: int) -> bool:
    """Whether the numbers of a table's row, from 0, are typed."""
    return kind is Kind.DATA or (kind is Kind.NEWCOMER and row == 0)


_OF_AXES = {Kind.MATRIX, Kind.PRODUCTS}
_OF_FEATURES = {Kind.KEPT, Kind.CORRELATION}


_SCALED = (Kind.WHITENED, Kind.LEFT_VECTORS)
"""Scores over their deviation, or over the length of their column, the singular value."""


def _lengths(state: LabState, divisor: float) -> Floats:
    """Return what scores on the kept axes are divided by; infinity where nothing varies: (k,)."""
    variances = state.basis.variances[: state.k]
    varies = variances > _DUST * state.prepared.trace
    return np.where(varies, np.sqrt(np.where(varies, variances, 1.0) * divisor), np.inf)


def _singular(state: LabState) -> Floats:
    """Return singular values of the prepared samples, their squares over the divisor, and eigenvalues."""
    variances, divisor = state.prepared.pca.variances, state.prepared.divisor
    variances = np.where(variances > _DUST**2 * state.prepared.trace, variances, 0.0)
    values = np.sqrt(variances * divisor)
    return np.stack([values, np.square(values) / divisor, variances], axis=1)


def _newcomer(state: LabState) -> Floats:
    found = [row_of(state.of_newcomer, kind, 0) for kind in _OF_NEWCOMER.values()]
    return np.stack([np.pad(row, (0, len(state.basis) - len(row))) for row in found])


def pulls(state: LabState, rows: int | slice) -> Floats:
    """Return how far samples are from zero, the first eigenvalue without each, and the turn of its component.

    The angle is that between the first components with the sample and without it, in degrees. Features keep
    the scales that they have with all samples. Sums of products lose ρ z zᵀ for the scores z of a sample:
    their eigenvalues μ are the roots of 1 = ρ Σ z² / (λ − μ), each between two λ, their eigenvectors
    z / (λ − μ) (G. H. Golub 1973, doi:10.1137/1015032).
    """
    by, n, pca = state.convention, len(state.data.samples), state.prepared.pca
    chosen = np.atleast_2d(state.prepared.samples[rows])
    scores, sums = chosen @ pca.components.T, pca.variances * state.prepared.divisor
    lost = n / (n - 1) if by.centre else 1.0  # without a sample the mean is another one
    scores = _clean(scores, _DUST * sums[0] ** 0.5)
    least = _LEAST_GAP * sums[0] or 1.0
    low, high = np.full(len(chosen), sums[1] if len(sums) > 1 else 0.0), np.full(len(chosen), sums[0])

    def gaps(middle: Floats) -> Floats:
        found: Floats = sums - middle[:, None]
        return np.where(np.abs(found) > least, found, least)

    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = lost * (scores**2 / gaps(middle)).sum(axis=1) < 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    value = np.where(scores[:, 0], (low + high) / 2, sums[0])
    first, *others = np.abs(scores / gaps(value)).T
    turns = np.where(scores[:, 0], np.degrees(np.arctan2(np.linalg.norm(others, axis=0), first)), 0.0)
    found = [np.linalg.norm(chosen, axis=1), value / max(by.divisor.of(n - 1), 1), turns]
    table = np.stack(found, axis=1)
    return table[0] if isinstance(rows, int) else table


def _kept(state: LabState) -> Floats:
    """Return the matrix of the axes that are kept: (k, k)."""
    return state.basis.matrix[: state.k, : state.k]


def _prepared_title(state: LabState) -> str:
    if state.convention.standardized:
        return "Standardised samples" if state.convention.centre else "Samples over their deviations"
    return "Centred samples" if state.convention.centre else "Samples, not centred"


def formula(state: LabState, kind: Kind, row: int, column: int) -> Formula:
    """Return the formula of a cell, from 0; it evaluates to the number there, but for rounding."""
    if kind is Kind.NEWCOMER:
        one = tuple(_OF_NEWCOMER.values())[row]
        if one is Kind.SCORES and column >= state.k:  # of an axis that is left out
            return Formula(f"c{low(1)},{low(column + 1)}", f"c_{{1,{column + 1}}}", Number(0.0), 0.0)
        return formula(state.of_newcomer, one, 0, column)
    cell, axes, k = float(row_of(state, kind, row)[column]), state.basis.axes, state.k
    terms: dict[Kind, Callable[[], Term]] = {
        Kind.DATA: lambda: Number(cell, DIGITS),
        Kind.PREPARED: lambda: _prepared(state, row, column),
        Kind.MATRIX: lambda: _covariance(state, row, column),
        Kind.AXES: lambda: Number(cell),
        Kind.SCORES: lambda: products(axes[column].tolist(), state.prepared.samples[row].tolist()),
        Kind.WHITENED: lambda: _scaled(state, row, column, 1),
        Kind.LEFT_VECTORS: lambda: _scaled(state, row, column, state.prepared.divisor),
        Kind.SINGULAR: lambda: _of_singular(state, row, column),
        Kind.RECONSTRUCTION: lambda: _decoded(state, row, column),
        Kind.RESIDUALS: lambda: Difference(
            Number(float(state.data.samples[row, column]), DIGITS), Number(float(state.decoded(row)[column]))
        ),
        Kind.LEFT: lambda: _left(state, row, column),
        Kind.PRODUCTS: lambda: products(axes[row].tolist(), axes[column].tolist()),
        Kind.KEPT: lambda: products(axes[:k, row].tolist(), (_kept(state) @ axes[:k, column]).tolist()),
        Kind.CORRELATION: lambda: _correlation(state, row, column),
        Kind.PULL: lambda: Number(cell),
    }
    symbol, latex = _SYMBOLS[kind]
    at, at_latex = f"{low(row + 1)},{low(column + 1)}", f"_{{{row + 1},{column + 1}}}"
    return Formula(symbol.replace("#", at), latex.replace("#", at_latex), terms[kind](), cell)


_SYMBOLS = tables("lab", "symbols.json")


def _scaled(state: LabState, row: int, column: int, divisor: float) -> Term:
    length = float(_lengths(state, divisor)[column])
    score = products(state.basis.axes[column].tolist(), state.prepared.samples[row].tolist())
    return Quotient(Grouped(score), Number(length)) if math.isfinite(length) else Number(0.0)


def _of_singular(state: LabState, row: int, column: int) -> Term:
    value, square, variance = (Number(each) for each in _singular(state)[row].tolist())
    above = Product((value, value))
    divided = above if state.prepared.divisor == 1 else Quotient(above, Number(float(state.prepared.divisor)))
    return (value, divided, variance)[column] if square.number else Number(0.0)


def _covariance(state: LabState, i: int, j: int) -> Term:
    inner = products(*(_scores(state, slice(None), axis) for axis in (i, j)))
    divisor = state.prepared.divisor
    return inner if divisor == 1 else Quotient(Grouped(inner), Number(float(divisor)))


def _scores(state: LabState, rows: int | slice, axes: int | slice) -> list[float]:
    """Return scores without what rounding leaves of zeros, which would only distract in a formula."""
    chosen = state.basis.axes[axes]
    dust = _DUST * (np.abs(chosen) @ state.prepared.reach)
    found: list[float] = _clean(state.prepared.samples[rows] @ chosen.T, dust).tolist()
    return found


def _left(state: LabState, row: int, column: int) -> Term:
    """Return what the last direction left: the number before minus the part along it."""
    removed = state.removed
    if removed is None or removed.before is None:
        return Number(float(state.prepared.samples[row, column]))
    before, w = removed.before.rest[row], removed.rounds[-1].direction
    along = Product((Number(float(before @ w)), Number(float(w[column]))))
    return Difference(Number(float(before[column])), along)


def _correlation(state: LabState, i: int, j: int) -> Term:
    """Return the mean product of two standardised features."""
    prepared = state.prepared
    centred = prepared.original[:, [i, j]] - prepared.mean[[i, j]]
    lengths = np.linalg.norm(centred, axis=0)
    if not (prepared.deviations[[i, j]] > 0).all():
        return Number(0.0)
    inner = products(centred[:, 0].tolist(), centred[:, 1].tolist())
    return Quotient(Grouped(inner), Grouped(products([float(lengths[0])], [float(lengths[1])])))


def _clean(values: Floats, dust: Floats | float) -> Floats:
    return np.where(np.abs(values) <= dust, 0.0, values)


def _reach(state: LabState, kind: Kind, row: int | slice) -> Floats | float:
    """Return the size of what the cells of a row are sums of, beside which rounding is measured."""
    if kind in {Kind.DATA, Kind.MATRIX, Kind.SINGULAR, Kind.NEWCOMER, Kind.PULL}:
        return 0.0  # as typed; and others are cleared where they are made
    if kind in {Kind.AXES, Kind.PRODUCTS, Kind.CORRELATION, *_SCALED}:
        return 1.0
    axes, reach = np.abs(state.basis.axes[: state.k]), state.prepared.reach
    if kind is Kind.KEPT:
        sides = axes.T @ state.basis.reach[: state.k]
        return np.multiply.outer(sides[row], sides)
    if kind is Kind.LEFT:
        directions = np.abs(np.array([taken.direction for taken in state.taken[1]]))
        return reach + (reach @ directions.T @ directions if directions.size else 0.0)
    if kind is Kind.PREPARED:
        return reach
    scores = axes @ reach
    # Entries of axes are themselves rounded, to some 1e-16, be they ever so small.
    return scores if kind is Kind.SCORES else (reach + scores @ (axes + 0.01)) * state.prepared.widths


def _prepared(state: LabState, row: int, column: int) -> Term:
    prepared, term = state.prepared, Number(float(state.data.samples[row, column]), DIGITS)
    shifted: Term = term
    if state.convention.centre:
        shifted = Difference(term, Number(float(prepared.shift[column])))
    if not state.convention.standardized:
        return shifted
    inner = Grouped(shifted) if isinstance(shifted, Difference) else shifted
    return Quotient(inner, Number(float(prepared.widths[column])))


def _decoded(state: LabState, row: int, column: int) -> Term:
    prepared = state.prepared
    axes = _clean(state.basis.axes[: state.k, column], _DUST)
    inner = products(_scores(state, row, slice(state.k)), axes.tolist())
    terms = inner.terms if isinstance(inner, Sum) else (inner,)
    if state.convention.standardized and terms:
        terms = (Product((Number(float(prepared.widths[column])), Grouped(inner))),)
    if state.convention.centre:
        terms = (Number(float(prepared.shift[column])), *terms)
    return Sum(terms)


def to_csv(table: Grid) -> str:
    """Return a table as comma-separated values (RFC 4180) in full precision, with names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(["", *table.columns])
    for name, row in zip(table.rows, table.values.tolist(), strict=True):
        writer.writerow([name, *map(repr, row)])
    return text.getvalue()


def to_text(table: Grid, digits: int = 4) -> str:
    """Return a table as aligned text, with so many significant figures; samples as they were typed."""
    body = [
        [figure(value, DIGITS if table.typed else digits) for value in row] for row in table.values.tolist()
    ]
    lines = [["", *table.columns], *([name, *row] for name, row in zip(table.rows, body, strict=True))]
    widths = [max(len(line[index]) for line in lines) for index in range(len(lines[0]))]
    aligned = [
        "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]).rstrip()
        for name, *cells in lines
    ]
    return "\n".join([table.title, *aligned, ""])


def to_latex(table: Grid, digits: int = 4) -> str:
    """Return a table as a LaTeX matrix without names, with so many significant figures, or as typed."""
    least = DIGITS if table.typed else 0
    rows = [
        " & ".join(Number(value, least).shown(LATEX, digits).strip("()") for value in row)
        for row in table.values.tolist()
    ]
    body = " \\\\\n".join(rows)
    return f"\\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}\n"
