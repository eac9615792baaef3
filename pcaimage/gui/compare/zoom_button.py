"""The toolbar's button that shows the scale and offers others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QStyleOptionToolButton, QToolButton

from pcaimage.gui.compare.viewport import PRESETS, percent_text
from pcaimage.gui.theme import tabular

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_ARROW = "\u2009▾"
_WIDEST = f"0000\u00a0%{_ARROW}"
_FRAME = 12


class ZoomButton(QToolButton):
    """Shows how large the image is shown; a click offers other scales.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    scaleRequested = Signal(float)  # noqa: N815
    """Device pixels per image pixel; 1 is 100 %."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        menu = QMenu(self)
        for scale in reversed(PRESETS):
            menu.addAction(percent_text(scale)).setData(scale)
        menu.triggered.connect(lambda action: self.scaleRequested.emit(action.data()))
        self.setMenu(menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFont(tabular(self.font()))
        self.setFixedWidth(self.fontMetrics().horizontalAdvance(_WIDEST) + _FRAME)
        self.setToolTip("How large the image is shown: pixels of the screen for each pixel of the image.")
        self.set_scale(None)

    def set_scale(self, scale: float | None) -> None:
        """Show another scale.

        Parameters
        ----------
        scale : float or None
            Device pixels per image pixel; None while no image is open.
        """
        self.setText("" if scale is None else percent_text(scale))
        self.setEnabled(scale is not None)
        self.setAccessibleName("Zoom" if scale is None else f"Zoom {percent_text(scale)}")

    def initStyleOption(self, option: QStyleOptionToolButton) -> None:
        """Put the arrow behind the number; the style would put it into the lower corner."""
        super().initStyleOption(option)
        option.features &= ~QStyleOptionToolButton.ToolButtonFeature.HasMenu
        option.text = (option.text or "—") + _ARROW
