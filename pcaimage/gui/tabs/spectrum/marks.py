"""What is marked in the spectrum's plot: the component under the mouse, and where thresholds are reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from pcaimage.gui.colours import Colours
    from pcaimage.gui.tabs.shared.pens import Pens
    from pcaimage.gui.tabs.spectrum.figures import SpectrumData

_MOST = 3


class SpectrumMarks:
    """Thin lines over the bars, and dots on the cumulative curve."""

    def __init__(self) -> None:
        self.lines = [pg.InfiniteLine(angle=90, movable=False) for _ in range(_MOST)]
        """Where thresholds are reached."""
        self.hovered = pg.InfiniteLine(angle=90, movable=False)
        """The component under the mouse."""
        self.dots = pg.ScatterPlotItem(size=7)
        """The thresholds on the curve; these belong to the axis of the cumulative share."""
        self.dot = pg.ScatterPlotItem(size=7)
        """Likewise the component under the mouse."""
        self.hovered.hide()

    def show(self, data: SpectrumData) -> None:
        """Mark another spectrum's thresholds.

        Parameters
        ----------
        data : SpectrumData
            Not empty.
        """
        marks = data.thresholds
        for line, mark in zip(self.lines, marks, strict=False):
            line.setValue(float(data.place(mark.k)))
        for number, line in enumerate(self.lines):
            line.setVisible(number < len(marks))
        places = [float(data.place(mark.k)) for mark in marks]
        self.dots.setData(places, [float(data.cumulative[mark.k - 1]) for mark in marks])
        self.hover(data, 0)

    def hover(self, data: SpectrumData, component: int) -> None:
        """Mark the component under the mouse.

        Parameters
        ----------
        data : SpectrumData
            The spectrum shown.
        component : int
            Counted from 1; 0 for none.
        """
        self.hovered.setVisible(component > 0)
        if component:
            place = float(data.place(component))
            self.hovered.setValue(place)
            self.dot.setData([place], [float(data.cumulative[component - 1])])
        else:
            self.dot.setData([], [])

    def set_colours(self, colours: Colours, pens: Pens) -> None:
        """Draw in another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        pens : Pens
            The plot's pens.
        """
        for line in self.lines:
            line.setPen(pens(colours.curve, style=Qt.PenStyle.DotLine))
        self.hovered.setPen(pens(colours.muted))
        self.dots.setPen(pens(colours.base))
        self.dots.setBrush(pg.mkBrush(colours.curve))
        self.dot.setPen(pens(colours.curve, width=2))
        self.dot.setBrush(pg.mkBrush(colours.base))
