"""The divider of a split view, dragged by the mouse or moved by keys."""

from __future__ import annotations

from PySide6 import QtGui
from PySide6.QtCore import QLineF, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtWidgets import QWidget

from pcaimage.gui.theme import colours_of

CENTRE = 0.5
_WIDTH = 40
_REACH = 6
_STEP = 0.01
_PAGE = 0.1


class SplitDivider(QWidget):
    """A thin line with a grip in the middle, as high as its parent; it only requests to be moved."""

    moved = Signal(float)  # the place wanted, from 0 (left) to 1 (right)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._place = CENTRE
        self._held: float | None = None
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Divider")
        self.setToolTip("Drag to see more of either picture; double-click to centre it.")
        self.hide()

    def set_place(self, place: float) -> None:
        """Move it, from 0 (left) to 1 (right)."""
        self._place = place
        self.refresh()
        self.setAccessibleDescription(f"{place:.0%} of the view shows the left picture")

    def refresh(self) -> None:
        """Update the position after the parent's size changed."""
        parent = self.parentWidget()
        if parent is not None:
            line = round(self._place * parent.width())
            self.setGeometry(line - _WIDTH // 2, 0, _WIDTH, parent.height())

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Start a drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = event.position().x() - _WIDTH / 2

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Follow the mouse."""
        parent = self.parentWidget()
        if self._held is not None and parent is not None:
            x = self.mapToParent(event.position()).x() - self._held
            self._request(x / max(1, parent.width()))

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:
        """End the drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = None

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        """Move back to the middle."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = None
            self._request(CENTRE)

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Move with the arrows, farther with Shift; Home and End show one picture alone."""
        step = _PAGE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _STEP
        place = {
            Qt.Key.Key_Left: self._place - step,
            Qt.Key.Key_Right: self._place + step,
            Qt.Key.Key_Home: 0.0,
            Qt.Key.Key_End: 1.0,
        }.get(Qt.Key(event.key()))
        if place is None:
            super().keyPressEvent(event)
        else:
            self._request(place)

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the line and the grip, light upon dark, visible on any picture."""
        colours = colours_of(self.palette())
        middle = self._middle()
        painter = QtGui.QPainter(self)
        for colour, width in ((QtGui.QColor(0, 0, 0, 150), 4.0), (QtGui.QColor(255, 255, 255), 2.0)):
            painter.setPen(QtGui.QPen(colour, width))
            painter.drawLine(QLineF(middle.x(), 0, middle.x(), self.height()))
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        painter.setPen(QtGui.QPen(QtGui.QColor(0, 0, 0, 150), 1))
        painter.setBrush(QtGui.QColor(colours.accent if self.hasFocus() else "#ffffff"))
        painter.drawEllipse(middle, 15, 15)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QtGui.QColor(colours.accent_text if self.hasFocus() else "#33383d"))
        for way in (-1, 1):
            tip, foot = QPointF(way * 10, 0), QPointF(way * 4, 5)
            arrow = QtGui.QPolygonF([middle + tip, middle + foot, middle + QPointF(foot.x(), -foot.y())])
            painter.drawPolygon(arrow)
        painter.end()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Let the mouse through to the pictures beside the line and the grip."""
        super().resizeEvent(event)
        line = QtGui.QRegion(QRect(_WIDTH // 2 - _REACH, 0, 2 * _REACH, self.height()))
        grip = QRect(QPoint(0, 0), QPoint(_WIDTH - 1, _WIDTH - 1))
        grip.moveCenter(self._middle().toPoint())
        self.setMask(line.united(QtGui.QRegion(grip, QtGui.QRegion.RegionType.Ellipse)))

    def focusInEvent(self, event: QtGui.QFocusEvent) -> None:
        """Show the focus."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QtGui.QFocusEvent) -> None:
        """Show that the focus went."""
        super().focusOutEvent(event)
        self.update()

    def _middle(self) -> QPointF:
        return QRectF(0, 0, _WIDTH, self.height()).center()

    def _request(self, place: float) -> None:
        wanted = min(max(place, 0.0), 1.0)
        if wanted != self._place:
            self.moved.emit(wanted)
