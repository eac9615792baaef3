"""The lab's tables of numbers as text, CSV and LaTeX."""

from __future__ import annotations

import csv
import io

from pcaimage.insight.lab.formula import DIGITS, LATEX, Number, figure
from pcaimage.insight.lab.numbers import Grid


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
