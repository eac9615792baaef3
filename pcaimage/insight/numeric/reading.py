"""Tables of numbers from their cells: which row and columns have names, how numbers are written, and gaps."""

from __future__ import annotations

import codecs
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError
from pcaimage.insight.numeric.cells import PRINTED, Limits, Row, rows_of
from pcaimage.language import Own

Floats = NDArray[np.float64]

LARGEST = 1e60  # largest number of a table, for which sums of products are far from overflowing

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
    values: Floats = field(repr=False)
    labels: tuple[str, ...] | None = None
    note: str = ""
    reading: str = ""
    groups: tuple[str, ...] | None = None  # classes of the rows: a column of text that repeats itself


class Role(StrEnum):
    """What a column of a table holds."""

    FEATURE = "feature"
    NAMES = "names"  # of the rows
    CLASSES = "classes"  # of the rows: few words
    UNUSED = "left out"


class Gaps(StrEnum):
    """What becomes of rows in which a number is missing."""

    REFUSED = "refused"
    LEFT_OUT = "left out"
    FILLED = "filled"  # with the mean of the column


@dataclass(frozen=True)
class How:
    """How a table is read, as far as that is not to be found out: roles are those of its columns."""

    header: bool | None = None
    comma: bool | None = None  # before decimals
    roles: tuple[Role, ...] = ()
    gaps: Gaps = Gaps.REFUSED
    transpose: bool = False


def layout_of(data: bytes, name: str, how: How, limits: Limits = PRINTED) -> TableText:
    """Return how a table is read, whatever its cells hold; of a very large one its beginning decides."""
    if len(data) > _LARGE:
        data = data[: data.rfind(b"\n", 0, _LARGE) + 1]
    return TableText(name, *rows_of(data, name, limits), how)


def read_table(
    data: bytes,
    name: str = "The table",
    *,
    header: bool | None = None,
    labels: str | None = None,
    transpose: bool = False,
    how: How | None = None,
    limits: Limits = PRINTED,
) -> NumericTable:
    """Read a table of numbers from a CSV file, or a printed matrix; see :func:`rows_of` for the dialects.

    The first row is a header if it has text above a column of numbers, or nothing but text, or one text above
    text and ascending years above numbers that are not all years. A column in which fewer than half of the
    cells are numbers holds the rows' labels, and so does a first column without a name; there may be one such
    column, which `labels` names or numbers from 1. Numbers have a decimal point or, throughout the table, a
    comma. Signs of currencies and per cent beside them are left out, and so are marks between thousands where
    a number has them and decimals, too. With `transpose` samples are in columns; the rows' labels then name
    the features, and the header the samples. If it is said `how` a table is read, more columns of text than
    one are left out, and so are rows with gaps on request. DataError is raised if it is not a table of
    numbers of two samples at least, or too large; the message names the offending cell.
    """
    asked = how or How(header, transpose=transpose)
    if how is not None and len(data) > _LARGE and (found := _numbers_alone(data, name, asked, limits)):
        return found
    cells = TableText(name, *rows_of(data, name, limits), asked, labels)
    names, body, transpose = cells.names, cells.body, asked.transpose
    if len(body) < 2 - transpose:
        raise DataError(f"{name} has {len(body)} row of numbers; variances need at least two.")
    if how is None and Role.UNUSED in cells.roles:
        one, other = (names[index] for index in cells.text_columns[:2])
        raise DataError(
            f"{name}: columns {one!r} and {other!r} both hold text; one may hold the rows' labels, and all "
            "others must hold numbers."
        )
    columns = cells.columns(Role.FEATURE)
    if not columns:
        raise DataError(f"{name} has no column of numbers.")
    if transpose and len(columns) < 2:
        raise DataError(f"{name} has one column of numbers; variances need at least two samples.")
    _check_size(name, len(body), len(columns), transpose, limits)
    values = np.array([[cells.number(row, index) for index in columns] for row in body])
    values, whole, closed = _closed(values, asked.gaps, name)
    body = [row for row, kept in zip(body, whole, strict=True) if kept]
    features: tuple[str, ...] = tuple(Own(names[index]) for index in columns)
    read = cells.reading(len(body), len(columns), closed)
    texts = [tuple(Own(row.cells[index]) for row in body) for index in cells.columns(Role.NAMES)]
    classes = [tuple(Own(row.cells[index]) for row in body) for index in cells.columns(Role.CLASSES)]
    found_labels, groups = next(iter(texts + classes), None), next(iter(classes), None)
    if transpose:
        samples = features if cells.header else None
        features = found_labels or tuple(f"x{index}" for index in range(1, len(body) + 1))
        return NumericTable(name, features, np.ascontiguousarray(values.T), samples, reading=read)
    note = f"It is read as {read}." if cells.marks else ""
    if asked.header is None and cells.header and cells.years_above_numbers():
        years = f"{features[0]} … {features[-1]}"
        note = f"The first row, {years}, names the columns; if it is data, use --no-header."
    return NumericTable(name, features, values, found_labels, note, read, groups)


def _check_size(name: str, rows: int, columns: int, transpose: bool, limits: Limits) -> None:  # noqa: FBT001
    if (rows if transpose else columns) > limits.columns or columns * rows > limits.numbers:
        raise DataError(
            f"{name} has {rows} rows of {columns} numbers; at most {limits.columns} "
            f"{'rows (features)' if transpose else 'columns'} and {limits.numbers:,} numbers can be shown "
            "step by step."
        )


def _closed(values: Floats, gaps: Gaps, name: str) -> tuple[Floats, NDArray[np.bool_], list[str]]:
    """Return numbers without gaps, which rows of before they are, and words about the gaps."""
    missing: NDArray[np.bool_] = np.isnan(values)
    whole: NDArray[np.bool_]
    whole, everything = ~np.any(missing, axis=1), np.ones(len(values), np.bool_)
    if whole.all():
        return values, whole, []
    if gaps is Gaps.LEFT_OUT:
        return values[whole], whole, [f"rows with gaps left out: {len(values) - whole.sum()}"]
    if missing.all(axis=0).any():
        raise DataError(f"{name}: a column without a number cannot be filled; leave it out.")
    filled = np.where(missing, np.nanmean(values, axis=0), values)
    return filled, everything, [f"gaps filled with means: {missing.sum()}"]


_LARGE = 1 << 20  # bytes from which a table of nothing but numbers is read as a whole, ten times as fast
_DIGITS = b"0123456789+-.eE \r\n"
_GAP = re.compile(rb"(?<=[,;\t\n])(?:NA|NaN|nan|null)?(?=[,;\t\r\n]|$)")


def _numbers_alone(data: bytes, name: str, how: How, limits: Limits) -> NumericTable | None:
    """Read a large table of numbers below at most one row of names; None if it is anything else."""
    first, _, rest = data.removeprefix(codecs.BOM_UTF8).rstrip().partition(b"\n")
    sign = next((each for each in (b"\t", b";", b",") if each in first), b"")
    named = bool(first.translate(None, _DIGITS + sign))
    plain = not (how.roles or how.comma or how.transpose) and how.header in {None, named}
    names = [cell.strip(' "\r') for cell in first.decode("utf-8", "replace").split(sign.decode() or ",")]
    if not (plain and sign and all(names)) or rest.translate(None, _DIGITS + sign + b"NAanul"):
        return None
    _check_size(name, rest.count(b"\n") + 1, len(names), False, limits)
    body = rest if named else data
    if how.gaps is not Gaps.REFUSED:
        body = _GAP.sub(b"nan", body)
    try:
        values = np.loadtxt(io.BytesIO(body), delimiter=sign.decode(), ndmin=2)
    except ValueError:
        return None  # a gap, or a row of another length
    refused = how.gaps is Gaps.REFUSED and np.isnan(values).any()
    if refused or values.shape[1] != len(names) or (np.abs(values) > LARGEST).any():
        return None
    values, _, closed = _closed(values, how.gaps, name)
    read = ", ".join([f"{len(values)} × {len(names)}", *closed, *["features from row 1"] * named])
    features = map(Own, names) if named else [f"x{index}" for index in range(1, len(names) + 1)]
    return NumericTable(name, tuple(features), values, reading=read)


@dataclass(frozen=True)
class TableText:
    """The cells of a table, and how they are read."""

    name: str
    rows: list[Row]
    separator: str
    how: How
    labels: str | None = None

    @cached_property
    def header(self) -> bool:
        """Whether the first row names the columns."""
        return self._has_header() if self.how.header is None else self.how.header

    @cached_property
    def names(self) -> list[str]:
        """The names of the columns."""
        first = self.rows[0].cells if self.header else [""] * len(self.rows[0].cells)
        return [cell or f"x{index}" for index, cell in enumerate(first, start=1)]

    @cached_property
    def body(self) -> list[Row]:
        """The rows below the header."""
        return self.rows[self.header :]

    @cached_property
    def comma(self) -> bool:
        """Whether the decimal separator is a comma."""
        if self.how.comma is not None:
            return self.how.comma
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
        """The mark between thousands, if some number has it and decimals, too, or it is said; else none."""
        mark, other, both = (".", ",", _DOTS) if self.comma else (",", ".", _COMMAS)
        if self.how.comma is not None:
            return mark if any(mark in cell and both.fullmatch(cell) for cell in self._bare) else ""
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

    def reading(self, rows: int, columns: int, closed: list[str]) -> str:
        """Return how the table is read, in one line, with words about its gaps."""
        parts = [f"{rows} × {columns}", *(["decimal comma"] if self.comma else []), *self.marks]
        parts += [f"classes from column {index + 1}" for index in self.columns(Role.CLASSES)]
        for index in self.columns(Role.NAMES):
            last = self.rows[-1].cells[index]
            example = f" (“{last}”)" if any(map(str.isdigit, last)) else ""
            parts.append(f"names from column {index + 1}{example}")
        parts += [f"column {index + 1} left out" for index in self.columns(Role.UNUSED)]
        parts += closed
        return ", ".join([*parts, *(["features from row 1"] if self.header else [])])

    def value(self, cell: str, *, comma: bool) -> float | None:
        """Return the number in a cell; None if it is not a number."""
        text = _bare(cell)
        if self.thousands and (_DOTS if comma else _COMMAS).fullmatch(text):
            text = text.replace(self.thousands, "")
        if comma:
            text = "" if "." in text else text.replace(",", ".")
        return float(text) if _NUMBER.fullmatch(text) else None

    def _has_header(self) -> bool:
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

    @cached_property
    def text_columns(self) -> list[int]:
        """The columns, from 0, that hold text."""
        places = range(len(self.rows[0].cells))
        return [i for i in places if not self._numeric([row.cells[i] for row in self.body], comma=self.comma)]

    def columns(self, role: Role) -> list[int]:
        """Return the columns, from 0, of a role."""
        return [index for index, each in enumerate(self.roles) if each is role]

    @cached_property
    def roles(self) -> list[Role]:
        """What each column holds: of columns of text the last one with few words holds classes, one names."""
        found = [Role.FEATURE] * len(self.names)
        if len(self.how.roles) == len(found):
            return list(self.how.roles)
        if self.labels is not None:
            found[self._wanted(self.names, self.labels)] = Role.NAMES
            return found
        others = list(self.text_columns)
        words = {index: len({row.cells[index] for row in self.body}) for index in others}
        few = [index for index in others if 1 < words[index] <= len(self.body) / 2]
        for index in others:
            found[index] = Role.UNUSED
        if few:
            found[few[-1]] = Role.CLASSES
            others.remove(few[-1])
        if others:
            found[others[0]] = Role.NAMES
        elif self.header and len(found) > 1 and not self.rows[0].cells[0]:
            found[0] = Role.NAMES
        return found

    def _wanted(self, names: list[str], wanted: str) -> int:
        if wanted in names:
            return names.index(wanted)
        if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
            return int(wanted) - 1
        raise DataError(f"{self.name} has no column {wanted!r}; its columns are {', '.join(names)}.")

    def number(self, row: Row, index: int) -> float:
        """Return the number in a cell, or raise a DataError that locates the fault."""
        cell, comma, names = row.cells[index], self.comma, self.names
        value = self.value(cell, comma=comma)
        if value is not None and abs(value) <= LARGEST:
            return value
        place = f"{self.name}: row {row.number}, column {index + 1} ({names[index]!r})"
        if cell.lower() in _MISSING:
            if self.how.gaps is not Gaps.REFUSED:
                return math.nan
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
