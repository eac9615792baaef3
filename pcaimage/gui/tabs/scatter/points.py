"""The points of the scatter plot, drawn label by label and brought in piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor

from pcaimage.gui.tabs.scatter.look import Look
from pcaimage.insight.scatter import Scatter

PIECE = 4000
"""So many points are brought in at once: more would keep the window waiting."""
_SIZE, _SMALL, _MANY = 7, 5, 3000
_PLAIN, _FAINT = 0.75, 0.1


class ScatterPoints(QObject):
    """Draws the points of a plot.

    Parameters
    ----------
    plot : pyqtgraph.PlotItem
        Where.
    parent : QObject, optional
        The owner.
    """

    def __init__(self, plot: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plot = plot
        self._items: list[tuple[int, Any]] = []
        self._waiting: list[tuple[int, int]] = []
        self._scatter: Scatter | None = None
        self._looks: Sequence[Look] = ()
        self._only: int | None = None
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._bring_in)

    @property
    def count(self) -> int:
        """How many points are drawn already."""
        return sum(len(item.data) for _, item in self._items)

    def show(self, scatter: Scatter | None, looks: Sequence[Look]) -> None:
        """Draw other points; they come a piece at a time.

        Parameters
        ----------
        scatter : Scatter or None
            None for none.
        looks : sequence of Look
            Of each group.
        """
        for _, item in self._items:
            self._plot.removeItem(item)
        self._items, self._scatter, self._looks = [], scatter, looks
        self._waiting = []
        if scatter is not None:
            for place, (_, members) in enumerate(scatter.groups):
                self._waiting += [(place, start) for start in range(0, len(members), PIECE)]
            self._turn.start()

    def recolour(self, looks: Sequence[Look]) -> None:
        """Draw the same points in other colours, at once.

        Parameters
        ----------
        looks : sequence of Look
            Of each group.
        """
        self._looks = looks
        for place, item in self._items:
            item.setBrush(QColor(looks[place].colour))

    def stand_out(self, place: int | None) -> None:
        """Let the points of one group stand out.

        Parameters
        ----------
        place : int or None
            Which one, from 0; None for all.
        """
        self._only = place
        for of, item in self._items:
            self._stand(of, item)

    def _bring_in(self) -> None:
        if not self._waiting or self._scatter is None:
            self._turn.stop()
            return
        place, start = self._waiting.pop(0)
        members, look = self._scatter.groups[place][1][start : start + PIECE], self._looks[place]
        item = pg.ScatterPlotItem(
            pos=self._scatter.points[members],
            symbol=look.shape,
            size=_SMALL if len(self._scatter.points) > _MANY else _SIZE,
            brush=QColor(look.colour),
            pen=None,
            pxMode=True,
            antialias=True,
        )
        self._stand(place, item)
        self._items.append((place, item))
        self._plot.addItem(item)

    def _stand(self, place: int, item: Any) -> None:
        item.setOpacity(_PLAIN if self._only in {None, place} else _FAINT)
        item.setZValue(1.5 if self._only == place else 1)
