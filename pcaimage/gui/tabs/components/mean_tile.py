"""The mean of all images of a stack, which components are added to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.tabs.montage.tile import paint_picture
from pcaimage.gui.theme import colours_of

_PADDING, _GAP, _PLUS = 8, 4, 16


class MeanTile(QWidget):
    """Shows the mean image and a plus sign, at the left of the components; hidden where there is none.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._picture: QImage | None = None
        self._side = 64
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Mean image")
        self.setAccessibleDescription("The mean of all images; components are added to it.")
        self.setToolTip(
            "The mean of all images. Every image is the mean plus its scores times the components."
        )
        self.hide()

    @property
    def picture(self) -> QImage | None:
        """The mean image, where it is there."""
        return self._picture

    def set_picture(self, pixels: NDArray[np.uint8] | None) -> None:
        """Show another mean.

        Parameters
        ----------
        pixels : ndarray of uint8, shape (h, w, 1 or 3), or None
            None for none.
        """
        self._picture = None if pixels is None else to_qimage(pixels)
        self.setVisible(self._picture is not None)
        self.update()

    def set_side(self, side: int) -> None:
        """Show it as large as components are.

        Parameters
        ----------
        side : int
            In device-independent pixels.
        """
        if side != self._side:
            self._side = side
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        """Return the room of a component and the plus sign."""
        height = self._side + self.fontMetrics().height() + _PADDING + _GAP
        return QSize(self._side + 2 * _PADDING + _PLUS, height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the mean, its name and the plus sign."""
        painter, colours = QPainter(self), colours_of(self.palette())
        painter.fillRect(self.rect(), QColor(colours.base))
        paint_picture(painter, QRectF(_PADDING, _PADDING, self._side, self._side), self._picture, colours)
        painter.setPen(QColor(colours.text))
        line = self.fontMetrics().height()
        name = QRect(_PADDING, _PADDING + self._side + _GAP, self._side, line)
        painter.drawText(name, Qt.AlignmentFlag.AlignCenter, "Mean")
        plus = QRect(_PADDING + self._side + 4, _PADDING, _PLUS, self._side)
        font = painter.font()
        font.setPixelSize(20)
        painter.setFont(font)
        painter.drawText(plus, Qt.AlignmentFlag.AlignCenter, "+")

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
