"""Drives the real window with simulated input, and records what it paints and when."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.heart import Heart, Watcher
from benchmarks.photographs import Bytes
from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.compare_view import Mode
from pcaimage.gui.panel.k_slider import KSlider
from pcaimage.gui.session.jobs import DIFFERENCE, RIGHT
from pcaimage.gui.window import MainWindow
from pcaimage.imaging import Image

_PATIENCE = 300.0
_NEXT = Qt.EventPriority.HighEventPriority.value
_HAND = 8


class Driver(QObject):
    """Records when a window's pictures are painted, and how long its event loop is blocked.

    Parameters
    ----------
    window : MainWindow
        A visible window.
    watcher : Watcher, optional
        Observer of the event loop.
    """

    def __init__(self, window: MainWindow, watcher: Watcher | None = None) -> None:
        super().__init__()
        self.window = window
        self.session = window.session
        self.heart = Heart(self, watcher)
        self._touched: set[QObject] = set()
        self._arrived: Counter[QObject] = Counter()
        self._asked: Counter[QObject] = Counter()
        """Pictures that had arrived when the last repaint began."""
        self._painted: Counter[QObject] = Counter()
        self._painted_at: dict[QObject, float] = {}
        self._frame_at = 0.0
        compare, renderer = window.compare, window.comparing.renderer
        self._jobs: dict[QObject, str] = {compare.reconstruction: RIGHT, compare.difference: DIFFERENCE}
        renderer.rightReady.connect(lambda _: self._arrived.update([compare.reconstruction]))
        renderer.differenceReady.connect(lambda _: self._arrived.update([compare.difference]))
        for watched in (window, *self._jobs):
            watched.installEventFilter(self)

    @property
    def slider(self) -> KSlider:
        """The slider for k."""
        return self.window.panel.keep.slider

    @property
    def front(self) -> ImageCanvas:
        """The canvas whose pictures follow k."""
        return self.window.compare.front

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Record when a repaint of the window is complete, and which pictures it included."""
        if watched is self.window and event.type() == QEvent.Type.UpdateRequest:
            self._asked = self._arrived.copy()
            # Delivered when the painting is done. Doing it here would keep other threads from running Python.
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.User), _NEXT)
        if event.type() == QEvent.Type.Paint:
            self._touched.add(watched)
        return False

    def customEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Record that the pictures that had arrived are on the screen."""
        if event.type() == QEvent.Type.User:
            self._frame_at = time.perf_counter()
            for canvas in self._touched:
                self._painted[canvas] = self._asked[canvas]
                self._painted_at[canvas] = self._frame_at
            self._touched.clear()

    def until(self, condition: Callable[[], bool]) -> None:
        """Run the event loop until a condition holds.

        Raises
        ------
        TimeoutError
            If it takes minutes.
        """
        start = time.perf_counter()
        while not condition():
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
            if time.perf_counter() - start > _PATIENCE:
                raise TimeoutError("The window did not reach the expected state.")

    def until_idle(self, beside: Collection[str] = ()) -> None:
        """Wait for all work and its painting, except for kinds of work in `beside`."""
        quiet, jobs = 0, self.session.jobs

        def rested() -> bool:
            nonlocal quiet
            idle = jobs.under_way <= set(beside) and self._shown(self.front)
            quiet = quiet + 1 if idle else 0
            return quiet > 5

        self.until(rested)

    def stop(self, kinds: Collection[str]) -> None:
        """Cancel kinds of work, and wait until their threads have noticed."""
        self.session.jobs.cancel(*kinds)
        self.session.jobs.wait()
        self.until_idle()

    def painted(self, act: Callable[[], object]) -> float:
        """Return the seconds from an action until the last picture that it caused is painted."""
        canvas = self.front
        before, start = self._arrived[canvas], time.perf_counter()
        act()
        self.until(
            lambda: (
                self._arrived[canvas] > before
                and self._shown(canvas)
                and not self.session.jobs.busy(self._jobs[canvas])
            )
        )
        return self._painted_at[canvas] - start

    def _shown(self, canvas: QObject) -> bool:
        """Return whether the newest picture of a canvas is painted."""
        return self._painted[canvas] == self._arrived[canvas]

    def change_mode(self, mode: Mode, beside: Collection[str] = ()) -> tuple[float, float]:
        """Switch to another mode of comparison, as its menu item does, ignoring kinds of work in `beside`.

        Returns
        -------
        first, last : float
            Seconds until a picture in that mode is painted, and until the last one is. The first may be an
            existing picture in its new place; to and from the difference it is a new one.
        """
        was, before, start = self.front, self._arrived.copy(), time.perf_counter()
        self.window.actions_by_name[mode].trigger()
        anew = self.window.compare.difference in (was, self.front)
        front = self.front
        self.until(
            lambda: (
                self._painted_at.get(front, 0.0) > start
                and (not anew or self._painted[front] > before[front])
                and bool(front.layers)
            )
        )
        first = self._painted_at[front] - start
        self.until_idle(beside)
        return first, self._painted_at[front] - start

    def show_tab(self, number: int, beside: Collection[str] = ()) -> tuple[float, float]:
        """Show another tab, by its zero-based index, of an idle window, ignoring kinds of work in `beside`.

        Returns
        -------
        first, last : float
            Seconds until the tab is painted, and until its contents no longer change; 0 if it is already
            visible.
        """
        if number == self.window.tabs.currentIndex():
            return 0.0, 0.0
        start = time.perf_counter()
        self.window.tabs.setCurrentIndex(number)
        self.until(lambda: self._frame_at > start)
        first = self._frame_at - start
        self.until_idle(beside)
        return first, self._frame_at - start

    def open(self, pixels: Bytes) -> float:
        """Open a decoded image; return the seconds until its first reconstruction is painted."""
        image = Image(pixels, name="photograph", format="PNG")
        return self.painted(lambda: self.session.open_image(image))

    def drag(self, ks: Sequence[int]) -> list[float]:
        """Press the slider, move it to one k after the other, and release it; return each move's seconds.

        Each move waits for the picture of the one before.
        """
        self.slider.setSliderDown(True)
        seconds = [self.painted(partial(self._place, k)) for k in ks if k != self.session.state.setting.k]
        self.slider.setSliderDown(False)
        return seconds

    def sweep(self, ks: Sequence[int]) -> float:
        """Drag the slider every 8 ms without waiting for pictures; return the pictures painted per second."""
        left, canvas = list(ks), self.front
        before = self._arrived[canvas]
        hand = QTimer(interval=_HAND, timerType=Qt.TimerType.PreciseTimer)
        hand.timeout.connect(lambda: self._place(left.pop(0)) if left else hand.stop())
        self.slider.setSliderDown(True)
        start = time.perf_counter()
        hand.start()
        self.until(lambda: not left)
        pictures = (self._arrived[canvas] - before) / (time.perf_counter() - start)
        self.slider.setSliderDown(False)
        return pictures

    def _place(self, k: int) -> None:
        self.slider.setValue(self.slider.value_of(k))


def reachable(driver: Driver, count: int) -> list[int]:
    """Return about `count` values of k spread over all, in an order that jumps, without repetition."""
    fit = driver.session.state.fit
    most = 1 if fit is None else fit.n_components
    values = sorted({round(k) for k in np.geomspace(1, most, count)})
    return [k for pair in zip(values, reversed(values), strict=True) for k in pair][: len(values)]
