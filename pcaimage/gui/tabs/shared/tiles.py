"""Grids of picture tiles: a list view that reports which rows are visible, its model, and its delegate."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from PySide6 import QtCore
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from pcaimage.gui.colours import Colours
from pcaimage.gui.compare.peek_key import KEEPS_SPACE
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.language import tr

Index = QtCore.QModelIndex | QtCore.QPersistentModelIndex

PADDING, GAP = 8, 4  # around a tile's picture, and between the picture and the text beneath it
BETWEEN = 2  # between the pictures of one tile
ACTIVATION_KEYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
_SETTLE = 20


class TileModel(QtCore.QAbstractListModel):
    """A flat list with a row for each tile.

    Pictures and marks change often and never the layout, so the model does not announce them: whoever
    changes them repaints the view.
    """

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of rows."""

    @abstractmethod
    def values(self, row: int) -> Mapping[int, Callable[[], Any]]:
        """Return functions that compute what is shown of a row, by role."""

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows; tiles have no children."""
        return 0 if parent is not None and parent.isValid() else self.count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a tile for a role, or None."""
        if not 0 <= index.row() < self.count:
            return None
        values = self.values(index.row())
        found = values[role]() if role in values else None
        return tr(found) if isinstance(found, str) else found


class TextLine(NamedTuple):
    """A line of text beneath a tile's picture."""

    text: str
    colour: str
    font: QFont | None = None


class TileDelegate(QStyledItemDelegate):
    """Paints a tile: its background, one picture or more side by side, and two lines of text beneath."""

    sides: tuple[int, ...]  # sizes that a picture can have, largest first, in device-independent pixels
    widest: str  # the longest text that always has room

    def __init__(self, parent: QtCore.QObject | None = None) -> None:
        super().__init__(parent)
        self.side = self.sides[-1]
        """The present size of a picture, in device-independent pixels."""

    @property
    def pictures(self) -> int:
        """The number of pictures side by side."""
        return 1

    @property
    def width(self) -> int:
        """The width of all pictures of a tile."""
        return self._width(self.side)

    def tile_size(self, font: QFont, side: int) -> QtCore.QSize:
        """Return the size of a tile whose pictures have a given size."""
        metrics = QFontMetrics(font)
        width = max(self._width(side), metrics.horizontalAdvance(self.widest))
        return QtCore.QSize(width + 2 * PADDING, side + 2 * metrics.height() + PADDING + GAP + 2)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QtCore.QSize:  # noqa: ARG002 - Qt's signature
        """Return the size of a tile, the same for all."""
        return self.tile_size(option.font, self.side)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a tile."""
        rect: QtCore.QRect = option.rect
        colours = colours_of(option.palette)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _paint_background(painter, option, colours, current=self.is_current(index))
        self.paint_pictures(painter, rect, index, colours)
        top, height = rect.top() + PADDING + self.side + GAP, QFontMetrics(option.font).height()
        for number, line in enumerate(self.lines(index, option.font, colours)):
            if line.font is not None:
                painter.setFont(line.font)
            painter.setPen(QColor(line.colour))
            room = QtCore.QRect(rect.left(), top + number * height, rect.width(), height)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, line.text)
        painter.restore()

    def is_current(self, index: Index) -> bool:  # noqa: ARG002 - of which a subclass can tell
        """Return whether a tile is marked as the one that is shown elsewhere."""
        return False

    @abstractmethod
    def paint_pictures(self, painter: QPainter, rect: QtCore.QRect, index: Index, colours: Colours) -> None:
        """Paint the pictures of a tile, and marks upon them."""

    @abstractmethod
    def lines(self, index: Index, font: QFont, colours: Colours) -> tuple[TextLine, TextLine]:
        """Return the text beneath the pictures."""

    def _width(self, side: int) -> int:
        return self.pictures * side + (self.pictures - 1) * BETWEEN


class TileGrid(QListView):
    """Rows of tiles of one size.

    It stays a list to Qt, for in its mode for icons thousands of them are slow.
    """

    seenChanged = Signal()  # noqa: N815
    """Other rows are visible; see :attr:`seen`."""
    sideChanged = Signal(int)  # noqa: N815
    """The size of pictures has changed, in device-independent pixels."""

    def __init__(self, model: TileModel, tiles: TileDelegate) -> None:
        super().__init__()
        self.seen = (0, -1)
        """The first and the last row that are seen; the last is smaller where there are none."""
        self._settle = QtCore.QTimer(self, singleShot=True, interval=_SETTLE)
        self._tiles = tiles
        tiles.setParent(self)
        self.setModel(model)
        self.setItemDelegate(tiles)
        self.setFont(tabular(self.font()))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMouseTracking(True)
        self.setProperty(KEEPS_SPACE, True)
        self._settle.timeout.connect(self._find_seen)
        model.modelReset.connect(self.start_anew)
        self.fit_tiles()

    @abstractmethod
    def fits(self, size: QtCore.QSize) -> bool:
        """Return whether there is room for tiles of a size; the largest that fit are shown."""

    def fit_tiles(self) -> None:
        """Make the pictures as large as there is room for."""
        for side in self._tiles.sides:
            size = self._tiles.tile_size(self.font(), side)
            if self.fits(size):
                break
        if side != self._tiles.side:
            self._tiles.side = side
            self.sideChanged.emit(side)
        if size != self.gridSize():
            self.setGridSize(size)

    def start_anew(self) -> None:
        """Lay out other tiles."""
        self.seen = (0, -1)
        self.fit_tiles()
        self._settle.start()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Report the visible rows."""
        super().scrollContentsBy(dx, dy)
        self._settle.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the pictures as large as space permits, and report the visible rows."""
        super().resizeEvent(event)
        self.fit_tiles()
        self._settle.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Report the visible rows."""
        super().showEvent(event)
        self._settle.start()

    def changeEvent(self, event: QtCore.QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QtCore.QEvent.Type.FontChange:
            self.fit_tiles()
            self._settle.start()

    def _find_seen(self) -> None:
        count, size, surface = self.model().rowCount(), self.gridSize(), self.viewport()
        if not count or not self.isVisible():
            return
        each = max(1, surface.width() // size.width())
        top = self.verticalScrollBar().value()
        first = top // size.height() * each
        last = (top + surface.height() - 1) // size.height() * each + each - 1
        self.seen = min(first, count - 1), min(last, count - 1)
        self.seenChanged.emit()


def paint_picture(
    painter: QPainter, frame: QtCore.QRectF, picture: QImage | None, colours: Colours, corner: float = 0.0
) -> None:
    """Paint a picture in the middle of a frame, by a whole factor where its pixels can be told apart.

    While there is no picture, the frame is filled; `corner` is the radius of its corners.
    """
    if picture is None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.window))
        painter.drawRoundedRect(frame, corner, corner)
        return
    ratio = painter.device().devicePixelRatio()
    scale = frame.width() * ratio / max(picture.width(), picture.height())
    if scale >= 2:
        scale = math.floor(scale)
    width, height = picture.width() * scale / ratio, picture.height() * scale / ratio
    centre = frame.center()
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, scale < 2)
    painter.drawImage(QtCore.QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height), picture)


def _paint_background(
    painter: QPainter, option: QStyleOptionViewItem, colours: Colours, *, current: bool
) -> None:
    state = option.state
    focused = bool(state & QStyle.StateFlag.State_HasFocus)
    rect = QtCore.QRectF(option.rect).adjusted(2.5, 2.5, -3.5, -1.5)
    painter.setPen(Qt.PenStyle.NoPen)
    if current or state & QStyle.StateFlag.State_MouseOver:
        painter.setBrush(QColor(colours.accent_soft))
        painter.drawRoundedRect(rect, 4, 4)
    if current or focused:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        style = Qt.PenStyle.SolidLine if focused else Qt.PenStyle.DotLine
        painter.setPen(QPen(QColor(colours.accent), 2.0 if focused else 1.0, style))
        painter.drawRoundedRect(rect, 4, 4)
