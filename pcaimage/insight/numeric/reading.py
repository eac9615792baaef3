"""Tables of numbers in text: CSV of any dialect, matrices as programs print them, header and labels."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import DataError

_BEGIN = re.compile(r"\\begin\s*\{\s*((?:small|[bBpvV])?matrix|array|tabular)\*?\s*\}")
_END = re.compile(r"\\end\s*\{")
_COLUMNS = re.compile(r"\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}")
_LINES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule)\b|\\cline\s*\{[^}]*\}")
_NEW_ROW = re.compile(r"\\{2,3}(?:\s*\[[^\]&]*\])?|\\(?:cr|tabularnewline)\b")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{\s*(-?[0-9.]+)\s*\}\s*\{\s*(-?[0-9.]+)\s*\}")
_POWER = re.compile(r"\s*(?:\\cdot|\\times|·|×)\s*10\s*\^\s*\{?\s*([+\-−]?[0-9]+)\s*\}?")
_FONT = re.compile(r"\\(?:text|math)?(?:bf|rm|it|sf|tt)\b|\\(?:text|mathbf|mathrm|textbf)\b")
_SPACING = re.compile(r"\\[,;:! ]|\\q?quad\b|[${}~]")
_SIGN = re.compile(r"^([+\-−])\s+(?=[0-9.])")

_PREFIX = re.compile(
    r"[>\s]*(?:[\w.]+\s*=\s*)?(?:(?:[\w.]+\.)?(?:array|tensor|Tensor|matrix|mat)\s*\(\s*)?(?=\[)"
)
_SUFFIX = re.compile(r"[\s,;)]*(?:(?:dtype|device|shape)\s*=[^\[\]]*)?[\s,;)]*")
_INNER = re.compile(r"\[([^\[\]]*)\]")
_CELL = re.compile(r"\s*,\s*|\s+")


def printed_matrix(text: str, name: str) -> list[list[str]] | None:
    r"""Return the cells of a printed matrix, row by row; None if the text is no such matrix.

    LaTeX: one ``matrix``, ``array`` or ``tabular`` of any kind, or rows that end in two backslashes with
    cells between ampersands; fractions and powers of ten are evaluated. Brackets: ``[[1 2], [3 4]]``, also
    within ``array(…)`` or ``tensor(…)`` or after a name and ``=``, one bracket for each line, or ``[1 2; 3
    4]``. DataError is raised for several matrices, one that was abbreviated with dots, or more than two
    dimensions.
    """
    return _latex(text, name) or _brackets(text, name)


def _latex(text: str, name: str) -> list[list[str]] | None:
    begun = list(_BEGIN.finditer(text))
    if len(begun) > 1:
        raise DataError(f"{name} holds {len(begun)} matrices; give one of them.")
    if begun:
        body = text[begun[0].end() :]
        end = _END.search(body)
        body = body if end is None else body[: end.start()]
        if begun[0][1] in {"array", "tabular"} and (columns := _COLUMNS.match(body)):
            body = body[columns.end() :]
    else:
        body = text.strip().strip("$").strip()
        lines = [line for line in body.splitlines() if line.strip()]
        if "&" not in body or not all("&" in line for line in lines):
            return None
        if not all(_NEW_ROW.search(line) for line in lines[:-1]) or not _NEW_ROW.search(body):
            return None
    rows = _NEW_ROW.split(_LINES.sub("", body))
    return [[_latex_cell(cell) for cell in row.split("&")] for row in rows if row.strip(" \t\r\n$\\&")]


def _latex_cell(cell: str) -> str:
    found = _POWER.sub(r"e\1", _FRACTION.sub(_quotient, cell))
    found = _SPACING.sub("", _FONT.sub("", found)).strip()
    return _SIGN.sub(r"\1", found).replace("e−", "e-")


def _quotient(match: re.Match[str]) -> str:
    try:
        return repr(float(match[1]) / float(match[2]))
    except (ValueError, ZeroDivisionError):
        return match[0]


def _brackets(text: str, name: str) -> list[list[str]] | None:
    start = _PREFIX.match(text)
    if start is None:
        return None
    body = text[start.end() :]
    last = body.rfind("]")
    depth = _depth(body[: last + 1])
    if depth is None or not _SUFFIX.fullmatch(body[last + 1 :]):
        return None
    if depth > 2:
        raise DataError(f"{name} has {depth} dimensions; a table has two.")
    if "..." in body or "…" in body:
        raise DataError(f"{name} was abbreviated with dots when it was printed; print all of its numbers.")
    rows = [match[1] for match in _INNER.finditer(body)]
    if len(rows) == 1 and depth == 1:
        rows = re.split(r"[;\n]", rows[0])
    return [
        [cell.strip("'\"") for cell in _CELL.split(row.strip(" \t\r\n,;\u00a0"))]
        for row in rows
        if row.strip(" \t\r\n,;\u00a0")
    ]


def _depth(body: str) -> int | None:
    """Return how deep brackets are nested; None if they do not match."""
    depth = deepest = 0
    for character in body:
        depth += (character == "[") - (character == "]")
        deepest = max(deepest, depth)
        if depth < 0:
            return None
    return None if depth else deepest


MAX_TEXT_BYTES = 4 << 20  # most bytes of a table's file

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
    read by :func:`printed_matrix`. DataError is raised for what is not text, too large, empty, or has rows of
    different lengths.
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


MAX_COLUMNS, MAX_NUMBERS = 200, 200_000
"""Most columns and numbers of a table, whose covariance is to be read by people."""

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
    values: NDArray[np.float64] = field(repr=False)
    labels: tuple[str, ...] | None = None
    note: str = ""
    reading: str = ""
    groups: tuple[str, ...] | None = None  # classes of the rows: a column of text that repeats itself


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
    first = rows[0].cells if with_header else [""] * len(rows[0].cells)
    names, body = [cell or f"x{index}" for index, cell in enumerate(first, start=1)], rows[with_header:]
    if len(body) < 2 - transpose:
        raise DataError(f"{name} has {len(body)} row of numbers; variances need at least two.")
    of_groups = None if labels is not None else cells.group_column(body)
    of_labels = cells.label_column(names, body, labels, of_groups, with_header=with_header)
    columns = [index for index in range(len(names)) if index not in {of_labels, of_groups}]
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
    read = cells.reading(len(body), len(columns), of_labels, of_groups, with_header=with_header)
    if transpose:
        samples = features if with_header else None
        features = found or tuple(f"x{index}" for index in range(1, len(body) + 1))
        return NumericTable(name, features, np.ascontiguousarray(values.T), samples, reading=read)
    note = f"It is read as {read}." if cells.marks else ""
    if header is None and with_header and cells.years_above_numbers():
        years = f"{features[0]} … {features[-1]}"
        note = f"The first row, {years}, names the columns; if it is data, use --no-header."
    groups = None if of_groups is None else tuple(row.cells[of_groups] for row in body)
    return NumericTable(name, features, values, found, note, read, groups)


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

    def reading(
        self, rows: int, columns: int, of_labels: int | None, of_groups: int | None, *, with_header: bool
    ) -> str:
        """Return how the table is read, in one line."""
        parts = [f"{rows} × {columns}", *(["decimal comma"] if self.comma else []), *self.marks]
        if of_groups is not None:
            parts.append(f"classes from column {of_groups + 1}")
        if of_labels not in {None, of_groups}:
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

    def _text_columns(self, body: list[Row]) -> list[int]:
        places = range(len(self.rows[0].cells))
        return [i for i in places if not self._numeric([row.cells[i] for row in body], comma=self.comma)]

    def group_column(self, body: list[Row]) -> int | None:
        """Return the index of the last column of text in which there are few words, if there is one."""
        few = [
            i for i in self._text_columns(body) if 1 < len({row.cells[i] for row in body}) <= len(body) / 2
        ]
        return few[-1] if few else None

    def label_column(
        self,
        names: list[str],
        body: list[Row],
        wanted: str | None,
        of_groups: int | None,
        *,
        with_header: bool,
    ) -> int | None:
        """Return the index of the column of labels, if there is one: of a single column of text that one."""
        if wanted is not None:
            return self._wanted(names, wanted)
        text = self._text_columns(body)
        if len(text) == 2 and of_groups in text:
            text.remove(of_groups)
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
