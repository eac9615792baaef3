"""Pens of plots, whose width follows the density of the screen, and axes with a true minus sign."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.language import tr


class Pens(QObject):
    """Makes the pens of one plot, which owns this object; `redraw` is called when all need new widths.

    A plot's pens are cosmetic: equally wide whatever the scale of the axes. Qt counts such widths in physical
    pixels, so at 200 % lines would be half as wide as intended.
    """

    def __init__(self, plot: QWidget, redraw: Callable[[], None]) -> None:
        super().__init__(plot)
        self._plot, self._redraw = plot, redraw
        self._held: float | None = None
        plot.installEventFilter(self)

    def __call__(
        self, colour: str | QColor, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> QPen:
        """Return a pen for the present screen; the width is in pixels at 100 %."""
        scale = self._plot.devicePixelRatioF() if self._held is None else self._held
        pen: QPen = pg.mkPen(colour, width=width * scale, style=style)
        return pen

    def hold(self, scale: float | None) -> None:
        """Draw for a file with `scale` pixels per screen pixel at 100 %; None restores the screen."""
        self._held = scale
        self._redraw()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the plot to screens of other densities."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._redraw()
        return super().eventFilter(watched, event)


def colour_axes(plot: Any, names: Iterable[str], colours: Colours, pens: Pens) -> None:
    """Give axes of a plot the colours of a scheme."""
    for name in names:
        axis = plot.getAxis(name)
        axis.setPen(pens(colours.border))
        axis.setTextPen(pens(colours.muted))
        axis.setTickPen(pens(colours.grid))
        axis.label.setDefaultTextColor(QColor(colours.muted))


class SignedAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph is untyped
    """An axis on which negative numbers have a true minus sign, and its title stands in the middle."""

    def setLabel(self, *given: Any, **named: Any) -> None:
        """Set the title."""
        super().setLabel(*map(tr, given), **named)
        self.resizeEvent()  # or else it begins where one of another length did

    def setTicks(self, ticks: Any) -> None:
        """Set places with labels; the axis is drawn anew only if they are others."""
        if ticks != self._tickLevels:
            super().setTicks(ticks)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Return the labels of some places."""
        return [text.replace("-", "−") for text in super().tickStrings(values, scale, spacing)]


def signed_axes() -> dict[str, SignedAxis]:
    """Make the two axes of a plot."""
    return {side: SignedAxis(side) for side in ("left", "bottom")}
