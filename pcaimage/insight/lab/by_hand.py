"""PCA on paper: characteristic polynomial and row reduction, and worksheets with blanks or with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.formatting import percent
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.basis import Basis
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.exercise import Exercise
from pcaimage.insight.lab.formula import DIGITS, figure
from pcaimage.insight.lab.live import step_formula
from pcaimage.insight.lab.numbers import Grid, Kind, grid
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.numeric import ties
from pcaimage.pca import cumulative_shares

MOST_BY_HAND = 6  # most features of a matrix that is worked through by hand
_SWEEPS = 12  # turns of every plane, after which nothing is left off the diagonal of so few features
_ROUNDING = 1e-13  # share of its terms by which an entry may be wrong at first
_LEAST_FIGURES = 5e-5  # share of a number by which it may be wrong to be shown


def characteristic(matrix: Floats) -> Floats:
    """Return the coefficients of det(λI − C), the highest power first.

    They are 1, minus the trace, … ± the determinant: sums of products of eigenvalues of which none is
    negative, so that small ones are right beside large ones.
    """
    found = np.array([1.0])
    for value in eigenvalues(matrix).tolist():
        found = np.append(found, 0.0) - value * np.append(0.0, found)
    return found + 0.0


def eigenvalues(matrix: Floats) -> Floats:
    """Return the eigenvalues of a covariance in descending order, small ones as exactly as large ones.

    Jacobi's turns of a matrix that is scaled badly keep the digits that its correlations determine (J. Demmel
    and K. Veselić 1992, doi:10.1137/0613074). What these leave of zeros is zero.
    """
    size = len(matrix)
    if size > MOST_BY_HAND:
        raise SettingsError(f"A matrix of {size} features is too large to be worked through by hand.")
    order = np.argsort(-np.diagonal(matrix), kind="stable")
    basis = Basis.of_features(matrix[np.ix_(order, order)])
    for _ in range(_SWEEPS):
        for i, j in combinations(range(size), 2):
            basis = basis.turned(i, j, basis.best_angle(i, j))
    return basis.in_order().variances


@dataclass(frozen=True, eq=False)
class Reduced:
    """A row reduction: the matrix, and the matrix after each pivot was cleared from all other rows.

    Unknowns of `free` columns, those without a pivot, may be chosen. There is a solution for each, in which
    it is 1 and the others are 0; they span the solutions, and need be neither orthogonal nor of length 1.
    They are certain if rounding leaves four figures of each number.
    """

    stages: tuple[Floats, ...] = field(repr=False)
    free: tuple[int, ...]
    solutions: Floats = field(repr=False)
    is_certain: bool


def reduced(matrix: Floats, eigenvalue: float) -> Reduced:
    """Solve (C − λI) v = 0 by elimination with row exchange.

    Each entry carries a bound of its rounding error, by which zeros are told from small numbers whatever the
    scales of the features. If λ is no eigenvalue, there is no solution but zero. At most
    :data:`MOST_BY_HAND` features.
    """
    size = len(matrix)
    if size > MOST_BY_HAND:
        raise SettingsError(f"A matrix of {size} features is too large to be worked through by hand.")
    scales, one = np.sqrt(np.abs(np.diagonal(matrix))), np.eye(size)
    left = matrix - eigenvalue * one
    wrong = _ROUNDING * (np.outer(scales, scales) + abs(eigenvalue) * one)
    stages, pivots, row = [np.where(np.abs(left) <= wrong, 0.0, left)], list[int](), 0
    for column in range(size):
        certain = np.abs(left[row:, column]) > wrong[row:, column]
        if not certain.any():
            continue
        # The pivot is the entry that is known best.
        known = np.where(certain, np.abs(left[row:, column]) / wrong[row:, column].clip(1e-300), 0.0)
        chosen = row + int(known.argmax())
        left[[row, chosen]], wrong[[row, chosen]] = left[[chosen, row]], wrong[[chosen, row]]
        wrong[row] = (wrong[row] + np.abs(left[row]) * (wrong[row, column] / abs(left[row, column]))) / abs(
            left[row, column]
        )
        left[row] /= left[row, column]
        wrong[row, column] = 0.0
        others = [index for index in range(size) if index != row]
        factors, rounding = left[others, column].copy(), wrong[others, column].copy()
        wrong[others] += np.outer(np.abs(factors), wrong[row]) + np.outer(rounding, np.abs(left[row]))
        left[others] -= np.outer(factors, left[row])
        left[others, column] = wrong[others, column] = 0.0
        left[np.abs(left) <= wrong] = 0.0
        stages.append(left.copy())
        pivots.append(column)
        row += 1
    free = tuple(column for column in range(size) if column not in pivots)
    solutions, errors = np.zeros((len(free), size)), np.zeros((len(free), size))
    for index, column in enumerate(free):
        solutions[index, column] = 1.0
        solutions[index, pivots] = -left[: len(pivots), column]
        errors[index, pivots] = wrong[: len(pivots), column]
    lost = (solutions != 0) & (errors > _LEAST_FIGURES * np.abs(solutions))
    return Reduced(tuple(stages), free, solutions + 0.0, not lost.any())


_HIGH = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def by_hand(state: LabState) -> str:
    """Return the characteristic polynomial, its roots, and the eigenvectors by elimination, as text.

    More than six features get a sentence instead: nobody would do that by hand.
    """
    matrix = state.prepared.matrix
    if len(matrix) > MOST_BY_HAND:
        return (
            f"With {len(matrix):,} features nobody finds eigenvalues by hand. Up to {MOST_BY_HAND} are shown."
        )
    values = eigenvalues(matrix).tolist()
    runs = [run for run in ties(values) if len(run) > 1]
    firsts = [index for index in range(len(values)) if not any(index in run[1:] for run in runs)]
    lines = [f"det(λI − C) = {_polynomial(characteristic(matrix))} = 0"]
    lines.append("λ = " + ", ".join(figure(value, 5) for value in values))
    for first in firsts:
        equal = next((len(run) for run in runs if run.start == first), 1)
        lines += ["", *_solved(matrix, state.prepared.samples, values[first], equal)]
    if runs:
        lines += ["", "Eigenvectors of equal eigenvalues are arbitrary: any basis of their space will do."]
    return "\n".join(lines)


def _solved(matrix: Floats, samples: Floats, value: float, equal: int) -> list[str]:
    found = reduced(matrix, value)
    if len(found.free) != equal or not found.is_certain:
        return [f"For λ = {figure(value, 5)} the scales of the features differ too much: standardise them."]
    lines = [f"(C − λI) v = 0 for λ = {figure(value, 5)}:"]
    stages = zip(*(stage.tolist() for stage in found.stages), strict=True)
    lines += ["  " + "   →   ".join(map(_row, rows)) for rows in stages]
    for solution in found.solutions:
        whole = whole_numbers(solution)
        shown = whole if whole is not None and not ((whole == 0) & (solution != 0)).any() else solution
        length = float(np.linalg.norm(shown))
        unit = ", ".join(figure(each, 4) for each in (shown / length).tolist())
        vector = ", ".join(figure(each, 4) for each in shown.tolist())
        lines.append(f"  v = ({vector}), length {figure(length, 4)}; of length 1: ({unit})")
        scores = ", ".join(figure(each, 4) for each in (samples[:MOST_BY_HAND] @ shown).tolist())
        lines.append(f"  scores with v of that length: {scores}{', …' * (len(samples) > MOST_BY_HAND)}")
    return lines


def _row(numbers: list[float]) -> str:
    return "[" + "  ".join(figure(number, 4).rjust(9) for number in numbers) + " ]"


def _polynomial(coefficients: Floats) -> str:
    degree, parts = len(coefficients) - 1, list[str]()
    for place, value in enumerate(coefficients.tolist()):
        power = degree - place
        if not value:
            continue
        symbol = "" if power == 0 else "λ" if power == 1 else "λ" + str(power).translate(_HIGH)
        number = "" if symbol and value == 1 else figure(abs(value), 4)
        sign = ("" if not parts else " + ") if value > 0 else " − "
        parts.append(sign + " ".join(part for part in (number, symbol) if part))
    return "".join(parts)


def whole_numbers(vector: Floats, most: int = 12) -> Floats | None:
    """Return a nonzero vector in the smallest whole numbers of the same ratios, to 1e-9.

    None if the largest would be above `most`.
    """
    largest = float(np.abs(vector).max())
    for factor in range(1, most + 1):
        scaled = vector / largest * factor
        rounded = np.round(scaled)
        if np.abs(scaled - rounded).max() <= 1e-9 * factor:
            return rounded + 0.0
    return None


MOST_ROWS, MOST_COLUMNS = 12, 8  # of a table on paper; of a larger one the first ones stand there
_FIGURES, _BLANK = 4, "________"
_LATEX = str.maketrans({each: f"\\{each}" for each in "&%$#_{}"} | {"\\": r"\textbackslash{}"})


@dataclass(frozen=True)
class Part:
    """A part of a worksheet: a heading, what is to be done, and a table whose first row has names."""

    heading: str
    words: str
    rows: list[list[str]]


def worksheet(state: LabState, *, answers: bool, exercise: Exercise | None = None) -> list[Part]:
    """Return the parts of a worksheet about a state's samples, convention and k, and an exercise's questions.

    Without answers, numbers that are to be found are blank.
    """
    by, k, prepared = state.convention, max(state.k, 1), state.prepared
    begun, done = go.begun_anew(state), go.with_k(go.finished(state), k)
    variances, features = prepared.pca.variances, state.data.features
    axes = grid(done, Kind.SCORES).columns
    said = {step: step_formula(step, by) for step in ("data", "centre", "standardise", "covariance")}
    mean = Grid("Mean", features, ("x̄",), prepared.mean[None])
    deviation = Grid("Deviation", features, ("σ",), prepared.deviations[None])
    tables = [
        (said["data"], grid(begun, Kind.DATA)),
        ("x̄ = Σ x / n", mean),
        *[(said["standardise"], deviation)] * by.standardized,
        (said["centre"], grid(begun, Kind.PREPARED)),
        (said["covariance"], replace(grid(begun, Kind.MATRIX), title=f"Matrix: {by.products}")),
        ("det(C − λI) = 0", Grid("Eigenvalues", axes, ("λ",), variances[None, :k])),
        ("(C − λI) v = 0, of length 1", Grid("Components", features, axes, prepared.pca.components[:k])),
        (step_formula("encode", by), grid(done, Kind.SCORES)),
        (step_formula("decode", by), grid(done, Kind.RECONSTRUCTION)),
    ]
    parts = [Part(table.title, words, _rows(table, answers)) for words, table in tables]
    share = percent(100 * float(cumulative_shares(variances)[k])) if answers else _BLANK
    parts.append(Part("Share", f"{k} of {len(variances)} axes keep {share} of the {by.squares}.", []))
    begin = None if exercise is None else exercise.state()
    for number, question in enumerate(exercise.questions if exercise else (), start=1):
        wanted = question.wanted(begin or state) if answers and question.is_typed else _BLANK
        shown = wanted if isinstance(wanted, str) else ", ".join(figure(each, _FIGURES) for each in wanted)
        parts.append(Part(f"Question {number}", f"{question.text} Answer: {shown}", []))
    return parts


def _rows(table: Grid, answers: bool) -> list[list[str]]:  # noqa: FBT001
    """Return a table as rows of text: numbers as they were typed, rounded, or blank."""
    digits, more = DIGITS if table.typed else _FIGURES, ["…"] * (len(table.columns) > MOST_COLUMNS)
    filled = answers or table.typed
    rows = [["", *table.columns[:MOST_COLUMNS], *more]]
    for name, values in zip(table.rows[:MOST_ROWS], table.values.tolist(), strict=False):
        shown = [figure(value, digits) if filled else "" for value in values[:MOST_COLUMNS]]
        rows.append([name, *shown, *more])
    return rows + [["…"] * len(rows[0])] * (len(table.rows) > MOST_ROWS)


def to_markdown(title: str, sheet: Sequence[Part]) -> str:
    """Return a worksheet in Markdown."""
    lines = [f"# {title}"]
    for part in sheet:
        lines += ["", f"## {part.heading}", "", part.words]
        cells = [[cell.replace("|", "\\|") or "\u00a0" * 12 for cell in row] for row in part.rows]
        shown = [f"| {' | '.join(row)} |" for row in cells]
        if shown:
            lines += ["", shown[0], "|---" * len(cells[0]) + "|", *shown[1:]]
    return "\n".join([*lines, ""])


def to_latex(title: str, sheet: Sequence[Part]) -> str:
    """Return a worksheet as a document for XeLaTeX or LuaLaTeX, which have the letters of its formulas."""
    lines = [r"\documentclass{article}", r"\usepackage{fontspec,geometry}", r"\begin{document}"]
    lines.append(rf"\section*{{{title.translate(_LATEX)}}}")
    for part in sheet:
        lines += [rf"\subsection*{{{part.heading}}}", part.words.translate(_LATEX)]
        if part.rows:
            body = [" & ".join(cell.translate(_LATEX) for cell in row) + r" \\ \hline" for row in part.rows]
            form = "|l" + "|r" * (len(part.rows[0]) - 1) + "|"
            lines += ["", rf"\begin{{tabular}}{{{form}}} \hline", *body, r"\end{tabular}"]
    return "\n".join([*lines, r"\end{document}", ""])
