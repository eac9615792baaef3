"""The key that shows the left picture for as long as it is held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

if TYPE_CHECKING:
    from typing import TypeGuard

_KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)
_ENDS = (QEvent.Type.WindowDeactivate, QEvent.Type.Hide, QEvent.Type.Close)
_WATCHED = frozenset(_KEYS + _ENDS)
_WITH_OWN_SPACE = (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
)
KEEPS_SPACE = "keepsSpace"
"""The property that a widget sets to true if Space means something to it."""


class PeekKey(QObject):
    """Hears Space wherever the keys of a window go, except where it means something else.

    Parameters
    ----------
    window : QWidget
        The window; it owns this.
    """

    pressed = Signal()
    """Space is held from now on."""
    released = Signal()
    """It is not any more, or the window does not hear it any more."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._held = False
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    @property
    def held(self) -> bool:
        """Whether the key is down."""
        return self._held

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the key before the focused widget does."""
        kind = event.type()
        if kind not in _WATCHED:
            return False
        if kind in _ENDS:
            if self._held and watched is self._window:
                self._release()
            return False
        if not _is_space(event) or not isinstance(watched, QWidget):
            return False
        if kind == QEvent.Type.KeyRelease:
            return self._on_release(event)
        return self._on_press(watched, event)

    def _on_press(self, watched: QWidget, event: QKeyEvent) -> bool:
        if self._held or event.isAutoRepeat():
            return self._held
        if event.modifiers() != Qt.KeyboardModifier.NoModifier or not self._hears(watched):
            return False
        self._held = True
        self.pressed.emit()
        return True

    def _on_release(self, event: QKeyEvent) -> bool:
        held = self._held
        if held and not event.isAutoRepeat():
            self._release()
        return held

    def _hears(self, watched: QWidget) -> bool:
        if watched.window() is not self._window or QApplication.activePopupWidget() is not None:
            return False
        # A field that ignores the key passes it on to its parent.
        takers = (watched, QApplication.focusWidget())
        return not any(
            isinstance(taker, _WITH_OWN_SPACE) or (taker is not None and bool(taker.property(KEEPS_SPACE)))
            for taker in takers
        )

    def _release(self) -> None:
        self._held = False
        self.released.emit()


def _is_space(event: QEvent) -> TypeGuard[QKeyEvent]:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space
