"""The plot of a figure over the bands."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.bands.figures import BandFigures, Measure
from pcaimage.gui.tabs.shared.static_plot import NAMED_FROM, BandPlot, padded

_DOTTED = 64
"""Most bands that have a dot each."""


class BandQualityPlot(BandPlot):
    """Shows one figure of every band as a line."""

    chosen = Signal(int)
    """A band that was clicked, or chosen with Return."""

    def __init__(self) -> None:
        view = pg.PlotWidget(enableMenu=False)
        plot = view.getPlotItem()
        super().__init__(view, plot, hint=QSize(460, 160), least=QSize(200, 60))
        self._curve = pg.PlotCurveItem(antialias=True, connect="finite")
        self._dots = pg.ScatterPlotItem(size=6)
        for item in (*self._marks, self._curve, self._dots):
            plot.addItem(item, ignoreBounds=True)
        self.setAccessibleName("Quality of each band")
        self._recolour()

    def set_figures(self, figures: BandFigures, measure: Measure) -> None:
        """Show one of the figures of each band."""
        plot, names = self._plots[0], figures.names
        places, values = names.places[names.order], figures.values(measure.key)[names.order]
        known = np.isfinite(values)
        values = np.where(known, values, np.nan)
        self._curve.setData(places, values)
        few = len(figures) <= _DOTTED
        self._dots.setData(places[known] if few else [], values[known] if few else [])
        low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 1.0)
        low = min(low, 0.0) if measure.key in ("rms", "largest") else low
        plot.setYRange(*padded(low, high), padding=0.0)
        plot.setXRange(float(places[0]), float(places[-1]), padding=0.02)
        plot.getAxis("left").setLabel(measure.axis)
        self._set_names(names)
        self._fit()
        self.mark(self.band if self.band < len(figures) else -1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the marked band with Return."""
        if self.band >= 0 and Qt.Key(event.key()) in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(self.band)
        else:
            super().keyPressEvent(event)

    def _press(self, x: float) -> None:
        self._hover(x)
        super()._press(x)
        if self.band >= 0:
            self.chosen.emit(self.band)

    def _fit(self) -> None:
        self._plots[0].getAxis("bottom").showLabel(self._view.height() >= NAMED_FROM)

    def _paint(self, colours: Colours) -> None:
        super()._paint(colours)
        self._curve.setPen(self._pens(colours.accent, width=2))
        self._dots.setBrush(pg.mkBrush(colours.accent))
        self._dots.setPen(pg.mkPen(None))
