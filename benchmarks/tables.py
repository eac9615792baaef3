"""Tables printed by the benchmarks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Timing


@dataclass(frozen=True)
class Target:
    """A target with the measured value.

    Parameters
    ----------
    name : str
        The measured quantity.
    value : float
        The measured value.
    limit : float
        Its upper limit.
    unit : str
        Unit of both.
    least : bool, default False
        Whether the limit is a lower one.
    """

    name: str
    value: float
    limit: float
    unit: str
    least: bool = False

    @property
    def reached(self) -> bool:
        """Whether the target is met."""
        return self.value >= self.limit if self.least else self.value <= self.limit


def console() -> Console:
    """Return the console for tables; a file or pipe gets lines of 110 characters."""
    found = Console()
    return found if found.is_terminal else Console(width=110)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table with names on the left and numbers on the right."""
    made = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        made.add_column(column, justify="right" if number else "left")
    for row in rows:
        made.add_row(*row)
    return made


def targets_table(targets: Sequence[Target]) -> Table:
    """Return a table of the targets, and whether they are met."""
    rows = [
        (
            target.name,
            f"{target.value:.2f}{target.unit}",
            f"{'≥' if target.least else '≤'} {target.limit:g}{target.unit}",
            "[green]pass[/green]" if target.reached else "[bold red]miss[/bold red]",
        )
        for target in targets
    ]
    return table("Targets", ("", "measured", "target", ""), rows)


def seconds(value: float) -> str:
    """Format a time in seconds with its unit, such as ``12.3 ms``."""
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.1f} ms"


def timing_cells(timing: Timing) -> tuple[str, str, str, str]:
    """Return table cells with best, median, 95th percentile and worst."""
    values = (timing.best, timing.median, timing.percentile(95), timing.worst)
    first, second, third, fourth = map(seconds, values)
    return first, second, third, fourth


def write_json(path: Path | None, data: dict[str, Any]) -> None:
    """Write results as JSON, if there is a path."""
    if path is not None:
        path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
