"""How a component looks in the gallery."""

from __future__ import annotations

import math

from PySide6.QtCore import QLineF, QModelIndex, QObject, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pcaimage.gui.colours import Colours
from pcaimage.gui.tabs.components.figures import KEPT, LEFT_OUT
from pcaimage.gui.tabs.components.model import LAST_KEPT, PICTURE, SHARE, STATE
from pcaimage.gui.theme import colours_of

SIDES = (128, 96, 64)
"""Of a picture, in device-independent pixels; the largest by which all are seen, or else the smallest."""
_PADDING = 8
_GAP = 4
_DIM = {KEPT: 1.0, LEFT_OUT: 0.35}
_BEHIND = 0.5
_INSET = 6


def tile_size(font: QFont, side: int) -> QSize:
    """Return the room that a component takes.

    Parameters
    ----------
    font : QFont
        Of the texts.
    side : int
        Of the picture.

    Returns
    -------
    QSize
        The same for all.
    """
    metrics = QFontMetrics(font)
    width = max(side, metrics.horizontalAdvance("< 0.01\u00a0%"))
    return QSize(width + 2 * _PADDING, side + 2 * metrics.height() + _PADDING + _GAP + 2)


class TileDelegate(QStyledItemDelegate):
    """Paints a component's picture, number and share, and what is done with it.

    Kept components are plain, others pale; one that is left out is crossed and its number struck out. A line
    stands behind the last that is kept.

    Parameters
    ----------
    parent : QObject, optional
        The owner.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.side = SIDES[-1]
        """How large pictures are."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: ARG002 - Qt's signature
        """Return the size of a tile.

        Parameters
        ----------
        option : QStyleOptionViewItem
            With the font.
        index : QModelIndex
            The component.

        Returns
        -------
        QSize
            The same for all.
        """
        return tile_size(option.font, self.side)

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
            The component.
        """
        colours, rect, state = _colours(option), _rect(option), index.data(STATE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_ground(painter, option, colours)
        left = rect.left() + (rect.width() - self.side) // 2
        frame = QRectF(left, rect.top() + _PADDING, self.side, self.side)
        _paint_picture(painter, frame, index.data(PICTURE), colours, _DIM.get(state, _BEHIND))
        if state == LEFT_OUT:
            _paint_cross(painter, frame, colours)
        _paint_texts(painter, option, index, colours, int(frame.bottom()) + _GAP)
        if index.data(LAST_KEPT):
            x = rect.right() - 0.5
            painter.setPen(QPen(QColor(colours.accent), 3.0))
            painter.drawLine(QLineF(x, rect.top() + _PADDING, x, rect.bottom() - _GAP))
        painter.restore()


def _paint_ground(painter: QPainter, option: QStyleOptionViewItem, colours: Colours) -> None:
    state = option.state
    ground = QRectF(_rect(option)).adjusted(2.5, 2.5, -3.5, -1.5)
    painter.setPen(Qt.PenStyle.NoPen)
    if state & QStyle.StateFlag.State_MouseOver:
        painter.setBrush(QColor(colours.accent_soft))
        painter.drawRoundedRect(ground, 4, 4)
    if state & QStyle.StateFlag.State_HasFocus:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours.accent), 2.0))
        painter.drawRoundedRect(ground, 4, 4)


def _paint_picture(
    painter: QPainter, frame: QRectF, picture: QImage | None, colours: Colours, opacity: float
) -> None:
    if picture is None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.window))
        painter.drawRoundedRect(frame, 4, 4)
        return
    ratio = painter.device().devicePixelRatio()
    longest = max(picture.width(), picture.height())
    scale = frame.width() * ratio / longest
    if scale >= 2:  # pixels can be told apart, and have the same size
        scale = math.floor(scale)
    width, height = picture.width() * scale / ratio, picture.height() * scale / ratio
    centre = frame.center()
    target = QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < 2)
    painter.setOpacity(opacity)
    painter.drawImage(target, picture)
    painter.setOpacity(1.0)


def _paint_cross(painter: QPainter, frame: QRectF, colours: Colours) -> None:
    inner = frame.adjusted(_INSET, _INSET, -_INSET, -_INSET)
    lines = [QLineF(inner.topLeft(), inner.bottomRight()), QLineF(inner.topRight(), inner.bottomLeft())]
    for colour, width in ((colours.base, 7.0), (colours.error, 3.0)):
        painter.setPen(QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLines(lines)


def _paint_texts(
    painter: QPainter,
    option: QStyleOptionViewItem,
    index: QModelIndex | QPersistentModelIndex,
    colours: Colours,
    top: int,
) -> None:
    state, rect = index.data(STATE), _rect(option)
    plain = QFont(option.font)
    strong = QFont(plain)
    strong.setBold(state == KEPT)
    strong.setStrikeOut(state == LEFT_OUT)
    height = QFontMetrics(plain).height()
    number = colours.text if state == KEPT else colours.muted
    texts = ((index.data(), strong, number), (index.data(SHARE), plain, colours.muted))
    for line, (text, font, colour) in enumerate(texts):
        painter.setFont(font)
        painter.setPen(QColor(colour))
        room = QRect(rect.left(), top + line * height, rect.width(), height)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)


def _rect(option: QStyleOptionViewItem) -> QRect:
    rect: QRect = option.rect
    return rect


def _colours(option: QStyleOptionViewItem) -> Colours:
    return colours_of(option.palette)
