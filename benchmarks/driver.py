"""Drives the real window as a hand does, and watches what it paints."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QObject,
    QSettings,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from benchmarks.photographs import Bytes
from pcaimage import codec
from pcaimage.gui.app import make_window
from pcaimage.gui.k_slider import KSlider
from pcaimage.gui.panel_view import place_of
from pcaimage.gui.theme import apply_theme
from pcaimage.gui.window import MainWindow
from pcaimage.imaging import Image

SIZE = (1600, 1000)
"""Of the window."""

BEAT = 2
"""Milliseconds between two beats of the heart that shows when the event loop stands still."""

_PATIENCE = 300.0
_PLATFORM_NOISE = "This plugin does not support propagateSizeHints"
_HAND = 8


class Driver(QObject):
    """Watches a window: when its reconstruction is painted, and for how long its event loop stands still.

    Parameters
    ----------
    window : MainWindow
        The window, shown.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.window = window
        self.session = window.session
        self._arrived = self._painted = 0
        self._touched = False
        self._painted_at = 0.0
        self._last_beat = time.perf_counter()
        self.gaps: list[float] = []
        window.renderer.reconstructionReady.connect(self._count_picture)
        window.installEventFilter(self)
        window.compare.reconstruction.installEventFilter(self)
        self._heart = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._heart.timeout.connect(self._beat)
        self._heart.start()

    @property
    def slider(self) -> KSlider:
        """The slider of k."""
        found = self.window.panel.findChild(KSlider)
        if not isinstance(found, KSlider):
            raise TypeError("The panel has no slider.")
        return found

    @property
    def frames(self) -> int:
        """How many pictures of the reconstruction have arrived."""
        return self._arrived

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Note when a repaint of the window that included the reconstruction is complete."""
        if watched is self.window.compare.reconstruction:
            self._touched = self._touched or event.type() == QEvent.Type.Paint
        elif watched is self.window and event.type() == QEvent.Type.UpdateRequest:
            self._touched, arrived = False, self._arrived
            self.window.event(event)
            if self._touched:
                self._painted, self._painted_at = arrived, time.perf_counter()
            return True
        return False

    def until(self, condition: Callable[[], bool]) -> None:
        """Let the event loop turn until something holds.

        Parameters
        ----------
        condition : callable
            What to wait for.

        Raises
        ------
        TimeoutError
            If it takes minutes.
        """
        start = time.perf_counter()
        while not condition():
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            if time.perf_counter() - start > _PATIENCE:
                raise TimeoutError("The window did not do what was waited for.")

    def until_idle(self) -> None:
        """Wait for all work and its painting."""
        quiet = 0

        def rested() -> bool:
            nonlocal quiet
            idle = not self.session.jobs.busy() and self._painted == self._arrived
            quiet = quiet + 1 if idle else 0
            return quiet > 5

        self.until(rested)

    def painted(self, act: Callable[[], object]) -> float:
        """Return the seconds from an act until the last picture that it led to is painted.

        Parameters
        ----------
        act : callable
            Such as moving the slider.

        Returns
        -------
        float
            Seconds.
        """
        before, start = self._arrived, time.perf_counter()
        act()
        self.until(
            lambda: (
                self._arrived > before
                and self._painted == self._arrived
                and not self.session.jobs.busy("picture")
            )
        )
        return self._painted_at - start

    @contextmanager
    def watched_gaps(self) -> Iterator[list[float]]:
        """Collect the times between two turns of the event loop.

        Yields
        ------
        list of float
            Seconds, complete at the end of the block.
        """
        self.gaps = []
        self._last_beat = time.perf_counter()
        yield self.gaps
        QApplication.processEvents()

    def open(self, pixels: Bytes) -> float:
        """Open an image that is decoded already.

        Parameters
        ----------
        pixels : ndarray of uint8, shape (H, W, 3)
            The image.

        Returns
        -------
        float
            Seconds until its first reconstruction is painted.
        """
        image = Image(pixels, name="photograph", format="PNG")
        return self.painted(lambda: self.session.open_image(image))

    def move(self, k: int) -> float:
        """Move the slider, which is held.

        Parameters
        ----------
        k : int
            Where.

        Returns
        -------
        float
            Seconds until the picture is painted.
        """
        return self.painted(lambda: self._place(k))

    def drag(self, ks: Sequence[int]) -> list[float]:
        """Take hold of the slider, move it to one place after the other, and let go.

        Parameters
        ----------
        ks : sequence of int
            Where to; the next move waits for the picture of the one before.

        Returns
        -------
        list of float
            Seconds of each move.
        """
        self.slider.setSliderDown(True)
        seconds = [self.move(k) for k in ks if k != self.session.state.setting.k]
        self.slider.setSliderDown(False)
        return seconds

    def sweep(self, ks: Sequence[int]) -> float:
        """Drag the slider without ever waiting, as a hand does.

        Parameters
        ----------
        ks : sequence of int
            Where to; a move every 8 ms.

        Returns
        -------
        float
            Pictures painted in a second.
        """
        left, before = list(ks), self._arrived
        hand = QTimer(interval=_HAND, timerType=Qt.TimerType.PreciseTimer)
        hand.timeout.connect(lambda: self._place(left.pop(0)) if left else hand.stop())
        self.slider.setSliderDown(True)
        start = time.perf_counter()
        hand.start()
        self.until(lambda: not left)
        pictures = (self._arrived - before) / (time.perf_counter() - start)
        self.slider.setSliderDown(False)
        return pictures

    def _place(self, k: int) -> None:
        fit = self.session.state.fit
        if fit is not None:
            place = place_of(k, fit.n_components, even=fit.choice.method == "photo")
            self.slider.setValue(round(self.slider.maximum() * place))

    def _count_picture(self) -> None:
        self._arrived += 1

    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps.append(now - self._last_beat)
        self._last_beat = now


def reachable(driver: Driver, count: int) -> list[int]:
    """Return values of k spread over all, in an order that jumps.

    Parameters
    ----------
    driver : Driver
        A window with an image.
    count : int
        About how many.

    Returns
    -------
    list of int
        Each different from its neighbours.
    """
    fit = driver.session.state.fit
    most = 1 if fit is None else fit.n_components
    values = sorted({round(k) for k in np.geomspace(1, most, count)})
    return [k for pair in zip(values, reversed(values), strict=True) for k in pair][: len(values)]


@contextmanager
def driven_window() -> Iterator[Driver]:
    """Show a window with settings of its own.

    Yields
    ------
    Driver
        Of the window, which is closed afterwards.
    """
    codec.warm_up()  # the program does that soon after its start
    found = QApplication.instance() or QApplication(["pcaimage"])
    if not isinstance(found, QApplication):
        raise TypeError("There is an application without windows already.")
    qInstallMessageHandler(_report)
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(str(Path(folder, "settings.ini")), QSettings.Format.IniFormat)
        window = make_window(apply_theme(found, "light"), settings)
        window.resize(*SIZE)
        window.show()
        driver = Driver(window)
        QApplication.processEvents()
        try:
            yield driver
        finally:
            window.session.close()  # nothing is left to ask about
            window.close()
            window.deleteLater()
            QApplication.processEvents()


def _report(_: QtMsgType, __: QMessageLogContext, message: str) -> None:
    """Print what Qt complains about, but for what the offscreen platform always says."""
    if not message.startswith(_PLATFORM_NOISE):
        print(message, file=sys.stderr)


def open_and_drag(pixels: Bytes, ks: Sequence[int]) -> None:
    """Open an image in a window, drag k, and wait for all work after each.

    Parameters
    ----------
    pixels : ndarray of uint8, shape (H, W, 3)
        The image.
    ks : sequence of int
        Where the slider is dragged to.
    """
    with driven_window() as driver:
        driver.open(pixels)
        driver.until_idle()
        for k in ks:
            driver.drag([k])
            driver.until_idle()
