"""Benchmark of brushing: how long a move of the lasso takes until pictures, points and spectra show it.

``QT_QPA_PLATFORM=offscreen python -m benchmarks.brushing [--image FILE] [--moves N] [--strict]``
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from benchmarks.driven import driven_window
from pcaimage.gui.tabs.pixel.page import PixelPage
from pcaimage.imaging import Image, read_image

TARGET = 0.033
"""Seconds of processor time that a move may take at the median."""


def synthetic(side: int = 100, bands: int = 198) -> Image:
    """Return a cube of mixtures of a few smooth spectra, and noise."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:side, :side] / side
    parts = np.stack([np.cos(3 * x + 2 * y) ** 2, np.sin(4 * y) ** 2, x * y, (x > 0.6) * 1.0], axis=-1)
    spectra = np.cumsum(rng.normal(0, 60, (4, bands)), axis=1)
    return Image(
        (2000 + parts @ spectra + rng.normal(0, 10, (side, side, bands))).clip(0, 65535).astype(np.uint16)
    )


def measure(image: Image, moves: int) -> tuple[list[float], list[float]]:
    """Return the seconds, and those of processor time, that each of some moves takes until all is shown."""
    walls, busy = list[float](), list[float]()
    with driven_window() as driver:
        driver.session.open_image(image)
        driver.until_idle()
        driver.window.tabs.show_tab("pixel")
        page = driver.window.tabs.tab("pixel").page
        if not isinstance(page, PixelPage):
            raise TypeError("The tab of pixels has another page.")
        driver.until_idle()
        plot, jobs = page.scatter, driver.session.jobs
        left, right, low, high = plot.scatter.limits if plot.scatter is not None else (0.0, 1.0, 0.0, 1.0)
        angles = np.linspace(0, 2 * np.pi, moves + 1)
        places = np.stack([np.cos(angles), np.sin(angles)], axis=1) * 0.42 + 0.5
        corners = [
            plot.position_of(*place).toPoint()
            for place in (places * (right - left, high - low) + (left, low)).tolist()
        ]
        QTest.mousePress(plot.surface, Qt.MouseButton.LeftButton, pos=corners[0])
        for corner in corners[1:]:
            before, started = page.spectra, (time.perf_counter(), time.process_time())
            QTest.mouseMove(plot.surface, corner)
            QApplication.processEvents()
            # Waiting without events in hand must not count as work.
            while jobs.busy("regions") or (page.masks and page.spectra is before):
                QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            QApplication.processEvents()
            walls.append(time.perf_counter() - started[0])
            busy.append(time.process_time() - started[1])
        QTest.mouseRelease(plot.surface, Qt.MouseButton.LeftButton, pos=corners[-1])
        print(
            f"{int(page.masks[-1].sum()):,} pixels chosen in the end" if page.masks else "no pixel was chosen"
        )
    return walls, busy


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--image", type=Path, help="an image of many bands; by default one is made")
    parser.add_argument("--moves", type=int, default=120, help="how often the mouse is moved")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if the target is missed")
    chosen = parser.parse_args(arguments)
    image = synthetic() if chosen.image is None else read_image(chosen.image)
    walls, busy = measure(image, chosen.moves)
    for name, values in (("wall", walls), ("processor", busy)):
        middle, late, worst = (1000 * float(np.quantile(values, share)) for share in (0.5, 0.95, 1.0))
        print(f"{name:10} median {middle:6.1f} ms   95 % within {late:6.1f} ms   longest {worst:6.1f} ms")
    return int(chosen.strict and float(np.median(busy)) > TARGET)


if __name__ == "__main__":
    sys.exit(main())
