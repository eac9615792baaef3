"""Parsing of tables as text: CSV of any dialect, its quotes and encoding, and printed matrices."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass

from pcaimage.errors import DataError
from pcaimage.insight.numeric.matrix import printed_matrix

MAX_TEXT_BYTES = 4 << 20
"""Most bytes of a table's file."""

SEPARATORS = ("\t", ";", "|", ",", " ")
"""Order of preference: between tabs or semicolons, commas may be decimal separators."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Row:
    """A row of the file: its line number from 1, as spreadsheets show it, and its stripped cells."""

    number: int
    cells: list[str]


def rows_of(data: bytes, name: str) -> tuple[list[Row], str]:
    """Return the non-empty rows of a table's file, all of equal length, and their separator.

    The separator is the first of tab, semicolon, bar, comma and space that splits all rows into the same
    number of cells, at least two. If none does, it is the first of those but the space that occurs, and rows
    of different lengths are refused; if none occurs there is one column. The file is UTF-8 or UTF-16 with a
    byte-order mark, UTF-8 without, or else Windows-1252. A matrix that is printed in LaTeX or in brackets is
    read by :func:`~pcaimage.insight.numeric.matrix.printed_matrix`. DataError is raised for what is not text,
    too large, empty, or has rows of different lengths.
    """
    text = _text(data, name)
    if cells := printed_matrix(text, name):
        matrix = [Row(number, row) for number, row in enumerate(cells, start=1)]
        _check_lengths(matrix, name)
        return matrix, "&"
    found, wrong = dict[str, list[Row]](), ""
    for separator in SEPARATORS:
        try:
            rows = _parsed(text, separator)
        except csv.Error as error:
            wrong = str(error)
            continue
        if not rows:
            raise DataError(f"{name} is empty.")
        longest = max(len(row.cells) for row in rows)
        if longest > 1 and all(len(row.cells) == longest for row in rows):
            return rows, separator
        if longest == 1 or separator != " ":
            found[separator] = rows
    # If no separator splits evenly, use the first that splits at all.
    cut = [separator for separator, rows in found.items() if any(len(row.cells) > 1 for row in rows)]
    if wrong and not cut:
        raise DataError(f"{name} is not a CSV file: {wrong}.")
    separator = cut[0] if cut else SEPARATORS[0]
    _check_lengths(found[separator], name)
    return found[separator], separator


def _check_lengths(rows: list[Row], name: str) -> None:
    for row in rows:
        if len(row.cells) != len(rows[0].cells):
            raise DataError(
                f"{name}: row {row.number} has {_count(len(row.cells))}, but row {rows[0].number} has "
                f"{_count(len(rows[0].cells))}."
            )


def _count(cells: int) -> str:
    return f"{cells} {'cell' if cells == 1 else 'cells'}"


def _text(data: bytes, name: str) -> str:
    if len(data) > MAX_TEXT_BYTES:
        raise DataError(
            f"{name} is larger than {MAX_TEXT_BYTES >> 20} MiB, too large to be shown step by step."
        )
    if data[:2] in _UTF_16:
        return data.decode("utf-16", "replace")
    if b"\0" in data or data[:4] == b"PK\3\4":
        raise DataError(f"{name} is not text; save the table as CSV.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _parsed(text: str, separator: str) -> list[Row]:
    """Return the rows as split by a separator."""
    lines = (line.strip(" \r\n") for line in io.StringIO(text, newline=None))
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    rows: list[Row] = []
    for cells in reader:
        stripped = [cell.strip() for cell in cells]
        if any(stripped):
            rows.append(Row(reader.line_num, stripped))
    return _regular(rows)


def _regular(rows: list[Row]) -> list[Row]:
    """Drop empty cells after a trailing separator, and name the column of R's row names."""
    if len(rows) > 1:
        width = len(rows[0].cells)
        behind = [row for row in rows if len(row.cells) == width + 1]
        if behind and all(not row.cells[-1] for row in behind):
            rows = [Row(row.number, row.cells[:width]) for row in rows]
        elif len(behind) == len(rows) - 1:
            rows = [Row(rows[0].number, ["", *rows[0].cells]), *rows[1:]]
    while rows and len(rows[0].cells) > 1 and all(not row.cells[-1] for row in rows):
        rows = [Row(row.number, row.cells[:-1]) for row in rows]
    return rows
