"""The plot of a sample's scores."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.block.figures import ScoreBars, compressed
from pcaimage.gui.tabs.shared.static_plot import StaticPlot
from pcaimage.gui.tabs.shared.ticks import decades


class ScorePlot(StaticPlot):
    """Shows all scores of a sample as bars: kept, left out, and not kept."""

    hovered = Signal(int)
    """The component under the pointer, from 1; 0 for none."""

    def __init__(self) -> None:
        view = pg.PlotWidget(enableMenu=False)
        plot = view.getPlotItem()
        super().__init__(view, plot, hint=QSize(220, 140), least=QSize(140, 60))
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
            ticks = self._bars.ticks(max(3, self.height() // 24))
            self._plots[0].getAxis("left").setTicks([ticks])

    def _paint(self, colours: Colours) -> None:
        for item, fill in ((self._kept, colours.accent), (self._dropped, colours.bar)):
            item.setBrush(pg.mkBrush(fill))
            item.setPen(None)
        self._hollow.setBrush(None)
        self._hollow.setPen(self._pens(colours.accent))
        self._line.setPen(self._pens(colours.curve, width=2))
        soft = QColor(colours.accent)
        soft.setAlpha(30)
        self._rounded.setBrush(pg.mkBrush(soft))
