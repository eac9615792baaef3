"""The components as a grid of tiles, which the mouse and the keyboard point at, and the mean image."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6 import QtGui
from PySide6.QtCore import QEvent, QLineF, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionButton, QToolButton

from pcaimage.gui.colours import Colours
from pcaimage.gui.compare.gestures import BY_KEY
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.tabs.components.figures import KEPT, LEFT_OUT, spoken, state_of
from pcaimage.gui.tabs.shared import tiles
from pcaimage.insight.components import Shares

HOVER_AFTER = 120
"""Milliseconds that the mouse or the keyboard stays on a component before it counts as hovered."""
_OPACITY = {KEPT: 1.0, LEFT_OUT: 0.35}
_OPACITY_BEHIND = 0.5
_INSET, _BOX = 6, 15


class ComponentTileModel(tiles.TileModel):
    """One row for each component, in their order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self.k = 0
        self.left_out: frozenset[int] = frozenset()
        """Components that the user left out, counted from 1."""
        self.chosen = 0
        """The component that is shown in the picture; 0 for none."""
        self.pictures: dict[int, QtGui.QImage] = {}
        """The pictures that are known, by component, counted from 1."""
        self.shares = Shares(np.zeros(0), np.zeros(0))
        """The variance that each component explains; of as many components as the image had."""

    @property
    def count(self) -> int:
        """The number of components."""
        return self._count

    def set_components(self, count: int, shares: Shares) -> None:
        """List other components; their pictures are yet to come."""
        self.beginResetModel()
        self._count, self.shares, self.chosen = count, shares, 0
        self.pictures.clear()
        self.endResetModel()

    def set_kept(self, k: int, left_out: Collection[int]) -> None:
        """Mark which components are kept."""
        self.k, self.left_out = k, frozenset(left_out)

    def add_picture(self, number: int, pixels: NDArray[np.uint8]) -> None:
        """Show the picture of a component, counted from 1; pixels have shape (h, w, 1 or 3)."""
        self.pictures[number] = to_qimage(pixels)

    def state(self, number: int) -> str:
        """Return whether a component, counted from 1, is kept; as :func:`.figures.state_of`."""
        return state_of(number, self.k, self.left_out)

    def values(self, row: int) -> Mapping[int, Callable[[], Any]]:
        """Return functions that compute what is shown of a component, by role."""
        number = row + 1
        return {
            Qt.ItemDataRole.DisplayRole: lambda: str(number),
            Qt.ItemDataRole.AccessibleTextRole: lambda: spoken(number, self.shares, self.state(number)),
        }


class ComponentTileDelegate(tiles.TileDelegate):
    """Paints a component's picture, number and share, and whether it is kept.

    Kept components are plain, others pale; one that is left out is crossed, its number struck out and its box
    empty. A line follows the last one that is kept.
    """

    sides = (128, 96, 64)
    widest = "< 0.01\u00a0%"

    def __init__(self, model: ComponentTileModel) -> None:
        super().__init__()
        self._model = model

    def box(self, rect: QRect) -> QRect:
        """Return where a tile has its check box: beside the number."""
        return QRect(
            rect.left() + tiles.PADDING, rect.top() + tiles.PADDING + self.side + tiles.GAP, _BOX, _BOX
        )

    def is_current(self, index: tiles.Index) -> bool:
        """Return whether a component is shown in the picture."""
        return index.row() + 1 == self._model.chosen

    def paint_pictures(
        self, painter: QtGui.QPainter, rect: QRect, index: tiles.Index, colours: Colours
    ) -> None:
        """Paint the picture, crossed if the component is left out, and the line after the last kept one."""
        model, number = self._model, index.row() + 1
        state, picture = model.state(number), model.pictures.get(number)
        left = rect.left() + (rect.width() - self.side) // 2
        frame = QRectF(left, rect.top() + tiles.PADDING, self.side, self.side)
        painter.setOpacity(1.0 if picture is None else _OPACITY.get(state, _OPACITY_BEHIND))
        tiles.paint_picture(painter, frame, picture, colours, corner=4)
        painter.setOpacity(1.0)
        if state == LEFT_OUT:
            _paint_cross(painter, frame, colours)
        box = QStyleOptionButton()
        box.rect = self.box(rect)
        flags = QStyle.StateFlag
        box.state = flags.State_Enabled | (flags.State_Off if state == LEFT_OUT else flags.State_On)
        QApplication.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, box, painter)
        if number == model.k:
            x = rect.right() - 0.5
            painter.setPen(QtGui.QPen(QtGui.QColor(colours.accent), 3.0))
            painter.drawLine(QLineF(x, rect.top() + tiles.PADDING, x, rect.bottom() - tiles.GAP))

    def lines(
        self, index: tiles.Index, font: QtGui.QFont, colours: Colours
    ) -> tuple[tiles.TextLine, tiles.TextLine]:
        """Return the component's number and share."""
        component, strong = index.row() + 1, QtGui.QFont(font)
        state = self._model.state(component)
        strong.setBold(state == KEPT)
        strong.setStrikeOut(state == LEFT_OUT)
        number = tiles.TextLine(str(component), colours.text if state == KEPT else colours.muted, strong)
        return number, tiles.TextLine(self._model.shares.share(component), colours.muted, font)


class ComponentGrid(tiles.TileGrid):
    """The grid of components, which count from 1. It follows the mouse and the keyboard."""

    pointed = Signal()  # the mouse or the keyboard is on another component, or on none; see :attr:`on`
    hovered = Signal(int)  # the component on which the mouse or the keyboard rests; 0 when it has left
    chosen = Signal(int)  # a component was clicked, or Enter pressed on it
    toggled = Signal(int)  # the box of a component was clicked, or Space pressed on it

    def __init__(self, model: ComponentTileModel) -> None:
        self._delegate = ComponentTileDelegate(model)
        super().__init__(model, self._delegate)
        self._under_mouse = self._told = 0
        self._pressed = QPoint()
        self._by_key = False
        self._rest = QTimer(self, singleShot=True, interval=HOVER_AFTER)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setAccessibleName("Components")
        self.setAccessibleDescription("Enter shows a component; Space leaves it out or puts it back.")
        self.clicked.connect(self._click)
        self._rest.timeout.connect(self._tell)
        self.selectionModel().currentChanged.connect(lambda *_: self._point_at(self._under_mouse))

    @property
    def on(self) -> int:
        """The component that the mouse or the keyboard is on; 0 for none."""
        if self._by_key and self.hasFocus():
            return self.currentIndex().row() + 1
        return self._under_mouse

    def number_at(self, position: QPoint) -> int:
        """Return the component at a place of the viewport; 0 for none."""
        return self.indexAt(position).row() + 1

    def fits(self, size: QSize) -> bool:
        """Return whether all components are seen at once."""
        count, room = self.model().rowCount(), self.contentsRect()
        rows = -(-count // max(1, room.width() // size.width()))
        return rows * size.height() <= room.height()

    def start_anew(self) -> None:
        """Lay out other components, of which none is hovered before the mouse moves."""
        super().start_anew()
        self._point_at(0)
        self._tell()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Remember whether a click is one on a box."""
        self._pressed = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Point at the component under the mouse."""
        super().mouseMoveEvent(event)
        self._by_key = False
        self._point_at(self.number_at(event.position().toPoint()))

    def viewportEvent(self, event: QEvent) -> bool:
        """Point at nothing when the mouse leaves."""
        if event.type() == QEvent.Type.Leave:
            self._point_at(0)
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Move among the components; Enter shows one, Space leaves it out or puts it back."""
        self._by_key = True
        current = self.currentIndex()
        if (
            event.key() in tiles.ACTIVATION_KEYS
            and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        ):
            if current.isValid() and not event.isAutoRepeat():
                act = self.toggled if event.key() == Qt.Key.Key_Space else self.chosen
                act.emit(current.row() + 1)
        else:
            super().keyPressEvent(event)
        self._point_at(self._under_mouse)

    def focusInEvent(self, event: QtGui.QFocusEvent) -> None:
        """Point at the current component if the focus came by the keyboard."""
        self._by_key = event.reason() in BY_KEY
        super().focusInEvent(event)
        self._point_at(self._under_mouse)

    def focusOutEvent(self, event: QtGui.QFocusEvent) -> None:
        """Point at it no longer."""
        self._by_key = False
        super().focusOutEvent(event)
        self._point_at(self._under_mouse)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Point at the component that has come under the mouse."""
        super().scrollContentsBy(dx, dy)
        if self.viewport().underMouse():
            self._point_at(self.number_at(self.viewport().mapFromGlobal(QtGui.QCursor.pos())))

    def _click(self, index: tiles.Index) -> None:
        box = self._delegate.box(self.visualRect(self.model().index(index.row(), 0)))
        act = self.toggled if box.adjusted(-4, -4, 4, 4).contains(self._pressed) else self.chosen
        act.emit(index.row() + 1)

    def _point_at(self, number: int) -> None:
        self._under_mouse = number
        self.pointed.emit()
        if self.on != self._told:
            self._rest.start()
        else:
            self._rest.stop()

    def _tell(self) -> None:
        if self.on != self._told:
            self._told = self.on
            self.hovered.emit(self._told)


class MeanTile(QToolButton):
    """Shows the mean image of a stack and a plus sign, left of the components; hidden where there is none."""

    def __init__(self) -> None:
        super().__init__(autoRaise=True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.picture: QtGui.QImage | None = None
        """The mean image, if it is known."""
        self.setText("Mean +")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setAccessibleName("Mean image")
        self.setAccessibleDescription("The mean of all images; components are added to it.")
        self.setToolTip(
            "The mean of all images. Every image is the mean plus its scores times the components."
        )
        self.set_side(ComponentTileDelegate.sides[-1])
        self.hide()

    def set_picture(self, pixels: NDArray[np.uint8] | None) -> None:
        """Show another mean, of shape (h, w, 1 or 3); None for none."""
        self.picture = None if pixels is None else to_qimage(pixels)
        self.setVisible(self.picture is not None)
        self.set_side(self.iconSize().width())

    def set_side(self, side: int) -> None:
        """Show it as large as the components, in device-independent pixels."""
        self.setIconSize(QSize(side, side))
        if self.picture is not None:
            size = QSize(side, side) * self.devicePixelRatioF()
            scaled = self.picture.scaled(size, Qt.AspectRatioMode.KeepAspectRatio)
            self.setIcon(QtGui.QIcon(QtGui.QPixmap.fromImage(scaled)))


def _paint_cross(painter: QtGui.QPainter, frame: QRectF, colours: Colours) -> None:
    inner = frame.adjusted(_INSET, _INSET, -_INSET, -_INSET)
    lines = [QLineF(inner.topLeft(), inner.bottomRight()), QLineF(inner.topRight(), inner.bottomLeft())]
    for colour, width in ((colours.base, 7.0), (colours.error, 3.0)):
        pen = QtGui.QPen(QtGui.QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawLines(lines)
