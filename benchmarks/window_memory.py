"""Benchmark of the memory that the window releases when an image is closed.

``python -m benchmarks.window_memory FILE ROUNDS`` opens and closes the image in a NumPy file so often, and
prints how many bytes the process has after each time. In a process of its own nothing else counts.
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
"""The most that the process may have after all rounds, as a multiple of what it had after the first."""

_LONG = ("rates", "curve", "references")
"""Work that would take most of the time, and is stopped by closing as well."""

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
        """Bytes after the last closing, as a multiple of those after the first."""
        return self.rounds[-1] / self.rounds[0]


def resident() -> int:
    """Return how much memory this process has.

    Returns
    -------
    int
        Bytes; 0 where the system does not tell.
    """
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
    """Open an image, look at it in every way, and close it.

    Parameters
    ----------
    driver : Driver
        Of an empty window.
    pixels : ndarray of uint8, shape (H, W, 3)
        The image.
    """
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
    driver.session.jobs.wait()  # what was stopped may need a moment to notice
    driver.until_idle()


def kept(array: Bytes, rounds: int) -> Kept:
    """Open and close an image several times, in another process.

    Parameters
    ----------
    array : ndarray of uint8, shape (H, W, 3)
        The image.
    rounds : int
        How often.

    Returns
    -------
    Kept
        What is left each time.
    """
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "image.npy")
        np.save(raw, array)
        printed = printed_by("benchmarks.window_memory", str(raw), str(rounds))
    before, *after = map(int, printed.split())
    return Kept(before, tuple(after), array.nbytes)


def main(arguments: Sequence[str]) -> None:
    """Print the bytes of an empty window, and those after each round.

    Parameters
    ----------
    arguments : sequence of str
        The file and how many rounds.
    """
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
