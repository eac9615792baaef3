"""Where the hand takes hold of the result to drag it out of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QDrag, QPixmap
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from pcaimage.gui.drag_out import mime_data
from pcaimage.gui.icons import load_icon
from pcaimage.gui.theme import colours_of

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    from pcaimage.gui.drag_out import Result

_TIP = (
    "Drag the reconstruction from here to a folder or another program; with Ctrl held, the compressed file."
)


class DragHandle(QToolButton):
    """Asks for the result as soon as it is pressed, and lets it go along with the pointer."""

    wanted = Signal(bool)
    """The handle is held; whether the compressed file is wanted rather than the reconstruction."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._held: QPoint | None = None
        self._far = False
        self._result: Result | None = None
        self.setAccessibleName("Drag the result out")
        self.setToolTip(_TIP)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self._tint()

    def set_result(self, result: Result) -> None:
        """Take what is dragged, and begin if the hand is on its way."""
        if self._held is not None:
            self._result = result
            self._go()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the result."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held, self._far, self._result = event.position().toPoint(), False, None
            self.setDown(True)
            self.wanted.emit(bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Begin once the hand has moved far enough and the result is there."""
        if self._held is None:
            return
        way = event.position().toPoint() - self._held
        self._far = self._far or way.manhattanLength() >= QApplication.startDragDistance()
        self._go()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._let_go()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange:
            self._tint()

    def perform(self, drag: QDrag) -> None:
        """Let the system drag until the hand lets go."""
        drag.exec(Qt.DropAction.CopyAction)

    def _go(self) -> None:
        result = self._result
        if result is None or not self._far:
            return
        self._let_go()  # the system takes the mouse, and never says that it was released
        drag = QDrag(self)
        drag.setMimeData(mime_data(result))
        if not result.thumbnail.isNull():
            drag.setPixmap(QPixmap.fromImage(result.thumbnail))
        self.perform(drag)

    def _let_go(self) -> None:
        self._held = self._result = None
        self.setDown(False)

    def _tint(self) -> None:
        self.setIcon(load_icon("drag-out", colours_of(self.palette())))
