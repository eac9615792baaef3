"""Points in the colours and shapes of their groups."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import dots
from pcaimage.insight.lab.data import Floats

MANY = 1000
"""Points from which they are drawn small, all alike but for their colour."""

_SIZE = 6.0
_SHAPES = (
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.3), (1.2, 1), (-1.2, 1)),
    ((0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)),
)
"""Corners of square, triangle and diamond; the first group has dots."""


@cache
def inks(colours: Colours) -> tuple[QColor, ...]:
    """Return ten colours of groups, each of which differs from the others."""
    others = [QColor.fromHsv(hue, 200, 235 if colours.dark else 150) for hue in (0, 180, 55, 325, 90, 285)]
    return tuple(QColor(each) for each in colours.planes) + tuple(others)


def draw_points(
    painter: QPainter, places: Floats, groups: NDArray[np.int64], palette: tuple[QColor, ...], widget: QWidget
) -> None:
    """Draw points at places on a widget, in pixels, shape (n, 2)."""
    if len(places) > MANY:
        ratio = widget.devicePixelRatioF()
        shape = round(widget.height() * ratio), round(widget.width() * ratio)
        image = _squares(places * ratio, groups, palette, shape, ratio)
        image.setDevicePixelRatio(ratio)
        painter.drawImage(QPoint(), image)
        return
    for group in np.unique(groups).tolist():
        colour = QColor(palette[group % len(palette)])
        colour.setAlpha(230)
        chosen = places[groups == group]
        if group % (len(_SHAPES) + 1) == 0:
            dots(painter, chosen, colour, _SIZE)
            continue
        painter.setPen(QPen(Qt.PenStyle.NoPen))
        painter.setBrush(colour)
        corners = [QPointF(x, y) * (_SIZE / 2) for x, y in _SHAPES[group % (len(_SHAPES) + 1) - 1]]
        for x, y in chosen.tolist():
            painter.drawPolygon(QPolygonF([QPointF(x, y) + corner for corner in corners]))
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _squares(
    places: Floats,
    groups: NDArray[np.int64],
    palette: tuple[QColor, ...],
    shape: tuple[int, int],
    ratio: float,
) -> QImage:
    """Return many points as small squares on a clear picture, ten times as fast as a painter."""
    height, width = shape
    side = round(2 * ratio)
    x, y = (places.astype(np.int64) - side // 2).T
    inside = (x >= 0) & (y >= 0) & (x < width - side) & (y < height - side)
    colours = np.array([each.rgb() for each in palette], np.uint32)[groups[inside] % len(palette)]
    pixels = np.zeros(height * width, np.uint32)
    first = y[inside] * width + x[inside]
    for down in range(side):
        for right in range(side):
            pixels[first + (down * width + right)] = colours
    data = pixels.tobytes()
    return QImage(data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()
