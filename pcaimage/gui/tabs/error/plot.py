"""The histogram of errors."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Signal
from PySide6.QtGui import QColor, QFont, QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from pcaimage.gui.tabs.error.bars import Bars
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.theme import colours_of, tabular

_FEWEST = 0.5
"""On the logarithmic axis, none is shown below one."""


class ErrorPlot(QWidget):
    """Shows how many values are how far off.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    described = Signal(str)
    """What the bar under the hand says; empty when it leaves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bars: Bars | None = None
        self._rms = 0.0
        self._logarithmic = True
        self._widget = pg.PlotWidget(enableMenu=False)
        self._plot: Any = self._widget.getPlotItem()
        self._pens = Pens(self._widget, self._set_colours)
        self._curve = pg.PlotCurveItem([0, 1], [0], stepMode="center")
        self._usual = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._zero = pg.InfiniteLine(0, angle=90, movable=False)
        self._arrange()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._widget)
        self._widget.viewport().installEventFilter(self)
        self._widget.viewport().setMouseTracking(True)
        self.setMinimumSize(160, 60)
        self.setAccessibleName("Histogram of errors")
        self.setToolTip(
            "How many values are how far from the original's; the tinted band is ± the root mean square."
        )
        self._set_colours()

    def sizeHint(self) -> QSize:
        """Ask for a third of a tab."""
        return QSize(320, 140)

    @property
    def plot_widget(self) -> QWidget:
        """The plot alone, for an export."""
        plot: QWidget = self._widget
        return plot

    def set_bars(self, bars: Bars, rms: float) -> None:
        """Show another histogram.

        Parameters
        ----------
        bars : Bars
            The histogram.
        rms : float
            Root mean square of the differences, in levels.
        """
        self._bars, self._rms = bars, rms
        self._refresh()

    def set_logarithmic(self, logarithmic: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Choose the axis of the counts.

        Parameters
        ----------
        logarithmic : bool
            Whether rare errors are seen, too.
        """
        self._logarithmic = logarithmic
        self._refresh()

    @property
    def heights(self) -> NDArray[np.float64]:
        """How high the bars are drawn: logarithms of how many values they have, or per cent of all."""
        if self._bars is None:
            return np.zeros(0)
        counts = self._bars.counts.astype(np.float64)
        if self._logarithmic:
            return np.log10(np.maximum(counts, _FEWEST))
        shares: NDArray[np.float64] = counts * (100 / max(float(counts.sum()), 1.0))
        return shares

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell what is under the hand; nothing is dragged or zoomed here."""
        if watched is not self._widget.viewport():
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.MouseMove and self._bars is not None:
            position = cast("QMouseEvent", event).position()
            self.described.emit(self._bars.describe(self._axis_value(position)))
            return True
        if event.type() == QEvent.Type.Leave:
            self.described.emit("")
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

    def _axis_value(self, position: QPointF) -> float:
        scene = self._widget.mapToScene(position.toPoint())
        return float(self._plot.vb.mapSceneToView(scene).x())

    def _refresh(self) -> None:
        if self._bars is None:
            return
        edges, heights = self._bars.edges, self.heights
        floor = float(np.log10(_FEWEST)) if self._logarithmic else 0.0
        top = float(heights.max(initial=floor + 1e-3))
        self._curve.setFillLevel(floor)
        self._curve.setData(edges, heights)
        self._usual.setRegion((-self._rms, self._rms))
        self._plot.setXRange(float(edges[0]), float(edges[-1]), padding=0.01)
        self._plot.setYRange(floor, top + 0.05 * (top - floor), padding=0.0)
        ticks = [decades(floor, top, 5)] if self._logarithmic else None
        self._plot.getAxis("left").setTicks(ticks)
        self._plot.getAxis("left").setLabel("values" if self._logarithmic else "% of values")

    def _arrange(self) -> None:
        plot = self._plot
        plot.hideButtons()
        plot.setMenuEnabled(enableMenu=False)
        plot.setMouseEnabled(x=False, y=False)
        plot.vb.disableAutoRange()
        plot.setContentsMargins(0, 4, 8, 0)
        font = tabular(QFont(self.font()))
        for name, label in (("left", "values"), ("bottom", "error, levels")):
            axis = plot.getAxis(name)
            axis.setLabel(label)
            axis.setTickFont(font)
            axis.enableAutoSIPrefix(enable=False)
        plot.getAxis("left").setWidth(56)
        for item, z in ((self._usual, -20), (self._curve, -10), (self._zero, -5)):
            item.setZValue(z)
            plot.addItem(item, ignoreBounds=True)
        self._widget.setFocusPolicy(self.focusPolicy())

    def _set_colours(self) -> None:
        colours = colours_of(self.palette())
        self._widget.setBackground(colours.base)
        for name in ("left", "bottom"):
            axis = self._plot.getAxis(name)
            axis.setPen(self._pens(colours.border))
            axis.setTextPen(self._pens(colours.muted))
            axis.setTickPen(self._pens(colours.grid))
            axis.label.setDefaultTextColor(QColor(colours.muted))
        self._curve.setBrush(pg.mkBrush(colours.accent))
        self._curve.setPen(None)
        soft = QColor(colours.accent)
        soft.setAlpha(38)
        self._usual.setBrush(pg.mkBrush(soft))
        self._zero.setPen(self._pens(colours.muted))
