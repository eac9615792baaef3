"""How an image looks in the montage: original and reconstruction side by side, and its figures beneath."""

from __future__ import annotations

import math

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.montage.model import ERROR, ORIGINAL, PRESENT, RECONSTRUCTION
from pcaimage.gui.theme import colours_of

SIDES = (112, 84, 56)
"""Of a picture, in device-independent pixels: the largest of which there is room for more than a row."""
_PADDING, _GAP, _BETWEEN = 8, 4, 2


def tile_size(font: QFont, side: int, pictures: int) -> QSize:
    """Return the room that an image takes.

    Parameters
    ----------
    font : QFont
        Of the texts.
    side : int
        Of a picture.
    pictures : int
        How many stand side by side.

    Returns
    -------
    QSize
        The same for all.
    """
    metrics = QFontMetrics(font)
    width = max(pictures * side + (pictures - 1) * _BETWEEN, metrics.horizontalAdvance("10,000 · label 10"))
    return QSize(width + 2 * _PADDING, side + 2 * metrics.height() + _PADDING + _GAP + 2)


class PairDelegate(QStyledItemDelegate):
    """Paints an image before and after, its number, label and error.

    Parameters
    ----------
    parent : QObject, optional
        The owner.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.side = SIDES[-1]
        """How large pictures are."""
        self.pictures = 2
        """How many stand side by side: one where there are no originals."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: ARG002 - Qt's signature
        """Return the size of a tile.

        Parameters
        ----------
        option : QStyleOptionViewItem
            With the font.
        index : QModelIndex
            The image.

        Returns
        -------
        QSize
            The same for all.
        """
        return tile_size(option.font, self.side, self.pictures)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a tile.

        Parameters
        ----------
        painter : QPainter
            Of the view.
        option : QStyleOptionViewItem
            Place, font and whether mouse or keys are here.
        index : QModelIndex
            The image.
        """
        rect: QRect = option.rect
        colours = colours_of(option.palette)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_ground(painter, option, colours, present=bool(index.data(PRESENT)))
        width = self.pictures * self.side + (self.pictures - 1) * _BETWEEN
        left, top = rect.left() + (rect.width() - width) / 2, rect.top() + _PADDING
        for place, role in enumerate((ORIGINAL, RECONSTRUCTION)[-self.pictures :]):
            frame = QRectF(left + place * (self.side + _BETWEEN), top, self.side, self.side)
            paint_picture(painter, frame, index.data(role), colours)
        line = QFontMetrics(option.font).height()
        texts = ((str(index.data()), colours.text), (str(index.data(ERROR) or ""), colours.muted))
        for number, (text, colour) in enumerate(texts):
            painter.setPen(QColor(colour))
            room = QRect(rect.left(), top + self.side + _GAP + number * line, rect.width(), line)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)
        painter.restore()


def _paint_ground(
    painter: QPainter, option: QStyleOptionViewItem, colours: Colours, *, present: bool
) -> None:
    state = option.state
    ground = QRectF(option.rect).adjusted(2.5, 2.5, -3.5, -1.5)
    painter.setPen(Qt.PenStyle.NoPen)
    if present or state & QStyle.StateFlag.State_MouseOver:
        painter.setBrush(QColor(colours.accent_soft))
        painter.drawRoundedRect(ground, 4, 4)
    if present or state & QStyle.StateFlag.State_HasFocus:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        style = Qt.PenStyle.SolidLine if focused else Qt.PenStyle.DotLine
        painter.setPen(QPen(QColor(colours.accent), 2.0 if focused else 1.0, style))
        painter.drawRoundedRect(ground, 4, 4)


def paint_picture(painter: QPainter, frame: QRectF, picture: QImage | None, colours: Colours) -> None:
    """Paint a picture into a frame, enlarged by a whole factor where its pixels can be told apart.

    Parameters
    ----------
    painter : QPainter
        Where.
    frame : QRectF
        The room.
    picture : QImage or None
        None while it is being made.
    colours : Colours
        The scheme.
    """
    if picture is None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.window))
        painter.drawRect(frame)
        return
    ratio = painter.device().devicePixelRatio()
    scale = frame.width() * ratio / max(picture.width(), picture.height())
    if scale >= 2:
        scale = math.floor(scale)
    width, height = picture.width() * scale / ratio, picture.height() * scale / ratio
    centre = frame.center()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < 2)
    painter.drawImage(QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height), picture)
