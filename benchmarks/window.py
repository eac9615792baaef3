"""How the window feels with a large photograph: the real one, painted without a screen.

``QT_QPA_PLATFORM=offscreen python -m benchmarks.window [--image FILE] [--json FILE]``
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.driver import Driver, driven_window, reachable
from benchmarks.photographs import Bytes, large_photograph
from benchmarks.tables import Target, console, seconds, table, targets_table, timing_cells, write_json
from benchmarks.timing import Timing

FRAME_LIMIT = 33.0
"""Milliseconds from a move of the slider to its picture on the screen, at the median."""

SCALES = (("fit", 0.0), ("50 %", 0.5), ("100 %", 1.0), ("400 %", 4.0))


@dataclass
class Found:
    """What was measured.

    Parameters
    ----------
    opening : list of float
        Seconds from a decoded photograph to its first reconstruction on the screen, each time.
    settling : list of float
        Seconds from there until all that is known of it is shown.
    moves : dict of str to Timing
        Seconds from a move of the slider to its picture on the screen.
    gaps : dict of str to float
        The longest time without a turn of the event loop.
    frames : dict of str to float
        Pictures in a second while the hand never waits.
    """

    opening: list[float] = field(default_factory=list)
    settling: list[float] = field(default_factory=list)
    moves: dict[str, Timing] = field(default_factory=dict)
    gaps: dict[str, float] = field(default_factory=dict)
    frames: dict[str, float] = field(default_factory=dict)

    def note_gap(self, what: str, gaps: Sequence[float]) -> None:
        """Keep the longest gap of a phase.

        Parameters
        ----------
        what : str
            The phase.
        gaps : sequence of float
            Seconds.
        """
        self.gaps[what] = max(self.gaps.get(what, 0.0), max(gaps, default=0.0))

    @property
    def targets(self) -> list[Target]:
        """What was promised."""
        return [
            Target(f"a move and its picture, median, {name}", 1000 * timing.median, FRAME_LIMIT, " ms")
            for name, timing in self.moves.items()
        ]

    def plain(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "opening": self.opening,
            "settling": self.settling,
            "moves": {name: timing.summary() for name, timing in self.moves.items()},
            "longest_gaps": self.gaps,
            "pictures_per_second": self.frames,
        }


def measure(array: Bytes, openings: int, moves: int) -> Found:
    """Open, drag and settle.

    Parameters
    ----------
    array : ndarray of uint8, shape (H, W, 3)
        The photograph.
    openings : int
        How often it is opened.
    moves : int
        How often the slider is moved at each zoom.

    Returns
    -------
    Found
        The results.
    """
    found = Found()
    with driven_window() as driver:
        for last in reversed(range(openings)):
            _open(driver, array, found, settle=not last)
        for name, scale in SCALES:
            compare = driver.window.compare
            compare.zoom_to(scale) if scale else compare.fit()
            driver.until_idle()
            _drag(driver, name, moves, found)
    with driven_window() as driver:
        driver.open(array)
        _drag(driver, "fit, at once after opening", moves, found)
    return found


def _open(driver: Driver, array: Bytes, found: Found, *, settle: bool) -> None:
    with driver.watched_gaps() as gaps:
        found.opening.append(driver.open(array))
    found.note_gap("opening and fitting", gaps)
    if settle:
        start = time.perf_counter()
        with driver.watched_gaps() as gaps:
            driver.until_idle()
        found.settling.append(time.perf_counter() - start)
        found.note_gap("settling", gaps)


def _drag(driver: Driver, name: str, moves: int, found: Found) -> None:
    ks = reachable(driver, moves)
    with driver.watched_gaps() as gaps:
        taken = driver.drag(ks)
    found.moves[name] = Timing(tuple(taken))
    found.note_gap("dragging", gaps)
    with driver.watched_gaps() as gaps:
        found.frames[name] = driver.sweep(sorted(ks))
    found.note_gap("dragging without a rest", gaps)
    with driver.watched_gaps() as gaps:
        driver.until_idle()
    found.note_gap("settling", gaps)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the command line.

    Returns
    -------
    int
        1 if a target is missed, and that is asked for.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks.window", description=__doc__)
    parser.add_argument("--image", type=Path, help="a photograph; by default one is found or made")
    parser.add_argument("--json", type=Path, help="where to write the results for other programs")
    parser.add_argument("--openings", type=int, default=3, help="how often it is opened")
    parser.add_argument("--moves", type=int, default=60, help="how often the slider is moved at each zoom")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    name, array = large_photograph(options.image)
    screen = console()
    screen.print(f"{name}, {array.shape[1]} × {array.shape[0]} pixels, in a window of 1600 × 1000\n")
    found = measure(array, options.openings, options.moves)
    opening = Timing(tuple(found.opening))
    heads = ("best", "median", "95 %", "worst")
    rows = [("opened → first reconstruction painted", *timing_cells(opening), "")]
    rows += [
        (f"slider → its picture painted, {name}", *timing_cells(timing), f"{found.frames[name]:.0f}/s")
        for name, timing in found.moves.items()
    ]
    screen.print(table("The window", ("", *heads, "pictures"), rows))
    gaps = [(name, seconds(gap)) for name, gap in found.gaps.items()]
    screen.print(table("The longest gaps of the event loop", ("while", "gap"), gaps))
    screen.print(f"All figures known {seconds(min(found.settling))} after the first picture.\n")
    screen.print(targets_table(found.targets))
    write_json(options.json, {"image": name, "shape": list(array.shape), **found.plain()})
    return int(options.strict and not all(target.reached for target in found.targets))


if __name__ == "__main__":
    sys.exit(main())
