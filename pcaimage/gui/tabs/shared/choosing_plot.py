"""A plot on which k is chosen by hand or by keys."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent

_PAGE = 10


class ChoosingPlot(QWidget):
    """Asks for the k under the hand, or a key's; whoever it asks answers by a setter.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    componentsRequested = Signal(int)  # noqa: N815
    """The k under the hand while it moves."""
    componentsCommitted = Signal(int)  # noqa: N815
    """The k at which the hand came to rest; always the last one that was requested."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wished: int | None = None  # requested, and not committed yet
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def feel(self, surface: QWidget) -> None:
        """Feel the hand on a surface, before its own panning and menus do.

        Parameters
        ----------
        surface : QWidget
            What :meth:`_k_at` knows positions of.
        """
        surface.setMouseTracking(True)
        surface.installEventFilter(self)
        self._felt = surface

    def let_go(self) -> None:
        """Forget what was asked for and not committed; it was of another curve."""
        self._wished, self._dragging = None, False

    @abstractmethod
    def _chosen(self) -> tuple[int, int]:
        """Return k and the largest k; two zeros where there is nothing to choose."""

    @abstractmethod
    def _k_at(self, position: QPointF) -> int:
        """Return the k at a position."""

    @abstractmethod
    def _hover(self, k: int | None) -> None:
        """Show the figures of a k, or of the present one."""

    @abstractmethod
    def _mark_focus(self, *, on: bool) -> None:
        """Show whether keys choose."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Feel the hand."""
        kinds = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseButtonDblClick: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
        }
        if watched is not self._felt:
            return super().eventFilter(watched, event)
        if event.type() in kinds:
            kinds[event.type()](cast("QMouseEvent", event))
            return True
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        return event.type() == QEvent.Type.Wheel

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move k with the arrows, Page Up and Page Down, Home and End."""
        k, most = self._chosen()
        target = {
            Qt.Key.Key_Left: k - 1,
            Qt.Key.Key_Right: k + 1,
            Qt.Key.Key_Down: k - 1,
            Qt.Key.Key_Up: k + 1,
            Qt.Key.Key_PageDown: k - _PAGE,
            Qt.Key.Key_PageUp: k + _PAGE,
            Qt.Key.Key_Home: 1,
            Qt.Key.Key_End: most,
        }.get(Qt.Key(event.key()))
        if target is None or not most:
            super().keyPressEvent(event)
        else:
            self._wish(max(1, min(target, most)))

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Commit what the keys asked for once they are let go."""
        if not event.isAutoRepeat():
            self._commit()
        super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that keys choose."""
        self._mark_focus(on=True)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Commit what was asked for before another widget takes the keys."""
        self._mark_focus(on=False)
        if not self._dragging:
            self._commit()
        super().focusOutEvent(event)

    def _press(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._chosen()[1]:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._dragging = True
            self._wish(self._k_at(event.position()))

    def _move(self, event: QMouseEvent) -> None:
        if not self._chosen()[1]:
            return
        k = self._k_at(event.position())
        if self._dragging:
            self._wish(k)
        self._hover(k)

    def _release(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._dragging:
            self._wish(self._k_at(event.position()))
            self._dragging = False
            self._commit()

    def _wish(self, k: int) -> None:
        if k != (self._chosen()[0] if self._wished is None else self._wished):
            self._wished = k
            self.componentsRequested.emit(k)

    def _commit(self) -> None:
        wished, self._wished = self._wished, None
        if wished is not None:
            self.componentsCommitted.emit(wished)
