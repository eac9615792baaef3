"""The axes of the scatter plot, and what stands at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import Qt

from pcaimage.gui.theme import tabular

if TYPE_CHECKING:
    from pcaimage.gui.colours import Colours
    from pcaimage.gui.tabs.shared.pens import Pens

_LEFT = 56
_NAMED_FROM = 220
"""Pixels of height from which on there is room for a name below the axis; else it stands above it."""


class ScatterAxes:
    """Names the axes of a plot and colours them.

    Parameters
    ----------
    plot : pyqtgraph.PlotItem
        The plot.
    """

    def __init__(self, plot: Any) -> None:
        self._plot = plot
        self._inside = pg.LabelItem(justify="right")
        self._words, self._colour = "", "#000000"
        view = plot.getViewBox()
        self._inside.setParentItem(view)
        self._inside.anchor(itemPos=(1, 1), parentPos=(1, 1), offset=(-6, 4))
        self._inside.setZValue(50)
        plot.getAxis("left").setWidth(_LEFT)
        for name in ("bottom", "left"):
            axis = plot.getAxis(name)
            axis.setStyle(tickFont=tabular(plot.scene().font()), autoExpandTextSpace=False)
            axis.enableAutoSIPrefix(False)
        view.sigResized.connect(self._fit)

    def name(self, across: str, up: str) -> None:
        """Say what stands at the axes.

        Parameters
        ----------
        across, up : str
            The components.
        """
        self._words = across
        self._plot.setLabel("left", up)
        self._plot.setLabel("bottom", across)
        self._fit()

    def set_colours(self, colours: Colours, pens: Pens) -> None:
        """Use another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        pens : Pens
            The plot's pens.
        """
        self._colour = colours.muted
        for name in ("bottom", "left"):
            axis = self._plot.getAxis(name)
            axis.setPen(pens(colours.grid))
            axis.setTextPen(pens(colours.muted))
        self._fit()

    def _fit(self) -> None:
        """Name the lower axis where there is room."""
        below = self._plot.size().height() >= _NAMED_FROM
        bottom = self._plot.getAxis("bottom")
        if bottom.label.isVisible() != (below and bool(self._words)):
            bottom.showLabel(below and bool(self._words))
        self._inside.setVisible(not below)
        self._inside.setText(self._words, color=self._colour)
        self._inside.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
