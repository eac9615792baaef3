"""Variance and error over the angle of the line, and the strip of scores along it."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.theme import colours_of
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import ScatterFigures
from pcaimage.insight.lab.formula import figure

MOST_DOTS = 1000
"""Scores that are drawn as dots."""

_STRIP, _WORDS, _LEFT, _TOP = 26, 18, 10, 8


class AngleView(QWidget):
    """Draws the strip of scores above both curves; a click lays the line at an angle."""

    lineMoved = Signal(float, bool)  # noqa: N815
    """An angle in radians, and whether it is final."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: ScatterFigures | None = None
        self._best: float | None = None
        self.setAccessibleName("Variance and error over the angle")
        self.setToolTip("Above: the scores along the line. Below: variance along it and error about it.")
        self.setMinimumHeight(124)

    def sizeHint(self) -> QSize:
        """Return the size that suits the pane."""
        return QSize(460, 160)

    def show_figures(self, figures: ScatterFigures | None, best_error: float | None) -> None:
        """Draw the curves of a plane, and the least error that was found so far."""
        self._figures, self._best = figures, best_error
        if figures is not None:
            spread = figures.line.spread
            words = f"variance {figure(spread.variance, 4)}, error {figure(spread.error, 4)}"
            self.setAccessibleDescription(words)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Lay the line at the angle under the mouse."""
        self._move(event, final=False)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn the line while the button is down."""
        self._move(event, final=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Leave the line where it is."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.lineMoved.emit(self._angle_at(event.position().x()), True)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw strip and curves."""
        painter, colours = QPainter(self), colours_of(self.palette())
        painter.fillRect(self.rect(), QColor(colours.base))
        if self._figures is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_strip(painter, colours, self._figures)
        self._paint_curves(painter, colours, self._figures)

    def _move(self, event: QMouseEvent, *, final: bool) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._figures is not None:
            self.lineMoved.emit(self._angle_at(event.position().x()), final)

    def _angle_at(self, x: float) -> float:
        share = (x - _LEFT) / max(self.width() - 2 * _LEFT, 1)
        return (min(max(share, 0.0), 1.0) - 0.5) * math.pi

    def _paint_strip(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        scores, middle = figures.line.scores, _TOP + _STRIP / 2
        largest = float(np.linalg.norm(figures.points, axis=1).max(initial=0.0)) or 1.0
        x = self.width() / 2 + scores / largest * (self.width() / 2 - _LEFT)
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QPointF(_LEFT, middle), QPointF(self.width() - _LEFT, middle))
        colour = QColor(colours.accent)
        colour.setAlpha(150)
        if len(x) <= MOST_DOTS:
            painter.setPen(QPen(colour, 5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawPoints(QPolygonF([QPointF(each, middle) for each in x.tolist()]))
            return
        # Of many scores the strip shows how many there are at each place.
        counts = np.bincount(np.clip(x, 0, self.width() - 1).astype(int), minlength=self.width())
        heights = counts / counts.max() * _STRIP / 2
        for place in np.flatnonzero(counts).tolist():
            rect = QRectF(place, middle - heights[place], 1, 2 * heights[place])
            painter.fillRect(rect, colour)

    def _paint_curves(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        area = QRectF(self.rect()).adjusted(_LEFT, _TOP + _STRIP + _WORDS, -_LEFT, -_TOP)
        total = float(figures.variances[0] + figures.errors[0]) or 1.0
        # The curves repeat after 180°; the angle 0 is in the middle.
        half = len(figures.angles) // 2
        place = np.linspace(area.left(), area.right(), len(figures.angles))

        def drawn(values: Floats) -> QPolygonF:
            turned = np.concatenate([values[half:-1], values[: half + 1]])
            heights = area.bottom() - turned / total * area.height()
            return QPolygonF([QPointF(*each) for each in zip(place.tolist(), heights.tolist(), strict=True)])

        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(area.topLeft(), area.topRight())
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if self._best is not None:
            height = area.bottom() - self._best / total * area.height()
            painter.setPen(QPen(QColor(colours.curve), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(area.left(), height), QPointF(area.right(), height))
        for values, colour in ((figures.variances, colours.accent), (figures.errors, colours.curve)):
            painter.setPen(QPen(QColor(colour), 2))
            painter.drawPolyline(drawn(values))
        angle = (figures.line.angle + math.pi / 2) % math.pi
        x = area.left() + angle / math.pi * area.width()
        painter.setPen(QPen(QColor(colours.text), 1))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        spread = figures.line.spread
        words = (("variance ", spread.variance, colours.accent), ("error ", spread.error, colours.curve))
        left = area.left()
        for word, value, colour in words:
            text = word + figure(value, 4)
            painter.setPen(QColor(colour))
            painter.drawText(QPointF(left, area.top() - 5), text)
            left += painter.fontMetrics().horizontalAdvance(text) + 14
