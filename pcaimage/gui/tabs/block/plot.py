"""The plots of the block tab: the strip of its stages, and the chart of its scores."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.tabs.block.figures import ScoreBars, compressed, score_text, stage_title
from pcaimage.gui.tabs.shared.sample_pictures import fitted
from pcaimage.gui.tabs.shared.static_plot import StaticPlot
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.theme import colours_of, faint, tabular
from pcaimage.insight.inspection import Inspection, PartialSum

_NARROWEST = 56
_GAP = 8
_LARGEST = 96.0


class StageStrip(QScrollArea):
    """Shows how a sample grows, component by component, and lets one stage be highlighted."""

    def __init__(self) -> None:
        super().__init__()
        self.row = StageRow()
        # The range of the scroll bar is known only once the layout is done.
        self._following = QTimer(self, singleShot=True, interval=0)
        self._following.timeout.connect(self._follow)
        self.setWidget(self.row)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(140, 80)
        self.setFocusProxy(self.row)

    def sizeHint(self) -> QSize:
        """Ask for as much as there is."""
        return QSize(400, 140)

    def set_inspection(self, inspection: Inspection | None) -> None:
        """Show another sample; None for nothing."""
        self.row.set_inspection(inspection)

    def set_stage(self, place: int) -> None:
        """Highlight the stage at a place, from 0, and bring it into view."""
        self.row.set_stage(place)
        self._follow()
        self._following.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the stage that is highlighted in view."""
        super().resizeEvent(event)
        self._following.start()

    def _follow(self) -> None:
        where = self.row.place_of(self.row.place).center().toPoint()
        self.ensureVisible(where.x(), where.y(), int(self.row.item_width), 0)


class StageRow(QWidget):
    """The stages side by side, for a scroll area.

    As any widget, it is drawn anew when the focus comes or goes, and in another colour scheme.
    """

    chosen = Signal(int)  # the place of a stage that was clicked or walked to, from 0

    def __init__(self) -> None:
        super().__init__()
        self._stages: tuple[PartialSum, ...] = ()
        self._inner: tuple[int, int, int, int] | None = None
        """The edges of the block in its picture; None for all of it."""
        self._place = 0
        self.setFont(tabular(self.font()))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Sums, step by step")
        self.setToolTip(
            "Above, the sum of the mean and the components so far; below, what the last one adds: its score "
            "times the component. Small changes are amplified. Arrow keys go step by step."
        )

    @property
    def place(self) -> int:
        """The place of the stage that is highlighted."""
        return self._place

    @property
    def item_width(self) -> float:
        """The width of a stage with the gap beside it, in pixels."""
        return max(_NARROWEST, self._side) + _GAP

    @property
    def _line(self) -> int:
        return self.fontMetrics().height()

    @property
    def _side(self) -> float:
        """The side of a picture in pixels: two of them and two lines of text are stacked vertically."""
        return min(max(16.0, (self.height() - 2 * self._line - 10) / 2), _LARGEST)

    def set_inspection(self, inspection: Inspection | None) -> None:
        """Show the stages of a sample."""
        self._stages = () if inspection is None else inspection.stages
        alone = inspection is None or inspection.samples.size != 1
        self._inner = inspection.inner if inspection is not None and alone else None
        self._place = min(self._place, max(len(self._stages) - 1, 0))
        self._fit()
        self.update()

    def set_stage(self, place: int) -> None:
        """Highlight a stage."""
        self._place = place
        if self._stages:
            stage = self._stages[place]
            self.setAccessibleDescription(f"{stage_title(stage)}, score {score_text(stage.score)}")
        self.update()

    def place_of(self, place: int) -> QRectF:
        """Return the rectangle in which a stage is drawn."""
        high = min(self.height(), 2 * (self._side + self._line) + 10)
        top = (self.height() - high) / 2
        return QRectF(place * self.item_width, top, self.item_width - _GAP, high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for all stages at their new size."""
        super().resizeEvent(event)
        self._fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the stage under the pointer."""
        place = int(event.position().x() // self.item_width)
        if event.button() == Qt.MouseButton.LeftButton and 0 <= place < len(self._stages):
            self.chosen.emit(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go step by step."""
        last = len(self._stages) - 1
        place = {
            Qt.Key.Key_Left: self._place - 1,
            Qt.Key.Key_Right: self._place + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if place is None or last < 0:
            super().keyPressEvent(event)
        else:
            self.chosen.emit(max(0, min(place, last)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the stages that are in view."""
        painter = QPainter(self)
        colours = colours_of(self.palette())
        for place, stage in enumerate(self._stages):
            room = self.place_of(place)
            if room.toAlignedRect().intersects(event.rect()):
                self._draw(painter, stage, room, colours, chosen=place == self._place)

    def _draw(
        self, painter: QPainter, stage: PartialSum, room: QRectF, colours: Colours, *, chosen: bool
    ) -> None:
        line, side = self._line, self._side
        if chosen:
            painter.fillRect(room, QColor(colours.accent_soft))
            if self.hasFocus():
                painter.setPen(QPen(QColor(colours.accent), 2))
                painter.drawRect(room.adjusted(1, 1, -1, -1))
        painter.setPen(QColor(colours.text if chosen else colours.muted))
        middle = Qt.AlignmentFlag.AlignCenter
        painter.drawText(QRectF(room.left(), room.top() + 1, room.width(), line), middle, stage_title(stage))
        top = QRectF(room.left() + 2, room.top() + line + 2, room.width() - 4, side)
        image = self._image_of(stage)
        painter.drawImage(fitted(image, top), image)
        below = top.translated(0, side + 4)
        if stage.part is not None:
            part = to_qimage(stage.part)
            painter.drawImage(fitted(part, below), part)
            text = QRectF(room.left(), below.bottom() + 1, room.width(), line)
            painter.drawText(text, middle, score_text(stage.score))

    def _image_of(self, stage: PartialSum) -> QImage:
        """Return the sum; only of what is in view, for there are hundreds of stages."""
        if self._inner is None:
            return to_qimage(stage.picture)
        left, top, right, bottom = self._inner
        return to_qimage(stage.picture[top:bottom, left:right].copy())

    def _fit(self) -> None:
        self.setMinimumWidth(int(len(self._stages) * self.item_width))


class ScorePlot(StaticPlot):
    """Shows all scores of a sample as bars: kept, left out, and not kept."""

    hovered = Signal(int)  # the component under the pointer, from 1; 0 for none

    def __init__(self) -> None:
        super().__init__(hint=QSize(220, 140), least=QSize(140, 60))
        plot = self._plots[0]
        self._bars: ScoreBars | None = None
        self._kept, self._dropped, self._hollow = (
            pg.PlotCurveItem([0, 1], [0], stepMode="center", fillLevel=0) for _ in range(3)
        )
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._rounded = pg.LinearRegionItem(orientation="horizontal", movable=False, pen=pg.mkPen(None))
        plot.getAxis("left").setLabel("score")
        plot.getAxis("bottom").setLabel("component")
        items = ((self._rounded, -30), (self._dropped, -20), (self._kept, -10), (self._hollow, -5))
        for item, z in (*items, (self._line, 5)):
            item.setZValue(z)
            plot.addItem(item, ignoreBounds=True)
        self._line.setVisible(False)
        self.setAccessibleName("Scores")
        self.setToolTip(
            "The sample's score on every component: how much of it the sample contains. Kept scores are "
            "coloured, left-out ones hollow; scores within the tinted band are rounded to zero."
        )
        self._recolour()

    def set_bars(self, bars: ScoreBars, step: float | None) -> None:
        """Show another sample, whose scores are rounded to multiples of a step."""
        self._bars = bars
        for item, which in (
            (self._kept, bars.kept),
            (self._dropped, ~bars.kept & ~bars.left_out),
            (self._hollow, bars.left_out),
        ):
            item.setVisible(bool(which.any()))
            if which.any():
                item.setData(bars.edges, np.where(which, bars.heights, 0.0))
        self._rounded.setVisible(step is not None)
        if step is not None:
            half = float(compressed(np.float64(step / 2)))
            self._rounded.setRegion((-half, half))
        plot, left, right = self._plots[0], float(bars.edges[0]), float(bars.edges[-1])
        plot.setXRange(left, right, padding=0.01)
        plot.setYRange(-bars.reach, bars.reach, padding=0.0)
        plot.getAxis("bottom").setTicks([decades(left, right)] if bars.logarithmic else None)
        self._fit()

    def set_stage(self, number: int) -> None:
        """Mark a component, from 1; 0 for none."""
        self._line.setVisible(number > 0 and self._bars is not None)
        if self._bars is not None and number:
            self._line.setValue(self._bars.place(number))

    def _hover(self, x: float | None) -> None:
        number = None if x is None or self._bars is None else self._bars.number_at(x)
        self.hovered.emit(number or 0)

    def _fit(self) -> None:
        if self._bars is not None:
            self._plots[0].getAxis("left").setTicks([self._bars.ticks(max(3, self.height() // 24))])

    def _paint(self, colours: Colours) -> None:
        for item, fill in ((self._kept, colours.accent), (self._dropped, colours.bar)):
            item.setBrush(pg.mkBrush(fill))
            item.setPen(None)
        self._hollow.setBrush(None)
        self._hollow.setPen(self._pens(colours.accent))
        self._line.setPen(self._pens(colours.curve, width=2))
        self._rounded.setBrush(pg.mkBrush(faint(colours.accent, 30)))
