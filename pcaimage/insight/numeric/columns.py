"""Interpretation of a CSV file's rows as a table of numbers with header and labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.insight.numeric.text import Row, rows_of

MAX_COLUMNS, MAX_NUMBERS = 200, 200_000
"""Most columns and numbers of a table, whose covariance is to be read by people."""

LARGEST = 1e60
"""Largest number of a table, for which sums of products are far from overflowing."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WITH_COMMA = re.compile(r"[+-]?(?:[0-9]*|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+(?:[eE][+-]?[0-9]+)?")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+")
_DOTS = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?")
_COMMAS = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SIGNS = "€$£¥%"
_PLAIN = str.maketrans("−", "-", "\u00a0\u202f")
_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?", "."})


@dataclass(frozen=True, eq=False)
class NumericTable:
    """A table of numbers, (n_samples, n_features), with names of columns and, if a column has them, of rows.

    The note is a sentence about what was guessed when the table was read, mostly empty; the reading says how
    it was read, such as ``3 × 2, decimal comma, names from column 1``.
    """

    name: str
    features: tuple[str, ...]
    values: NDArray[np.float64] = field(repr=False)
    labels: tuple[str, ...] | None = None
    note: str = ""
    reading: str = ""


def read_table(
    data: bytes,
    name: str = "The table",
    *,
    header: bool | None = None,
    labels: str | None = None,
    transpose: bool = False,
) -> NumericTable:
    """Read a table of numbers from a CSV file, or a printed matrix; see :func:`rows_of` for the dialects.

    The first row is a header if it has text above a column of numbers, or nothing but text, or one text above
    text and ascending years above numbers that are not all years. A column in which fewer than half of the
    cells are numbers holds the rows' labels, and so does a first column without a name; there may be one such
    column, which `labels` names or numbers from 1. Numbers have a decimal point or, throughout the table, a
    comma. Signs of currencies and per cent beside them are left out, and so are marks between thousands where
    a number has them and decimals, too. With `transpose` samples are in columns; the rows' labels then name
    the features, and the header the samples. DataError is raised if it is not a table of numbers of two
    samples at least, or too large; the message names the offending cell.
    """
    rows, separator = rows_of(data, name)
    cells = _TableParser(name, rows, separator)
    with_header = cells.has_header() if header is None else header
    names, body = _split_header(rows, header=with_header)
    if len(body) < 2 - transpose:
        raise DataError(f"{name} has {len(body)} row of numbers; variances need at least two.")
    of_labels = cells.label_column(names, body, labels, with_header=with_header)
    columns = [index for index in range(len(names)) if index != of_labels]
    if not columns:
        raise DataError(f"{name} has no column of numbers.")
    if transpose and len(columns) < 2:
        raise DataError(f"{name} has one column of numbers; variances need at least two samples.")
    if (len(body) if transpose else len(columns)) > MAX_COLUMNS or len(columns) * len(body) > MAX_NUMBERS:
        raise DataError(
            f"{name} has {len(body)} rows of {len(columns)} numbers; at most {MAX_COLUMNS} "
            f"{'rows (features)' if transpose else 'columns'} and {MAX_NUMBERS:,} numbers can be shown step "
            "by step."
        )
    values = np.array([[cells.number(row, index, names) for index in columns] for row in body])
    found = None if of_labels is None else tuple(row.cells[of_labels] for row in body)
    features = tuple(names[index] for index in columns)
    read = cells.reading(len(body), len(columns), of_labels, with_header=with_header)
    if transpose:
        samples = features if with_header else None
        features = found or tuple(f"x{index}" for index in range(1, len(body) + 1))
        return NumericTable(name, features, np.ascontiguousarray(values.T), samples, reading=read)
    note = f"It is read as {read}." if cells.marks else ""
    if header is None and with_header and cells.years_above_numbers():
        years = f"{features[0]} … {features[-1]}"
        note = f"The first row, {years}, names the columns; if it is data, use --no-header."
    return NumericTable(name, features, values, found, note, read)


def _split_header(rows: list[Row], *, header: bool) -> tuple[list[str], list[Row]]:
    """Return the columns' names and the rows below them."""
    if not header:
        return [f"x{index}" for index in range(1, len(rows[0].cells) + 1)], rows
    names = [cell or f"x{index}" for index, cell in enumerate(rows[0].cells, start=1)]
    return names, rows[1:]


@dataclass(frozen=True)
class _TableParser:
    """Parser of the cells of a table."""

    name: str
    rows: list[Row]
    separator: str

    @cached_property
    def comma(self) -> bool:
        """Whether the decimal separator is a comma."""
        found = [cell for cell in self._bare if _WITH_COMMA.fullmatch(cell)]
        if any("." in cell and _COMMAS.fullmatch(cell) for cell in self._bare):
            return False
        # If commas separate the cells too, a quoted one more likely separates thousands.
        return bool(found) and not (self.separator == "," and all(map(_THOUSANDS.fullmatch, found)))

    @cached_property
    def _bare(self) -> list[str]:
        """The cells without signs of currencies."""
        return [_bare(cell) for row in self.rows for cell in row.cells]

    @cached_property
    def thousands(self) -> str:
        """The mark between thousands, if some number has it and decimals, too; else none."""
        mark, other, both = (".", ",", _DOTS) if self.comma else (",", ".", _COMMAS)
        return (
            mark
            if any(other in cell and mark in cell and both.fullmatch(cell) for cell in self._bare)
            else ""
        )

    @cached_property
    def marks(self) -> list[str]:
        """What is read otherwise than it is written, or might have been."""
        found = (
            [f"{'dots' if self.thousands == '.' else 'commas'} between thousands"] if self.thousands else []
        )
        signs = {sign for row in self.rows for cell in row.cells for sign in cell if sign in _SIGNS}
        read = sorted(sign for sign in signs if self._is_left_out(sign))
        if read:
            found.append(f"without {' '.join(read)}")
        pairs = [cell for cell in self._bare if _WITH_COMMA.fullmatch(cell)]
        if self.comma and all(map(_THOUSANDS.fullmatch, pairs)):
            found.append(f"{pairs[0]} as {self.value(pairs[0], comma=True):g}")
        return found

    def _is_left_out(self, sign: str) -> bool:
        with_it = [cell for row in self.rows for cell in row.cells if sign in cell]
        return any(self.value(cell, comma=self.comma) is not None for cell in with_it)

    def reading(self, rows: int, columns: int, of_labels: int | None, *, with_header: bool) -> str:
        """Return how the table is read, in one line."""
        parts = [f"{rows} × {columns}", *(["decimal comma"] if self.comma else []), *self.marks]
        if of_labels is not None:
            first = self.rows[-1].cells[of_labels]
            example = f" (“{first}”)" if any(map(str.isdigit, first)) else ""
            parts.append(f"names from column {of_labels + 1}{example}")
        return ", ".join([*parts, *(["features from row 1"] if with_header else [])])

    def value(self, cell: str, *, comma: bool) -> float | None:
        """Return the number in a cell; None if it is not a number."""
        text = _bare(cell)
        if self.thousands and (_DOTS if comma else _COMMAS).fullmatch(text):
            text = text.replace(self.thousands, "")
        if comma:
            text = "" if "." in text else text.replace(",", ".")
        return float(text) if _NUMBER.fullmatch(text) else None

    def has_header(self) -> bool:
        """Return whether the first row names the columns."""
        first, rest, comma = self.rows[0].cells, self.rows[1:], self.comma
        text = [bool(cell) and self.value(cell, comma=comma) is None for cell in first]
        text = [wrong and cell.lower() not in _MISSING for wrong, cell in zip(text, first, strict=True)]
        over_numbers = any(
            wrong and self._numeric([row.cells[index] for row in rest], comma=comma)
            for index, wrong in enumerate(text)
        )
        named = any(text) and all(text[1:]) and self.value(first[0], comma=comma) is None
        return over_numbers or named or self.years_above_numbers()

    def years_above_numbers(self) -> bool:
        """Return whether the first row has a name above text, and ascending years above other numbers."""
        first, rest = self.rows[0].cells, [row.cells for row in self.rows[1:]]
        named = [bool(cell) and self.value(cell, comma=self.comma) is None for cell in first]
        of_years = [index for index, text in enumerate(named) if not text]
        years = [first[index] for index in of_years]
        below = [row[index] for row in rest for index in of_years]
        return (
            sum(named) == 1
            and len(years) > 1
            and all(map(_YEAR.fullmatch, years))
            and all(int(one) < int(other) for one, other in pairwise(years))
            and not all(map(_YEAR.fullmatch, below))
        )

    def _numeric(self, cells: Sequence[str], *, comma: bool) -> bool:
        """Return whether a column holds numbers, some of which may be malformed or missing."""
        there = [cell for cell in cells if cell.lower() not in _MISSING]
        numbers = [
            self.value(cell, comma=comma) is not None or _THOUSANDS.fullmatch(cell) is not None
            for cell in there
        ]
        return 2 * sum(numbers) >= len(cells) or (not there and bool(cells))

    def label_column(
        self, names: list[str], body: list[Row], wanted: str | None, *, with_header: bool
    ) -> int | None:
        """Return the index of the column of labels, if there is one."""
        if wanted is not None:
            return self._wanted(names, wanted)
        comma = self.comma
        text = [
            index
            for index in range(len(names))
            if not self._numeric([row.cells[index] for row in body], comma=comma)
        ]
        if len(text) > 1:
            raise DataError(
                f"{self.name}: columns {names[text[0]]!r} and {names[text[1]]!r} both hold text; one may "
                "hold the rows' labels, and all others must hold numbers."
            )
        if text:
            return text[0]
        unnamed = with_header and len(names) > 1 and not self.rows[0].cells[0]
        return 0 if unnamed else None

    def _wanted(self, names: list[str], wanted: str) -> int:
        if wanted in names:
            return names.index(wanted)
        if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
            return int(wanted) - 1
        raise DataError(f"{self.name} has no column {wanted!r}; its columns are {', '.join(names)}.")

    def number(self, row: Row, index: int, names: list[str]) -> float:
        """Return the number in a cell, or raise a DataError that locates the fault."""
        cell, comma = row.cells[index], self.comma
        value = self.value(cell, comma=comma)
        if value is not None and abs(value) <= LARGEST:
            return value
        place = f"{self.name}: row {row.number}, column {index + 1} ({names[index]!r})"
        if cell.lower() in _MISSING:
            what = f"says {cell!r}" if cell else "is empty"
            raise DataError(f"{place} {what}; every row needs a number in every column.")
        if value is not None:
            raise DataError(f"{place}: {cell} is too large.")
        hint = ""
        if comma and "." in cell:
            hint = "; the decimal sign of this table is a comma"
        elif "," in cell:
            hint = "; write thousands without commas"
        raise DataError(f"{place}: {cell[:40]!r} is not a number{hint}.")


def _bare(cell: str) -> str:
    """Return a cell as a number is written: without signs of currencies and spaces between digits."""
    if cell.isascii() and not ("$" in cell or "%" in cell):
        return cell  # nearly all are
    text = cell.translate(_PLAIN)
    return text.strip(_SIGNS).strip() if any(map(str.isdigit, text)) else text
