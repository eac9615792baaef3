"""Benchmark of the memory that the window releases when an image is closed.

``python -m benchmarks.window_memory FILE ROUNDS`` opens and closes the image in a NumPy file ROUNDS times,
and prints the memory of the process in bytes after each time. A process of its own excludes everything else.
"""

from __future__ import annotations

import ctypes
import gc
import platform
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from benchmarks.driven import driven_window
from benchmarks.driver import Driver
from benchmarks.photographs import Bytes
from benchmarks.processes import printed_by

GROWTH_LIMIT = 1.10
"""Upper limit on memory after all rounds, relative to that after the first."""

_LONG = ("rates", "curve", "references")
"""Work that would dominate the time, and is also cancelled by closing."""

_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Kept:
    """The memory that is left after an image was closed.

    Parameters
    ----------
    before : int
        Bytes of the process with an empty window.
    rounds : tuple of int
        Bytes after each opening and closing.
    raw : int
        Bytes of the image.
    """

    before: int
    rounds: tuple[int, ...]
    raw: int

    @property
    def growth(self) -> float:
        """Bytes after the last closing, relative to those after the first."""
        return self.rounds[-1] / self.rounds[0]


def resident() -> int:
    """Return the memory of this process in bytes; 0 if the system does not report it."""
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0


def tidy() -> None:
    """Free unused memory, and return it to the system."""
    for _ in range(3):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)


def use(driver: Driver, pixels: Bytes) -> None:
    """Open an image in an empty window, look at it in every way, and close it."""
    window = driver.window
    driver.open(pixels)
    driver.until_idle(_LONG)
    for number in range(window.tabs.count()):
        driver.show_tab(number, _LONG)
    for mode in ("difference", "split", "side-by-side"):
        driver.change_mode(mode, _LONG)
    driver.drag([max(1, driver.session.state.setting.k // 2)])
    driver.until_idle(_LONG)
    window.tabs.setCurrentIndex(0)
    driver.session.close()
    driver.session.jobs.wait()  # cancelled work may take a moment to notice
    driver.until_idle()


def kept(array: Bytes, rounds: int) -> Kept:
    """Open and close an image several times in another process."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "image.npy")
        np.save(raw, array)
        printed = printed_by("benchmarks.window_memory", str(raw), str(rounds))
    before, *after = map(int, printed.split())
    return Kept(before, tuple(after), array.nbytes)


def main(arguments: Sequence[str]) -> None:
    """Print the memory with an empty window and after each round; `arguments` are file and rounds."""
    path, rounds = arguments
    with driven_window() as driver:
        tidy()
        print(resident())
        for _ in range(int(rounds)):
            use(driver, np.load(path))
            tidy()
            print(resident(), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
