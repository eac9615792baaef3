"""The text of tables: cells of CSV of any dialect and of printed matrices, and numbers aligned as text."""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    4]``; braces likewise. R: vectors ``c(…)`` alone, named, or within ``matrix``, ``data.frame``, ``cbind``
    or ``rbind``, and a vector as it is printed. DataError is raised for several matrices, one that was
    abbreviated with dots, or more than two dimensions.
    """
    braced = _BRACED.fullmatch(text)
    shown = text if braced is None else braced[1].translate(_BRACKETS)
    return _latex(text, name) or _brackets(shown, name) or _of_r(text)


_BRACED = re.compile(r"[^{}\\]*?(\{[{}\d\s,;.eE+\-−]*\})[\s;]*")
_BRACKETS = str.maketrans("{}", "[]")
_R_CALL = re.compile(r"[>\s]*(?:[\w.]+\s*(?:<-|=)\s*)?(?:c|cbind|rbind|matrix|data\.frame|list)\s*\(")
_R_VECTOR = re.compile(r"(?:([\w.]+)\s*(?:=|<-)\s*)?\bc\(([^()]*)\)")
_R_SIZE = re.compile(r"\b(nrow|ncol)\s*=\s*(\d+)")
_R_WHOLE = re.compile(r"(?<=\d)L$")
_R_LINE = re.compile(r"\s*\[\d+\]\s+\S.*")
_R_ROW, _R_COLUMN = re.compile(r"^(\s*)\[(\d+),\]", re.MULTILINE), re.compile(r"\[,(\d+)\]")


def _of_r(text: str) -> list[list[str]] | None:
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(map(_R_LINE.fullmatch, lines)):
        return [[cell] for line in lines for cell in line.split()[1:]]
    found = _R_VECTOR.findall(text) if _R_CALL.match(text) else []
    vectors = [[_R_WHOLE.sub("", cell.strip(" \t\r\n'\"")) for cell in of.split(",")] for _, of in found]
    size = {side: int(count) for side, count in _R_SIZE.findall(text)}
    if size and len(vectors) == 1:
        (cells,) = vectors
        by_row = re.search(r"\bbyrow\s*=\s*T", text) is not None
        columns = size.get("ncol") or -(-len(cells) // max(size["nrow"], 1))
        width = max(columns if by_row else size.get("nrow") or -(-len(cells) // columns), 1)
        vectors = [cells[start : start + width] for start in range(0, len(cells), width)]
        return vectors if by_row else [list(row) for row in zip_longest(*vectors, fillvalue="")]
    if not vectors or "rbind" in text:
        return vectors or None
    names = [[name for name, _ in found]] if found[0][0] and len(found) > 1 else []
    return names + [list(row) for row in zip_longest(*vectors, fillvalue="")]


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


@dataclass(frozen=True)
class Limits:
    """The largest table that is read."""

    n_bytes: int
    columns: int
    numbers: int


PRINTED = Limits(4 << 20, 200, 200_000)  # the largest table whose steps are printed, to be read by people

SEPARATORS = ("\t", ";", "|", ",", " ")
"""Order of preference: between tabs or semicolons, commas may be decimal separators."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Row:
    """A row of the file: its line number from 1, as spreadsheets show it, and its stripped cells."""

    number: int
    cells: list[str]


def rows_of(data: bytes, name: str, limits: Limits = PRINTED) -> tuple[list[Row], str]:
    """Return the non-empty rows of a table's file, all of equal length, and their separator.

    The separator is the first of tab, semicolon, bar, comma and space that splits all rows into the same
    number of cells, at least two. If none does, it is the first of those but the space that occurs, and rows
    of different lengths are refused; if none occurs there is one column. The file is UTF-8 or UTF-16 with a
    byte-order mark, UTF-8 without, or else Windows-1252. A matrix that is printed in LaTeX, in brackets or by
    R is read by :func:`printed_matrix`, a table drawn with bars without its lines. DataError is raised for
    what is not text, too large, empty, or has rows of different lengths.
    """
    text = _R_COLUMN.sub(r"x\1", _R_ROW.sub(r"\1\2", _undrawn(_text(data, name, limits))))
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


_RULE = re.compile(r"[\s|+:=-]*--[\s|+:=-]*|\s*\|[\s|:-]*-[\s|:-]*\|\s*")


def _undrawn(text: str) -> str:
    """Return a table that is drawn with bars, as in Markdown, without its frame and its lines."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not _RULE.fullmatch(line)]
    if not lines or not all("|" in line for line in lines):
        return text
    framed = all(line.startswith("|") for line in lines)
    return "\n".join(line[framed:].removesuffix("|") if framed else line for line in lines)


def _text(data: bytes, name: str, limits: Limits) -> str:
    if len(data) > limits.n_bytes:
        raise DataError(
            f"{name} is larger than {limits.n_bytes >> 20} MiB, too large to be shown step by step."
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


_MOST_DECIMALS = 15


def aligned_numbers(values: ArrayLike, digits: int, *, dust: ArrayLike = 0.0) -> list[list[str]]:
    """Format a matrix with a common number of decimals, or, if its columns differ too much, one per column.

    `digits` are the significant figures of the largest number. Common trailing zeros are dropped, down to two
    decimals. If the largest number of some column would have fewer than four figures, every column has its
    own number of decimals. A number that would have fewer than two figures is shown with a power of ten. Up
    to the magnitude `dust`, which is broadcast, numbers are rounding errors and shown as zero.
    """
    array = _without_dust(values, dust)
    if _alike(array, digits):
        flat = iter(_aligned(array.ravel(), digits))
        return [[next(flat) for _ in row] for row in array]
    columns = [_aligned(column, digits) for column in array.T]
    return [list(row) for row in zip(*columns, strict=True)]


def aligned_products(values: ArrayLike, digits: int, *, dust: ArrayLike = 0.0) -> list[list[str]]:
    """Format a matrix whose rows and columns have units, such as a covariance.

    It is formatted as by :func:`aligned_numbers`, but if rows or columns differ too much, every number has
    its own decimals, so that a symmetric matrix looks symmetric.
    """
    array = _without_dust(values, dust)
    if _alike(array, digits) and _alike(array, digits, axis=1):
        return aligned_numbers(array, digits)
    return [[_aligned(np.array([value]), digits)[0] for value in row] for row in array.tolist()]


def _without_dust(values: ArrayLike, dust: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    # Adding zero turns negative zero into zero.
    return np.where(np.abs(array) <= dust, 0.0, array) + 0.0


def _alike(array: NDArray[np.float64], digits: int, *, axis: int = 0) -> bool:
    """Return whether one number of decimals leaves four figures in every column (or row) that is not zero."""
    largest = np.abs(array).max(axis=axis, initial=0.0)
    lost = digits - min(digits, 4)
    return not largest.any() or bool((largest[largest > 0] >= largest.max() * 10.0**-lost).all())


def _aligned(column: NDArray[np.float64], digits: int) -> list[str]:
    """Format numbers with one number of decimals."""
    largest = float(np.abs(column).max(initial=0.0))
    whole = math.floor(math.log10(largest)) + 1 if largest > 0 else 1
    if not -4 < whole < _MOST_DECIMALS:
        return [f"{value:.{digits - 1}e}" for value in column.tolist()]
    decimals = min(max(digits - whole, 0), _MOST_DECIMALS)
    rounded = np.round(column, decimals) + 0.0
    while decimals > 2 and np.array_equal(rounded, np.round(column, decimals - 1) + 0.0):
        decimals -= 1
    # Below this, rounding to the common decimals leaves fewer than two figures.
    least = 10.0 ** (1 - decimals)
    return [
        f"{value:.{digits - 1}e}"
        if 0 < abs(value) < least and abs(value - shown) > abs(value) * 10.0**-digits
        else f"{shown:.{decimals}f}"
        for value, shown in zip(column.tolist(), rounded.tolist(), strict=True)
    ]
