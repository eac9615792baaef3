"""Marks upon an image that are seen on any ground."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPen

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

_ARM = 12.0
_GAP = 4.0
_BOXED = 6.0
_LEAST_FRAME = 9.0
_HALO = QColor(0, 0, 0, 170)
_WHITE = QColor(255, 255, 255)


def draw_crosshair(painter: QPainter, pixel: QRectF) -> None:
    """Draw four arms around a pixel, and a frame if the pixel is large enough.

    Parameters
    ----------
    painter : QPainter
        Of the canvas.
    pixel : QRectF
        Where the pixel is, in device-independent pixels.
    """
    centre = pixel.center()
    gap = _gap(pixel)
    lines = [
        QLineF(centre.x() + dx * gap, centre.y() + dy * gap, centre.x() + dx * end, centre.y() + dy * end)
        for end in (gap + _ARM,)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((_HALO, 3.0), (_WHITE, 1.0)):
        painter.setPen(QPen(colour, width))
        painter.drawLines(lines)
        if pixel.width() >= _BOXED:
            painter.drawRect(pixel)


def crosshair_bounds(pixel: QRectF) -> QRect:
    """Return what :func:`draw_crosshair` paints upon.

    Parameters
    ----------
    pixel : QRectF
        Where the pixel is, in device-independent pixels.

    Returns
    -------
    QRect
        No smaller than it must be repainted.
    """
    reach = _gap(pixel) + _ARM + 2
    return QRectF(pixel.center(), pixel.center()).adjusted(-reach, -reach, reach, reach).toAlignedRect()


def draw_frame(painter: QPainter, rect: QRectF, colour: QColor, halo: QColor) -> None:
    """Draw a frame around a part of an image; around a very small one it stands off.

    Parameters
    ----------
    painter : QPainter
        Of the canvas.
    rect : QRectF
        The part, in device-independent pixels.
    colour, halo : QColor
        The frame, and what sets it off from the image; one light and one dark.
    """
    wide = max(0.0, (_LEAST_FRAME - rect.width()) / 2)
    high = max(0.0, (_LEAST_FRAME - rect.height()) / 2)
    frame = rect.adjusted(-wide - 1, -high - 1, wide + 1, high + 1)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for pen, width in ((halo, 4.0), (colour, 2.0)):
        painter.setPen(
            QPen(pen, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap, Qt.PenJoinStyle.MiterJoin)
        )
        painter.drawRect(frame)


def _gap(pixel: QRectF) -> float:
    return max(_GAP, pixel.width() / 2 + 3)
