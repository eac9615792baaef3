"""The grid of pairs of pictures: which rows are seen, and which image is asked for."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from pcaimage.gui.compare.peek_key import KEEPS_SPACE
from pcaimage.gui.tabs.montage.model import MontageModel
from pcaimage.gui.tabs.montage.tile import SIDES, PairDelegate, tile_size
from pcaimage.gui.tabs.shared.tiles import ACTIVATION_KEYS as TOGGLES
from pcaimage.gui.theme import tabular

_SETTLE = 20
_ROWS = 2.6
"""Pictures are as large as they can be while so many rows are seen."""


class MontageView(QListView):
    """Rows of tiles of one size.

    Parameters
    ----------
    model : MontageModel
        The images.
    parent : QWidget, optional
        The parent widget.
    """

    chosen = Signal(int)
    """An image, from 0, that was clicked or walked to."""
    seenChanged = Signal()  # noqa: N815
    """Other rows are seen; :attr:`seen` tells which."""

    def __init__(self, model: MontageModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._seen = (0, -1)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE)
        self._tiles = PairDelegate(self)
        self.setModel(model)
        self.setItemDelegate(self._tiles)
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
        self.setAccessibleName("Images of the stack")
        self.setAccessibleDescription("Originals and reconstructions; Space shows one in the pictures.")
        self.setToolTip(
            "Left the original, right its reconstruction. Click an image to see it in the pictures."
        )
        self.clicked.connect(lambda index: self.chosen.emit(model.number(index.row())))
        self._settle.timeout.connect(self._find_seen)
        model.modelReset.connect(self._start_anew)
        self._fit_tiles()

    @property
    def seen(self) -> tuple[int, int]:
        """The first and the last row that are seen; the last is smaller where there are none."""
        return self._seen

    def show_number(self, number: int) -> None:
        """Scroll to an image.

        Parameters
        ----------
        number : int
            From 0.
        """
        row = self._model.row(number)
        if row >= 0:
            self.setCurrentIndex(self._model.index(row))
            self.scrollTo(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk among the images; each that is walked to is asked for."""
        before = self.currentIndex().row()
        if event.key() not in TOGGLES:
            super().keyPressEvent(event)
        row = self.currentIndex().row()
        if row >= 0 and (row != before or event.key() in TOGGLES):
            self.chosen.emit(self._model.number(row))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Tell what is seen."""
        super().scrollContentsBy(dx, dy)
        self._settle.start()

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

    def _start_anew(self) -> None:
        self._seen = (0, -1)
        self._fit_tiles()
        self._settle.start()

    def _fit_tiles(self) -> None:
        self._tiles.pictures = 2 if self._model.paired else 1
        for side in SIDES:
            size = tile_size(self.font(), side, self._tiles.pictures)
            if _ROWS * size.height() <= self.contentsRect().height():
                break
        self._tiles.side = side
        if size != self.gridSize():
            self.setGridSize(size)

    def _find_seen(self) -> None:
        count, size, surface = self._model.rowCount(), self.gridSize(), self.viewport()
        if not count or not self.isVisible():
            return
        each = max(1, surface.width() // size.width())
        top = self.verticalScrollBar().value()
        first = top // size.height() * each
        last = (top + surface.height() - 1) // size.height() * each + each - 1
        self._seen = min(first, count - 1), min(last, count - 1)
        self.seenChanged.emit()
