"""The canvas that shows where two pictures differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.legend import HeatLegend

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QWidget

    from pcaimage.gui.compare.surface import ImageSurface


class DifferenceCanvas(ImageCanvas):
    """Shows a picture in the colours of :mod:`~pcaimage.gui.compare.heat`, with their legend.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    keeps_fitted : bool, optional
        Whether it asks by itself to stay fitted when its size changes; else its owner does.
    """

    scaleRequested = Signal(object)  # noqa: N815
    """The full scale wanted, in levels of the pixels' values, or None for an automatic one."""

    def __init__(self, parent: QWidget | None = None, *, keeps_fitted: bool = True) -> None:
        super().__init__("Difference", parent, keeps_fitted=keeps_fitted)
        self._legend = HeatLegend(self)
        self._legend.scaleRequested.connect(self.scaleRequested)
        self._label.set_side("right")

    @property
    def legend(self) -> HeatLegend:
        """What the colours mean."""
        return self._legend

    def show_instead(self, source: ImageSurface | None) -> None:
        """Show what another surface of the same viewport shows, without the legend, until further notice.

        Parameters
        ----------
        source : ImageSurface or None
            Whose pictures and caption to show; None for its own again.
        """
        super().show_instead(source)
        self._legend.set_suspended(source is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the legend in its corner."""
        super().resizeEvent(event)
        self._legend.refresh()
