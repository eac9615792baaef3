"""The table of components as text for files and spreadsheets."""

from __future__ import annotations

import csv
import html
import io
from collections.abc import Sequence

from pcaimage.insight.rows import ComponentRows


def to_csv(rows: ComponentRows) -> str:
    """Return all components as comma-separated values.

    Parameters
    ----------
    rows : ComponentRows
        The table.

    Returns
    -------
    str
        With a header of names for programs, lines that end in CRLF, and all digits: RFC 4180. PSNR is ``inf``
        where nothing is left out; what is unknown is empty.
    """
    return _separated(rows, [column.key for column in rows.columns], ",", "\r\n")


def to_tsv(rows: ComponentRows, components: Sequence[int]) -> str:
    """Return some components as spreadsheets take them from the clipboard.

    Parameters
    ----------
    rows : ComponentRows
        The table.
    components : sequence of int
        Counted from 1, in the order wanted.

    Returns
    -------
    str
        Values separated by tabs, with a header of names for people.
    """
    return _separated(rows, [column.title for column in rows.columns], "\t", "\n", components)


def _separated(
    rows: ComponentRows,
    header: list[str],
    separator: str,
    end: str,
    components: Sequence[int] | None = None,
) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=end)
    writer.writerow(header)
    writer.writerows(map(rows.record, components or range(1, len(rows) + 1)))
    return text.getvalue()


def to_html(rows: ComponentRows, components: Sequence[int]) -> str:
    """Return some components as a table for the clipboard.

    Parameters
    ----------
    rows : ComponentRows
        The table.
    components : sequence of int
        Counted from 1, in the order wanted.

    Returns
    -------
    str
        Numbers carry their value apart from its text, so that a spreadsheet whose decimal sign is a comma
        takes them too.
    """
    lines = ["".join(f"<th>{html.escape(column.title)}</th>" for column in rows.columns)]
    for component in components:
        cells = rows.record(component)
        lines.append("".join(_cell(text) for text in cells))
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _cell(text: str) -> str:
    is_number = text[:1].isdigit()
    value = f' sdval="{text}" sdnum="1033;"' if is_number else ""
    return f"<td{value}>{html.escape(text)}</td>"
