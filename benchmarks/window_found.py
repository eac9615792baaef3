"""The measurements of the window's benchmark, and the targets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rich.table import Table

from benchmarks.heart import Gap
from benchmarks.tables import Target, seconds, table, timing_cells
from benchmarks.timing import Timing
from benchmarks.window_memory import GROWTH_LIMIT, Kept

MOVE_LIMIT, BUSY_LIMIT = 12.0, 16.0
"""Median milliseconds from a move of the slider to its picture on the screen, side by side; the second with
any tab in sight, and while the photograph that was just opened is still being encoded."""

MODE_LIMIT = 33.0
"""Milliseconds from choosing another mode of comparison to its first picture on the screen, each time."""

GAP_LIMIT = 33.0
"""Milliseconds for which the event loop may be blocked."""

OFFERS_LIMIT, CURVE_LIMIT = 1.5, 15.0
"""Seconds from the first reconstruction to the sizes of the presets, and until the tab with all curves of
size and quality is complete."""

SECONDS_LIMIT = 180.0
"""Seconds that the whole benchmark may take."""

AT_ONCE = "fit, at once after opening"
CURVE, MODES, TABS = "Size and quality", ("fit, split", "fit, difference"), "fit, tab "
"""Names of moves and of that tab; those of moves with a tab in sight begin with the last."""

_HEADS = ("best", "median", "95 %", "worst")


@dataclass
class Found:
    """The measurements.

    Parameters
    ----------
    opening : list of float
        Seconds from a decoded photograph to its first reconstruction on the screen, each time.
    offers : list of float
        Seconds from then until the sizes of the presets are shown.
    settling : list of float
        Seconds from then until everything about it is shown.
    moves, others : dict of str to Timing
        Seconds from a move of the slider to its picture on the screen: side by side, and in other modes.
    frames : dict of str to float
        Pictures per second while the slider moves without waiting.
    modes, complete : dict of str to list of float
        Seconds from choosing a mode to its first picture, and to its last.
    tabs : dict of str to (float, float)
        Seconds from choosing a tab until it is painted, and until its contents no longer change.
    gaps : dict of str to Gap
        The longest interval without a turn of the event loop, and the most work between two turns.
    kept : Kept or None
        Memory after closing.
    seconds : float
        Time of the whole benchmark.
    """

    opening: list[float] = field(default_factory=list)
    offers: list[float] = field(default_factory=list)
    settling: list[float] = field(default_factory=list)
    moves: dict[str, Timing] = field(default_factory=dict)
    others: dict[str, Timing] = field(default_factory=dict)
    frames: dict[str, float] = field(default_factory=dict)
    modes: dict[str, list[float]] = field(default_factory=dict)
    complete: dict[str, list[float]] = field(default_factory=dict)
    tabs: dict[str, tuple[float, float]] = field(default_factory=dict)
    gaps: dict[str, Gap] = field(default_factory=dict)
    kept: Kept | None = None
    seconds: float = 0.0

    def note_gaps(self, what: str, gaps: Iterable[Gap]) -> None:
        """Record the longest gap of a phase, and the one with the most work."""
        all_of_it = [self.gaps.get(what, Gap(0.0, 0.0)), *gaps]
        self.gaps[what] = Gap(max(gap.seconds for gap in all_of_it), max(gap.work for gap in all_of_it))

    def note_mode(self, change: str, first: float, last: float) -> None:
        """Record the seconds of a change of mode to the first picture, and to the last."""
        self.modes.setdefault(change, []).append(first)
        self.complete.setdefault(change, []).append(last)

    @property
    def targets(self) -> list[Target]:
        """The targets, and the measured values."""
        found = list[Target]()
        for name, timing in {**self.moves, **self.others}.items():
            if name not in MODES:
                limit = BUSY_LIMIT if name.startswith((TABS, AT_ONCE)) else MOVE_LIMIT
                found.append(
                    Target(f"a move and its picture, median, {name}", 1000 * timing.median, limit, " ms")
                )
        if self.offers:
            name = "sizes of presets after the picture, best"
            found.append(Target(name, min(self.offers), OFFERS_LIMIT, " s"))
        if CURVE in self.tabs:
            found.append(Target("all curves of size and quality", self.tabs[CURVE][1], CURVE_LIMIT, " s"))
        if self.modes:
            worst = max(max(times) for times in self.modes.values())
            found.append(Target("a change of the mode, worst", 1000 * worst, MODE_LIMIT, " ms"))
        found += [
            Target(f"longest gap while {name}", 1000 * gap.seconds, GAP_LIMIT, " ms")
            for name, gap in self.gaps.items()
        ]
        if self.kept is not None:
            rounds = len(self.kept.rounds)
            name = f"memory after {rounds} closings, to that after one"
            found.append(Target(name, self.kept.growth, GROWTH_LIMIT, ""))
        if self.seconds:
            found.append(Target("the whole benchmark", self.seconds, SECONDS_LIMIT, " s"))
        return found

    def plain(self) -> dict[str, Any]:
        """Return all results as data for JSON."""
        return {
            "opening": self.opening,
            "offers": self.offers,
            "settling": self.settling,
            "moves": {name: timing.summary() for name, timing in {**self.moves, **self.others}.items()},
            "pictures_per_second": self.frames,
            "modes": {name: Timing(tuple(times)).summary() for name, times in self.modes.items()},
            "modes_complete": {name: Timing(tuple(times)).summary() for name, times in self.complete.items()},
            "tabs": {name: {"first": first, "last": last} for name, (first, last) in self.tabs.items()},
            "longest_gaps": {name: gap._asdict() for name, gap in self.gaps.items()},
            "memory": None
            if self.kept is None
            else {"raw": self.kept.raw, "before": self.kept.before, "closed": list(self.kept.rounds)},
        }

    def tables(self) -> list[Table]:
        """Return all results as tables."""
        rows = [("opened → first reconstruction painted", *timing_cells(Timing(tuple(self.opening))), "")]
        rows += [
            (f"slider → its picture painted, {name}", *timing_cells(timing), f"{self.frames[name]:.0f}/s")
            for name, timing in {**self.moves, **self.others}.items()
        ]
        rows.insert(1, ("then → sizes of presets shown", *timing_cells(Timing(tuple(self.offers))), ""))
        found = [table("The window", ("", *_HEADS, "pictures"), rows)]
        changes = [
            (name, *timing_cells(Timing(tuple(times))), seconds(Timing(tuple(self.complete[name])).median))
            for name, times in self.modes.items()
        ]
        found.append(table("Mode chosen → its first picture painted", ("", *_HEADS, "complete"), changes))
        tabs = [(name, seconds(first), seconds(last)) for name, (first, last) in self.tabs.items()]
        found.append(table("Tab chosen → painted", ("", "first", "complete"), tabs))
        gaps = [(name, seconds(gap.seconds), seconds(gap.work)) for name, gap in self.gaps.items()]
        found.append(table("The event loop", ("while", "longest gap", "most work in one"), gaps))
        if self.kept is not None:
            found.append(_memory(self.kept))
        return found


def _memory(kept: Kept) -> Table:
    rows = [("the empty window", f"{kept.before / 1e6:.0f} MB", "")]
    rows += [
        (f"closed, time {number}", f"{n_bytes / 1e6:.0f} MB", f"{n_bytes / kept.rounds[0]:.3f}")
        for number, n_bytes in enumerate(kept.rounds, 1)
    ]
    return table("Memory of the process", ("", "resident", "to the first"), rows)
