"""The things that the plot of size and quality is drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont

from pcaimage.gui.tabs.curve.names import CurveNames
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.theme import tabular
from pcaimage.imaging.rivals import RIVALS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from pcaimage.gui.colours import Colours
    from pcaimage.gui.tabs.curve.figures import CurveData

_MARKER, _MARKER_FOCUSED = 11, 14
_TICK_HEIGHT = 26
_DOTTED = 24
"""Curves of so few k are drawn with a dot for each."""


class CurveItems:
    """Curves, axes, the marker at k, the elbow and the original's size, on one pyqtgraph plot.

    Parameters
    ----------
    colours : Colours
        The scheme to begin with.
    """

    def __init__(self, colours: Colours) -> None:
        self.widget: QWidget = pg.PlotWidget(enableMenu=False)
        self._plot = self.widget.getPlotItem()
        self._pens = Pens(self.widget, lambda: self.set_colours(self._colours))
        self._own = pg.PlotDataItem(antialias=True)
        self._lines = {rival.name: pg.PlotCurveItem(antialias=True) for rival in RIVALS}
        self.names = CurveNames()
        """The names that stand in the plot."""
        self._beyond = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._original = pg.InfiniteLine(angle=90, movable=False)
        self._elbow = pg.ScatterPlotItem(symbol="d", size=10)
        self._marker = pg.ScatterPlotItem(symbol="o", size=_MARKER)
        self._hovered = pg.ScatterPlotItem(symbol="o", size=9)
        self._drop = pg.InfiniteLine(angle=90, movable=False)
        self._focused = False
        self._colours = colours
        self._data: CurveData | None = None
        self._place: tuple[float, float] | None = None
        self._arrange()
        self.set_colours(colours)

    @property
    def surface(self) -> QWidget:
        """The widget that feels the mouse."""
        return cast("QWidget", self.widget.viewport())  # type: ignore[attr-defined]

    def show_data(self, data: CurveData) -> None:
        """Draw other curves.

        Parameters
        ----------
        data : CurveData
            May be empty.
        """
        self._data = data
        self._plot.getAxis("left").setLabel(data.axis_title)
        self._plot.getAxis("bottom").setTicks(list(data.x_ticks()))
        self._plot.setXRange(*data.x_range, padding=0.0)
        self._plot.setYRange(*data.y_range, padding=0.0)
        drawn = bool(data.y.size)
        self._own.setVisible(drawn)
        if drawn:
            self._own.setData(data.x, data.y)
            self._own.setSymbol("o" if data.most <= _DOTTED else None)
        for name, item in self._lines.items():
            item.setVisible(name in data.lines)
            if name in data.lines:
                item.setData(*data.lines[name])
        self._draw_lines()
        self._show_original(data)
        self._show_elbow(data)
        self._place_names()

    def show_place(self, place: tuple[float, float] | None) -> None:
        """Draw the marker somewhere else.

        Parameters
        ----------
        place : (float, float) or None
            In the coordinates of the plot; None for no marker.
        """
        for item in (self._marker, self._drop):
            item.setVisible(place is not None)
        if place is not None:
            self._marker.setData([place[0]], [place[1]])
            self._drop.setValue(place[0])
        if place != self._place:
            self._place = place
            self._place_names()

    def show_hovered(self, place: tuple[float, float] | None) -> None:
        """Draw a ring around what is under the hand.

        Parameters
        ----------
        place : (float, float) or None
            In the coordinates of the plot; None for none.
        """
        self._hovered.setVisible(place is not None)
        if place is not None:
            self._hovered.setData([place[0]], [place[1]])

    def set_focus(self, *, on: bool) -> None:
        """Draw the marker stronger while keys move it.

        Parameters
        ----------
        on : bool
            Whether they do.
        """
        self._focused = on
        colours = self._colours
        self._marker.setSize(_MARKER_FOCUSED if on else _MARKER)
        self._marker.setBrush(pg.mkBrush(colours.accent))
        self._marker.setPen(self._pens(colours.text if on else colours.base, width=2))
        soft = QColor(colours.accent)
        soft.setAlpha(170 if on else 90)
        self._drop.setPen(self._pens(soft))

    def set_colours(self, colours: Colours) -> None:
        """Draw in another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        """
        self._colours = colours
        self.widget.setBackground(colours.base)  # type: ignore[attr-defined]
        for name in ("left", "bottom"):
            axis = self._plot.getAxis(name)
            axis.setPen(self._pens(colours.border))
            axis.setTextPen(self._pens(colours.muted))
            axis.setTickPen(self._pens(colours.grid))
            axis.label.setDefaultTextColor(QColor(colours.muted))
        self._own.setPen(self._pens(colours.accent, width=3))
        self._own.setSymbolPen(None)
        self._own.setSymbolBrush(pg.mkBrush(colours.accent))
        self._own.setSymbolSize(6)
        self._original.setPen(self._pens(colours.muted, style=Qt.PenStyle.DashLine))
        shade = QColor(colours.muted)
        shade.setAlpha(24)
        self._beyond.setBrush(pg.mkBrush(shade))
        self._elbow.setBrush(pg.mkBrush(colours.base))
        self._elbow.setPen(self._pens(colours.curve, width=2))
        self._hovered.setBrush(pg.mkBrush(None))
        self._hovered.setPen(self._pens(colours.text, width=1.5))
        self.names.set_colours(colours)
        self.set_focus(on=self._focused)
        self._draw_lines()

    def axis_value(self, position: QPointF) -> float:
        """Return the place on the horizontal axis under a position of the surface.

        Parameters
        ----------
        position : QPointF
            On :attr:`surface`.

        Returns
        -------
        float
            In the coordinates of the plot.
        """
        scene = self.widget.mapToScene(position.toPoint())  # type: ignore[attr-defined]
        return float(self._plot.vb.mapSceneToView(scene).x())

    def position_of(self, place: tuple[float, float]) -> QPoint:
        """Return the position of a place.

        Parameters
        ----------
        place : (float, float)
            In the coordinates of the plot.

        Returns
        -------
        QPoint
            On :attr:`surface`.
        """
        scene = self._plot.vb.mapViewToScene(QPointF(*place))
        return cast("QPoint", self.widget.mapFromScene(scene))  # type: ignore[attr-defined]

    def _arrange(self) -> None:
        plot = self._plot
        plot.hideButtons()
        plot.setMenuEnabled(enableMenu=False)
        plot.setMouseEnabled(x=False, y=False)
        plot.vb.disableAutoRange()
        self.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        plot.setContentsMargins(4, 4, 8, 0)
        font = tabular(QFont(self.widget.font()))
        for name in ("left", "bottom"):
            plot.getAxis(name).setTickFont(font)
        plot.getAxis("left").setWidth(56)
        items = (
            (self._beyond, -30),
            (self._original, -20),
            *((line, -5) for line in self._lines.values()),
            (self._drop, -3),
            (self._own, 0),
            *((name, 4) for name in self.names.items),
            (self._elbow, 6),
            (self._hovered, 8),
            (self._marker, 10),
        )
        for item, z in items:
            item.setZValue(z)
            plot.addItem(item, ignoreBounds=True)
        self.show_place(None)
        self.show_hovered(None)
        plot.vb.sigResized.connect(self._place_names)

    def _draw_lines(self) -> None:
        """Colour the references; those that only a sample tells of are dotted."""
        rough = {each.name for each in self._data.references if each.rough} if self._data else set[str]()
        for colour, rival in zip(self._colours.references, RIVALS, strict=True):
            style = Qt.PenStyle.DotLine if rival.name in rough else Qt.PenStyle.SolidLine
            self._lines[rival.name].setPen(self._pens(colour, width=1.5, style=style))

    def _show_original(self, data: CurveData) -> None:
        place = data.original_x
        for item in (self._original, self._beyond):
            item.setVisible(place is not None and bool(data.x.size))
        if place is None:
            return
        self._original.setValue(place)
        self._beyond.setRegion((place, max(data.x_range[1], place)))

    def _show_elbow(self, data: CurveData) -> None:
        k = data.elbow
        place = data.place(k) if k is not None else None
        self._elbow.setVisible(place is not None)
        if place is not None:
            self._elbow.setData([place[0]], [place[1]])

    def _place_names(self) -> None:
        """Label the axis as densely as there is room, and set names where they cover nothing."""
        data = self._data
        box: QRectF = self._plot.vb.sceneBoundingRect()
        if data is None or box.height() <= 0:
            return
        most = max(2, int(box.height() // _TICK_HEIGHT))
        self._plot.getAxis("left").setTicks([data.y_ticks(most)])
        self.names.place(data, box.width(), box.height(), self._place)
