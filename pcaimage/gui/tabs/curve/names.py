"""The names in the plot of size and quality: of the curves, of the elbow, and of the original's size."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor

from pcaimage.gui.tabs.curve.labels import Box, freest, spread
from pcaimage.gui.tabs.curve.words import original_words
from pcaimage.imaging.rivals import RIVALS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pcaimage.gui.colours import Colours
    from pcaimage.gui.tabs.curve.figures import CurveData
    from pcaimage.gui.tabs.curve.labels import Place

_NEAR = 7
"""Pixels between the middle of a mark and its name, to the side."""
_AWAY = 7, 20
"""Likewise upwards or downwards; farther where the marker is near."""
_AROUND = 8
"""Pixels around the marker that no name covers."""
_STOPS = 9
"""Places along the own curve where its name may stand."""
_BESIDE = ((1, 1), (0, 0), (0, 1), (1, 0))
"""Which corner of a name stands at its mark, by preference: names above a rising curve stand to the left."""


class CurveNames:
    """Names that stand where they cover neither curves nor marks, as far as there is room."""

    def __init__(self) -> None:
        self._rivals = {rival.name: pg.TextItem(rival.title) for rival in RIVALS}
        self._own = pg.TextItem("pcaimage")
        self._original, self._elbow = pg.TextItem(), pg.TextItem()
        self._units = 1.0, 1.0

    @property
    def items(self) -> Iterator[pg.TextItem]:
        """What is drawn."""
        yield from (*self._rivals.values(), self._own, self._original, self._elbow)

    @property
    def boxes(self) -> dict[str, Box]:
        """Where the names that are seen stand, by what they say."""
        return {item.toPlainText(): self._box(item) for item in self.items if item.isVisible()}

    def set_colours(self, colours: Colours) -> None:
        """Draw in another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        """
        behind = QColor(colours.base)
        behind.setAlpha(150)
        for item in self.items:
            item.fill = pg.mkBrush(behind)
        for item, colour in zip(self._rivals.values(), colours.references, strict=True):
            item.setColor(colour)
        self._own.setColor(colours.accent)
        self._original.setColor(colours.muted)
        self._elbow.setColor(colours.curve)

    def place(self, data: CurveData, width: float, height: float, marker: Place | None) -> None:
        """Set all names.

        Parameters
        ----------
        data : CurveData
            What is drawn.
        width, height : float
            Of the plot, in pixels.
        marker : (float, float) or None
            Where the marker stands; names do not cover it.
        """
        (left, right), (low, high) = data.x_range, data.y_range
        limits = Box(left, right, low, high)
        self._units = (right - left) / width, (high - low) / height
        self._place_rivals(data, limits)
        taken = [] if marker is None else [self._around(marker)]
        taken += [self._box(self._rivals[name]) for name in data.lines]
        k = data.elbow
        elbow = None if k is None else data.place(k)
        self._elbow.setVisible(elbow is not None)
        if elbow is not None:
            self._elbow.setText(f"elbow, k = {k}")
            self._beside(self._elbow, [elbow], data, taken, limits)
            taken += [self._around(elbow), self._box(self._elbow)]
        self._place_original(data, taken, limits)
        seen = data.y > low
        self._own.setVisible(bool(data.lines) and bool(seen.any()))
        if self._own.isVisible():
            along = np.linspace(data.x[seen][0], data.x[seen][-1], _STOPS)
            marks = zip(along.tolist(), np.interp(along, data.x, data.y).tolist(), strict=True)
            self._beside(self._own, list(marks), data, taken, limits)

    def _place_rivals(self, data: CurveData, limits: Box) -> None:
        """Set the names of other codecs' curves at their ends, and apart."""
        ends = {name: (float(x[-1]), float(y[-1])) for name, (x, y) in data.lines.items()}
        for name, item in self._rivals.items():
            item.setVisible(name in ends)
        sizes = {name: self._size(self._rivals[name]) for name in ends}
        widths = {name: width for name, (width, _) in sizes.items()}
        height = 0.75 * self._size(self._own)[1]
        placed = spread(ends, widths, height, limits.right, (limits.low, limits.high))
        for name, (x, y, flipped) in placed.items():
            self._rivals[name].setAnchor((1 if flipped else 0, 0.5))
            self._rivals[name].setPos(x, y)

    def _place_original(self, data: CurveData, taken: Sequence[Box], limits: Box) -> None:
        """Set the name of the original's size beside its line, below or above."""
        place = data.original_x if data.x.size else None
        self._original.setVisible(place is not None)
        if place is None:
            return
        self._original.setText(original_words(data))
        corners = ((1, 1), (0, 1), (1, 0), (0, 0))
        self._choose(
            self._original,
            [(corner, (place, limits.low if corner[1] else limits.high)) for corner in corners],
            data,
            taken,
            limits,
        )

    def _beside(
        self, item: Any, marks: Sequence[Place], data: CurveData, taken: Sequence[Box], limits: Box
    ) -> None:
        """Set a name beside one of some marks."""
        across, up = self._units
        places = [
            (corner, (x - _NEAR * across * (2 * corner[0] - 1), y + away * up * (2 * corner[1] - 1)))
            for (x, y), away, corner in product(marks, _AWAY, _BESIDE)
        ]
        self._choose(item, places, data, taken, limits)

    def _choose(
        self,
        item: Any,
        places: Sequence[tuple[tuple[int, int], Place]],
        data: CurveData,
        taken: Sequence[Box],
        limits: Box,
    ) -> None:
        lines = [line for line in ((data.x, data.y), *data.lines.values()) if line[1].size]
        boxes = [self._box_at(item, corner, place) for corner, place in places]
        corner, place = places[freest(boxes, taken, lines, limits)]
        item.setAnchor(corner)
        item.setPos(*place)

    def _size(self, item: Any) -> tuple[float, float]:
        bounds = item.textItem.boundingRect()  # without the scale of the screen
        return bounds.width() * self._units[0], bounds.height() * self._units[1]

    def _box(self, item: Any) -> Box:
        return self._box_at(item, (item.anchor.x(), item.anchor.y()), (item.pos().x(), item.pos().y()))

    def _box_at(self, item: Any, corner: tuple[float, float], place: Place) -> Box:
        width, height = self._size(item)
        left, high = place[0] - corner[0] * width, place[1] + corner[1] * height
        return Box(left, left + width, high - height, high)

    def _around(self, place: Place) -> Box:
        across, up = (_AROUND * unit for unit in self._units)
        return Box(place[0] - across, place[0] + across, place[1] - up, place[1] + up)
