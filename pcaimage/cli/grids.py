"""Tables with several columns of numbers, at the width of the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pcaimage.cli.terminal import printable

_GAP = 2
_UNFOLDED = 10_000
_MOST_DECIMALS = 15


def numbers(values: ArrayLike, digits: int) -> list[list[str]]:
    """Return numbers that belong together as texts with one number of decimals.

    Parameters
    ----------
    values : array_like of float, shape (rows, columns)
        Finite numbers.
    digits : int
        How many figures the largest shows. Zeros that end all numbers are left out, but for two decimals.

    Returns
    -------
    list of list of str
        Row by row.
    """
    array = np.asarray(values, np.float64)
    largest = float(np.abs(array).max(initial=0.0))
    whole = math.floor(math.log10(largest)) + 1 if largest > 0 else 1
    if not -4 < whole < _MOST_DECIMALS:
        return [[f"{value:.{digits - 1}e}" for value in row] for row in array.tolist()]
    decimals = min(max(digits - whole, 0), _MOST_DECIMALS)
    # Adding zero turns the zero with a minus into the one without.
    rounded = np.round(array, decimals) + 0.0
    while decimals > 2 and np.array_equal(rounded, np.round(array, decimals - 1) + 0.0):
        decimals -= 1
    return [[f"{value:.{decimals}f}" for value in row] for row in rounded.tolist()]


def say_grid(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, after: str | None = None
) -> None:
    """Print a table, in several parts below each other where it is wider than the terminal.

    Parameters
    ----------
    title : str
        What it is of.
    header : sequence of str
        Names of the columns; the first holds the rows' names, which every part repeats.
    rows : iterable of sequence of str
        Cells.
    after : str, optional
        A line below.
    """
    # Imported here, as in `terminal`: the other commands do without.
    from rich.console import Console  # noqa: PLC0415

    at_terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(markup=False, highlight=False, emoji=False, width=None if at_terminal else _UNFOLDED)
    cells = [[printable(cell) for cell in row] for row in rows]
    names = [printable(name) for name in header]
    console.print(f"\n{printable(title)}", style="bold")
    for columns in _parts(names, cells, console.width):
        _print_part(console, names, cells, columns)
    if after:
        console.print(printable(after), style="dim")


def _parts(header: list[str], rows: list[list[str]], width: int) -> list[list[int]]:
    """Return which columns stand beside each other; the first stands in every part."""
    widths = [max(len(row[index]) for row in [header, *rows]) + _GAP for index in range(len(header))]
    parts, room = list[list[int]](), 0
    for index in range(1, len(header)):
        if not parts or widths[index] > room:
            parts.append([0])
            room = width - widths[0]
        parts[-1].append(index)
        room -= widths[index]
    return parts or [[0]]


def _print_part(console: Any, header: list[str], rows: list[list[str]], columns: list[int]) -> None:
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="dim")
    for index in columns:
        table.add_column(header[index], justify="right" if index else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(row[index] for index in columns))
    console.print(table)
