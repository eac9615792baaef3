"""The histogram of errors."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.error.figures import Histogram
from pcaimage.gui.tabs.shared.static_plot import AXIS_WIDTH, StaticPlot
from pcaimage.gui.tabs.shared.ticks import decades

_LEAST = 0.5
"""The lower end of the logarithmic axis of counts."""


class ErrorPlot(StaticPlot):
    """Shows how many values are how far off."""

    described = Signal(str)
    """A sentence about the bar under the pointer; empty for none."""

    def __init__(self) -> None:
        view = pg.PlotWidget(enableMenu=False)
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
            return np.log10(np.maximum(counts, _LEAST))
        shares: NDArray[np.float64] = counts * (100 / max(float(counts.sum()), 1.0))
        return shares

    def _hover(self, x: float | None) -> None:
        self.described.emit("" if x is None or self._histogram is None else self._histogram.describe(x))

    def _draw(self) -> None:
        if self._histogram is None:
            return
        plot, edges, heights = self._plots[0], self._histogram.edges, self.heights
        floor = float(np.log10(_LEAST)) if self._logarithmic else 0.0
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
        soft = QColor(colours.accent)
        soft.setAlpha(38)
        self._usual.setBrush(pg.mkBrush(soft))
        self._zero.setPen(self._pens(colours.muted))
