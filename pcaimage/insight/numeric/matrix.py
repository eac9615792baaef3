"""Matrices as documents and programs print them: in LaTeX, and by NumPy, Python and MATLAB."""

from __future__ import annotations

import re

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
