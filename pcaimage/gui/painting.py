"""How pictures are put into a view."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPixmap

if TYPE_CHECKING:
    from pcaimage.gui.geometry import Size
    from pcaimage.gui.picture import Picture
    from pcaimage.gui.viewport import Viewport

PIXELS_VISIBLE = 3.0
"""From this scale on, image pixels are drawn as squares."""
_CHECKER = 8


class Layer(NamedTuple):
    """A picture together with its form for Qt, which is made once."""

    picture: Picture
    image: QImage


def place(
    region: tuple[float, float, float, float],
    viewport: Viewport,
    view: Size,
    ratio: float,
) -> QRectF:
    """Return where a region of the image appears.

    Parameters
    ----------
    region : tuple of float
        ``x0, y0, x1, y1`` in image pixels.
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
    left, top = viewport.to_view(region[0], region[1], view)
    right, bottom = viewport.to_view(region[2], region[3], view)
    return QRectF(QPointF(left / ratio, top / ratio), QPointF(right / ratio, bottom / ratio))


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
