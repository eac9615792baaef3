"""A card: a button with a picture above a line of text."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from pcaimage.gui.style import fill_rounded, outline_rounded
from pcaimage.gui.theme import colours_of

_PICTURE = QSize(112, 76)
_ROUND = 6.0
_AIR = 4
_SQUARES = 2
"""Least scale at which pixels are seen as squares."""


class Card(QAbstractButton):
    """Opens the image on its picture, by a click, Return or Space; arrow keys go to the next card."""

    WIDTH: Final = _PICTURE.width() + 2 * _AIR

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture: QImage | None = None
        self.setText(text)
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(self.sizeHint())

    def set_picture(self, image: QImage) -> None:
        """Show a picture; what does not fit the card's proportions is cut off."""
        self.picture = image
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for the picture and the text."""
        height = _PICTURE.height() + self.fontMetrics().height() + 3 * _AIR
        return QSize(self.WIDTH, height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open also on Return, as Space does."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.click()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setFixedSize(self.sizeHint())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the picture with rounded corners, the text, and a frame for focus and pointer."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.underMouse() or self.isDown():
            fill_rounded(painter, frame, colours.accent_soft, _ROUND)
        if self.hasFocus():
            outline_rounded(painter, frame, QPen(QColor(colours.accent), 2), _ROUND)
        place = QRectF(_AIR, _AIR, _PICTURE.width(), _PICTURE.height())
        outline = QPainterPath()
        outline.addRoundedRect(place, _ROUND, _ROUND)
        if self.picture is None:
            painter.fillPath(outline, QColor(colours.button))
            painter.strokePath(outline, QPen(QColor(colours.border), 1))
        else:
            part = _covering(self.picture, place)
            # The pixels of a tiny image stay squares.
            painter.setRenderHint(
                QPainter.RenderHint.SmoothPixmapTransform, place.width() < _SQUARES * part.width()
            )
            painter.setClipPath(outline)
            painter.drawImage(place, self.picture, part)
            painter.setClipping(False)
        under = self.underMouse() or self.isDown()
        painter.setPen(QColor(colours.text if under else colours.canvas_text))
        line = QRect(_AIR, int(place.bottom()) + _AIR, _PICTURE.width(), self.fontMetrics().height())
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine), shown)
        painter.end()


def _covering(image: QImage, place: QRectF) -> QRectF:
    """Return the largest part in the middle of an image that has a place's proportions."""
    scale = min(image.width() / place.width(), image.height() / place.height())
    part = QRectF(0, 0, place.width() * scale, place.height() * scale)
    part.moveCenter(QPointF(image.width() / 2, image.height() / 2))
    return part
