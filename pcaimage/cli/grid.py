"""Tables with several columns of numbers, folded to the width of the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pcaimage.cli.terminal import printable, result_console

if TYPE_CHECKING:
    from rich.console import Console

_GAP = 2


def say_grid(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, after: str | None = None
) -> None:
    """Print a table with an optional line below it, in several parts if it is wider than the terminal.

    The first column holds the rows' names, which every part repeats.
    """
    console = result_console()
    cells = [[printable(cell) for cell in row] for row in rows]
    names = [printable(name) for name in header]
    console.print(f"\n{printable(title)}", style="bold")
    for columns in fold_columns(names, cells, console.width):
        _print_part(console, names, cells, columns)
    if after:
        console.print(printable(after), style="dim")


def fold_columns(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Divide a table's columns into parts that fit a width in characters; every part has the first column."""
    widths = [max(len(row[index]) for row in [header, *rows]) + _GAP for index in range(len(header))]
    parts, room = list[list[int]](), 0
    for index in range(1, len(header)):
        if not parts or widths[index] > room:
            parts.append([0])
            room = width - widths[0]
        parts[-1].append(index)
        room -= widths[index]
    return parts or [[0]]


def _print_part(console: Console, header: list[str], rows: list[list[str]], columns: list[int]) -> None:
    # Imported here, as in `terminal`, as most commands print no table.
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for index in columns:
        table.add_column(header[index], justify="right" if index else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(row[index] for index in columns))
    console.print(table)
