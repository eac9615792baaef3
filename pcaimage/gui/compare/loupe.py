"""What the magnifier shows: the same few pixels of both pictures, enlarged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QWidget

from pcaimage.codec import Region
from pcaimage.gui.compare.painting import Layer, checkerboard, draw_part, place
from pcaimage.gui.compare.viewport import Size, Viewport
from pcaimage.gui.theme import colours_of, tabular

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

GRID_FROM = 8
"""From this magnification on, lines separate the pixels."""
_SIDE = 160
_LEAST_SIDE = 64
_PADDING = 8
_GAP = 8
_AWAY = 20


@dataclass(frozen=True, slots=True)
class Pane:
    """One half of the magnifier.

    Parameters
    ----------
    layers : tuple of Layer
        What is known of the picture, from coarse to fine.
    name : str
        What it is a picture of.
    values : str
        The values of the pixel in the middle.
    """

    layers: tuple[Layer, ...]
    name: str
    values: str


class Loupe(QWidget):
    """Shows panes side by side, near the cursor; the mouse goes through it.

    Parameters
    ----------
    parent : QWidget
        What it stays inside of.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._panes: tuple[Pane, ...] = ()
        self._image = Size(0, 0)
        self._pixel = (0, 0)
        self._factor = GRID_FROM
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(tabular(self.font()))
        self.hide()

    @property
    def panes(self) -> tuple[Pane, ...]:
        """What is shown."""
        return self._panes

    @property
    def pixel(self) -> tuple[int, int]:
        """The image pixel in the middle."""
        return self._pixel

    @property
    def side(self) -> int:
        """Width and height of a pane in device-independent pixels; smaller where there is less room."""
        parent = self.parentWidget()
        if parent is None:
            return _SIDE
        count = max(1, len(self._panes))
        wide = (parent.width() - 2 * _PADDING - (count - 1) * _GAP) // count
        high = parent.height() - 2 * _PADDING - self._text_height()
        return max(_LEAST_SIDE, min(_SIDE, wide, high))

    def reach(self, factor: float) -> int:
        """Return how many pixels are seen beside the one in the middle.

        Parameters
        ----------
        factor : float
            The magnification.

        Returns
        -------
        int
            To each side; the last may be seen in part only.
        """
        return int(_SIDE / (2 * factor)) + 1

    def show_pixel(self, pixel: tuple[int, int], factor: int, image: Size, panes: tuple[Pane, ...]) -> None:
        """Show the surroundings of a pixel.

        Parameters
        ----------
        pixel : tuple of int
            Column and row.
        factor : int
            Device-independent pixels of the screen to one of the image.
        image : Size
            Its size.
        panes : tuple of Pane
            From left to right.
        """
        self._pixel, self._factor, self._image, self._panes = pixel, factor, image, panes
        side, count = self.side, len(panes)
        width = count * side + (count - 1) * _GAP + 2 * _PADDING
        self.resize(width, side + self._text_height() + 2 * _PADDING)
        self.update()

    def move_beside(self, cursor: QPoint) -> None:
        """Go near the cursor, but not under it as long as there is room elsewhere.

        Parameters
        ----------
        cursor : QPoint
            In the parent's coordinates.
        """
        parent = self.parentWidget()
        if parent is None:
            return
        left = _beside(cursor.x(), self.width(), parent.width())
        top = _beside(cursor.y(), self.height(), parent.height())
        self.move(left, top)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the panes, and the names and values below them."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.setBrush(QColor(colours.window))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        side = self.side
        for i, pane in enumerate(self._panes):
            area = QRect(_PADDING + i * (side + _GAP), _PADDING, side, side)
            self._paint_pane(painter, pane, area)
            self._write(painter, pane, area, f"{self._factor} ×" if i == len(self._panes) - 1 else "")
        painter.end()

    def _paint_pane(self, painter: QPainter, pane: Pane, area: QRect) -> None:
        colours = colours_of(self.palette())
        painter.save()
        painter.setClipRect(area)
        painter.fillRect(area, QColor(colours.canvas))
        painter.translate(area.topLeft())
        view = Size(area.width(), area.height())
        x, y = self._pixel
        viewport = Viewport(x + 0.5, y + 0.5, float(self._factor))
        inside = place((0, 0, *self._image), viewport, view, 1.0)
        painter.setClipRect(inside, Qt.ClipOperation.IntersectClip)
        seen = viewport.visible_region(view, self._image)
        checker = checkerboard(*colours.checker)
        for layer in pane.layers:
            draw_part(painter, layer, seen, viewport, view, checker)
        if self._factor >= GRID_FROM:
            painter.setPen(QPen(QColor(128, 128, 128, 90), 0))
            painter.drawLines(_grid(seen, viewport, view))
        painter.restore()
        middle = place((x, y, x + 1, y + 1), viewport, view, 1.0).translated(QPointF(area.topLeft()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, out in ((QColor(0, 0, 0), 1.5), (QColor(255, 255, 255), 0.5)):
            painter.setPen(QPen(colour, 1))
            painter.drawRect(middle.adjusted(-out, -out, out - 1, out - 1))

    def _write(self, painter: QPainter, pane: Pane, area: QRect, zoom: str) -> None:
        colours = colours_of(self.palette())
        metrics = QFontMetrics(self.font())
        top = area.bottom() + 1 + _PADDING // 2
        line = QRect(area.left(), top, area.width(), metrics.height())
        room = area.width() - metrics.horizontalAdvance(f"{zoom} ")
        painter.setPen(QColor(colours.muted))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, zoom)
        painter.drawText(line, 0, metrics.elidedText(pane.name, Qt.TextElideMode.ElideRight, room))
        painter.setPen(QColor(colours.text))
        values = metrics.elidedText(pane.values or "…", Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(line.translated(0, metrics.height()), 0, values)

    def _text_height(self) -> int:
        return 2 * self.fontMetrics().height() + _PADDING // 2


def _beside(cursor: int, extent: int, room: int) -> int:
    after, before = cursor + _AWAY, cursor - _AWAY - extent
    wished = after if after + extent <= room or before < 0 else before
    return max(0, min(wished, room - extent))


def _grid(seen: Region, viewport: Viewport, view: Size) -> list[QLineF]:
    left, top = viewport.to_view(seen.left, seen.top, view)
    right, bottom = viewport.to_view(seen.right, seen.bottom, view)
    xs = [viewport.to_view(x, 0, view)[0] for x in range(seen.left, seen.right + 1)]
    ys = [viewport.to_view(0, y, view)[1] for y in range(seen.top, seen.bottom + 1)]
    return [QLineF(x, top, x, bottom) for x in xs] + [QLineF(left, y, right, y) for y in ys]
