"""Plots that cannot be dragged or zoomed, and that report the position of the pointer."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from pcaimage.gui.boxes import vbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.shared.pens import Pens, colour_axes, signed_axes
from pcaimage.gui.theme import Coloured, colours_of, tabular
from pcaimage.insight.bands import BandNames
from pcaimage.language import tr

AXIS_WIDTH = 56
NAMED_FROM = 170  # pixels of height from which on there is room for the lower axis' name
_COUNTED = 16  # most bands that are counted one by one along the axis
_AIR = 0.06  # the part of its values' range that is free at either end of an axis


class StaticPlot(Coloured):
    """Base of plots that are neither dragged nor zoomed.

    `view` is pyqtgraph's widget and `plots` are the plots in it, which share a horizontal axis; by default
    there is one. Subclasses make their items after this constructor, and then call :meth:`_recolour`.
    """

    def __init__(self, view: Any = None, *plots: Any, hint: QSize, least: QSize) -> None:
        super().__init__()
        view = view or pg.PlotWidget(enableMenu=False, axisItems=signed_axes())
        plots = plots or (view.getPlotItem(),)
        self._view, self._plots, self._hint = view, plots, hint
        self._pens = Pens(view, self._recolour)
        for plot in plots:
            plot.hideButtons()
            plot.setMenuEnabled(enableMenu=False)
            plot.setMouseEnabled(x=False, y=False)
            plot.vb.disableAutoRange()
            plot.setContentsMargins(0, 4, 8, 0)
            for name in ("left", "bottom"):
                axis = plot.getAxis(name)
                axis.setTickFont(tabular(QFont(self.font())))
                axis.enableAutoSIPrefix(enable=False)
        vbox(view, of=self)
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        view.viewport().installEventFilter(self)
        view.viewport().setMouseTracking(True)
        self.setMinimumSize(least)

    def sizeHint(self) -> QSize:
        """Return the size that suits the plot's part of a tab."""
        return self._hint

    @property
    def plot_widget(self) -> QWidget:
        """The drawing alone, for an export."""
        view: QWidget = self._view
        return view

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the position of the pointer, and keep events from pyqtgraph's dragging and zooming."""
        if watched is not self._view.viewport():
            return super().eventFilter(watched, event)
        kind = event.type()
        if kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._hover(self._x_at(event.position()))
            return True
        if kind == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            self._press(self._x_at(event.position()))
        elif kind == QEvent.Type.Leave:
            self._hover(None)
        elif kind == QEvent.Type.Resize:
            self._fit()
        return kind in (QEvent.Type.Wheel, QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)

    def _x_at(self, position: QPointF) -> float:
        scene = self._view.mapToScene(position.toPoint())
        return float(self._plots[0].vb.mapSceneToView(scene).x())

    def _recolour(self) -> None:
        colours = colours_of(self.palette())
        self._view.setBackground(colours.base)
        for plot in self._plots:
            colour_axes(plot, ("left", "bottom"), colours, self._pens)
        self._paint(colours)

    @abstractmethod
    def _paint(self, colours: Colours) -> None:
        """Give the items the colours of a scheme."""

    @abstractmethod
    def _hover(self, x: float | None) -> None:
        """Report a place on the horizontal axis; None when the pointer leaves."""

    def _press(self, x: float) -> None:
        """React to a click at a place on the horizontal axis."""

    def _fit(self) -> None:
        """Fit the axes to the plot's size."""


class BandPlot(StaticPlot):
    """Base of plots over the bands of an image, of which pointer and arrow keys mark one."""

    hovered = Signal(int)  # the band that pointer or keys marked, from 0; -1 for none

    def __init__(self, view: Any = None, *plots: Any, hint: QSize, least: QSize) -> None:
        super().__init__(view, *plots, hint=hint, least=least)
        self._names: BandNames | None = None
        self._band = -1
        self._marks = tuple(pg.InfiniteLine(0, angle=90, movable=False) for _ in self._plots)
        """A vertical line for each plot, which subclasses add to it."""
        for plot, mark in zip(self._plots, self._marks, strict=True):
            plot.getAxis("left").setWidth(AXIS_WIDTH)
            mark.hide()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def band(self) -> int:
        """The band that is marked, from 0; -1 for none."""
        return self._band

    def mark(self, band: int) -> None:
        """Mark a band, from 0; -1 for none."""
        self._band = band
        for line in self._marks:
            line.setVisible(band >= 0)
            if band >= 0 and self._names is not None:
                line.setValue(float(self._names.places[band]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from band to band with the left and right arrows."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if self._names is None or not step:
            super().keyPressEvent(event)
            return
        order = self._names.order
        place = int(np.flatnonzero(order == self._band)[0]) if self._band >= 0 else -1
        self._point(int(order[min(max(place + step, 0), len(order) - 1)]))

    def _set_names(self, names: BandNames) -> None:
        """Name the horizontal axes, and count few bands one by one."""
        self._names = names
        spacing = {"major": 1, "minor": 1} if names.count <= _COUNTED and not names.spectral else {}
        for plot in self._plots:
            axis = plot.getAxis("bottom")
            axis.setLabel(tr(names.axis_title))
            axis.setTickSpacing(**spacing)

    def _hover(self, x: float | None) -> None:
        if x is None or self._names is None:
            self._point(-1)
        else:
            self._point(self._names.at(x))

    def _press(self, x: float) -> None:  # noqa: ARG002 - the keys go on from the band that is marked
        self.setFocus(Qt.FocusReason.MouseFocusReason)

    def _point(self, band: int) -> None:
        if band != self._band:
            self.mark(band)
            self.hovered.emit(band)

    def _paint(self, colours: Colours) -> None:
        for line in self._marks:
            line.setPen(self._pens(colours.muted))


def padded(low: float, high: float) -> tuple[float, float]:
    """Return the ends of an axis that shows values with some air on either side; never empty."""
    air = _AIR * (high - low or max(abs(high), 1.0))
    return low - air, high + air
