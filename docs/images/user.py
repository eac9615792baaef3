"""Drives the window: opens, chooses, points, and waits until everything is shown."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEventLoop, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QCursor, QEnterEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from pcaimage.gui.session.requests import Choose, Keep
from pcaimage.gui.window import MainWindow

_PATIENCE = 120_000  # timeout in milliseconds of the slowest work, on a busy machine
_QUIET = 120  # milliseconds without work after which the window counts as idle


class User:
    """Acts on a window as its user does, and waits until everything is shown."""

    def __init__(self, window: MainWindow) -> None:
        self.window, self.session = window, window.session

    def rest(self) -> None:
        """Wait until there has been no work for a moment."""
        waited = quiet = 0
        while quiet < _QUIET:
            pause(20)
            waited += 20
            quiet = 0 if self.session.jobs.busy() else quiet + 20
            if waited > _PATIENCE:
                raise TimeoutError("The window does not come to rest.")

    def open(self, sample: str, method: str = "photo", k: int = 0) -> None:
        """Open one of the sample images, and compress it by a method with k components."""
        self.session.open_sample(sample)
        self.rest()
        if self.session.state.choice.method != method:
            self.session.request(Choose(method=method))
            self.rest()
        if k:
            self.session.request(Keep(k))
            self.rest()

    def trigger(self, *actions: str) -> None:
        """Trigger actions of the menus by name."""
        for name in actions:
            self.window.actions_by_name[name].trigger()
            self.rest()

    def tab(self, name: str) -> Any:
        """Show a tab, and return its page."""
        self.window.tabs.show_tab(name)
        self.rest()
        return self.window.tabs.tab(name).page

    def point(self, widget: QWidget, place: QPoint) -> None:
        """Move the pointer to a position in a widget."""
        position, everywhere = QPointF(place), QPointF(widget.mapToGlobal(place))
        QCursor.setPos(everywhere.toPoint())
        QApplication.sendEvent(widget, QEnterEvent(position, position, everywhere))
        buttons, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        kind = QMouseEvent.Type.MouseMove
        QApplication.sendEvent(widget, QMouseEvent(kind, position, everywhere, buttons, buttons, keys))
        pause(500)
        self.rest()


def pause(milliseconds: int) -> None:
    """Run the window for some milliseconds."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
