"""The plot of size and quality: curves, the marker at k, the elbow, the original's size, and their names."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from pcaimage.gui.tabs.curve.figures import CurveData, describe_elbow, describe_original
from pcaimage.gui.tabs.shared.choosing_plot import ChoosingPlot
from pcaimage.gui.theme import faint
from pcaimage.imaging.rivals.rivals import RIVALS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from pcaimage.gui.colours import Colours

    Place = tuple[float, float]
    """Coordinates of the plot."""
    Line = tuple[NDArray[np.float64], NDArray[np.float64]]

_MARKER, _MARKER_FOCUSED = 11, 14
_TICK_HEIGHT = 26
_DOTTED = 24
"""Largest number of values of k for which a curve has a dot for each."""
_NEAR = 7
"""Pixels between the middle of a mark and its name, to the side."""
_AWAY = 7, 20
"""Likewise upwards or downwards; the second where the marker is near."""
_AROUND = 8
"""Pixels around the marker that no name covers."""
_STOPS = 9
"""Places along the own curve where its name may stand."""
_BESIDE = ((1, 1), (0, 0), (0, 1), (1, 0))
"""Corners of a name that may touch its mark, by preference: above a rising curve, names are to the left."""
_SAMPLES = 24
"""Points at which a name is tested for covering a curve."""


class CurvePlot(ChoosingPlot):
    """Draws curves and k."""

    def __init__(self, colours: Colours) -> None:
        super().__init__(colours)
        self._own = pg.PlotDataItem(antialias=True)
        self._rough = pg.PlotCurveItem(antialias=True)
        self._lines = {rival.name: pg.PlotCurveItem(antialias=True) for rival in RIVALS}
        self.names = CurveNames()
        self._beyond = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._original = pg.InfiniteLine(angle=90, movable=False)
        self._elbow = pg.ScatterPlotItem(symbol="d", size=10)
        self._marker = pg.ScatterPlotItem(symbol="o", size=_MARKER)
        self._hovered = pg.ScatterPlotItem(symbol="o", size=9)
        self._drop = pg.InfiniteLine(angle=90, movable=False)
        self._data = CurveData()
        self._place: Place | None = None
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
        number = data.elbow
        _move(self._elbow, None if number is None else data.place(number))
        self._place_names()

    def show_place(self, place: Place | None) -> None:
        """Draw the marker at other coordinates of the plot, or not at all."""
        _move(self._marker, place)
        self._drop.setVisible(place is not None)
        if place is not None:
            self._drop.setValue(place[0])
        self._place = place
        if place is not None and self.names.covered_at(place):
            self._place_names()

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
        for name in self.axes:
            self._plot.getAxis(name).label.setDefaultTextColor(QColor(colours.muted))
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
        self.names.set_colours(colours)
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
                *((name, 4) for name in self.names.items),
                (self._elbow, 6),
                (self._hovered, 8),
                (self._marker, 10),
            )
        )
        self.show_place(None)
        self.show_hovered(None)
        self._plot.vb.sigResized.connect(self._place_names)

    def _show_original(self) -> None:
        data, place = self._data, self._data.original_x
        for item in (self._original, self._beyond):
            item.setVisible(place is not None and bool(data.x.size))
        if place is not None:
            self._original.setValue(place)
            self._beyond.setRegion((place, max(data.x_range[1], place)))

    def _place_names(self) -> None:
        """Label the axis as densely as there is room, and place names where they cover nothing."""
        box: QRectF = self._plot.vb.sceneBoundingRect()
        if box.height() <= 0:
            return
        most = max(2, int(box.height() // _TICK_HEIGHT))
        self._plot.getAxis("left").setTicks([self._data.y_ticks(most)])
        self.names.place(self._data, box.width(), box.height(), self._place)


class CurveNames:
    """The names of curves, of the elbow, and of the original's size."""

    def __init__(self) -> None:
        self._rivals = {rival.name: pg.TextItem(rival.title) for rival in RIVALS}
        self._own = pg.TextItem("pcaimage")
        self._original, self._elbow = pg.TextItem(), pg.TextItem()
        self._units = 1.0, 1.0
        """Width and height of a pixel in the coordinates of the plot."""

    @property
    def items(self) -> Iterator[Any]:
        """The text items."""
        yield from (*self._rivals.values(), self._own, self._original, self._elbow)

    @property
    def boxes(self) -> dict[str, Box]:
        """The places of the visible names, by their text."""
        return {item.toPlainText(): self._box(item) for item in self.items if item.isVisible()}

    def set_colours(self, colours: Colours) -> None:
        """Draw in another colour scheme."""
        behind = faint(colours.base, 150)
        for item in self.items:
            item.fill = pg.mkBrush(behind)
        for item, colour in zip(self._rivals.values(), colours.references, strict=True):
            item.setColor(colour)
        self._own.setColor(colours.accent)
        self._original.setColor(colours.muted)
        self._elbow.setColor(colours.curve)

    def place(self, data: CurveData, width: float, height: float, marker: Place | None) -> None:
        """Place all names in a plot of a size in pixels; none covers the marker."""
        (left, right), (low, high) = data.x_range, data.y_range
        limits = Box(left, right, low, high)
        self._units = (right - left) / width, (high - low) / height
        self._place_rivals(data, limits)
        taken = [] if marker is None else [self._around(marker)]
        taken += [self._box(self._rivals[name]) for name in data.lines]
        number = data.elbow
        elbow = None if number is None else data.place(number)
        self._elbow.setVisible(elbow is not None)
        if elbow is not None:
            self._elbow.setText(describe_elbow(data))
            self._beside(self._elbow, [elbow], data, taken, limits)
            taken += [self._around(elbow), self._box(self._elbow)]
        self._place_original(data, taken, limits)
        seen = data.y > low
        self._own.setVisible(bool(data.lines) and bool(seen.any()))
        if self._own.isVisible():
            along = np.linspace(data.x[seen][0], data.x[seen][-1], _STOPS)
            marks = zip(along.tolist(), np.interp(along, data.x, data.y).tolist(), strict=True)
            self._beside(self._own, list(marks), data, taken, limits)

    def covered_at(self, marker: Place) -> bool:
        """Return whether a marker would cover a name that can give way."""
        own = self._around(marker)
        seen = (self._box(item) for item in (self._own, self._original, self._elbow) if item.isVisible())
        return any(_meet(own[:2], box[:2]) and _meet(own[2:], box[2:]) for box in seen)

    def _place_rivals(self, data: CurveData, limits: Box) -> None:
        ends = {name: (float(x[-1]), float(y[-1])) for name, (x, y) in data.lines.items()}
        for name, item in self._rivals.items():
            item.setVisible(name in ends)
        widths = {name: self._size(self._rivals[name])[0] for name in ends}
        height = 0.75 * self._size(self._own)[1]
        placed = spread(ends, widths, height, limits.right, (limits.low, limits.high))
        for name, (x, y, flipped) in placed.items():
            self._rivals[name].setAnchor((1 if flipped else 0, 0.5))
            self._rivals[name].setPos(x, y)

    def _place_original(self, data: CurveData, taken: Sequence[Box], limits: Box) -> None:
        """Place the name of the original's size beside its line, at the bottom or the top."""
        place = data.original_x if data.x.size else None
        self._original.setVisible(place is not None)
        if place is None:
            return
        self._original.setText(describe_original(data))
        corners = ((1, 1), (0, 1), (1, 0), (0, 0))
        places = [(corner, (place, limits.low if corner[1] else limits.high)) for corner in corners]
        self._put(self._original, places, data, taken, limits)

    def _beside(
        self, item: Any, marks: Sequence[Place], data: CurveData, taken: Sequence[Box], limits: Box
    ) -> None:
        """Place a name beside one of several marks."""
        across, up = self._units
        places = [
            (corner, (x - _NEAR * across * (2 * corner[0] - 1), y + away * up * (2 * corner[1] - 1)))
            for (x, y), away, corner in product(marks, _AWAY, _BESIDE)
        ]
        self._put(item, places, data, taken, limits)

    def _put(
        self,
        item: Any,
        places: Sequence[tuple[tuple[int, int], Place]],
        data: CurveData,
        taken: Sequence[Box],
        limits: Box,
    ) -> None:
        """Put a corner of a name at the place where it covers least."""
        lines = [line for line in ((data.x, data.y), *data.lines.values()) if line[1].size]
        size = self._size(item)
        boxes = [_box_at(size, corner, place) for corner, place in places]
        corner, place = places[freest(boxes, taken, lines, limits)]
        item.setAnchor(corner)
        item.setPos(*place)

    def _size(self, item: Any) -> tuple[float, float]:
        bounds = item.textItem.boundingRect()  # without the scale of the screen
        return bounds.width() * self._units[0], bounds.height() * self._units[1]

    def _box(self, item: Any) -> Box:
        anchor, place = item.anchor, item.pos()
        return _box_at(self._size(item), (anchor.x(), anchor.y()), (place.x(), place.y()))

    def _around(self, place: Place) -> Box:
        across, up = (_AROUND * unit for unit in self._units)
        return Box(place[0] - across, place[0] + across, place[1] - up, place[1] + up)


class Box(NamedTuple):
    """A rectangle in the coordinates of the plot."""

    left: float
    right: float
    low: float
    high: float


def spread(
    ends: dict[str, Place], widths: dict[str, float], height: float, right: float, limits: tuple[float, float]
) -> dict[str, tuple[float, float, bool]]:
    """Move names at the ends of curves up and down until they do not overlap.

    Everything is in the same units. A name that would cross the right edge stands to the left of its place;
    limits are the lower and upper edges. The result is each name's place, and whether that is its right end.
    """
    flipped = {name: x + widths[name] > right for name, (x, _) in ends.items()}
    spans = {
        name: (x - widths[name], x) if flipped[name] else (x, x + widths[name])
        for name, (x, _) in ends.items()
    }
    low, high = limits[0] + height / 2, limits[1] - height / 2
    heights = {name: min(max(y, low), high) for name, (_, y) in ends.items()}
    placed = list[str]()
    for name in sorted(ends, key=lambda name: -heights[name]):
        above = [heights[other] for other in placed if _meet(spans[name], spans[other])]
        if above:
            heights[name] = min(heights[name], min(above) - height)
        placed.append(name)
    # Names that were pushed over the lower edge push back.
    floor = low
    for name in sorted(ends, key=lambda name: heights[name]):
        if heights[name] < floor:
            heights[name] = floor
            floor += height
    return {name: (ends[name][0], heights[name], flipped[name]) for name in ends}


def freest(places: Sequence[Box], taken: Sequence[Box], lines: Sequence[Line], limits: Box) -> int:
    """Return the index of the place that covers least of other boxes and of curves, and lies inside.

    Places have one size and come in order of preference; curves ascend along the horizontal axis.
    """
    left, right, low, high = np.array(places).T
    area = (right - left) * (high - low)

    def within(other: Box) -> NDArray[np.float64]:
        across = np.minimum(right, other.right) - np.maximum(left, other.left)
        up = np.minimum(high, other.high) - np.maximum(low, other.low)
        shared: NDArray[np.float64] = np.maximum(across, 0.0) * np.maximum(up, 0.0)
        return shared

    cost = 10 * (area - within(limits)) + sum(within(other) for other in taken)
    along = np.linspace(left, right, _SAMPLES)
    for line in lines:
        values = np.interp(along, *line, left=np.nan, right=np.nan)
        cost = cost + area * np.mean((values > low) & (values < high), axis=0)
    return int(np.argmin(np.round(cost / np.where(area > 0, area, 1.0), 6)))


def _box_at(size: tuple[float, float], corner: tuple[float, float], place: Place) -> Box:
    """Return where a name of a width and height is if its corner is at a place."""
    left, high = place[0] - corner[0] * size[0], place[1] + corner[1] * size[1]
    return Box(left, left + size[0], high - size[1], high)


def _meet(one: Place, other: Place) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _move(item: Any, place: Place | None) -> None:
    item.setVisible(place is not None)
    if place is not None:
        item.setData([place[0]], [place[1]])
