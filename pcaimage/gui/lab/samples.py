"""Samples among axes: as points in the colours and shapes of their groups, or as small pictures."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import dots
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.insight.lab.data import Floats, LabData, Picture, axis_picture, sample_picture
from pcaimage.insight.stack import without_overlap

MANY = 1000  # points from which they are drawn small, all alike but for their colour

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
        _draw_squares(painter, places, groups, palette, widget)
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


def _draw_squares(
    painter: QPainter, places: Floats, groups: NDArray[np.int64], palette: tuple[QColor, ...], widget: QWidget
) -> None:
    """Draw many points as small squares by way of a picture, ten times as fast as a painter."""
    ratio = widget.devicePixelRatioF()
    height, width, side = round(widget.height() * ratio), round(widget.width() * ratio), round(2 * ratio)
    x, y = np.ascontiguousarray((places * ratio).astype(np.int64).T) - side // 2
    inside = (x >= 0) & (y >= 0) & (x < width - side) & (y < height - side)
    colours = np.array([each.rgb() for each in palette], np.uint32)[groups[inside] % len(palette)]
    pixels = np.zeros(height * width, np.uint32)
    first = y[inside] * width + x[inside]
    for down in range(side):
        for right in range(side):
            pixels[first + (down * width + right)] = colours
    image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(QPoint(), image)


SIDE = 26  # pixels along the longer side of a small picture among points
_MOST_PICTURES = 150
_APART = 1.6  # the least distance of two pictures, in sides: between them points are seen


def image_of(picture: Picture | None) -> QImage | None:
    """Return a picture as Qt paints it; None for None."""
    return None if picture is None else to_qimage(picture)


def sample_image(data: LabData, values: Floats) -> QImage | None:
    """Return a sample as a picture; None if samples are none."""
    return image_of(sample_picture(data, values))


def axis_image(data: LabData, values: Floats) -> QImage | None:
    """Return an axis as a picture; None if samples are none."""
    return image_of(axis_picture(data, values))


def fitting(image: QImage, room: QRectF) -> QRectF:
    """Return the largest rectangle of a picture's shape in the middle of a room."""
    size = image.size().toSizeF()
    size.scale(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
    found = QRectF(QPointF(), size)
    found.moveCenter(room.center())
    return found


def draw_image(painter: QPainter, image: QImage, room: QRectF, frame: str) -> None:
    """Draw a picture as large as there is room, its pixels as squares, in a thin frame."""
    place = fitting(image, room)
    painter.drawImage(place, image)
    painter.setPen(QPen(QColor(frame), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place)


def draw_samples(painter: QPainter, colours: Colours, data: LabData, values: Floats, places: Floats) -> None:
    """Draw pictures of samples, in their own units, at places in pixels, where they hide no other."""
    if data.picture is None:
        return
    for index in without_overlap(places, _APART * SIDE, _MOST_PICTURES).tolist():
        image = sample_image(data, values[index])
        if image is not None:
            x, y = places[index].tolist()
            draw_image(painter, image, QRectF(x - SIDE / 2, y - SIDE / 2, SIDE, SIDE), colours.border)


def draw_groups(painter: QPainter, colours: Colours, data: LabData, widget: QWidget) -> None:
    """Name the groups in the upper right corner of a widget, in their colours and shapes."""
    names, palette = data.group_names, inks(colours)
    metrics = painter.fontMetrics()
    shown = names[: max(widget.height() // metrics.height() - 3, 0)]
    left = widget.width() - max(map(metrics.horizontalAdvance, shown), default=0) - 12.0
    for number, name in enumerate(shown):
        baseline = (number + 1.0) * metrics.height()
        place = np.array([[left - 10, baseline - metrics.ascent() / 2 + 1]])
        draw_points(painter, place, np.array([number]), palette, widget)
        painter.setPen(palette[number % len(palette)])
        painter.drawText(QPointF(left, baseline), name)
