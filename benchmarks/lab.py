"""Time that the PCA lab takes to open, to take a table, and to turn its axes and its line.

``python -m benchmarks.lab`` prints a table. *Figures* are the new state and what panes show of it, without a
window; *painted* is the whole way to the drawn window, off screen. ``--cpu`` measures the processor time of
the window's thread instead of elapsed time, for machines that are busy with something else; ``--strict``
exits with 1 if a median is above what is wanted.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtWidgets import QApplication

from pcaimage.gui.lab.page import LabPage
from pcaimage.gui.theme import apply_theme
from pcaimage.insight.lab import LabData, LabState, built_in
from pcaimage.insight.lab import transitions as go
from pcaimage.insight.lab.figures import matrix, scatter, spectrum

SIZE = 1180, 760
"""The window's usual size."""
REPEATS = 15
clock = time.thread_time if "--cpu" in sys.argv else time.perf_counter


@dataclass(frozen=True)
class Timing:
    """The least and the median of several times, in milliseconds, beside the most that is wanted."""

    name: str
    least: float
    median: float
    limit: float


def timed(name: str, limit: float, act: Callable[[int], object], repeats: int = REPEATS) -> Timing:
    """Time an act, which is given the number of its turn."""
    times = list[float]()
    for turn in range(repeats):
        start = clock()
        act(turn)
        times.append(1000 * (clock() - start))
    return Timing(name, min(times), sorted(times)[repeats // 2], limit)


def samples(count: int, features: int, *, picture: bool = False) -> LabData:
    """Return normal samples whose features are correlated."""
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(count, features)) @ rng.normal(size=(features, features))
    side = round(features**0.5)
    names = tuple(f"x{number}" for number in range(1, features + 1))
    return LabData("Samples", names, mixed, picture=(side, side) if picture else None)


def figures_of(state: LabState) -> LabState:
    """Work out what the panes of a state show."""
    scatter(state)
    matrix(state)
    spectrum(state)
    return state


def turns(app: QApplication, page: LabPage, data: LabData, figures: float, painted: float) -> list[Timing]:
    """Time turns of the axes and of the line, without a window and with it."""
    name = f"{data.n_samples:,} × {data.n_features:,}"
    held = [LabState.of(data)]

    def turn(_turn: int) -> None:
        held[0] = figures_of(go.turned_where_most(held[0]))

    def turn_painted(_turn: int) -> None:
        page.commands.by_name["most"].trigger()
        app.processEvents()

    def line_painted(number: int) -> None:
        page.panes.plane.lineMoved.emit(0.1 * number + 0.05, False)
        app.processEvents()

    turn(0)
    page.open_data(data)
    app.processEvents()
    return [
        timed(f"{name}: turn, figures", figures, turn),
        timed(f"{name}: turn, painted", painted, turn_painted),
        timed(f"{name}: line, painted", painted, line_painted),
    ]


def pictures(app: QApplication, page: LabPage, data: LabData) -> list[Timing]:
    """Time opening pictures, and dragging k while they are decoded."""
    name = f"{data.n_samples:,} × {data.n_features:,}"

    def opened(_turn: int) -> None:
        page.open_data(data)
        app.processEvents()

    def k_dragged(turn: int) -> None:
        page.panes.spectrum.kChosen.emit(40 + turn, False)
        app.processEvents()

    found = [timed(f"{name}: opened", 2000, opened, 2)]
    page.commands.by_name["finish"].trigger()
    page.follow("decode")
    app.processEvents()
    return [*found, timed(f"{name}: k, painted", 50, k_dragged)]


def main() -> None:
    """Print the table."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    apply_theme(app, "light")
    pages = list[LabPage]()

    def opened(_turn: int) -> None:
        page = LabPage()
        page.resize(*SIZE)
        page.show()
        app.processEvents()
        pages.append(page)

    def table(turn: int) -> None:
        pages[-1].open_data(built_in(("iris", "five-features")[turn % 2]))
        app.processEvents()

    found = [timed("lab opens", 300, opened, 5), timed("a table", 100, table)]
    page = pages[-1]
    found += turns(app, page, samples(10_000, 2), 16, 33)
    found += turns(app, page, samples(10_000, 10), 16, 33)
    found += turns(app, page, samples(50_000, 3), 33, 33)
    found += turns(app, page, samples(2_000, 784, picture=True), 33, 33)
    found += pictures(app, page, samples(10_000, 784, picture=True))
    width = max(len(each.name) for each in found)
    print(f"{'':{width}}  {'least':>8}  {'median':>8}  {'wanted':>8}")
    for each in found:
        print(f"{each.name:{width}}  {each.least:8.1f}  {each.median:8.1f}  {each.limit:8.0f}")
    if "--strict" in sys.argv:
        sys.exit(any(each.median > each.limit for each in found))


if __name__ == "__main__":
    main()
