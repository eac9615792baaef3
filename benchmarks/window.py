"""Benchmarks of the window's responsiveness with a large photograph, rendered without a screen.

``QT_QPA_PLATFORM=offscreen python -m benchmarks.window [--image FILE] [--json FILE]``
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.driven import driven_window
from benchmarks.driver import Driver, reachable
from benchmarks.heart import Watcher
from benchmarks.photographs import Bytes, large_photograph
from benchmarks.tables import console, seconds, targets_table, write_json
from benchmarks.timing import Timing
from benchmarks.window_found import AT_ONCE, TABS, Found
from benchmarks.window_memory import kept
from pcaimage.gui.compare.compare_view import Mode

SCALES = (("fit", 0.0), ("50 %", 0.5), ("100 %", 1.0), ("400 %", 4.0))

_WORST = 12
_SIDE: Mode = "side-by-side"
_FIGURES = ("settle", "measure", "similarity", "offers", "rates", "estimate")
"""Work on the figures of a setting, which is not waited for after each drag, but cancelled as by a move."""
_EXACT = "Error"
"""The tab that shows figures of the exact reconstruction."""
_TOUR: tuple[Mode, ...] = ("split", "difference", _SIDE, "difference", "split", _SIDE)
"""All transitions from one mode to another."""


def measure(array: Bytes, openings: int, moves: int, changes: int, watcher: Watcher | None = None) -> Found:
    """Open, drag, settle, and show everything; measures all but the memory.

    Parameters
    ----------
    openings : int
        Number of times the photograph is opened.
    moves : int
        Number of moves of the slider at each zoom.
    changes : int
        Number of times each change of mode is made.
    watcher : Watcher, optional
        Sampler of the thread's stack in gaps.
    """
    found = Found()
    with driven_window(watcher) as driver:
        for last in reversed(range(openings)):
            _open(driver, array, found, settle=not last)
        compare = driver.window.compare
        for name, scale in SCALES:
            compare.zoom_to(scale) if scale else compare.fit()
            driver.until_idle()
            found.moves[name] = _drag(driver, name, moves, found)
        compare.fit()
        _change_modes(driver, changes, found)
        for mode in _TOUR[:2]:
            driver.change_mode(mode)
            found.others[f"fit, {mode}"] = _drag(driver, f"fit, {mode}", moves, found)
        driver.change_mode(_SIDE)
        _show_tabs(driver, moves, found)
    with driven_window(watcher) as driver:
        driver.open(array)
        found.moves[AT_ONCE] = _drag(driver, AT_ONCE, moves, found)
    return found


@contextmanager
def _gaps(driver: Driver, found: Found, what: str) -> Iterator[None]:
    """Record the longest gap in a block."""
    with driver.heart.watched() as gaps:
        yield
    found.note_gaps(what, gaps)


def _open(driver: Driver, array: Bytes, found: Found, *, settle: bool) -> None:
    with _gaps(driver, found, "opening and fitting"):
        found.opening.append(driver.open(array))
    start = time.perf_counter()
    with _gaps(driver, found, "settling"):
        driver.until(lambda: bool(driver.session.state.offers))
        found.offers.append(time.perf_counter() - start)
        if settle:
            driver.until_idle()
            found.settling.append(time.perf_counter() - start)


def _drag(
    driver: Driver, name: str, moves: int, found: Found, where: str = "", *, exact: bool = False
) -> Timing:
    ks = reachable(driver, moves)
    with _gaps(driver, found, f"dragging{where}"):
        taken = driver.drag(ks)
    with _gaps(driver, found, f"dragging without a pause{where}"):
        found.frames[name] = driver.sweep(sorted(ks))
    with _gaps(driver, found, "settling"):
        driver.until_idle(() if exact else _FIGURES)
    driver.stop(_FIGURES)
    return Timing(tuple(taken))


def _change_modes(driver: Driver, changes: int, found: Found) -> None:
    for _ in range(changes):
        driver.until_idle()
        before = _SIDE
        for mode in _TOUR:
            with _gaps(driver, found, "changing the mode"):
                found.note_mode(f"{before} → {mode}", *driver.change_mode(mode))
            before = mode


def _show_tabs(driver: Driver, moves: int, found: Found) -> None:
    """Show every tab, and drag k once in each, to measure the cost of updating it."""
    tabs = driver.window.tabs
    shown = [number for number in range(tabs.count()) if tabs.isTabVisible(number)]
    driver.until_idle()
    for number in [*shown[1:], 0]:
        name = tabs.tabText(number).replace("&", "")
        with _gaps(driver, found, "showing tabs"):
            found.tabs[name] = driver.show_tab(number)
    for number in shown:
        driver.show_tab(number)
        title = tabs.tabText(number).replace("&", "")
        found.others[TABS + title] = _drag(
            driver, TABS + title, max(moves // 2, 2), found, ", all tabs", exact=title == _EXACT
        )
    driver.show_tab(0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if a target is missed and that was asked to be an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.window", description=__doc__)
    parser.add_argument("--image", type=Path, help="a photograph; by default one is found or made")
    parser.add_argument("--json", type=Path, help="a file to write the results to, as JSON")
    parser.add_argument("--openings", type=int, default=3, help="how often the image is opened")
    parser.add_argument("--moves", type=int, default=60, help="how often the slider is moved at each zoom")
    parser.add_argument("--changes", type=int, default=5, help="how often each change of the mode is made")
    parser.add_argument("--closings", type=int, default=5, help="how often the image is closed; 0 for never")
    parser.add_argument("--profile", action="store_true", help="print what happened in the longest gaps")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args(arguments)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    start = time.perf_counter()
    name, array = large_photograph(options.image)
    screen = console()
    screen.print(f"{name}, {array.shape[1]} × {array.shape[0]} pixels, in a window of 1600 × 1000\n")
    watcher = Watcher() if options.profile else None
    found = measure(array, options.openings, options.moves, options.changes, watcher)
    if options.closings:
        found.kept = kept(array, options.closings)
    found.seconds = time.perf_counter() - start
    for each in found.tables():
        screen.print(each)
    screen.print(f"All figures known {seconds(min(found.settling))} after the first picture.\n")
    if watcher is not None:
        for gap, places in watcher.worst(_WORST):
            screen.print(f"{seconds(gap.seconds)}, {seconds(gap.work)} of work", style="bold")
            screen.print(places, soft_wrap=True, markup=False)
    screen.print(targets_table(found.targets))
    write_json(options.json, {"image": name, "shape": list(array.shape), **found.plain()})
    return int(options.strict and not all(target.reached for target in found.targets))


if __name__ == "__main__":
    sys.exit(main())
