"""Pictures and names of labels that stand at points of the scatter plot."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from pcaimage.insight.scatter import Scatter, without_overlap

BORDER = 2
MOST_PICTURES = 300
"""So many pictures are drawn at most."""


class Thumbnail(NamedTuple):
    """A picture at a point.

    Parameters
    ----------
    number : int
        The image, from 0.
    x, y : float
        The point, in scores.
    picture : QImage
        What stands there.
    colour : str
        Of its frame.
    """

    number: int
    x: float
    y: float
    picture: QImage
    colour: str


class Name(NamedTuple):
    """A label's name at the middle of its points.

    Parameters
    ----------
    x, y : float
        The middle, in scores.
    text : str
        The name.
    colour : str
        That of its points.
    """

    x: float
    y: float
    text: str
    colour: str


class AtPoints(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph is untyped
    """Draws things of a fixed size on the screen at points of a plot."""

    def __init__(self) -> None:
        super().__init__()
        self._bounds = QRectF()
        self.side = 32.0
        """How wide and high pictures are, without their frame."""
        self.thumbnails: tuple[Thumbnail, ...] = ()
        """The pictures that are drawn."""
        self.names: tuple[Name, ...] = ()
        """The names that are drawn."""
        self.halo = QColor("#ffffff")
        """What surrounds names, so that they can be read over points."""
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption, enabled=False)

    def set_bounds(self, left: float, bottom: float, width: float, height: float) -> None:
        """Say what part of the plot may be drawn upon.

        Parameters
        ----------
        left, bottom, width, height : float
            All of what is seen, in scores.
        """
        self.prepareGeometryChange()
        self._bounds = QRectF(left, bottom, width, height)

    def boundingRect(self) -> QRectF:
        """Return what may be drawn upon."""
        return self._bounds

    def dataBounds(self, *_: object, **__: object) -> None:
        """Have no say in what the plot shows."""

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw the pictures, and the names over them."""
        to_device = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        ratio = painter.device().devicePixelRatioF() if painter.device() is not None else 1.0
        scale = 1.0 if to_device.isIdentity() else ratio
        painter.scale(scale, scale)
        for item in self.thumbnails:
            self._draw_picture(painter, to_device.map(QPointF(item.x, item.y)) / scale, item)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for name in self.names if not self.thumbnails else ():  # frames tell of labels, too
            self._draw_name(painter, to_device.map(QPointF(name.x, name.y)) / scale, name)
        painter.restore()

    def _draw_picture(self, painter: QPainter, centre: QPointF, item: Thumbnail) -> None:
        picture, side = item.picture, self.side
        scale = side / max(picture.width(), picture.height())
        width, height = round(picture.width() * scale), round(picture.height() * scale)
        target = QRectF(round(centre.x() - width / 2), round(centre.y() - height / 2), width, height)
        painter.fillRect(target.adjusted(-BORDER, -BORDER, BORDER, BORDER), QColor(item.colour))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < 1)
        painter.drawImage(target, picture)

    def _draw_name(self, painter: QPainter, centre: QPointF, name: Name) -> None:
        font = QFont(painter.font())
        font.setBold(True)
        font.setPixelSize(18)
        room = QFontMetricsF(font).boundingRect(name.text)
        path = QPainterPath()
        path.addText(centre - room.center(), font, name.text)
        halo = QPen(self.halo, 4.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(path, halo)
        painter.fillPath(path, QColor(name.colour))


def seen_in(scatter: Scatter, part: QRectF, only: int | None) -> NDArray[np.intp]:
    """Return the images within a part of the plot.

    Parameters
    ----------
    scatter : Scatter
        All points.
    part : QRectF
        From where to where, in scores.
    only : int or None
        The group that they are to be of; None for any.

    Returns
    -------
    ndarray of intp
        Images, from 0.
    """
    x, y = scatter.points.T
    within = (x >= part.left()) & (x <= part.right()) & (y >= part.top()) & (y <= part.bottom())
    if only is not None:
        within &= scatter.places == only
    return np.flatnonzero(within)


def roomy(
    scatter: Scatter, seen: NDArray[np.intp], scale: tuple[float, float], side: float, first: int
) -> list[int]:
    """Return the images that have room for their pictures.

    Parameters
    ----------
    scatter : Scatter
        All points.
    seen : ndarray of intp
        Those that may have one.
    scale : (float, float)
        Pixels of the screen to a score of one, across and up.
    side : float
        How wide and high pictures are.
    first : int
        An image that comes before all others, if it is seen.

    Returns
    -------
    list of int
        Images, from 0.
    """
    at = np.flatnonzero(seen == first)
    places = scatter.points[seen] * np.array(scale, np.float32)
    room = without_overlap(places, side + 2 * BORDER + 2, MOST_PICTURES, int(at[0]) if at.size else None)
    chosen: list[int] = seen[room].tolist()
    return chosen


def mark(item: Any, scatter: Scatter | None, number: int, pen: QPen, size: int) -> None:
    """Draw a ring around a point.

    Parameters
    ----------
    item : pyqtgraph.ScatterPlotItem
        What draws it.
    scatter : Scatter or None
        All points.
    number : int
        The image, from 0; one that there is not has no ring.
    pen : QPen
        How it is drawn.
    size : int
        How wide, in pixels.
    """
    if scatter is None or not 0 <= number < len(scatter.points):
        item.clear()
        return
    x, y = scatter.points[number].tolist()
    item.setData(x=[x], y=[y], symbol="o", size=size, brush=None, pen=pen)
