"""Draws pictures, and marks upon them that are visible on any background."""

from __future__ import annotations

import math
from typing import NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPixmap

from pcaimage.codec import Region
from pcaimage.gui.compare.viewport import Size, Viewport
from pcaimage.gui.screen.picture import Extent, Picture
from pcaimage.gui.screen.qimage import to_qimage

PIXELS_VISIBLE = 3.0  # least scale at which pixels are drawn as squares
_CHECKER = 8
_ARM = 12.0
_GAP = 4.0
_BOXED = 6.0
_LEAST_FRAME = 9.0
_HALO = QColor(0, 0, 0, 170)
_WHITE = QColor(255, 255, 255)


class Layer(NamedTuple):
    """A picture together with its QImage, which is converted once."""

    picture: Picture
    image: QImage

    @classmethod
    def of(cls, picture: Picture | None) -> Layer | None:
        """Convert a picture, if there is one."""
        return None if picture is None else cls(picture, to_qimage(picture.pixels))


def place(extent: Extent, viewport: Viewport, view: Size, ratio: float) -> QRectF:
    """Return where a rectangle of the image appears, in device-independent pixels.

    `view` is the view's size in device pixels, and `ratio` the device pixel ratio.
    """
    left, top = viewport.to_view(extent[0], extent[1], view)
    right, bottom = viewport.to_view(extent[2], extent[3], view)
    return QRectF(QPointF(left / ratio, top / ratio), QPointF(right / ratio, bottom / ratio))


def covers(picture: Picture, region: Region) -> bool:
    """Return whether a picture shows all of a region."""
    left, top, right, bottom = picture.extent
    return left <= region.left and top <= region.top and right >= region.right and bottom >= region.bottom


def draw_layer(painter: QPainter, layer: Layer, target: QRectF, *, squares: bool) -> None:
    """Draw a picture, whose pixels are squares or smoothed.

    A translucent one needs a checkerboard, which hides the layer below.
    """
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not squares)
    painter.drawImage(target, layer.image, QRectF(layer.image.rect()))


def draw_part(
    painter: QPainter, layer: Layer, seen: Region, viewport: Viewport, view: Size, checker: QBrush
) -> None:
    """Draw only the visible part of a picture, on a view whose device pixel ratio is 1.

    For views that show very little of a picture: Qt would transform all of it.
    """
    picture, image = layer
    x0, y0, x1, y1 = picture.extent
    across, down = image.width() / (x1 - x0), image.height() / (y1 - y0)
    # One pixel more on each side, which smooth enlargement interpolates from.
    left = max(0, math.floor((seen.left - x0) * across) - 1)
    top = max(0, math.floor((seen.top - y0) * down) - 1)
    right = min(image.width(), math.ceil((seen.right - x0) * across) + 1)
    bottom = min(image.height(), math.ceil((seen.bottom - y0) * down) + 1)
    if left >= right or top >= bottom:
        return
    extent = x0 + left / across, y0 + top / down, x0 + right / across, y0 + bottom / down
    target = place(extent, viewport, view, 1.0)
    if picture.has_alpha:
        painter.fillRect(target, checker)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not picture.full_resolution)
    painter.drawImage(target, image, QRectF(left, top, right - left, bottom - top))


def checkerboard(light: str, dark: str) -> QBrush:
    """Return the checkerboard pattern that represents transparency."""
    tile = QPixmap(2 * _CHECKER, 2 * _CHECKER)
    tile.fill(QColor(light))
    painter = QPainter(tile)
    painter.fillRect(0, 0, _CHECKER, _CHECKER, QColor(dark))
    painter.fillRect(_CHECKER, _CHECKER, _CHECKER, _CHECKER, QColor(dark))
    painter.end()
    return QBrush(tile) if not tile.isNull() else QBrush(Qt.BrushStyle.Dense4Pattern)


def draw_crosshair(painter: QPainter, pixel: QRectF) -> None:
    """Draw four arms around an image pixel, and a frame if the pixel is large enough."""
    centre = pixel.center()
    gap = _gap(pixel)
    end = gap + _ARM
    lines = [
        QLineF(centre.x() + dx * gap, centre.y() + dy * gap, centre.x() + dx * end, centre.y() + dy * end)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((_HALO, 3.0), (_WHITE, 1.0)):
        painter.setPen(QPen(colour, width))
        painter.drawLines(lines)
        if pixel.width() >= _BOXED:
            painter.drawRect(pixel)


def crosshair_bounds(pixel: QRectF) -> QRect:
    """Return the rectangle that :func:`draw_crosshair` paints in."""
    reach = _gap(pixel) + _ARM + 2
    return QRectF(pixel.center(), pixel.center()).adjusted(-reach, -reach, reach, reach).toAlignedRect()


def draw_frame(painter: QPainter, rect: QRectF, colour: QColor, halo: QColor) -> None:
    """Draw a frame around a part of an image, at a distance if the part is very small.

    Of the colours of frame and halo, one is light and one is dark.
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
