"""The list of the worst blocks."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QTableView, QWidget

from pcaimage.codec import Region
from pcaimage.gui.tabs.error.figures import worst_row
from pcaimage.gui.theme import tabular
from pcaimage.insight.error_map import WorstBlock

_HEADERS = ("#", "Block at", "RMS", "Largest", "dB")
_MEANINGS = (
    "1 is the block with the largest error.",
    "The pixel in its upper left corner.",
    "Root mean square of its errors, in levels of pixel values.",
    "The largest difference of a value in it, in levels.",
    "Peak signal-to-noise ratio within the block.",
)
_AIR = 10
"""Pixels between columns, besides those of the style."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_WALK = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)
Index = QModelIndex | QPersistentModelIndex


class WorstModel(QAbstractTableModel):
    """The worst blocks as a table.

    Parameters
    ----------
    parent : QObject, optional
        The owner.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._blocks: tuple[WorstBlock, ...] = ()
        self._texts: tuple[tuple[str, ...], ...] = ()

    @property
    def blocks(self) -> tuple[WorstBlock, ...]:
        """What is listed."""
        return self._blocks

    def set_blocks(self, blocks: tuple[WorstBlock, ...], peak: float) -> None:
        """List other blocks.

        Parameters
        ----------
        blocks : tuple of WorstBlock
            The worst first.
        peak : float
            What PSNR refers to.
        """
        self.beginResetModel()
        self._blocks = blocks
        self._texts = tuple(worst_row(block, peak) for block in blocks)
        self.endResetModel()

    def texts(self, column: int) -> tuple[str, ...]:
        """Return what stands in a column.

        Parameters
        ----------
        column : int
            Which.

        Returns
        -------
        tuple of str
            Its title first.
        """
        return (_HEADERS[column], *(texts[column] for texts in self._texts))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as in Qt
        """Return how many blocks there are."""
        return 0 if parent.isValid() else len(self._blocks)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as in Qt
        """Return how many figures each has."""
        return 0 if parent.isValid() else len(_HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a figure."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self._texts[index.row()][index.column()]
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return what a figure is."""
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return _HEADERS[section]
            if role == Qt.ItemDataRole.ToolTipRole:
                return _MEANINGS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT
        return None


class WorstList(QTableView):
    """Lists the worst blocks; what is clicked, or walked to with the keys, is asked to be shown.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    regionRequested = Signal(object)  # noqa: N815
    """The :class:`~pcaimage.codec.Region` of a block."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = WorstModel(self)
        self.setModel(self._model)
        self.setFont(tabular(self.font()))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setAlternatingRowColors(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(24)
        header.setFixedHeight(self.fontMetrics().height() + 8)
        self.setMinimumSize(280, 60)
        self.setAccessibleName("Worst blocks")
        self.setAccessibleDescription(
            "The blocks with the largest errors; each step shows one in the pictures."
        )
        self.setToolTip("The blocks with the largest errors; click one to see it in the pictures.")
        self.clicked.connect(self._request)

    def sizeHint(self) -> QSize:
        """Ask for a third of a tab."""
        return QSize(310, 140)

    @property
    def current(self) -> WorstBlock | None:
        """The block that is selected."""
        rows = self.selectionModel().selectedRows()
        return self._model.blocks[rows[0].row()] if rows else None

    def set_blocks(self, blocks: tuple[WorstBlock, ...], peak: float) -> None:
        """List other blocks; none is selected then.

        Parameters
        ----------
        blocks : tuple of WorstBlock
            The worst first.
        peak : float
            What PSNR refers to.
        """
        self._model.set_blocks(blocks, peak)
        self._fit_columns()
        self.scrollToTop()

    def _fit_columns(self) -> None:
        """Make columns as wide as what stands in them; Qt would ask for each cell several times."""
        style, header = self.style(), self.horizontalHeader()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, self) + 1
        titles, figures = header.fontMetrics(), self.fontMetrics()
        for column in range(self._model.columnCount()):
            title, *texts = self._model.texts(column)
            widths = (titles.horizontalAdvance(title), *map(figures.horizontalAdvance, texts))
            header.resizeSection(column, max(widths) + 2 * margin + _AIR)

    def changeEvent(self, event: QEvent) -> None:
        """Keep what stands in columns in them, whatever the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through the list, or show once more what is selected."""
        key = Qt.Key(event.key())
        if self.current is None and key in _WALK and self._model.blocks:
            self.selectRow(0)
            self._request()
            return
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        moved = key in _WALK and self.currentIndex().row() != before
        if moved or key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._request()

    def _request(self, _index: object = None) -> None:
        block = self.current
        if block is not None:
            self.regionRequested.emit(Region(block.left, block.top, block.right, block.bottom))
