"""Samples and axes that are pictures, drawn small."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from pcaimage.gui.colours import Colours
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.lab.pictures import Picture, axis_picture, sample_picture, spread_out

SIDE = 26
"""Pixels along the longer side of a small picture among points."""
_APART = 1.6
"""The least distance of two pictures, in sides: between them points are seen."""


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
    for index in spread_out(places, _APART * SIDE):
        image = sample_image(data, values[index])
        if image is not None:
            x, y = places[index].tolist()
            draw_image(painter, image, QRectF(x - SIDE / 2, y - SIDE / 2, SIDE, SIDE), colours.border)
