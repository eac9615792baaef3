"""The base of the lab's drawn panes: colours, focus, and dragging with the left button."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from shiboken6 import VoidPtr

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.shared.ticks import round_ticks
from pcaimage.gui.theme import Coloured, colours_of
from pcaimage.insight.lab.data import Floats

F = TypeVar("F")


class Pane(Coloured, Generic[F]):
    """A picture of figures; subclasses draw it, and say what a drag does."""

    name = tip = lacking = ""  # what it is called, its tip, and what it says without figures
    least: ClassVar = QSize(200, 100)
    usual: ClassVar = QSize(460, 160)
    takes_keys = False

    def __init__(self) -> None:
        super().__init__()
        self._figures: F | None = None
        self._dragging = False
        self.setAccessibleName(self.name)
        self.setToolTip(self.tip)
        self.setMinimumSize(self.least)
        if self.takes_keys:
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _show(self, figures: F | None, description: str) -> None:
        """Draw other figures, which are described for screen readers."""
        self._figures = figures
        self.setAccessibleDescription(description)
        self.update()

    def draw(self, painter: QPainter, colours: Colours, figures: F) -> None:
        """Draw figures upon the plain background."""

    def dragged(self, position: QPointF, *, final: bool) -> None:
        """Follow the mouse over figures while the left button is down, and when it is let go."""

    def sizeHint(self) -> QSize:
        """Return the size that suits the pane."""
        return self.usual

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag."""
        if self.focusPolicy() != Qt.FocusPolicy.NoFocus:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._dragging = event.button() == Qt.MouseButton.LeftButton
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag on."""
        if self._dragging and self._figures is not None:
            self.dragged(event.position(), final=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Leave it where it is."""
        dragging, self._dragging = self._dragging, False
        if dragging and self._figures is not None:
            self.dragged(event.position(), final=True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw everything, and a frame if keys come here."""
        painter, colours = QPainter(self), colours_of(self.palette())
        painter.fillRect(self.rect(), QColor(colours.base))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        if self._figures is not None:
            self.draw(painter, colours, self._figures)
        elif self.lacking:
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.lacking)
        painter.restore()
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))


def polygon(points: Floats) -> QPolygonF:
    """Return points of shape (n, 2), in pixels, as Qt has them."""
    made = QPolygonF()
    made.resize(len(points))
    if len(points):
        # Qt's points are pairs of float64: all are written at once, as objects would take milliseconds.
        buffer: Any = VoidPtr(made.data(), points.size * 8, True)  # type: ignore[call-arg,arg-type]  # wrong stubs
        np.frombuffer(buffer, np.float64).reshape(-1, 2)[:] = points
    return made


def dots(painter: QPainter, points: Floats, colour: str | QColor, size: float) -> None:
    """Draw round dots at points of shape (n, 2), in pixels."""
    painter.setPen(QPen(QColor(colour), size, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPoints(polygon(points))


def lines(painter: QPainter, starts: Floats, ends: Floats) -> None:
    """Draw lines between points of shape (n, 2), in pixels, with the painter's pen."""
    pairs = np.concatenate([starts, ends], axis=1).tolist()
    painter.drawLines([QLineF(*each) for each in pairs])


def arrow(painter: QPainter, start: QPointF, end: QPointF, size: float = 8.0) -> None:
    """Draw an arrow with the painter's pen; a short one has a small head."""
    painter.drawLine(start, end)
    along = end - start
    length = (along.x() ** 2 + along.y() ** 2) ** 0.5
    if length < 1:
        return
    along *= min(size, length / 2) / length
    across = QPointF(-along.y(), along.x()) * 0.5
    painter.drawPolyline(QPolygonF([end - along + across, end, end - along - across]))


def label(painter: QPainter, end: QPointF, text: str, taken: list[QRectF], room: QRectF) -> None:
    """Write a name beside the end of an arrow, where it hides none of those that are `taken`."""
    metrics = painter.fontMetrics()
    width, height = metrics.horizontalAdvance(text), metrics.height()
    for across in (4.0, -4.0 - width):
        for down in (-height, 0.0, -2.0 * height, height, -3.0 * height, 2.0 * height):
            place = QRectF(end.x() + across, end.y() + down, width, height)
            if room.contains(place) and not any(place.intersects(other) for other in taken):
                taken.append(place)
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
                return


_DEGREES = [(angle, f"{angle}°") for angle in range(-90, 91, 45)]


def ticks(
    painter: QPainter,
    colour: str,
    area: QRectF,
    across: tuple[float, float] | None = None,
    up: tuple[float, float] | None = None,
    *,
    degrees: bool = False,
) -> None:
    """Write round numbers below an area and left of it, from one end of its sides to the other."""
    painter.setPen(QColor(colour))
    height = painter.fontMetrics().height()
    if across is not None and across[1] > across[0]:
        marks = _DEGREES if degrees else round_ticks(*across, max(int(area.width() / 70), 2))
        for value, text in marks:
            x = area.left() + (value - across[0]) / (across[1] - across[0]) * area.width()
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 3))
            room = QRectF(x - 40, area.bottom() + 3, 80, height)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, _short(value, text))
    if up is not None and up[1] > up[0]:
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for value, text in round_ticks(*up, max(int(area.height() / 40), 2)):
            y = area.bottom() - (value - up[0]) / (up[1] - up[0]) * area.height()
            painter.drawLine(QPointF(area.left() - 3, y), QPointF(area.left(), y))
            painter.drawText(QRectF(0, y - height / 2, area.left() - 5, height), right, _short(value, text))


def _short(value: float, text: str) -> str:
    return (text if len(text) <= 6 else f"{value:.3g}").replace("-", "−")


def words(painter: QPainter, left: float, baseline: float, texts: Iterable[tuple[str, str]]) -> None:
    """Write texts, each in its colour, one after the other."""
    for text, colour in texts:
        painter.setPen(QColor(colour))
        painter.drawText(QPointF(left, baseline), text)
        left += painter.fontMetrics().horizontalAdvance(text) + 14
