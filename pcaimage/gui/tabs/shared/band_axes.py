"""What the plots over bands have in common: their axes, the line under the hand, and their colours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QColor, QFont

from pcaimage.gui.theme import tabular

if TYPE_CHECKING:
    from pcaimage.gui.colours import Colours
    from pcaimage.gui.tabs.shared.pens import Pens

AXIS_WIDTH = 56
NAMED_FROM = 170
"""Pixels of height from which on there is room for the lower axis' name."""
_COUNTED = 16
"""So many bands are counted one by one along the axis."""


def prepare(plot: Any, font: QFont) -> None:
    """Make a plot that is neither dragged nor zoomed.

    Parameters
    ----------
    plot : pyqtgraph.PlotItem
        The plot.
    font : QFont
        Of its figures.
    """
    plot.hideButtons()
    plot.setMenuEnabled(enableMenu=False)
    plot.setMouseEnabled(x=False, y=False)
    plot.vb.disableAutoRange()
    plot.setContentsMargins(0, 4, 8, 0)
    for name in ("left", "bottom"):
        axis = plot.getAxis(name)
        axis.setTickFont(tabular(QFont(font)))
        axis.enableAutoSIPrefix(enable=False)
    plot.getAxis("left").setWidth(AXIS_WIDTH)


def count_bands(plot: Any, count: int, *, spectral: bool) -> None:
    """Have few bands counted one by one.

    Parameters
    ----------
    plot : pyqtgraph.PlotItem
        The plot.
    count : int
        How many bands.
    spectral : bool
        Whether they lie at wavelengths.
    """
    few = count <= _COUNTED and not spectral
    plot.getAxis("bottom").setTickSpacing(**({"major": 1, "minor": 1} if few else {}))


def colour_axes(plot: Any, colours: Colours, pens: Pens) -> None:
    """Draw a plot's axes in the colours of a scheme.

    Parameters
    ----------
    plot : pyqtgraph.PlotItem
        The plot.
    colours : Colours
        The scheme.
    pens : Pens
        The plot's pens.
    """
    for name in ("left", "bottom"):
        axis = plot.getAxis(name)
        axis.setPen(pens(colours.border))
        axis.setTextPen(pens(colours.muted))
        axis.setTickPen(pens(colours.grid))
        axis.label.setDefaultTextColor(QColor(colours.muted))


def padded(low: float, high: float, share: float = 0.06) -> tuple[float, float]:
    """Return a range of an axis that leaves some air.

    Parameters
    ----------
    low, high : float
        The values that are shown.
    share : float
        Air at either end.

    Returns
    -------
    (float, float)
        Never empty.
    """
    air = share * (high - low) or max(abs(high), 1.0) * share
    return low - air, high + air


def round_below(value: float) -> float:
    """Return a round number that is not larger than another.

    Parameters
    ----------
    value : float
        Positive.

    Returns
    -------
    float
        1, 2 or 5 times a power of ten.
    """
    power = 10.0 ** math.floor(math.log10(value))
    return max(factor for factor in (1, 2, 5) if factor * power <= value * (1 + 1e-9)) * power
