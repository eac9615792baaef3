"""A sample's scores as a bar chart."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pcaimage.gui.tabs.block.figures import ScoreBars, compressed
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.theme import colours_of, tabular


class ScoreChart(QWidget):
    """Shows all scores of a sample: kept, left out, and not kept.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    hovered = Signal(int)
    """The component under the hand, from 1; 0 when there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bars: ScoreBars | None = None
        self._widget = pg.PlotWidget(enableMenu=False)
        self._plot: Any = self._widget.getPlotItem()
        self._pens = Pens(self._widget, self._set_colours)
        self._kept, self._dropped, self._hollow = (
            pg.PlotCurveItem([0, 1], [0], stepMode="center", fillLevel=0) for _ in range(3)
        )
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._rounded = pg.LinearRegionItem(orientation="horizontal", movable=False, pen=pg.mkPen(None))
        self._arrange()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._widget)
        self._widget.viewport().installEventFilter(self)
        self._widget.viewport().setMouseTracking(True)
        self.setMinimumSize(140, 60)
        self.setAccessibleName("Scores")
        self.setToolTip(
            "The sample's score on every component: how much of it the sample has. Kept ones are coloured, "
            "those left out are hollow; what lies within the tinted band is rounded to zero."
        )
        self._set_colours()

    def sizeHint(self) -> QSize:
        """Ask for a quarter of a tab."""
        return QSize(220, 140)

    @property
    def plot_widget(self) -> QWidget:
        """The plot alone, for an export."""
        plot: QWidget = self._widget
        return plot

    def set_bars(self, bars: ScoreBars, step: float | None) -> None:
        """Show another sample.

        Parameters
        ----------
        bars : ScoreBars
            Its scores.
        step : float or None
            What they are rounded to multiples of.
        """
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
        left, right = float(bars.edges[0]), float(bars.edges[-1])
        self._plot.setXRange(left, right, padding=0.01)
        self._plot.setYRange(-bars.reach, bars.reach, padding=0.0)
        self._label()
        self._plot.getAxis("bottom").setTicks([decades(left, right)] if bars.logarithmic else None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Label the axis as densely as there is room."""
        super().resizeEvent(event)
        self._label()

    def set_stage(self, number: int) -> None:
        """Mark a component.

        Parameters
        ----------
        number : int
            From 1; 0 for none.
        """
        self._line.setVisible(number > 0 and self._bars is not None)
        if self._bars is not None and number:
            self._line.setValue(self._bars.place(number))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell what is under the hand; nothing is dragged or zoomed here."""
        if watched is not self._widget.viewport():
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.MouseMove and self._bars is not None:
            scene = self._widget.mapToScene(cast("QMouseEvent", event).position().toPoint())
            x = float(self._plot.vb.mapSceneToView(scene).x())
            self.hovered.emit(self._bars.number_at(x) or 0)
            return True
        if event.type() == QEvent.Type.Leave:
            self.hovered.emit(0)
        return event.type() in (
            QEvent.Type.Wheel,
            QEvent.Type.MouseButtonPress,
            QEvent.Type.MouseButtonDblClick,
        )

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._set_colours()
        super().changeEvent(event)

    def _label(self) -> None:
        if self._bars is not None:
            self._plot.getAxis("left").setTicks([self._bars.ticks(max(3, self.height() // 24))])

    def _arrange(self) -> None:
        plot = self._plot
        plot.hideButtons()
        plot.setMenuEnabled(enableMenu=False)
        plot.setMouseEnabled(x=False, y=False)
        plot.vb.disableAutoRange()
        plot.setContentsMargins(0, 4, 8, 0)
        font = tabular(QFont(self.font()))
        for name, label in (("left", "score"), ("bottom", "component")):
            axis = plot.getAxis(name)
            axis.setLabel(label)
            axis.setTickFont(font)
            axis.enableAutoSIPrefix(enable=False)
        items = ((self._rounded, -30), (self._dropped, -20), (self._kept, -10), (self._hollow, -5))
        for item, z in (*items, (self._line, 5)):
            item.setZValue(z)
            plot.addItem(item, ignoreBounds=True)
        self._line.setVisible(False)
        self._widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _set_colours(self) -> None:
        colours = colours_of(self.palette())
        self._widget.setBackground(colours.base)
        for name in ("left", "bottom"):
            axis = self._plot.getAxis(name)
            axis.setPen(self._pens(colours.border))
            axis.setTextPen(self._pens(colours.muted))
            axis.setTickPen(self._pens(colours.grid))
            axis.label.setDefaultTextColor(QColor(colours.muted))
        for item, fill in ((self._kept, colours.accent), (self._dropped, colours.bar)):
            item.setBrush(pg.mkBrush(fill))
            item.setPen(None)
        self._hollow.setBrush(None)
        self._hollow.setPen(self._pens(colours.accent))
        self._line.setPen(self._pens(colours.curve, width=2))
        soft = QColor(colours.accent)
        soft.setAlpha(30)
        self._rounded.setBrush(pg.mkBrush(soft))
