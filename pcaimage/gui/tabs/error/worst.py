"""The list of the worst blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QTableView

from pcaimage.codec import Region
from pcaimage.gui.tabs.error.figures import worst_row
from pcaimage.gui.tabs.shared.sorted_table import SortedTableModel, TableColumn, prepare_table
from pcaimage.insight.errors import WorstBlock


class WorstColumn(NamedTuple):
    """A figure of a block."""

    key: str
    title: str
    about: str


_COLUMNS = (
    WorstColumn("rank", "#", "1 is the block with the largest error."),
    WorstColumn("place", "Block at", "The pixel in its upper left corner."),
    WorstColumn("rms", "RMS", "Root mean square of its errors, in levels of pixel values."),
    WorstColumn("largest", "Largest", "The largest error of any value in the block, in levels."),
    WorstColumn("psnr", "dB", "Peak signal-to-noise ratio within the block."),
)
_AIR = 10
"""Pixels between columns, besides those of the style."""
_WALK = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
)


class WorstModel(SortedTableModel):
    """The worst blocks as a table, the worst first."""

    space = ""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: tuple[WorstBlock, ...] = ()
        self._texts: tuple[dict[str, str], ...] = ()

    @property
    def columns(self) -> Sequence[TableColumn]:
        """The columns shown."""
        return _COLUMNS

    def set_blocks(self, blocks: tuple[WorstBlock, ...], peak: float) -> None:
        """List other blocks, the worst first; PSNR refers to a peak."""
        with self._replacing(same_items=False):
            self.blocks = blocks
            keys = [column.key for column in _COLUMNS]
            self._texts = tuple(dict(zip(keys, worst_row(block, peak), strict=True)) for block in blocks)

    def texts(self, column: int) -> list[str]:
        """Return the texts of a column's cells."""
        return [texts[_COLUMNS[column].key] for texts in self._texts]

    def _keys(self, key: str) -> NDArray[Any]:  # noqa: ARG002 - the list is not sorted by its user
        return np.arange(len(self.blocks))

    def _text(self, key: str, item: int) -> str:
        return self._texts[item][key]


class WorstList(QTableView):
    """Lists the worst blocks, and asks for the one to be shown that is clicked or selected by keys."""

    regionRequested = Signal(object)  # noqa: N815
    """The :class:`~pcaimage.codec.Region` of a block."""

    def __init__(self) -> None:
        super().__init__()
        self._model = WorstModel()
        self._model.setParent(self)
        self.setModel(self._model)
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 4)
        header = self.horizontalHeader()
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
        """List other blocks, the worst first; none is selected then."""
        self._model.set_blocks(blocks, peak)
        self._fit_columns()
        self.scrollToTop()

    def _fit_columns(self) -> None:
        """Make columns as wide as their texts; Qt would ask for each cell several times."""
        style, header = self.style(), self.horizontalHeader()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, None, self) + 1
        titles, figures = header.fontMetrics(), self.fontMetrics()
        for place, column in enumerate(_COLUMNS):
            texts = map(figures.horizontalAdvance, self._model.texts(place))
            widths = (titles.horizontalAdvance(column.title), *texts)
            header.resizeSection(place, max(widths) + 2 * margin + _AIR)

    def changeEvent(self, event: QEvent) -> None:
        """Fit the columns to another font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through the list, or show the selected block again with Enter or Space."""
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
