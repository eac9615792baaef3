"""Worksheets: the steps of a table's PCA on paper, with blanks or with the numbers in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pcaimage.insight.formatting import percent
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.exercise import Exercise
from pcaimage.insight.lab.formula import DIGITS, figure
from pcaimage.insight.lab.live import step_formula
from pcaimage.insight.lab.numbers import Grid, Kind, grid
from pcaimage.insight.lab.state import LabState
from pcaimage.pca import cumulative_shares

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
