"""The spectrum's bars: a colour for each group, pale where discarded, hollow where left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg

from pcaimage.gui.colours import mixed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from pcaimage.gui.colours import Colours
    from pcaimage.gui.tabs.shared.pens import Pens
    from pcaimage.gui.tabs.spectrum.figures import SpectrumData

_PALE = 90


class SpectrumBars:
    """A bar for each component.

    Parameters
    ----------
    n_groups : int
        How many groups there are colours for.
    """

    def __init__(self, n_groups: int) -> None:
        self._all = [pg.PlotCurveItem([0, 1], [0], stepMode="center", pen=None) for _ in range(n_groups)]
        self._kept = [pg.PlotCurveItem([0, 1], [0], stepMode="center", pen=None) for _ in range(n_groups)]
        self._hollow = pg.PlotCurveItem()
        self._colours: Colours | None = None
        self._grouped = False
        self._solid = np.zeros(0)

    @property
    def items(self) -> Iterator[tuple[pg.GraphicsObject, int]]:
        """What is drawn, and how far in front."""
        yield from ((item, -10) for item in self._all)
        yield from ((item, -5) for item in self._kept)
        yield self._hollow, -4

    def show(self, data: SpectrumData, left_out: Collection[int]) -> None:
        """Draw another spectrum, or leave out others.

        Parameters
        ----------
        data : SpectrumData
            Not empty.
        left_out : collection of int
            Components, counted from 1, whose bars are hollow.
        """
        hollow = np.array(sorted(number for number in left_out if number <= data.variances.size), np.int64)
        self._solid = data.heights.copy()
        self._solid[hollow - 1] = data.floor
        edges = data.place(np.arange(data.variances.size + 1) + 0.5)
        for group, item in enumerate(self._all):
            item.setFillLevel(data.floor)
            item.setData(edges, self._of(data, group, data.variances.size))
            item.setVisible(group == 0 or bool(data.group_names))
        self._outline(data, hollow)
        if self._grouped != bool(data.group_names):
            self._grouped = bool(data.group_names)
            self._paint()

    def show_k(self, data: SpectrumData, k: int) -> None:
        """Draw the first components as kept.

        Parameters
        ----------
        data : SpectrumData
            The spectrum shown.
        k : int
            How many; 0 for none.
        """
        shown = 1 <= k <= data.variances.size
        edges = data.place(np.arange(k + 1) + 0.5) if shown else None
        for group, item in enumerate(self._kept):
            item.setVisible(shown and (group == 0 or bool(data.group_names)))
            if item.isVisible():
                item.setFillLevel(data.floor)
                item.setData(edges, self._of(data, group, k))

    def set_colours(self, colours: Colours, pens: Pens) -> None:
        """Draw in another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        pens : Pens
            The plot's pens.
        """
        self._colours = colours
        self._hollow.setPen(pens(colours.text))
        self._paint()

    def _of(self, data: SpectrumData, group: int, count: int) -> NDArray[np.float64]:
        """Return the heights of one group's first bars; those of others lie on the floor."""
        if not data.group_names:
            return self._solid[:count]
        # What there is no colour for goes with the last.
        groups = np.minimum(data.groups[:count], len(self._all) - 1)
        return np.where(groups == group, self._solid[:count], data.floor)

    def _outline(self, data: SpectrumData, hollow: NDArray[np.int64]) -> None:
        left, right, height = data.place(hollow - 0.5), data.place(hollow + 0.5), data.heights[hollow - 1]
        # No bar is drawn lower than it can be seen.
        height = np.maximum(height, data.floor + 0.03 * (data.top - data.floor))
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
