"""The lab's tables of numbers, with the formula of every cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import axis_names
from pcaimage.insight.lab.formula import (
    Difference,
    Formula,
    Grouped,
    Number,
    Product,
    Quotient,
    Sum,
    Term,
    low,
    products,
)
from pcaimage.insight.lab.state import LabState

Names = tuple[str, ...]

_DUST = 1e-13
"""Share of the largest number up to which a number is zero but for rounding."""


class Kind(StrEnum):
    """The tables."""

    DATA = "data"
    PREPARED = "prepared"
    MATRIX = "matrix"
    AXES = "axes"
    SCORES = "scores"
    RECONSTRUCTION = "reconstruction"
    RESIDUALS = "residuals"


@dataclass(frozen=True, eq=False)
class Grid:
    """A table of numbers with names.

    Parameters
    ----------
    title : str
        What it is.
    columns, rows : tuple of str
        Names.
    values : ndarray of float64, shape (rows, columns)
        The numbers.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    values: Floats = field(repr=False)


def grid(state: LabState, kind: Kind) -> Grid:
    """Return a table of numbers.

    Parameters
    ----------
    state : LabState
        The state.
    kind : Kind
        Samples and prepared samples have a row for each sample and a column for each feature; scores a
        column for each axis that is kept; the matrix is in the present basis.

    Returns
    -------
    Grid
        The table.
    """
    data = state.data
    axes = axis_names(state)
    samples, features, kept = data.sample_names, data.features, axes[: state.k]
    tables: dict[Kind, Callable[[], tuple[str, Names, Names, Floats]]] = {
        Kind.DATA: lambda: ("Samples", features, samples, data.samples),
        Kind.PREPARED: lambda: (_prepared_title(state), features, samples, state.prepared.samples),
        Kind.MATRIX: lambda: ("Matrix in the present basis", axes, axes, state.basis.matrix),
        Kind.AXES: lambda: ("Axes", features, axes, state.basis.axes),
        Kind.SCORES: lambda: ("Scores", kept, samples, state.scores[:, : state.k]),
        Kind.RECONSTRUCTION: lambda: (
            f"Reconstruction from {state.k} of {len(axes)}",
            features,
            samples,
            state.reconstruction,
        ),
        Kind.RESIDUALS: lambda: ("Residuals", features, samples, state.residuals),
    }
    return Grid(*tables[kind]())


def _prepared_title(state: LabState) -> str:
    if state.convention.standardized:
        return "Standardised samples" if state.convention.centre else "Samples over their deviations"
    return "Centred samples" if state.convention.centre else "Samples, not centred"


def formula(state: LabState, kind: Kind, row: int, column: int) -> Formula:
    """Return the formula of a cell.

    Parameters
    ----------
    state : LabState
        The state.
    kind : Kind
        The table.
    row, column : int
        The cell, from 0.

    Returns
    -------
    Formula
        It evaluates to the number in the cell, but for rounding.
    """
    cell = float(_clean(grid(state, kind).values[row, column], _dust(state, kind)))
    terms: dict[Kind, Callable[[], Term]] = {
        Kind.DATA: lambda: Number(cell),
        Kind.PREPARED: lambda: _prepared(state, row, column),
        Kind.MATRIX: lambda: _covariance(state, row, column),
        Kind.AXES: lambda: Number(cell),
        Kind.SCORES: lambda: products(
            state.basis.axes[column].tolist(), state.prepared.samples[row].tolist()
        ),
        Kind.RECONSTRUCTION: lambda: _decoded(state, row, column),
        Kind.RESIDUALS: lambda: Difference(
            Number(float(state.data.samples[row, column])), Number(float(state.reconstruction[row, column]))
        ),
    }
    symbol, latex = _SYMBOLS[kind]
    at, at_latex = f"{low(row + 1)},{low(column + 1)}", f"_{{{row + 1},{column + 1}}}"
    return Formula(symbol.replace("#", at), latex.replace("#", at_latex), terms[kind](), cell)


_SYMBOLS = {
    Kind.DATA: ("x#", "x#"),
    Kind.PREPARED: ("x̃#", r"\tilde{x}#"),
    Kind.MATRIX: ("C#", "C#"),
    Kind.AXES: ("v#", "v#"),
    Kind.SCORES: ("c#", "c#"),
    Kind.RECONSTRUCTION: ("x̂#", r"\hat{x}#"),
    Kind.RESIDUALS: ("x# − x̂#", r"x# - \hat{x}#"),
}


def _covariance(state: LabState, i: int, j: int) -> Term:
    inner = products(_scores(state, slice(None), i), _scores(state, slice(None), j))
    divisor = state.prepared.divisor
    return inner if divisor == 1 else Quotient(Grouped(inner), Number(float(divisor)))


def _scores(state: LabState, rows: int | slice, axes: int | slice) -> list[float]:
    """Return scores without what rounding leaves of zeros, which would only distract in a formula."""
    dust = _DUST * float(np.abs(state.prepared.samples).max(initial=0.0))
    found: list[float] = _clean(state.scores[rows, axes], dust).tolist()
    return found


def _clean(values: Floats, dust: float) -> Floats:
    return np.where(np.abs(values) <= dust, 0.0, values)


def _dust(state: LabState, kind: Kind) -> float:
    """Return the magnitude up to which a cell is zero but for rounding."""
    if kind is Kind.AXES:
        return _DUST
    if kind is Kind.MATRIX:
        return _DUST * state.prepared.trace
    return _DUST * float(np.abs(state.data.samples / state.prepared.widths).max(initial=0.0))


def _prepared(state: LabState, row: int, column: int) -> Term:
    prepared, term = state.prepared, Number(float(state.data.samples[row, column]))
    shifted: Term = term
    if state.convention.centre:
        shifted = Difference(term, Number(float(prepared.shift[column])))
    if not state.convention.standardized:
        return shifted
    inner = Grouped(shifted) if isinstance(shifted, Difference) else shifted
    return Quotient(inner, Number(float(prepared.widths[column])))


def _decoded(state: LabState, row: int, column: int) -> Term:
    prepared = state.prepared
    inner = products(_scores(state, row, slice(state.k)), state.basis.axes[: state.k, column].tolist())
    terms = inner.terms
    if state.convention.standardized and terms:
        terms = (Product((Number(float(prepared.widths[column])), Grouped(inner))),)
    if state.convention.centre:
        terms = (Number(float(prepared.shift[column])), *terms)
    return Sum(terms)


def pythagoras(state: LabState) -> Floats:
    """Return each sample's squared length, and its parts along the kept axes and beside them.

    Parameters
    ----------
    state : LabState
        The state.

    Returns
    -------
    ndarray of float64, shape (n_samples, 3)
        ‖x̃‖², Σ c², and ‖x̃ − Σ c v‖²; the first is the sum of the others. Each is measured by itself.
    """
    prepared, scores = state.prepared.samples, state.scores[:, : state.k]
    rest = prepared - scores @ state.basis.axes[: state.k]
    return np.stack([np.square(each).sum(axis=1) for each in (prepared, scores, rest)], axis=1)
