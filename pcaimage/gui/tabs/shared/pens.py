"""Pens of plots that are as wide on every screen as letters and symbols are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, Qt

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QColor, QPen
    from PySide6.QtWidgets import QWidget


class Pens(QObject):
    """Makes the pens of one plot.

    A plot's lines are as wide whatever its axes' scale is, and Qt counts such widths in pixels of the screen:
    at 200 % they would be half as wide as they are drawn for.

    Parameters
    ----------
    plot : QWidget
        The drawing; it becomes the owner.
    redraw : callable
        Has everything drawn with new pens, when the plot comes to another screen.
    """

    def __init__(self, plot: QWidget, redraw: Callable[[], None]) -> None:
        super().__init__(plot)
        self._plot, self._redraw = plot, redraw
        self._held: float | None = None
        plot.installEventFilter(self)

    def __call__(
        self, colour: str | QColor, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> QPen:
        """Return a pen.

        Parameters
        ----------
        colour : str or QColor
            Its colour.
        width : float, default 1.0
            How wide, in pixels of a screen at 100 %.
        style : Qt.PenStyle, optional
            Solid unless said otherwise.

        Returns
        -------
        QPen
            For the present screen.
        """
        scale = self._plot.devicePixelRatioF() if self._held is None else self._held
        pen: QPen = pg.mkPen(colour, width=width * scale, style=style)
        return pen

    def hold(self, scale: float | None) -> None:
        """Draw for a file, or for the screen again.

        Parameters
        ----------
        scale : float or None
            Pixels of the file to one of a screen at 100 %; None for the screen.
        """
        self._held = scale
        self._redraw()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the plot to screens of other densities."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._redraw()
        return super().eventFilter(watched, event)
