"""The key that shows the left picture for as long as it is held."""

from __future__ import annotations

from typing import TypeGuard

from PySide6 import QtWidgets
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

_KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
_ENDS = (QEvent.Type.WindowDeactivate, QEvent.Type.Hide, QEvent.Type.Close)
_WITH_OWN_SPACE = (
    QtWidgets.QAbstractButton,
    QtWidgets.QAbstractSpinBox,
    QtWidgets.QComboBox,
    QtWidgets.QLineEdit,
    QtWidgets.QMenu,
    QtWidgets.QMenuBar,
    QtWidgets.QPlainTextEdit,
    QtWidgets.QTextEdit,
)
KEEPS_SPACE = "keepsSpace"  # the property that a widget sets to true if it uses Space itself


class PeekKey(QObject):
    """Reports Space wherever the focus of a window is, except in widgets that use the key themselves.

    It filters the events of the window and of the focused widget only: a filter on the application costs more
    than painting does, since every event then has to wait for the interpreter.
    """

    pressed = Signal()  # space went down
    released = Signal()  # space went up, or the window lost the keyboard

    def __init__(self, window: QtWidgets.QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.held = False
        window.installEventFilter(self)
        application = QtWidgets.QApplication.instance()
        if isinstance(application, QtWidgets.QApplication):
            application.focusChanged.connect(self._follow_focus)
            self._follow_focus(None, application.focusWidget())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Consume the key before the focused widget gets it."""
        kind = event.type()
        if kind in _ENDS and self.held and watched is self._window:
            self._release()
        if kind not in _KEYS or not _is_space(event) or not isinstance(watched, QtWidgets.QWidget):
            return False
        if kind == QEvent.Type.KeyRelease:
            return self._on_release(event)
        return self._on_press(watched, event)

    def _follow_focus(self, before: QtWidgets.QWidget | None, now: QtWidgets.QWidget | None) -> None:
        if before is not None and before is not self._window:
            before.removeEventFilter(self)
        if now is not None and now.window() is self._window:
            now.installEventFilter(self)

    def _on_press(self, watched: QtWidgets.QWidget, event: QKeyEvent) -> bool:
        if self.held or event.isAutoRepeat():
            return self.held
        if event.modifiers() != Qt.KeyboardModifier.NoModifier or not self._listens(watched):
            return False
        self.held = True
        self.pressed.emit()
        return True

    def _on_release(self, event: QKeyEvent) -> bool:
        held = self.held
        if held and not event.isAutoRepeat():
            self._release()
        return held

    def _listens(self, watched: QtWidgets.QWidget) -> bool:
        if watched.window() is not self._window or QtWidgets.QApplication.activePopupWidget() is not None:
            return False
        # A field that ignores the key passes it to its parent.
        takers = (watched, QtWidgets.QApplication.focusWidget())
        return not any(
            isinstance(taker, _WITH_OWN_SPACE) or (taker is not None and bool(taker.property(KEEPS_SPACE)))
            for taker in takers
        )

    def _release(self) -> None:
        self.held = False
        self.released.emit()


def _is_space(event: QEvent) -> TypeGuard[QKeyEvent]:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
