"""The things that the spectrum's plot is drawn from: bars, curve, marks, axes and the line at k."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFont

from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.tabs.spectrum.bars import SpectrumBars
from pcaimage.gui.tabs.spectrum.figures import decades
from pcaimage.gui.tabs.spectrum.marks import SpectrumMarks
from pcaimage.gui.theme import tabular

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from PySide6.QtWidgets import QWidget

    from pcaimage.gui.colours import Colours
    from pcaimage.gui.tabs.spectrum.figures import SpectrumData

_LINE = 2
_LINE_FOCUSED = 4
_COUNTED = 12
_LEFT_AXIS = 64
_NAMED_FROM = 180


class SpectrumItems:
    """Bars, cumulative curve, axes and the line at k, on one pyqtgraph plot.

    Parameters
    ----------
    colours : Colours
        The scheme to begin with.
    """

    def __init__(self, colours: Colours) -> None:
        self.widget: QWidget = pg.PlotWidget(enableMenu=False)
        self._plot = self.widget.getPlotItem()
        self._pens = Pens(self.widget, lambda: self.set_colours(self._colours))
        self._bars, self._marks = SpectrumBars(len(colours.planes)), SpectrumMarks()
        self._kept = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._share = pg.ViewBox(enableMenu=False)
        self._share.setZValue(20)  # the curve is seen over the bars
        self._curve = pg.PlotCurveItem(antialias=True)
        self._focused = False
        self._colours = colours
        self._arrange()
        self.set_colours(colours)

    @property
    def surface(self) -> QWidget:
        """The widget that feels the mouse."""
        return cast("QWidget", self.widget.viewport())  # type: ignore[attr-defined]

    def show_spectrum(self, data: SpectrumData, left_out: Collection[int] = ()) -> None:
        """Draw another spectrum.

        Parameters
        ----------
        data : SpectrumData
            May be empty.
        left_out : collection of int, optional
            Components, counted from 1, whose bars are hollow.
        """
        n = data.variances.size
        if not n:
            return
        first, last = float(data.place(0.5)), float(data.place(n + 0.5))
        self._label_axes(data, first, last)
        self._plot.getAxis("left").setLabel(data.scale.axis)
        self._bars.show(data, left_out)
        self._marks.show(data)
        self._curve.setData(data.place(np.arange(n) + 1.0), data.cumulative)
        self._plot.setXRange(first, last, padding=0.0)
        self._plot.setYRange(data.floor, data.top, padding=0.0)
        self._share.setYRange(0.0, 103.0, padding=0.0)
        self._place_share()

    def show_left_out(self, data: SpectrumData, left_out: Collection[int]) -> None:
        """Draw other bars hollow; :meth:`show_k` is to follow.

        Parameters
        ----------
        data : SpectrumData
            The spectrum shown.
        left_out : collection of int
            Components, counted from 1.
        """
        if data.variances.size:
            self._bars.show(data, left_out)

    def show_hovered(self, data: SpectrumData, component: int) -> None:
        """Mark the component under the mouse.

        Parameters
        ----------
        data : SpectrumData
            The spectrum shown.
        component : int
            Counted from 1; 0 for none.
        """
        self._marks.hover(data, component)

    def show_k(self, data: SpectrumData, k: int) -> None:
        """Draw the line, and what is to its left, for another k.

        Parameters
        ----------
        data : SpectrumData
            The spectrum shown.
        k : int
            How many components are kept; 0 for no line.
        """
        shown = 1 <= k <= data.variances.size
        for item in (self._line, self._kept):
            item.setVisible(shown)
        if data.variances.size:
            self._bars.show_k(data, k)
        if shown:
            self._kept.setRegion((float(data.place(0.5)), float(data.place(k + 0.5))))
            self._line.setValue(float(data.place(k)))

    def set_focus(self, *, on: bool) -> None:
        """Draw the line stronger while keys move it.

        Parameters
        ----------
        on : bool
            Whether they do.
        """
        self._focused = on
        self._line.setPen(self._pens(self._colours.accent, width=_LINE_FOCUSED if on else _LINE))

    def set_colours(self, colours: Colours) -> None:
        """Draw in another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        """
        self._colours = colours
        self.widget.setBackground(colours.base)  # type: ignore[attr-defined]
        for name in ("left", "bottom", "right"):
            axis = self._plot.getAxis(name)
            axis.setPen(self._pens(colours.border))
            axis.setTextPen(self._pens(colours.curve if name == "right" else colours.muted))
            axis.setTickPen(self._pens(colours.grid))
        self._plot.getAxis("left").label.setDefaultTextColor(QColor(colours.muted))
        self._bars.set_colours(colours, self._pens)
        self._marks.set_colours(colours, self._pens)
        soft = QColor(colours.accent)
        soft.setAlpha(38)
        self._kept.setBrush(pg.mkBrush(soft))
        self._curve.setPen(self._pens(colours.curve, width=2))
        self.set_focus(on=self._focused)

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

    def position_of(self, x: float) -> QPoint:
        """Return the position of a place on the horizontal axis; the inverse of :meth:`axis_value`.

        Parameters
        ----------
        x : float
            In the coordinates of the plot.

        Returns
        -------
        QPoint
            In the middle of the height.
        """
        box = self._plot.vb
        scene = box.mapViewToScene(QPointF(x, box.viewRect().center().y()))
        return cast("QPoint", self.widget.mapFromScene(scene))  # type: ignore[attr-defined]

    def when_resized(self, act: Callable[[], None]) -> None:
        """Have something done whenever places of the axes move on the surface.

        Parameters
        ----------
        act : callable
            Called without arguments.
        """
        self._plot.vb.sigResized.connect(lambda *_: act())

    def _arrange(self) -> None:
        plot = self._plot
        plot.hideButtons()
        plot.setMenuEnabled(enableMenu=False)
        plot.setMouseEnabled(x=False, y=False)
        plot.vb.disableAutoRange()
        self.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        plot.setContentsMargins(4, 4, 4, 4)
        plot.showAxis("right")
        plot.getAxis("left").setLabel("λ")
        plot.getAxis("left").enableAutoSIPrefix(enable=False)
        plot.getAxis("left").setWidth(_LEFT_AXIS)  # the same on both scales
        plot.getAxis("bottom").setLabel("component")
        plot.getAxis("right").setLabel("cumulative %")
        font = tabular(QFont(self.widget.font()))
        for name in ("left", "bottom", "right"):
            plot.getAxis(name).setTickFont(font)
        marks = [(line, 5) for line in (*self._marks.lines, self._marks.hovered)]
        for item, z in ((self._kept, -20), *self._bars.items, *marks, (self._line, 10)):
            item.setZValue(z)
            plot.addItem(item, ignoreBounds=True)
        plot.scene().addItem(self._share)
        plot.getAxis("right").linkToView(self._share)
        self._share.setXLink(plot.vb)
        self._share.setMouseEnabled(x=False, y=False)
        self._share.disableAutoRange()
        for item in (self._curve, self._marks.dots, self._marks.dot):
            self._share.addItem(item)
        plot.vb.sigResized.connect(self._place_share)
        plot.vb.sigResized.connect(self._fit_height)

    def _label_axes(self, data: SpectrumData, left: float, right: float) -> None:
        self._plot.getAxis("left").setTicks([decades(data.floor, data.top)] if data.logarithmic else None)
        bottom = self._plot.getAxis("bottom")
        if data.logarithmic_axis:
            bottom.setTicks([decades(left, right)])
            return
        bottom.setTicks(None)
        # Whole numbers of few components; of many, pyqtgraph finds round ones.
        few = data.variances.size <= _COUNTED
        bottom.setTickSpacing(**({"major": 1, "minor": 1} if few else {}))

    def _fit_height(self) -> None:
        """Give the room of the lower axis' name to the bars where there is little."""
        bottom = self._plot.getAxis("bottom")
        named = self.widget.height() >= _NAMED_FROM
        if bottom.label.isVisible() != named:
            bottom.showLabel(named)

    def _place_share(self) -> None:
        """Keep the box of the right axis exactly over that of the left one."""
        self._share.setGeometry(self._plot.vb.sceneBoundingRect())
        self._share.linkedViewChanged(self._plot.vb, self._share.XAxis)
