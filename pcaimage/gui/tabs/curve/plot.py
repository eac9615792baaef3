"""The plot of size and quality: curves, the marker at k, the elbow, and the original's size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from pcaimage.gui.tabs.curve.figures import CurveData, describe_elbow, describe_original
from pcaimage.gui.tabs.shared.choosing_plot import ChoosingPlot
from pcaimage.gui.theme import faint
from pcaimage.imaging.rivals.rivals import RIVALS
from pcaimage.language import tr

if TYPE_CHECKING:
    from pcaimage.gui.colours import Colours

    Place = tuple[float, float]
    """Coordinates of the plot."""

_MARKER, _MARKER_FOCUSED = 11, 14
_TICK_HEIGHT = 26
_DOTTED = 24  # largest number of values of k for which a curve has a dot for each


class CurvePlot(ChoosingPlot):
    """Draws curves and k."""

    def __init__(self, colours: Colours) -> None:
        super().__init__(colours)
        self._own = pg.PlotDataItem(antialias=True)
        self._rough = pg.PlotCurveItem(antialias=True)
        self._lines = {rival.name: pg.PlotCurveItem(antialias=True) for rival in RIVALS}
        self._beyond = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        # Its name changes sides with the line, so that it is always inside.
        self._original = pg.InfiniteLine(angle=90, movable=False, label="", labelOpts={"position": 0.06})
        self._elbow, self.elbow_name = pg.ScatterPlotItem(symbol="d", size=10), pg.TextItem()
        self._marker = pg.ScatterPlotItem(symbol="o", size=_MARKER)
        self._hovered = pg.ScatterPlotItem(symbol="o", size=9)
        self._drop = pg.InfiniteLine(angle=90, movable=False)
        self._data = CurveData()
        self._arrange()
        self.set_colours(colours)

    def show_data(self, data: CurveData) -> None:
        """Draw other curves."""
        self._data = data
        self._plot.getAxis("left").setLabel(data.axis_title)
        self._plot.getAxis("bottom").setTicks(list(data.x_ticks()))
        self._plot.setXRange(*data.x_range, padding=0.0)
        self._plot.setYRange(*data.y_range, padding=0.0)
        drawn = bool(data.y.size)
        for item in (self._own, self._rough):
            item.setVisible(drawn)
        if drawn:
            # Unreliable parts are dotted.
            rough = data.rough
            self._own.setData(data.x, np.where(rough, np.nan, data.y) if rough.size else data.y)
            self._rough.setData(data.x, data.y)
            self._rough.setVisible(bool(rough.any()))
            self._own.setSymbol("o" if data.most <= _DOTTED else None)
        for name, item in self._lines.items():
            item.setVisible(name in data.lines)
            if name in data.lines:
                item.setData(*data.lines[name])
        self._show_original()
        place = None if data.elbow is None else data.place(data.elbow)
        _move(self._elbow, place)
        self.elbow_name.setVisible(place is not None)
        if place is not None:
            self.elbow_name.setText(tr(describe_elbow(data)))
            self.elbow_name.setPos(*place)
        self._label_axis()

    def show_place(self, place: Place | None) -> None:
        """Draw the marker at other coordinates of the plot, or not at all."""
        _move(self._marker, place)
        self._drop.setVisible(place is not None)
        if place is not None:
            self._drop.setValue(place[0])

    def show_hovered(self, place: Place | None) -> None:
        """Draw a ring at the coordinates under the mouse, or none."""
        _move(self._hovered, place)

    def _paint_focus(self, *, on: bool) -> None:
        colours = self._colours
        self._marker.setSize(_MARKER_FOCUSED if on else _MARKER)
        self._marker.setBrush(pg.mkBrush(colours.accent))
        self._marker.setPen(self._pens(colours.text if on else colours.base, width=2))
        self._drop.setPen(self._pens(faint(colours.accent, 170 if on else 90)))

    def _paint(self, colours: Colours) -> None:
        self._own.setPen(self._pens(colours.accent, width=3))
        self._rough.setPen(self._pens(colours.accent, width=1.5, style=Qt.PenStyle.DotLine))
        self._own.setSymbolPen(None)
        self._own.setSymbolBrush(pg.mkBrush(colours.accent))
        self._own.setSymbolSize(6)
        self._original.setPen(self._pens(colours.muted, style=Qt.PenStyle.DashLine))
        self._beyond.setBrush(pg.mkBrush(faint(colours.muted, 24)))
        self._elbow.setBrush(pg.mkBrush(colours.base))
        self._elbow.setPen(self._pens(colours.curve, width=2))
        self._hovered.setBrush(pg.mkBrush(None))
        self._hovered.setPen(self._pens(colours.text, width=1.5))
        for name, colour in ((self.elbow_name, colours.curve), (self._original.label, colours.muted)):
            name.setColor(colour)
            name.fill = pg.mkBrush(faint(colours.base, 150))
        for colour, rival in zip(colours.references, RIVALS, strict=True):
            self._lines[rival.name].setPen(self._pens(colour, width=1.5))

    def _arrange(self) -> None:
        self._plot.setContentsMargins(4, 4, 8, 0)
        self._plot.getAxis("left").setWidth(56)
        self._add(
            (
                (self._beyond, -30),
                (self._original, -20),
                *((line, -5) for line in self._lines.values()),
                (self._drop, -3),
                (self._rough, -1),
                (self._own, 0),
                (self.elbow_name, 4),
                (self._elbow, 6),
                (self._hovered, 8),
                (self._marker, 10),
            )
        )
        self.show_place(None)
        self.show_hovered(None)
        self._plot.vb.sigResized.connect(self._label_axis)

    def _show_original(self) -> None:
        data, place = self._data, self._data.original_x
        for item in (self._original, self._beyond):
            item.setVisible(place is not None and bool(data.x.size))
        if place is not None:
            self._original.setValue(place)
            self._original.label.setFormat(tr(describe_original(data)))
            self._beyond.setRegion((place, max(data.x_range[1], place)))

    def _label_axis(self) -> None:
        """Label the axis as densely as there is room."""
        most = max(2, int(self._plot.vb.sceneBoundingRect().height() // _TICK_HEIGHT))
        self._plot.getAxis("left").setTicks([self._data.y_ticks(most)])


def _move(item: Any, place: Place | None) -> None:
    item.setVisible(place is not None)
    if place is not None:
        item.setData([place[0]], [place[1]])
