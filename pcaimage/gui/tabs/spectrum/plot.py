"""The spectrum's plot: bars, cumulative curve, marked shares of the variance, and the line at k."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, Qt

from pcaimage.gui.colours import Colours, mixed
from pcaimage.gui.tabs.shared.choosing_plot import ChoosingPlot
from pcaimage.gui.tabs.shared.pens import Pens
from pcaimage.gui.tabs.shared.ticks import decades
from pcaimage.gui.tabs.spectrum.figures import THRESHOLDS, SpectrumData
from pcaimage.gui.theme import faint
from pcaimage.language import tr

_LINE = 2
_LINE_FOCUSED = 4
_COUNTED = 12  # largest number of components for which the axis labels each
_LEFT_AXIS = 64
_NAMED_FROM = 180  # pixels of height from which on there is room for the name of the lower axis
_PALE, _HIGHEST = 90, 0.86  # the upper edge of marks' names, as a share of the height: below the curve
_LOWEST_OUTLINE = 0.03  # share of the plot's height below which the outline of a bar could not be seen


class SpectrumPlot(ChoosingPlot):
    """Draws a spectrum and k."""

    axes = ("left", "bottom", "right")

    def __init__(self, colours: Colours) -> None:
        super().__init__(colours)
        self._data = SpectrumData.of([], 0)
        self._bars, self._marks = SpectrumBars(len(colours.planes)), SpectrumMarks()
        self._kept = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._share = pg.ViewBox(enableMenu=False)
        self._share.setZValue(20)  # the curve is seen over the bars
        self._curve = pg.PlotCurveItem(antialias=True)
        self._arrange()
        self.set_colours(colours)

    def show_spectrum(self, data: SpectrumData, left_out: Collection[int]) -> None:
        """Draw another spectrum, with hollow bars for components (counted from 1) that are left out."""
        self._data = data
        n = data.variances.size
        if not n:
            return
        first, last = float(data.place(0.5)), float(data.place(n + 0.5))
        self._label_axes(first, last)
        self._plot.getAxis("left").setLabel(data.scale.axis)
        self._bars.show(data, left_out)
        self._marks.show(data)
        self._curve.setData(data.place(np.arange(n) + 1.0), data.cumulative)
        self._plot.setXRange(first, last, padding=0.0)
        self._plot.setYRange(data.floor, data.top, padding=0.0)
        self._share.setYRange(0.0, 103.0, padding=0.0)
        self._place_share()

    def show_left_out(self, left_out: Collection[int]) -> None:
        """Draw other bars hollow; :meth:`show_k` has to follow."""
        if self._data.variances.size:
            self._bars.show(self._data, left_out)

    def show_hovered(self, component: int) -> None:
        """Mark the component under the mouse, counted from 1; 0 for none."""
        self._marks.hover(self._data, component)

    def show_k(self, k: int) -> None:
        """Draw the line, and the bars to its left, for another k; 0 for no line."""
        data = self._data
        shown = 1 <= k <= data.variances.size
        for item in (self._line, self._kept):
            item.setVisible(shown)
        if data.variances.size:
            self._bars.show_k(data, k)
        if shown:
            self._kept.setRegion((float(data.place(0.5)), float(data.place(k + 0.5))))
            self._line.setValue(float(data.place(k)))

    def flag_at(self, position: QPointF) -> int:
        """Return the component whose share of the variance, such as ``95 %``, is there; 0 for none."""
        spot = self.widget.mapToScene(position.toPoint())
        flags = zip(self._data.thresholds, self._marks.lines, strict=False)
        return next((mark.k for mark, line in flags if line.label.sceneBoundingRect().contains(spot)), 0)

    def position_of_component(self, component: int) -> QPoint:
        """Return where a component is on :attr:`surface`, in the middle of the plot's height."""
        return self.position_of(float(self._data.place(component)), self._plot.vb.viewRect().center().y())

    def _paint(self, colours: Colours) -> None:
        self._plot.getAxis("right").setTextPen(self._pens(colours.curve))
        self._bars.set_colours(colours, self._pens)
        self._marks.set_colours(colours, self._pens)
        self._kept.setBrush(pg.mkBrush(faint(colours.accent, 38)))
        self._curve.setPen(self._pens(colours.curve, width=2))

    def _paint_focus(self, *, on: bool) -> None:
        self._line.setPen(self._pens(self._colours.accent, width=_LINE_FOCUSED if on else _LINE))

    def _arrange(self) -> None:
        plot = self._plot
        plot.setContentsMargins(4, 4, 4, 4)
        plot.showAxis("right")
        plot.getAxis("left").setLabel("λ")
        plot.getAxis("left").enableAutoSIPrefix(enable=False)
        plot.getAxis("left").setWidth(_LEFT_AXIS)  # the same on both scales
        plot.getAxis("bottom").setLabel("component")
        plot.getAxis("right").setLabel(tr("cumulative %"))
        marks = ((line, 5) for line in (*self._marks.lines, self._marks.hovered))
        self._add(((self._kept, -20), *self._bars.items, *marks, (self._line, 10)))
        plot.scene().addItem(self._share)
        plot.getAxis("right").linkToView(self._share)
        self._share.setXLink(plot.vb)
        self._share.setMouseEnabled(x=False, y=False)
        self._share.disableAutoRange()
        for item in (self._curve, self._marks.dots, self._marks.dot):
            self._share.addItem(item)
        plot.vb.sigResized.connect(self._place_share)
        plot.vb.sigResized.connect(self._fit_height)

    def _label_axes(self, left: float, right: float) -> None:
        data = self._data
        self._plot.getAxis("left").setTicks([decades(data.floor, data.top)] if data.logarithmic else None)
        bottom = self._plot.getAxis("bottom")
        if data.logarithmic_axis:
            bottom.setTicks([decades(left, right)])
            return
        bottom.setTicks(None)
        # Whole numbers for few components; for many, pyqtgraph finds round ones.
        few = data.variances.size <= _COUNTED
        bottom.setTickSpacing(**({"major": 1, "minor": 1} if few else {}))

    def _fit_height(self) -> None:
        """Give the space of the lower axis' name to the bars where there is little, and place the marks."""
        bottom = self._plot.getAxis("bottom")
        named = self.widget.height() >= _NAMED_FROM
        if bottom.label.isVisible() != named:
            bottom.showLabel(named)
        self._marks.fit_height(self._plot.vb.height())

    def _place_share(self) -> None:
        """Keep the box of the right axis exactly over that of the left one."""
        self._share.setGeometry(self._plot.vb.sceneBoundingRect())
        self._share.linkedViewChanged(self._plot.vb, self._share.XAxis)


class SpectrumBars:
    """A bar for each component: a colour for each group, pale where not kept, hollow where left out."""

    def __init__(self, n_groups: int) -> None:
        self._all, self._kept = (
            [pg.PlotCurveItem([0, 1], [0], stepMode="center", pen=None) for _ in range(n_groups)]
            for _ in range(2)
        )
        self._hollow = pg.PlotCurveItem()
        self._colours: Colours | None = None
        self._grouped = False
        self._solid = np.zeros(0)

    @property
    def items(self) -> Iterator[tuple[Any, int]]:
        """The items and their z values."""
        yield from ((item, -10) for item in self._all)
        yield from ((item, -5) for item in self._kept)
        yield self._hollow, -4

    def show(self, data: SpectrumData, left_out: Collection[int]) -> None:
        """Draw a spectrum that is not empty, with hollow bars for components (counted from 1) left out."""
        n = data.variances.size
        hollow = np.array(sorted(number for number in left_out if number <= n), np.int64)
        self._solid = data.heights.copy()
        self._solid[hollow - 1] = data.floor
        edges = data.place(np.arange(n + 1) + 0.5)
        for group, item in enumerate(self._all):
            item.setFillLevel(data.floor)
            item.setData(edges, self._of(data, group, n))
            item.setVisible(group == 0 or bool(data.group_names))
        self._outline(data, hollow)
        if self._grouped != bool(data.group_names):
            self._grouped = bool(data.group_names)
            self._paint()

    def show_k(self, data: SpectrumData, k: int) -> None:
        """Draw the first k components as kept; 0 for none."""
        shown = 1 <= k <= data.variances.size
        edges = data.place(np.arange(k + 1) + 0.5) if shown else None
        for group, item in enumerate(self._kept):
            item.setVisible(shown and (group == 0 or bool(data.group_names)))
            if item.isVisible():
                item.setFillLevel(data.floor)
                item.setData(edges, self._of(data, group, k))

    def set_colours(self, colours: Colours, pens: Pens) -> None:
        """Draw in another colour scheme."""
        self._colours = colours
        self._hollow.setPen(pens(colours.text))
        self._paint()

    def _of(self, data: SpectrumData, group: int, count: int) -> NDArray[np.float64]:
        """Return the heights of one group's first bars; those of others lie on the floor."""
        if not data.group_names:
            return self._solid[:count]
        # Groups without a colour of their own share the last.
        groups = np.minimum(data.groups[:count], len(self._all) - 1)
        return np.where(groups == group, self._solid[:count], data.floor)

    def _outline(self, data: SpectrumData, hollow: NDArray[np.int64]) -> None:
        left, right, height = data.place(hollow - 0.5), data.place(hollow + 0.5), data.heights[hollow - 1]
        height = np.maximum(height, data.floor + _LOWEST_OUTLINE * (data.top - data.floor))
        ground = np.full(len(hollow), data.floor)
        x = np.stack([left, left, right, right], axis=1).ravel()
        y = np.stack([ground, height, height, ground], axis=1).ravel()
        self._hollow.setData(x, y, connect=np.tile(np.array([1, 1, 1, 0], np.int32), len(hollow)))
        self._hollow.setVisible(len(hollow) > 0)

    def _paint(self) -> None:
        colours = self._colours
        if colours is None:
            return
        for group, (item, kept) in enumerate(zip(self._all, self._kept, strict=True)):
            strong = colours.planes[group] if self._grouped else colours.accent
            pale = mixed(strong, colours.base, _PALE) if self._grouped else colours.bar
            item.setBrush(pg.mkBrush(pale))
            kept.setBrush(pg.mkBrush(strong))


class SpectrumMarks:
    """Thin lines over the bars, and dots on the cumulative curve: thresholds, and the hovered component."""

    def __init__(self) -> None:
        self.lines = [
            pg.InfiniteLine(angle=90, movable=False, label="", labelOpts={"position": _HIGHEST})
            for _ in THRESHOLDS
        ]
        self.hovered = pg.InfiniteLine(angle=90, movable=False)
        # The dots belong to the axis of the cumulative share.
        self.dots = pg.ScatterPlotItem(size=7)
        self.dot = pg.ScatterPlotItem(size=7)
        self.hovered.hide()

    def show(self, data: SpectrumData) -> None:
        """Mark the thresholds of a spectrum that is not empty."""
        marks = data.thresholds
        for line, mark in zip(self.lines, marks, strict=False):
            line.setValue(float(data.place(mark.k)))
            line.label.setFormat(tr(mark.name))
        for number, line in enumerate(self.lines):
            line.setVisible(number < len(marks))
        places = [float(data.place(mark.k)) for mark in marks]
        self.dots.setData(places, [float(data.cumulative[mark.k - 1]) for mark in marks])
        self.hover(data, 0)

    def fit_height(self, pixels: float) -> None:
        """Place the names of shares that lie near each other below each other."""
        for place, line in enumerate(self.lines):
            step = line.label.boundingRect().height() / max(pixels, 1.0)
            line.label.setPosition(max(_HIGHEST - (place + 0.5) * step, step / 2))

    def hover(self, data: SpectrumData, component: int) -> None:
        """Mark the component under the mouse, counted from 1; 0 for none."""
        self.hovered.setVisible(component > 0)
        if component:
            place = float(data.place(component))
            self.hovered.setValue(place)
            self.dot.setData([place], [float(data.cumulative[component - 1])])
        else:
            self.dot.setData([], [])

    def set_colours(self, colours: Colours, pens: Pens) -> None:
        """Draw in another colour scheme."""
        for line in self.lines:
            line.setPen(pens(colours.curve, style=Qt.PenStyle.DotLine))
            line.label.setColor(colours.curve)
            line.label.fill = pg.mkBrush(faint(colours.base, 150))
        self.hovered.setPen(pens(colours.muted))
        self.dots.setPen(pens(colours.base))
        self.dots.setBrush(pg.mkBrush(colours.curve))
        self.dot.setPen(pens(colours.curve, width=2))
        self.dot.setBrush(pg.mkBrush(colours.base))
