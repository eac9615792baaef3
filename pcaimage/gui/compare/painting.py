"""How pictures are put into a view."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPixmap

if TYPE_CHECKING:
    from pcaimage.codec import Region
    from pcaimage.gui.compare.viewport import Size, Viewport
    from pcaimage.gui.screen.picture import Extent, Picture

PIXELS_VISIBLE = 3.0
"""From this scale on, image pixels are drawn as squares."""
_CHECKER = 8


class Layer(NamedTuple):
    """A picture together with its form for Qt, which is made once."""

    picture: Picture
    image: QImage


def place(
    extent: Extent,
    viewport: Viewport,
    view: Size,
    ratio: float,
) -> QRectF:
    """Return where a rectangle of the image appears.

    Parameters
    ----------
    extent : Extent
        The rectangle.
    viewport : Viewport
        What is shown.
    view : Size
        Size of the view in device pixels.
    ratio : float
        Device pixel ratio.

    Returns
    -------
    QRectF
        In device-independent pixels.
    """
    left, top = viewport.to_view(extent[0], extent[1], view)
    right, bottom = viewport.to_view(extent[2], extent[3], view)
    return QRectF(QPointF(left / ratio, top / ratio), QPointF(right / ratio, bottom / ratio))


def covers(picture: Picture, region: Region) -> bool:
    """Whether a picture shows all of a region.

    Parameters
    ----------
    picture : Picture
        The picture.
    region : Region
        Not empty.

    Returns
    -------
    bool
        True if so, to the edge.
    """
    left, top, right, bottom = picture.extent
    return left <= region.left and top <= region.top and right >= region.right and bottom >= region.bottom


def draw_layer(painter: QPainter, layer: Layer, target: QRectF, scale: float, checker: QBrush) -> None:
    """Draw one picture where it belongs.

    Parameters
    ----------
    painter : QPainter
        Of the canvas.
    layer : Layer
        The picture.
    target : QRectF
        Where it belongs, in device-independent pixels.
    scale : float
        Device pixels per image pixel.
    checker : QBrush
        What shows through a transparent picture; it also hides the layer below.
    """
    if layer.picture.has_alpha:
        painter.fillRect(target, checker)
    squares = scale >= PIXELS_VISIBLE and layer.picture.full_resolution
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not squares)
    painter.drawImage(target, layer.image, QRectF(layer.image.rect()))


def draw_part(
    painter: QPainter,
    layer: Layer,
    seen: Region,
    viewport: Viewport,
    view: Size,
    checker: QBrush,
) -> None:
    """Draw the part of a picture that is seen, and nothing beside it, where very little of it is.

    Parameters
    ----------
    painter : QPainter
        Of a view whose device pixel ratio is 1.
    layer : Layer
        The picture.
    seen : Region
        What of the image is seen.
    viewport : Viewport
        What the view shows.
    view : Size
        Size of the view.
    checker : QBrush
        What shows through a transparent picture; it also hides the layer below.
    """
    picture, image = layer
    x0, y0, x1, y1 = picture.extent
    across, down = image.width() / (x1 - x0), image.height() / (y1 - y0)
    # A pixel more on each side, from which smooth enlargement takes its part.
    left = max(0, math.floor((seen.left - x0) * across) - 1)
    top = max(0, math.floor((seen.top - y0) * down) - 1)
    right = min(image.width(), math.ceil((seen.right - x0) * across) + 1)
    bottom = min(image.height(), math.ceil((seen.bottom - y0) * down) + 1)
    if left >= right or top >= bottom:
        return
    region = x0 + left / across, y0 + top / down, x0 + right / across, y0 + bottom / down
    target = place(region, viewport, view, 1.0)
    if picture.has_alpha:
        painter.fillRect(target, checker)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not picture.full_resolution)
    painter.drawImage(target, image, QRectF(left, top, right - left, bottom - top))


def checkerboard(light: str, dark: str) -> QBrush:
    """Return the pattern that stands for transparency.

    Parameters
    ----------
    light, dark : str
        Its two colours.

    Returns
    -------
    QBrush
        A tile of four squares.
    """
    tile = QPixmap(2 * _CHECKER, 2 * _CHECKER)
    tile.fill(QColor(light))
    painter = QPainter(tile)
    painter.fillRect(0, 0, _CHECKER, _CHECKER, QColor(dark))
    painter.fillRect(_CHECKER, _CHECKER, _CHECKER, _CHECKER, QColor(dark))
    painter.end()
    return QBrush(tile) if not tile.isNull() else QBrush(Qt.BrushStyle.Dense4Pattern)
