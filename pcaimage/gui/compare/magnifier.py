"""The magnifier: the same few pixels of both pictures, enlarged beside the cursor."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QObject, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from pcaimage.codec import Region
from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.painting import Layer, checkerboard, covers, draw_part, place
from pcaimage.gui.compare.viewport import Size, Viewport
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.theme import colours_of, tabular

_FACTORS = (2, 4, 8, 16, 32)
_FIRST = 8
_GRID_FROM = 8  # least magnification at which lines separate the pixels
_MARGIN = 64
"""Image pixels around the visible ones that are requested too, so that small moves request nothing."""
_SIDE = 160
_LEAST_SIDE = 64
_PADDING = 8
_GAP = 8
_AWAY = 20


@dataclass(frozen=True, slots=True)
class Pane:
    """One half of the loupe: layers from coarse to fine, their name, and the values of the middle pixel."""

    layers: tuple[Layer, ...]
    name: str
    values: str


class Loupe(QWidget):
    """Shows panes side by side near the cursor, inside its parent; the mouse goes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.panes: tuple[Pane, ...] = ()
        self._image = Size(0, 0)
        self.pixel = (0, 0)
        """Column and row of the image pixel in the middle."""
        self._factor = _GRID_FROM
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFont(tabular(self.font()))
        self.hide()

    @property
    def side(self) -> int:
        """Width and height of a pane in device-independent pixels; smaller where there is less room."""
        parent = self.parentWidget()
        if parent is None:
            return _SIDE
        count = max(1, len(self.panes))
        wide = (parent.width() - 2 * _PADDING - (count - 1) * _GAP) // count
        high = parent.height() - 2 * _PADDING - self._text_height()
        return max(_LEAST_SIDE, min(_SIDE, wide, high))

    def show_pixel(self, pixel: tuple[int, int], factor: int, image: Size, panes: tuple[Pane, ...]) -> None:
        """Show the surroundings of a pixel of an image; `factor` is in device-independent pixels."""
        self.pixel, self._factor, self._image, self.panes = pixel, factor, image, panes
        side, count = self.side, len(panes)
        width = count * side + (count - 1) * _GAP + 2 * _PADDING
        self.resize(width, side + self._text_height() + 2 * _PADDING)
        self.update()

    def move_beside(self, cursor: QPoint) -> None:
        """Move near the cursor, in the parent's coordinates, and not under it unless there is no room."""
        parent = self.parentWidget()
        if parent is not None:
            left = _beside(cursor.x(), self.width(), parent.width())
            self.move(left, _beside(cursor.y(), self.height(), parent.height()))

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
        for i, pane in enumerate(self.panes):
            area = QRect(_PADDING + i * (side + _GAP), _PADDING, side, side)
            self._paint_pane(painter, pane, area)
            self._write(painter, pane, area, f"{self._factor} ×" if i == len(self.panes) - 1 else "")
        painter.end()

    def _paint_pane(self, painter: QPainter, pane: Pane, area: QRect) -> None:
        colours = colours_of(self.palette())
        painter.save()
        painter.setClipRect(area)
        painter.fillRect(area, QColor(colours.canvas))
        painter.translate(area.topLeft())
        view = Size(area.width(), area.height())
        x, y = self.pixel
        viewport = Viewport(x + 0.5, y + 0.5, float(self._factor))
        inside = place((0, 0, *self._image), viewport, view, 1.0)
        painter.setClipRect(inside, Qt.ClipOperation.IntersectClip)
        seen = viewport.visible_region(view, self._image)
        checker = checkerboard(*colours.checker)
        for layer in pane.layers:
            draw_part(painter, layer, seen, viewport, view, checker)
        if self._factor >= _GRID_FROM:
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


class Magnifier(QObject):
    """Chooses the loupe's pixel and magnification, and collects the pixels that it needs.

    They come from the pictures on the left and the right canvas, and, where those are reduced, from pictures
    in full resolution that it requests.
    """

    needed = Signal(object)
    """The :class:`Region` wanted in full resolution; answer with :meth:`set_magnified`."""

    def __init__(self, parent: QWidget, canvases: tuple[ImageCanvas, ImageCanvas]) -> None:
        super().__init__(parent)
        self._canvases = canvases
        self._given: tuple[Layer | None, Layer | None] = (None, None)
        self._asked: Region | None = None
        self._image = Size(0, 0)
        self._pixel: tuple[int, int] | None = None
        self._cursor = QPoint()
        self._on = False
        self._with_left = True
        self.factor = _FIRST
        self.loupe = Loupe(parent)
        self._asking = QTimer(self, singleShot=True, interval=0)
        self._asking.timeout.connect(self._ask)
        for canvas in canvases:
            canvas.pictureChanged.connect(self._renew)

    @property
    def on(self) -> bool:
        """Whether it is switched on; it is visible while the cursor is over the image."""
        return self._on

    def set_on(self, on: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Switch it on or off."""
        self._on = on
        self._refresh()

    def set_image(self, image: Size, *, with_left: bool) -> None:
        """Drop all pixels, because another image is shown, with or without a left picture."""
        self._image, self._with_left = image, with_left
        self._given, self._asked, self._pixel = (None, None), None, None
        self._refresh()

    def set_magnified(self, left: Picture | None, right: Picture | None) -> None:
        """Take pictures of the requested region in full resolution, as far as they are known."""
        self._given = Layer.of(left), Layer.of(right)
        self._refresh()

    def point_at(self, pixel: tuple[int, int] | None, cursor: QPoint | None = None) -> None:
        """Show another pixel, column and row, for a cursor in the parent's coordinates.

        No pixel: the cursor is not over the image.
        """
        self._pixel = pixel
        if cursor is not None:
            self._cursor = cursor
        self._refresh()

    def step(self, notches: int) -> None:
        """Magnify more, or less if negative, by so many steps."""
        place = min(max(_FACTORS.index(self.factor) + notches, 0), len(_FACTORS) - 1)
        self.factor = _FACTORS[place]
        self._refresh()

    def _refresh(self) -> None:
        pixel = self._pixel if self._on and self._image.width else None
        if pixel is not None:
            panes = tuple(self._pane(side, pixel) for side in self._sides)
            self.loupe.show_pixel(pixel, self.factor, self._image, panes)
            self.loupe.move_beside(self._cursor)
            if not self._known(self._around(pixel)):
                self._asking.start()
        if self.loupe.isVisible() != (pixel is not None):
            self.loupe.setVisible(pixel is not None)
            self.loupe.raise_()

    def _renew(self) -> None:
        """Request pixels again after one of the pictures changed."""
        self._asked = None
        if self._on:
            self._refresh()

    @property
    def _sides(self) -> range:
        return range(0 if self._with_left else 1, 2)

    def _pane(self, side: int, pixel: tuple[int, int]) -> Pane:
        canvas, given = self._canvases[side], self._given[side]
        layers = list(canvas.layers)
        if given is not None:
            # The canvas's picture is newer, but is only used where it is as fine.
            fine = bool(layers) and layers[-1].picture.full_resolution
            layers.insert(len(layers) - 1 if fine else len(layers), given)
        name = canvas.lines[0] if canvas.lines else canvas.accessibleName()
        return Pane(tuple(layers), name, _values(layers, pixel))

    def _known(self, region: Region) -> bool:
        return all(
            any(
                layer.picture.full_resolution and covers(layer.picture, region)
                for layer in self._canvases[side].layers
            )
            for side in self._sides
        )

    def _ask(self) -> None:
        if self._pixel is None or not self._on:
            return
        needed = self._around(self._pixel)
        if not self._known(needed) and (self._asked is None or self._asked.united(needed) != self._asked):
            self._asked = self._around(self._pixel, _MARGIN)
            self.needed.emit(self._asked)

    def _around(self, pixel: tuple[int, int], margin: int = 0) -> Region:
        """Return the pixels that the loupe shows around one, and a margin; the last may be cut."""
        x, y = pixel
        reach = int(_SIDE / (2 * self.factor)) + 1 + margin
        return Region(
            max(0, x - reach),
            max(0, y - reach),
            min(int(self._image.width), x + reach + 1),
            min(int(self._image.height), y + reach + 1),
        )


def _beside(cursor: int, extent: int, room: int) -> int:
    after, before = cursor + _AWAY, cursor - _AWAY - extent
    wanted = after if after + extent <= room or before < 0 else before
    return max(0, min(wanted, room - extent))


def _grid(seen: Region, viewport: Viewport, view: Size) -> list[QLineF]:
    left, top = viewport.to_view(seen.left, seen.top, view)
    right, bottom = viewport.to_view(seen.right, seen.bottom, view)
    xs = [viewport.to_view(x, 0, view)[0] for x in range(seen.left, seen.right + 1)]
    ys = [viewport.to_view(0, y, view)[1] for y in range(seen.top, seen.bottom + 1)]
    return [QLineF(x, top, x, bottom) for x in xs] + [QLineF(left, y, right, y) for y in ys]


def _values(layers: list[Layer], pixel: tuple[int, int]) -> str:
    """Return a pixel's values by the topmost layer that has it in full resolution."""
    x, y = pixel
    for picture, _ in reversed(layers):
        left, top, right, bottom = picture.extent
        if picture.full_resolution and left <= x < right and top <= y < bottom:
            rows, columns = picture.pixels.shape[:2]
            row, column = min(int(y - top), rows - 1), min(int(x - left), columns - 1)
            return " ".join(map(str, picture.values[row, column].tolist()))
    return ""
