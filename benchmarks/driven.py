"""The real window with default settings, for a driver."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QSettings,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from benchmarks.driver import Driver
from benchmarks.heart import Watcher
from benchmarks.photographs import Bytes
from pcaimage.gui.app import give_memory_back, make_window, spare_collector
from pcaimage.gui.theme import Scheme, apply_theme

SIZE = (1600, 1000)
"""Size of the window."""

_PLATFORM_NOISE = "This plugin does not support propagateSizeHints"


@contextmanager
def driven_window(
    watcher: Watcher | None = None, scheme: Scheme = "light", size: tuple[int, int] = SIZE
) -> Iterator[Driver]:
    """Show a window with settings of its own, and close it afterwards.

    Parameters
    ----------
    watcher : Watcher, optional
        Observer of its event loop.
    scheme : {"light", "dark", "system"}, default "light"
        Colour scheme.
    size : (int, int), optional
        Width and height in pixels.

    Yields
    ------
    Driver
    """
    give_memory_back()
    found = QApplication.instance() or QApplication(["pcaimage"])
    if not isinstance(found, QApplication):
        raise TypeError("There is an application without windows already.")
    before = qInstallMessageHandler(_report)
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(str(Path(folder, "settings.ini")), QSettings.Format.IniFormat)
        settings.setValue("kept/layout", "science")  # this layout has all tabs
        window = make_window(apply_theme(found, scheme), settings)
        window.resize(*size)
        window.show()
        spare_collector()
        driver = Driver(window, watcher)
        QApplication.processEvents()
        try:
            yield driver
        finally:
            window.session.close()
            window.close()
            window.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            QApplication.processEvents()
            qInstallMessageHandler(before)


def _report(_: QtMsgType, __: QMessageLogContext, message: str) -> None:
    """Print Qt's messages, except the one that the offscreen platform always logs."""
    if not message.startswith(_PLATFORM_NOISE):
        print(message, file=sys.stderr)


def open_and_drag(pixels: Bytes, ks: Sequence[int]) -> None:
    """Open an image in a window, drag k to each value, and wait for all resulting work after each."""
    with driven_window() as driver:
        driver.open(pixels)
        driver.until_idle()
        for k in ks:
            driver.drag([k])
            driver.until_idle()
