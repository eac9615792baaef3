"""The plots of the error tab: the heat map with its scale, and the histogram."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.compare.gestures import ARROWS
from pcaimage.gui.compare.legend import level_text
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.tabs.error.figures import Heat, Histogram
from pcaimage.gui.tabs.shared.pens import signed_axes
from pcaimage.gui.tabs.shared.static_plot import AXIS_WIDTH, StaticPlot
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.theme import colours_of, faint, tabular
from pcaimage.insight.error_map import HEAT

_DIMMED = 0.4
"""The opacity of errors that are of an earlier setting."""
_STEPS = 32
"""The number of key presses from one side of the map to the other."""
_SMALLEST_MARK = 9
_ARM = 6
_SCALE_WIDTH = 56
_LEAST_COUNT = 0.5
"""The lower end of the logarithmic axis of counts."""


class HeatMap(QWidget):
    """Shows how large errors are at every place of an image, and lets one be chosen."""

    placeRequested = Signal(int, int)  # noqa: N815
    """A pixel of the image that was clicked, or on which Enter was pressed."""
    placeHovered = Signal(int, int)  # noqa: N815
    """The pixel under the pointer; (-1, -1) when it leaves."""

    def __init__(self) -> None:
        super().__init__()
        self._heat: Heat | None = None
        self._size = (1, 1)
        self._image: QImage | None = None
        self._scaled: QImage | None = None
        self._dimmed = False
        self._mark: tuple[int, int, int, int] | None = None
        self._cursor: tuple[int, int] | None = None
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(80, 60)
        self.setAccessibleName("Heat map of errors")
        self.setAccessibleDescription(
            "Arrow keys move a cross over the map, Enter shows the place in the pictures above."
        )
        self.setToolTip(
            "The error of every pixel, or of every block: the brighter, the larger. "
            "Click a place to see it in the pictures."
        )

    def sizeHint(self) -> QSize:
        """Ask for a third of a tab."""
        return QSize(240, 140)

    def set_heat(self, heat: Heat | None, width: int, height: int) -> None:
        """Show other errors, or none, of an image of some pixels' width and height."""
        self._heat, self._size = heat, (max(width, 1), max(height, 1))
        self._image = None if heat is None else to_qimage(heat.colours)
        self._scaled = None
        if self._cursor is not None and (self._cursor[0] >= width or self._cursor[1] >= height):
            self._cursor = None
        self.update()

    def set_dimmed(self, dimmed: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Draw older errors paler while newer ones are found, or not."""
        if dimmed == self._dimmed:
            return
        self._dimmed = dimmed
        self.update()

    def set_mark(self, mark: tuple[int, int, int, int] | None) -> None:
        """Outline the left, top, right and bottom of a block, in pixels of the image; None for nothing."""
        self._mark = mark
        self.update()

    @property
    def target(self) -> QRectF:
        """The rectangle in which the image is drawn: as large as fits, in the middle."""
        width, height = self._size
        scale = min(self.width() / width, self.height() / height)
        drawn = max(1.0, width * scale), max(1.0, height * scale)
        return QRectF((self.width() - drawn[0]) / 2, (self.height() - drawn[1]) / 2, *drawn)

    def place_at(self, position: QPoint) -> tuple[int, int] | None:
        """Return the x and y of the pixel under a position on the widget; None beside the image."""
        target, (width, height) = self.target, self._size
        x = (position.x() + 0.5 - target.left()) / target.width() * width
        y = (position.y() + 0.5 - target.top()) / target.height() * height
        if self._heat is None or not (0 <= x < width and 0 <= y < height):
            return None
        return int(x), int(y)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Ask for the place under the pointer."""
        place = self.place_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and place is not None:
            self._cursor = place
            self.placeRequested.emit(*place)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell the place under the pointer."""
        self.placeHovered.emit(*(self.place_at(event.position().toPoint()) or (-1, -1)))

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that the pointer has left."""
        self.placeHovered.emit(-1, -1)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cross, or ask for its place."""
        key = Qt.Key(event.key())
        width, height = self._size
        x, y = self._cursor or (width // 2, height // 2)
        if self._heat is None or (key not in ARROWS and key not in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
            super().keyPressEvent(event)
            return
        if key in ARROWS:
            step = max(1, max(width, height) // _STEPS)
            x = min(max(x + ARROWS[key][0] * step, 0), width - 1)
            y = min(max(y + ARROWS[key][1] * step, 0), height - 1)
            self.placeHovered.emit(x, y)
        else:
            self.placeRequested.emit(x, y)
        self._cursor = (x, y)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that no place is pointed at; as in any widget, the cross goes with the focus."""
        self.placeHovered.emit(-1, -1)
        super().focusOutEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the map, the block that is chosen, and the cross."""
        painter = QPainter(self)
        colours = colours_of(self.palette())
        painter.fillRect(self.rect(), QColor(colours.canvas))
        if self._image is None or self._heat is None:
            return
        target = self.target
        painter.save()
        painter.setClipRect(target)
        painter.setOpacity(_DIMMED if self._dimmed else 1.0)
        place = self._place(self._heat.region)
        painter.drawImage(place, self._fitting(self._image, place))
        painter.restore()
        if self._mark is not None:
            self._draw_mark(painter, self._place(self._mark))
        if self.hasFocus():
            if self._cursor is not None:
                x, y = self._cursor
                _draw_cross(painter, self._place((x, y, x + 1, y + 1)).center().toPoint())
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _draw_mark(self, painter: QPainter, place: QRectF) -> None:
        size = max(place.width(), _SMALLEST_MARK), max(place.height(), _SMALLEST_MARK)
        outline = QRectF(place.center().x() - size[0] / 2, place.center().y() - size[1] / 2, *size)
        for colour, width in (("#000000", 3), ("#ffffff", 1)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawRect(outline)

    def _place(self, region: tuple[int, int, int, int]) -> QRectF:
        target = self.target
        across, down = target.width() / self._size[0], target.height() / self._size[1]
        left, top, right, bottom = region
        return QRectF(
            target.left() + left * across,
            target.top() + top * down,
            (right - left) * across,
            (bottom - top) * down,
        )

    def _fitting(self, image: QImage, place: QRectF) -> QImage:
        """Return the picture at the size at which it is drawn, scaled once; larger pixels stay sharp."""
        wanted = (place.size() * self.devicePixelRatioF()).toSize().expandedTo(QSize(1, 1))
        if wanted.width() >= image.width():
            return image
        if self._scaled is None or self._scaled.size() != wanted:
            mode = Qt.TransformationMode.SmoothTransformation
            self._scaled = image.scaled(wanted, Qt.AspectRatioMode.IgnoreAspectRatio, mode)
        return self._scaled


def _draw_cross(painter: QPainter, place: QPoint) -> None:
    for colour, width in (("#000000", 3), ("#ffffff", 1)):
        painter.setPen(QPen(QColor(colour), width))
        painter.drawLine(place - QPoint(_ARM, 0), place + QPoint(_ARM, 0))
        painter.drawLine(place - QPoint(0, _ARM), place + QPoint(0, _ARM))


class HeatScale(QWidget):
    """The colour scale of a heat map, from no error to the largest that has a colour of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._full = 0.0
        self.setMinimumHeight(48)
        self.setFixedWidth(_SCALE_WIDTH)
        self.setFont(tabular(self.font()))
        self.setToolTip("The error that each colour stands for, in levels of pixel values.")
        self.setAccessibleName("Scale of the heat map")

    def set_full_scale(self, full_scale: float) -> None:
        """Show another scale, given the error that is shown brightest, in levels."""
        self._full = full_scale
        text = level_text(full_scale)
        self.setFixedWidth(max(_SCALE_WIDTH, 20 + self.fontMetrics().horizontalAdvance(f"≥ {text}")))
        self.setAccessibleDescription(f"From no error, dark, to {text} levels and more, bright.")
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bar and its ends."""
        painter = QPainter(self)
        colours = colours_of(self.palette())
        line = painter.fontMetrics().height()
        bar = QRect(0, line // 2, 12, max(self.height() - line, 1))
        for row in range(bar.height()):
            place = 255 - 255 * row // max(bar.height() - 1, 1)
            painter.fillRect(bar.left(), bar.top() + row, bar.width(), 1, QColor(*HEAT[place].tolist()))
        painter.setPen(QColor(colours.border))
        painter.drawRect(bar.adjusted(0, 0, -1, -1))
        painter.setPen(QColor(colours.muted))
        room = self.width() - 16
        marks = ((0.0, f"≥ {level_text(self._full)}"), (0.5, level_text(self._full / 2)), (1.0, "0"))
        for share, text in marks:
            top = round(share * (self.height() - line))
            painter.drawText(QRect(16, top, room, line), Qt.AlignmentFlag.AlignVCenter, text)


class ErrorPlot(StaticPlot):
    """Shows the histogram of errors: the number of values that are off by each difference."""

    described = Signal(str)
    """A sentence about the bar under the pointer; empty for none."""

    def __init__(self) -> None:
        view = pg.PlotWidget(enableMenu=False, axisItems=signed_axes())
        plot = view.getPlotItem()
        super().__init__(view, plot, hint=QSize(320, 140), least=QSize(160, 60))
        self._histogram: Histogram | None = None
        self._rms = 0.0
        self._logarithmic = True
        self._curve = pg.PlotCurveItem([0, 1], [0], stepMode="center")
        self._usual = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._zero = pg.InfiniteLine(0, angle=90, movable=False)
        plot.getAxis("left").setLabel("values")
        plot.getAxis("left").setWidth(AXIS_WIDTH)
        plot.getAxis("bottom").setLabel("error, levels")
        for item, z in ((self._usual, -20), (self._curve, -10), (self._zero, -5)):
            item.setZValue(z)
            plot.addItem(item, ignoreBounds=True)
        self.setAccessibleName("Histogram of errors")
        self.setToolTip(
            "How many values differ from the original's by how much; "
            "the tinted band is ± the root mean square."
        )
        self._recolour()

    def set_histogram(self, histogram: Histogram, rms: float) -> None:
        """Show another histogram, with the root mean square of its errors in levels."""
        self._histogram, self._rms = histogram, rms
        self._draw()

    def set_logarithmic(self, logarithmic: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Count on a logarithmic axis, on which rare errors are seen, or not."""
        self._logarithmic = logarithmic
        self._draw()

    @property
    def heights(self) -> NDArray[np.float64]:
        """The heights of the bars: decimal logarithms of their counts, or per cent of all values."""
        if self._histogram is None:
            return np.zeros(0)
        counts = self._histogram.counts.astype(np.float64)
        if self._logarithmic:
            return np.log10(np.maximum(counts, _LEAST_COUNT))
        shares: NDArray[np.float64] = counts * (100 / max(float(counts.sum()), 1.0))
        return shares

    def _hover(self, x: float | None) -> None:
        self.described.emit("" if x is None or self._histogram is None else self._histogram.describe(x))

    def _draw(self) -> None:
        if self._histogram is None:
            return
        plot, edges, heights = self._plots[0], self._histogram.edges, self.heights
        floor = float(np.log10(_LEAST_COUNT)) if self._logarithmic else 0.0
        top = float(heights.max(initial=floor + 1e-3))
        self._curve.setFillLevel(floor)
        self._curve.setData(edges, heights)
        self._usual.setRegion((-self._rms, self._rms))
        plot.setXRange(float(edges[0]), float(edges[-1]), padding=0.01)
        plot.setYRange(floor, top + 0.05 * (top - floor), padding=0.0)
        plot.getAxis("left").setTicks([decades(floor, top, 5)] if self._logarithmic else None)
        plot.getAxis("left").setLabel("values" if self._logarithmic else "% of values")

    def _paint(self, colours: Colours) -> None:
        self._curve.setBrush(pg.mkBrush(colours.accent))
        self._curve.setPen(None)
        self._usual.setBrush(pg.mkBrush(faint(colours.accent, 38)))
        self._zero.setPen(self._pens(colours.muted))
