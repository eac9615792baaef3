"""The covariance in the present basis, as colours and numbers; a click chooses the plane."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPen

from pcaimage.gui.colours import Colours
from pcaimage.gui.compare.gestures import ARROWS
from pcaimage.gui.lab.pane import Pane
from pcaimage.gui.theme import tabular
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import MatrixFigures
from pcaimage.insight.lab.formula import LARGE, correlation_figure, figure

MOST_NUMBERS = 12  # features of a matrix whose cells have numbers

_MARGIN, _NAMES = 4, 84
_SHADES = 255


class MatrixView(Pane[MatrixFigures]):
    """Draws the matrix; positive cells in one colour, negative ones in another."""

    planeChosen = Signal(int, int)  # noqa: N815
    """Two axes, from 0."""

    name = "Covariance of the axes"
    tip = "Click a cell, or use the arrow keys, to choose the plane that is turned."
    least, usual = QSize(200, 180), QSize(360, 320)
    takes_keys = True

    def __init__(self) -> None:
        super().__init__()
        self._picture: QImage | None = None

    def show_figures(self, figures: MatrixFigures) -> None:
        """Draw another matrix."""
        self._picture = None
        i, j = figures.plane
        number = float(figures.values[i, j])
        value = correlation_figure(number) if figures.is_correlation else figure(number, 4)
        self._show(figures, f"{figures.names[i]} and {figures.names[j]}: {value}")

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

    def dragged(self, position: QPointF, *, final: bool) -> None:
        """Choose the plane of the cell under the mouse, when the button is let go."""
        cell = self.cell_at(position)
        if final and cell is not None and cell[0] != cell[1]:
            self.planeChosen.emit(*cell)

    def _recolour(self) -> None:
        self._picture = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next cell beside or below, over the diagonal."""
        key = Qt.Key(event.key())
        if key not in ARROWS or self._figures is None:
            super().keyPressEvent(event)
            return
        count, (i, j) = len(self._figures.values), self._figures.plane
        right, down = ARROWS[key]
        i, j = i + down, j + right
        if i == j:
            i, j = i + down, j + right
        if 0 <= i < count and 0 <= j < count:
            self.planeChosen.emit(i, j)

    def resizeEvent(self, _event: object) -> None:
        """Fit many cells to the pixels anew."""
        self._picture = None

    def draw(self, painter: QPainter, colours: Colours, figures: MatrixFigures) -> None:
        """Draw the cells, their numbers if they are few, and a frame around the chosen one."""
        area = self._area()
        if self._picture is None:
            side = round(area.width() * self.devicePixelRatioF())
            self._picture = _picture(figures, colours, max(side, 1))
        painter.drawImage(area, self._picture)
        if len(figures.values) <= MOST_NUMBERS:
            self._paint_numbers(painter, colours, figures, area)
        if self._has_names():
            self._paint_names(painter, colours, figures.names, area)
        i, j = figures.plane
        painter.setPen(QPen(QColor(colours.text), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for cell in {(i, j), (j, i)}:
            painter.drawRect(self._cell(area, *cell))

    def _area(self) -> QRectF:
        left, top = (_NAMES, self.fontMetrics().height() + 2) if self._has_names() else (_MARGIN, _MARGIN)
        side = min(self.width() - left, self.height() - top) - _MARGIN
        return QRectF(left + (self.width() - left - side) / 2, top, side, side)

    def _has_names(self) -> bool:
        few = self._figures is not None and len(self._figures.names) <= MOST_NUMBERS
        return few and self.width() > 3 * _NAMES

    def _paint_names(self, painter: QPainter, colours: Colours, names: tuple[str, ...], area: QRectF) -> None:
        metrics, elide = painter.fontMetrics(), Qt.TextElideMode.ElideRight
        painter.setPen(QColor(colours.muted))
        for place, name in enumerate(names):
            row, column = self._cell(area, place, 0), self._cell(area, 0, place)
            beside = QRectF(area.left() - _NAMES, row.top(), _NAMES - 5, row.height())
            text = metrics.elidedText(name, elide, _NAMES - 6)
            painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            above = QRectF(column.left(), 0, column.width(), area.top())
            text = metrics.elidedText(name, elide, int(column.width()) - 2)
            painter.drawText(above, Qt.AlignmentFlag.AlignCenter, text)

    def _cell(self, area: QRectF, row: int, column: int) -> QRectF:
        count = 1 if self._figures is None else len(self._figures.values)
        width, height = area.width() / count, area.height() / count
        return QRectF(area.left() + column * width, area.top() + row * height, width, height)

    def _paint_numbers(
        self, painter: QPainter, colours: Colours, figures: MatrixFigures, area: QRectF
    ) -> None:
        font = tabular(painter.font())
        width = area.width() / len(figures.values)
        form = correlation_figure if figures.is_correlation else _number
        texts = [[form(value) for value in row] for row in figures.values.tolist()]
        longest = max((text for row in texts for text in row), key=len)
        font.setPixelSize(max(6, min(14, int(1.55 * (width - 6) / max(len(longest), 1)))))
        plain = painter.font()
        painter.setFont(font)
        for row, line in enumerate(texts):
            for column, text in enumerate(line):
                strong = abs(figures.shade[row, column]) > 0.55
                painter.setPen(QColor(colours.accent_text if strong else colours.text))
                painter.drawText(self._cell(area, row, column), Qt.AlignmentFlag.AlignCenter, text)
        painter.setFont(plain)


def _number(value: float) -> str:
    return f"{value:,.0f}".replace("-", "−") if 1000 <= abs(value) < LARGE else figure(value, 3)


def _picture(figures: MatrixFigures, colours: Colours, side: int) -> QImage:
    """Return the cells as a picture of one pixel each, or of every n-th row and column: at most `side`."""
    every = -(-len(figures.values) // side)
    places = np.round(figures.shade[::every, ::every] * _SHADES).astype(np.int64) + _SHADES
    pixels = np.ascontiguousarray(_inks(colours)[places])
    height, width = pixels.shape
    return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGB32).copy()


@cache
def _inks(colours: Colours) -> NDArray[np.uint32]:
    """Return the colours of shades from −1 to 1."""
    base, negative, positive = (_channels(each) for each in (colours.base, colours.curve, colours.accent))
    shade = np.linspace(-1.0, 1.0, 2 * _SHADES + 1)[:, None]
    # The root lets small covariances be seen beside large variances.
    mixed = base + np.sqrt(np.abs(shade)) * (np.where(shade < 0, negative, positive) - base)
    red, green, blue = np.round(mixed).astype(np.uint32).T
    found: NDArray[np.uint32] = np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue
    return found


def _channels(colour: str) -> Floats:
    return np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)], np.float64)
