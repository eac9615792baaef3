"""The list of pictures: which are seen, which one mouse or keys are on, and what is pressed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from pcaimage.gui.compare.peek_key import KEEPS_SPACE
from pcaimage.gui.tabs.components.model import GalleryModel
from pcaimage.gui.tabs.components.tile import SIDES, TileDelegate, tile_size
from pcaimage.gui.theme import tabular

HOVER_AFTER = 120
"""Milliseconds that mouse or keys rest on a component before it is said to be hovered."""
_SETTLE = 20
TOGGLES = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
_BY_KEY = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class GalleryView(QListView):
    """Rows of tiles of one size. Components count from 1.

    It stays a list to Qt, for in its mode for icons thousands of them are slow.

    Parameters
    ----------
    model : GalleryModel
        The components.
    parent : QWidget, optional
        The parent widget.
    """

    pointed = Signal()
    """Mouse or keys are on another component, or on none; :attr:`on` tells which."""
    hovered = Signal(int)
    """The component on which mouse or keys rest; 0 when they have left."""
    toggled = Signal(int)
    """A component was clicked, or Space or Enter pressed on it."""
    sideChanged = Signal(int)  # noqa: N815
    """How large pictures are now, in device-independent pixels."""
    seenChanged = Signal(int, int)  # noqa: N815
    """The first and the last component that are seen."""

    def __init__(self, model: GalleryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._under_mouse = self._told = 0
        self._by_key = False
        self._seen = (1, 0)
        self._rest, self._settle = _timer(HOVER_AFTER, self), _timer(_SETTLE, self)
        self.setModel(model)
        self._tiles = TileDelegate(self)
        self.setItemDelegate(self._tiles)
        self.setFont(tabular(self.font()))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setMouseTracking(True)
        self.setProperty(KEEPS_SPACE, True)
        self.setAccessibleName("Components")
        self.setAccessibleDescription("Space leaves a component out or puts it back.")
        self.clicked.connect(lambda index: self.toggled.emit(index.row() + 1))
        self._rest.timeout.connect(self._tell)
        self._settle.timeout.connect(self._find_seen)
        model.modelReset.connect(self._start_anew)
        self._fit_tiles()

    @property
    def on(self) -> int:
        """The component that mouse or keys are on; 0 for none."""
        if self._by_key and self.hasFocus():
            return self.currentIndex().row() + 1
        return self._under_mouse

    @property
    def seen(self) -> tuple[int, int]:
        """The first and the last component that are seen; the last is smaller where there are none."""
        return self._seen

    def number_at(self, position: QPoint) -> int:
        """Return the component at a place.

        Parameters
        ----------
        position : QPoint
            On the viewport.

        Returns
        -------
        int
            From 1; 0 for none.
        """
        return self.indexAt(position).row() + 1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at what is under the mouse."""
        super().mouseMoveEvent(event)
        self._by_key = False
        self._point_at(self.number_at(event.position().toPoint()))

    def viewportEvent(self, event: QEvent) -> bool:
        """Point at nothing when the mouse leaves."""
        if event.type() == QEvent.Type.Leave:
            self._point_at(0)
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move among the components; Space and Enter leave one out or put it back."""
        self._by_key = True
        current = self.currentIndex()
        if event.key() in TOGGLES and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            if current.isValid() and not event.isAutoRepeat():
                self.toggled.emit(current.row() + 1)
        else:
            super().keyPressEvent(event)
        self._point_at(self._under_mouse)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Point at the current component where keys brought the focus."""
        self._by_key = event.reason() in _BY_KEY
        super().focusInEvent(event)
        self._point_at(self._under_mouse)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Point at it no longer."""
        self._by_key = False
        super().focusOutEvent(event)
        self._point_at(self._under_mouse)

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Point at the component that the keys moved to."""
        super().currentChanged(current, previous)
        self._point_at(self._under_mouse)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Point at what has come under the mouse, and tell what is seen."""
        super().scrollContentsBy(dx, dy)
        self._settle.start()
        if self.viewport().underMouse():
            self._point_at(self.number_at(self.viewport().mapFromGlobal(QCursor.pos())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make the pictures as large as there is room for, and tell what is seen."""
        super().resizeEvent(event)
        self._fit_tiles()
        self._settle.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Tell what is seen."""
        super().showEvent(event)
        self._settle.start()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_tiles()
            self._settle.start()

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

    def _start_anew(self) -> None:
        self._seen = (1, 0)
        self._fit_tiles()
        self._settle.start()
        self._point_at(0)
        self._tell()

    def _fit_tiles(self) -> None:
        count, room = self.model().rowCount(), self.contentsRect()
        for side in SIDES:
            size = tile_size(self.font(), side)
            rows = -(-count // max(1, room.width() // size.width()))
            if rows * size.height() <= room.height():
                break
        if side != self._tiles.side:
            self._tiles.side = side
            self.sideChanged.emit(side)
        if size != self.gridSize():
            self.setGridSize(size)

    def _find_seen(self) -> None:
        count, size, surface = self.model().rowCount(), self.gridSize(), self.viewport()
        if not count or not self.isVisible():
            return
        each = max(1, surface.width() // size.width())
        top = self.verticalScrollBar().value()
        first = top // size.height() * each + 1
        last = (top + surface.height() - 1) // size.height() * each + each
        self._seen = min(first, count), min(last, count)
        self.seenChanged.emit(*self._seen)


def _timer(milliseconds: int, parent: QObject) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    return timer
