"""The plot of a component's loadings over the bands of an image."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSize

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.shared.static_plot import BandPlot
from pcaimage.gui.theme import colours_of
from pcaimage.insight.bands import BandNames


class LoadingPlot(BandPlot):
    """Shows the loadings of a component: what a unit score adds to each band."""

    def __init__(self) -> None:
        super().__init__(hint=QSize(360, 140), least=QSize(180, 60))
        plot = self._plots[0]
        self._values, self._title = np.zeros(0, np.float32), ""
        self._curve, self._zero = pg.PlotCurveItem(antialias=True), pg.InfiniteLine(0, angle=0, movable=False)
        for item in (self._zero, *self._marks, self._curve):
            plot.addItem(item, ignoreBounds=True)
        self.hovered.connect(lambda _: self._describe())
        self._recolour()

    def show_loading(self, title: str, values: NDArray[np.float32], names: BandNames) -> None:
        """Show the loadings of a component with such a title, shape (C,)."""
        self._values, self._title, plot = values, title, self._plots[0]
        places = names.places[names.order]
        self._curve.setData(places, values[names.order])
        reach = 1.1 * float(np.abs(values).max(initial=1e-9))
        plot.setYRange(-reach, reach, padding=0.0)
        plot.setXRange(float(places[0]), float(places[-1]), padding=0.01)
        self._set_names(names)
        self._describe()

    def _describe(self) -> None:
        text = self._title
        if self._names is not None and self.band >= 0:
            value = f"{self._values[self.band]:+.3g}".replace("-", "−")
            text = f"{text} · band {self._names.label(self.band)}: {value}"
        self._plots[0].getAxis("left").setLabel("loading")
        self._plots[0].setTitle(text, color=colours_of(self.palette()).muted, size="9pt")
        self.setAccessibleName(f"Loadings of {text}")

    def _paint(self, colours: Colours) -> None:
        super()._paint(colours)
        self._zero.setPen(self._pens(colours.border))
        self._curve.setPen(self._pens(colours.accent, width=2))
