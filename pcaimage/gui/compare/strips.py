"""The translucent strips of text over an image: its caption, and the label of an overlay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from pcaimage.gui.theme import colours_of, faint, tabular

Side = Literal["left", "right"]
_Row = tuple[str, QFont, str]  # a text, its font, and its colour
MARGIN = 8  # between a strip and the edge of its canvas
_PADDING = 8
_MOST_LINES = 3
_LEAST_ROOM = 96
_SPARE = 2  # pixels that a text needs beyond its width
_BETWEEN = " · "


class CaptionStrip(QWidget):
    """Up to three lines of text, the first of them bold; the mouse goes through it to the image.

    Lines for which the view is too narrow are folded between two of them.

    It keeps itself in an upper corner of its parent, the canvas. A companion, such as a button, can sit at
    the right end of its first line; it is a child of the canvas too, since the mouse must not go through it.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._lines: tuple[str, ...] = ()
        self._busy = ""
        self._side: Side = "left"
        self._room: int | None = None
        self._companion: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(tabular(self.font()))
        self.hide()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines shown, without the busy hint."""
        return self._lines

    @property
    def busy(self) -> str:
        """The hint that something is being computed, or an empty string."""
        return self._busy

    def set_lines(self, lines: Sequence[str]) -> None:
        """Show at most three lines; none hides the strip."""
        if (shown := tuple(lines)[:_MOST_LINES]) != self._lines:
            self._lines = shown
            self.refresh()

    def set_busy(self, hint: str) -> None:
        """Show a hint such as ``"encoding 40 %"``; an empty one when nothing is being computed."""
        if hint != self._busy:
            self._busy = hint
            self.refresh()

    def set_place(self, side: Side, room: int | None = None) -> None:
        """Choose the corner; `room` is the width of the visible part of the canvas, if not all of it is."""
        if (side, room) != (self._side, self._room):
            self._side, self._room = side, room
            self.refresh()

    def set_companion(self, companion: QWidget) -> None:
        """Put a widget at the right end of the first line; :meth:`refresh` when its size hint changes."""
        if companion is not self._companion:
            self._companion = companion
            self.refresh()

    def refresh(self) -> None:
        """Update size and position after the text or the canvas changed."""
        shown = bool(self._lines or self._busy)
        self.setVisible(shown)
        rows = self._rows()
        self.resize(self._size_of(rows))
        parent = self.parentWidget()
        left = MARGIN
        if self._side == "right" and parent is not None:
            left = parent.width() - self.width() - MARGIN
        self.move(left, MARGIN)
        if self._companion is not None:
            size = self._companion.sizeHint()
            self._companion.resize(size)
            left = self.geometry().right() + 1 - size.width() - _PADDING // 2
            top = self.y() + _PADDING // 2 + (self._first_height(rows) - size.height()) // 2
            self._companion.move(left, top)
            self._companion.setVisible(shown)
            self._companion.raise_()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of the text with its margins, no wider than the parent."""
        return self._size_of(self._rows())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the lines, elided where the view is too narrow for a figure."""
        painter = QPainter(self)
        paint_strip(painter, self)
        top = _PADDING // 2
        rows = self._rows()
        for i, (text, font, colour) in enumerate(rows):
            metrics = QFontMetrics(font)
            height = metrics.height() if i else self._first_height(rows)
            room = self.width() - 2 * _PADDING - (0 if i else self._reserved())
            painter.setFont(font)
            painter.setPen(QColor(colour))
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(_PADDING, top + (height - metrics.height()) // 2 + metrics.ascent(), shown)
            top += height
        painter.end()

    def _size_of(self, rows: list[_Row]) -> QSize:
        # Advances are rounded down; a pixel too few would cut the last word.
        widths = [QFontMetrics(font).horizontalAdvance(text) + _SPARE for text, font, _ in rows]
        if widths:
            widths[0] += self._reserved()
        height = self._first_height(rows) + sum(QFontMetrics(font).height() for _, font, _ in rows[1:])
        return QSize(min(max(widths, default=0) + 2 * _PADDING, self._limit()), height + _PADDING)

    def _rows(self) -> list[_Row]:
        colours = colours_of(self.palette())
        strong = tabular(self.font())
        strong.setBold(True)
        rows: list[_Row] = []
        for line, font, beside in zip(
            self._lines, (strong, *[self.font()] * 2), (self._reserved(), 0, 0), strict=False
        ):
            parts = _folded(line, font, self._limit() - 2 * _PADDING - beside)
            rows += [(part, font, colours.strip_text) for part in parts]
        if self._busy:
            rows.append((f"{self._busy} …", self.font(), colours.accent))
        return rows

    def _limit(self) -> int:
        parent = self.parentWidget()
        room = 0 if parent is None else parent.width()
        if self._room is not None:
            room = min(room, max(self._room, _LEAST_ROOM))
        return max(0, room - 2 * MARGIN)

    def _reserved(self) -> int:
        return 0 if self._companion is None else self._companion.sizeHint().width() + _PADDING // 2

    def _first_height(self, rows: list[_Row]) -> int:
        if not rows:
            return 0
        text = QFontMetrics(rows[0][1]).height()
        return text if self._companion is None else max(text, self._companion.sizeHint().height())


def _folded(line: str, font: QFont, room: int) -> list[str]:
    """Return a line as one or two, of which the first ends between two figures, if it has no room."""
    metrics = QFontMetrics(font)
    figures = line.split(_BETWEEN)
    for count in range(len(figures), 0, -1):
        first, second = _BETWEEN.join(figures[:count]), _BETWEEN.join(figures[count:])
        if metrics.horizontalAdvance(first) + _SPARE <= room:
            return [first, second] if second else [first]
    return [line]


class OverlayLabel(QWidget):
    """One line in a lower corner of the canvas that names the overlay on the image."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self._side: Side = "left"
        self._neighbour: QWidget | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    @property
    def text(self) -> str:
        """The text shown."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text; an empty one hides the label."""
        self._text = text
        self.setVisible(bool(text))
        self.refresh()

    def set_side(self, side: Side) -> None:
        """Choose the corner."""
        self._side = side
        self.refresh()

    def set_neighbour(self, neighbour: QWidget) -> None:
        """Stay clear of another widget in the corner."""
        self._neighbour = neighbour

    def refresh(self) -> None:
        """Update size and position after the text or the canvas changed."""
        parent = self.parentWidget()
        if parent is None or not self._text:
            return
        metrics = QFontMetrics(self.font())
        width = min(metrics.horizontalAdvance(self._text) + 18, max(0, parent.width() - 2 * MARGIN))
        self.resize(width, metrics.height() + 8)
        left = MARGIN if self._side == "left" else parent.width() - width - MARGIN
        self.move(clear_of(self._neighbour, self, QPoint(left, parent.height() - self.height() - MARGIN)))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the text, elided where the canvas is too narrow."""
        painter = QPainter(self)
        paint_strip(painter, self)
        metrics = QFontMetrics(self.font())
        shown = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, self.width() - 16)
        painter.drawText(8, 4 + metrics.ascent(), shown)
        painter.end()


def clear_of(neighbour: QWidget | None, widget: QWidget, place: QPoint) -> QPoint:
    """Return the place for a widget, above a neighbour in its corner if it would overlap it."""
    parent = widget.parentWidget()
    if neighbour is None or parent is None or neighbour.isHidden():
        return place
    taken = QRect(neighbour.pos(), neighbour.size())
    if neighbour.parentWidget() is not parent:
        taken.translate(-parent.pos())
    if not QRect(place, widget.size()).intersects(taken.adjusted(-MARGIN, 0, MARGIN, 0)):
        return place
    return QPoint(place.x(), taken.top() - MARGIN - widget.height())


def paint_strip(painter: QPainter, widget: QWidget) -> None:
    """Paint the translucent background of a strip, and set the painter up for text."""
    colours = colours_of(widget.palette())
    background = faint(colours.strip, colours.strip_alpha)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(background)
    painter.drawRoundedRect(QRectF(widget.rect()), 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QColor(colours.strip_text))
