"""The strip with many photographs: how long each frame of a scroll takes, and the memory of the window.

``QT_QPA_PLATFORM=offscreen python -m benchmarks.strip [--count 500] [--megapixels 12] [--frames 600]``

Photographs are hard links of a few distinct files. The strip is scrolled from one end to the other and back,
a frame at a time without a pause and then sixty frames a second, while small pictures are being made. Then
some photographs are opened.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication

from benchmarks.driven import driven_window
from benchmarks.driver import Driver
from benchmarks.photographs import made_photograph
from benchmarks.tables import Target, console, table, targets_table
from benchmarks.timing import Timing
from benchmarks.window_memory import resident
from pcaimage.gui.session.opening import listed
from pcaimage.imaging import Image, write_image

LONGEST, MOST_BYTES = 0.033, 1e9
"""The longest frame in seconds, and the most memory of the window in bytes."""

_DISTINCT = 5
_FRAME = 1 / 60
_SCROLLS, _OPENED, _REST = 3, 3, 1.0
_PEAK = Path("/proc/self/status")


@dataclass(frozen=True)
class Scrolled:
    """The frames of a scroll.

    Parameters
    ----------
    wall : Timing
        Seconds from the request of each frame until it was painted and no event was left.
    work : Timing
        For how many of them the window's thread had the processor.
    pictures : int
        How many small pictures were there when the scroll ended.
    """

    wall: Timing
    work: Timing
    pictures: int


@dataclass
class Found:
    """The results.

    Parameters
    ----------
    scrolls : dict of str to list of Scrolled
        By their names.
    memory : dict of str to int
        Bytes of the window.
    """

    scrolls: dict[str, list[Scrolled]] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)

    @property
    def longest(self) -> float:
        """The longest frame in seconds; of scrolls of a kind, that which was disturbed least counts."""
        return max(min(each.wall.worst for each in scrolls) for scrolls in self.scrolls.values())

    @property
    def most_work(self) -> float:
        """The most seconds of work in any frame."""
        return max(each.work.worst for scrolls in self.scrolls.values() for each in scrolls)


def photographs(folder: Path, count: int, megapixels: float) -> None:
    """Write photographs as JPEG files, of which most are hard links of a few.

    Parameters
    ----------
    folder : Path
        Where.
    count : int
        How many.
    megapixels : float
        The size of each.
    """
    height = round((megapixels * 1e6 * 3 / 4) ** 0.5)
    whole = made_photograph(height, round(megapixels * 1e6 / height))
    for number in range(count):
        path = folder / f"IMG_{number:04}.jpg"
        if number < _DISTINCT:
            shifted = np.ascontiguousarray(np.roll(whole, 500 * number, axis=1))
            write_image(path, Image(shifted), quality=90)
        else:
            os.link(folder / f"IMG_{number % _DISTINCT:04}.jpg", path)


def scroll(driver: Driver, frames: int, pause: float) -> Scrolled:
    """Scroll the strip to its end and back.

    Parameters
    ----------
    driver : Driver
        Of a window with a strip.
    frames : int
        In how many steps.
    pause : float
        Seconds from one frame to the next at least.

    Returns
    -------
    Scrolled
        What the frames took.
    """
    strip = driver.window.photographs.strip.list
    bar = strip.horizontalScrollBar()
    places = np.concatenate(
        [np.linspace(0, bar.maximum(), frames // 2), np.linspace(bar.maximum(), 0, frames // 2)]
    )
    wall, work = list[float](), list[float]()
    for place in places:
        start, worked = time.perf_counter(), time.thread_time()
        bar.setValue(round(place))
        QApplication.processEvents()
        wall.append(time.perf_counter() - start)
        work.append(time.thread_time() - worked)
        while time.perf_counter() - start < pause:
            QApplication.processEvents()
            time.sleep(0.001)
    shown = [each.path for each in driver.window.photographs.roll.photographs]
    made = sum(strip.miniatures.picture(path) is not None for path in shown)
    return Scrolled(Timing(tuple(wall)), Timing(tuple(work)), made)


def measure(folder: Path, frames: int) -> Found:
    """Open the photographs of a folder in a strip, scroll it, and open some of them.

    Parameters
    ----------
    folder : Path
        The folder.
    frames : int
        How many frames each scroll has.

    Returns
    -------
    Found
        The results.
    """
    found = Found()
    with driven_window() as driver:
        driver.window.photographs.open(listed([str(folder)]))
        _rest(driver)
        found.memory["with the strip"] = resident()
        for name, pause in (("without a pause", 0.0), ("60 frames a second", _FRAME)):
            found.scrolls[name] = [scroll(driver, frames, pause) for _ in range(_SCROLLS)]
        _rest(driver)
        found.memory["after scrolling"] = resident()
        for _ in range(_OPENED):
            driver.window.photographs.strip.list.step(100)
            _rest(driver)
        found.memory[f"after opening {_OPENED} others"] = resident()
    found.memory["at most"] = peak()
    return found


def _rest(driver: Driver) -> None:
    driver.until_idle()
    end = time.perf_counter() + _REST
    driver.until(lambda: time.perf_counter() > end)
    driver.until_idle()


def peak() -> int:
    """Return the most memory that this process has had.

    Returns
    -------
    int
        Bytes; 0 where the system does not tell.
    """
    if _PEAK.exists():
        for line in _PEAK.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print tables.

    Parameters
    ----------
    arguments : sequence of str, optional
        Of the command line.

    Returns
    -------
    int
        The exit code: 1 if a target was missed.
    """
    parser = argparse.ArgumentParser(description="Scroll a strip of many photographs.")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--megapixels", type=float, default=12.0)
    parser.add_argument("--frames", type=int, default=600)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        photographs(Path(name), chosen.count, chosen.megapixels)
        found = measure(Path(name), chosen.frames)
    rows = [
        [
            name,
            *(
                f"{1000 * value:.1f}"
                for value in (each.wall.median, each.wall.percentile(99), each.wall.worst)
            ),
            *(f"{1000 * value:.1f}" for value in (each.work.median, each.work.worst)),
            f"{each.pictures}",
        ]
        for name, scrolls in found.scrolls.items()
        for each in scrolls
    ]
    columns = ("scroll", "median", "99 %", "longest", "work, median", "work, longest", "pictures")
    out = console()
    out.print(table("Frames in milliseconds", columns, rows))
    memory = [[name, f"{n_bytes / 1e6:.0f}"] for name, n_bytes in found.memory.items()]
    out.print(table("Memory", ("", "MB"), memory))
    targets = [
        Target("longest frame", 1000 * found.longest, 1000 * LONGEST, "ms"),
        Target("longest work in a frame", 1000 * found.most_work, 1000 * LONGEST, "ms"),
        Target("memory at most", found.memory["at most"] / 1e6, MOST_BYTES / 1e6, "MB"),
    ]
    out.print(targets_table(targets))
    return int(not all(each.reached for each in targets))


if __name__ == "__main__":
    sys.exit(main())
