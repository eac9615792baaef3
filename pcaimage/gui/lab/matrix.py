"""The covariance in the present basis, as colours and numbers; a click chooses the plane."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import MatrixFigures
from pcaimage.insight.lab.formula import figure

MOST_NUMBERS = 12
"""Features of a matrix whose cells have numbers."""

_MARGIN = 4


class MatrixView(QWidget):
    """Draws the matrix; positive cells in one colour, negative ones in another."""

    planeChosen = Signal(int, int)  # noqa: N815
    """Two axes, from 0."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: MatrixFigures | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Covariance of the axes")
        self.setToolTip("Click a covariance, or use the arrow keys, to choose the plane that is turned.")
        self.setMinimumSize(200, 180)

    def sizeHint(self) -> QSize:
        """Return the size that suits the pane."""
        return QSize(360, 320)

    def show_figures(self, figures: MatrixFigures) -> None:
        """Draw another matrix."""
        self._figures = figures
        i, j = figures.plane
        value = figure(float(figures.values[i, j]), 4)
        self.setAccessibleDescription(f"{figures.names[i]} and {figures.names[j]}: {value}")
        self.update()

    def cell_at(self, position: QPointF) -> tuple[int, int] | None:
        """Return the row and column under a place on the widget."""
        if self._figures is None:
            return None
        area, count = self._area(), len(self._figures.values)
        if not area.contains(position):
            return None
        row = int((position.y() - area.top()) / area.height() * count)
        column = int((position.x() - area.left()) / area.width() * count)
        return min(row, count - 1), min(column, count - 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the plane of the cell under the mouse."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        cell = self.cell_at(event.position())
        if cell is not None and cell[0] != cell[1]:
            self.planeChosen.emit(*cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next cell beside or below, over the diagonal."""
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None or self._figures is None:
            super().keyPressEvent(event)
            return
        count, (i, j) = len(self._figures.values), self._figures.plane
        i, j = i + step[0], j + step[1]
        if i == j:
            i, j = i + step[0], j + step[1]
        if 0 <= i < count and 0 <= j < count:
            self.planeChosen.emit(i, j)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the cells, their numbers if they are few, and a frame around the chosen one."""
        painter, colours = QPainter(self), colours_of(self.palette())
        painter.fillRect(self.rect(), QColor(colours.base))
        if self._figures is None:
            return
        area = self._area()
        painter.drawImage(area, _picture(self._figures, colours))
        if len(self._figures.values) <= MOST_NUMBERS:
            self._paint_numbers(painter, colours, self._figures, area)
        i, j = self._figures.plane
        painter.setPen(QPen(QColor(colours.text), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for cell in {(i, j), (j, i)}:
            painter.drawRect(self._cell(area, *cell))
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _area(self) -> QRectF:
        side = min(self.width(), self.height()) - 2 * _MARGIN
        return QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)

    def _cell(self, area: QRectF, row: int, column: int) -> QRectF:
        count = 1 if self._figures is None else len(self._figures.values)
        width, height = area.width() / count, area.height() / count
        return QRectF(area.left() + column * width, area.top() + row * height, width, height)

    def _paint_numbers(
        self, painter: QPainter, colours: Colours, figures: MatrixFigures, area: QRectF
    ) -> None:
        font = tabular(painter.font())
        width = area.width() / len(figures.values)
        largest = float(np.abs(figures.values).max()) or 1.0
        texts = [[_number(value, largest) for value in row] for row in figures.values.tolist()]
        longest = max((text for row in texts for text in row), key=len)
        font.setPixelSize(max(6, min(14, int(1.55 * (width - 6) / max(len(longest), 1)))))
        painter.setFont(font)
        for row, line in enumerate(texts):
            for column, text in enumerate(line):
                strong = abs(figures.shade[row, column]) > 0.55
                painter.setPen(QColor(colours.accent_text if strong else colours.text))
                painter.drawText(self._cell(area, row, column), Qt.AlignmentFlag.AlignCenter, text)


def _number(value: float, largest: float) -> str:
    return "0" if abs(value) < 5e-5 * largest else figure(value, 3)


def _picture(figures: MatrixFigures, colours: Colours) -> QImage:
    """Return the cells as a picture of one pixel each."""
    base, negative, positive = (_channels(each) for each in (colours.base, colours.curve, colours.accent))
    shade = figures.shade[..., None]
    end = np.where(shade < 0, negative, positive)
    # The root lets small covariances be seen beside large variances.
    mixed = base + np.sqrt(np.abs(shade)) * (end - base)
    pixels = np.ascontiguousarray(np.clip(np.round(mixed), 0, 255).astype(np.uint8))
    height, width = pixels.shape[:2]
    return QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def _channels(colour: str) -> Floats:
    return np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)], np.float64)
