"""Tables of figures that are sorted by number: their model, and the look of their views."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from pcaimage.gui.theme import tabular
from pcaimage.language import tr

Index = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NO_PARENT = QModelIndex()


class TableColumn(Protocol):
    """A column of a table."""

    @property
    def key(self) -> str:
        """Its name in code."""

    @property
    def title(self) -> str:
        """Its name on the screen."""

    @property
    def about(self) -> str:
        """A sentence that explains it."""


class SortedTableModel(QAbstractTableModel):
    """Lists items, numbered from 0, in the order of one column.

    NumPy sorts them at once; a proxy model would call back into Python for each comparison.
    """

    words: frozenset[str] = frozenset()  # the keys of columns of words; all others are aligned to the right
    space = "\u2003"
    """Follows figures and their titles, to keep them clear of the next column and of the sort arrow."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sorted_by: tuple[int, Qt.SortOrder] = (0, Qt.SortOrder.AscendingOrder)
        self._order: NDArray[np.intp] = np.zeros(0, np.intp)
        self._places: NDArray[np.intp] = self._order

    @property
    @abstractmethod
    def columns(self) -> Sequence[TableColumn]:
        """The columns shown."""

    @abstractmethod
    def _keys(self, key: str) -> NDArray[Any]:
        """Return the numbers that sort a column, one for each item; NaN comes last in either direction."""

    @abstractmethod
    def _text(self, key: str, item: int) -> str:
        """Return the text of a cell."""

    def _style(self, key: str, item: int, role: int) -> Any:  # noqa: ARG002 - for subclasses
        """Return the font, colour or decoration of a cell."""
        return None

    def item_at(self, row: int) -> int:
        """Return the item in a row."""
        return int(self._order[row])

    def row_of(self, item: int) -> int:
        """Return the row of an item."""
        return int(self._places[item])

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of items."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title, explanation or alignment."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        answers = {
            Qt.ItemDataRole.DisplayRole: tr(column.title) + self._space(column.key),
            Qt.ItemDataRole.ToolTipRole: tr(column.about),
            Qt.ItemDataRole.AccessibleDescriptionRole: tr(column.about),
            Qt.ItemDataRole.TextAlignmentRole: self._alignment(column.key),
        }
        return answers.get(Qt.ItemDataRole(role))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text or look of a cell."""
        if not index.isValid():
            return None
        key, item = self.columns[index.column()].key, self.item_at(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(self._text(key, item)) + self._space(key)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(key)
        return self._style(key, item, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; equal items keep their order."""
        self._sorted_by = (max(column, 0), order)
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        items = [(self.item_at(index.row()), index.column()) for index in kept]
        self._arrange()
        self.changePersistentIndexList(kept, [self.index(self.row_of(item), at) for item, at in items])
        self.layoutChanged.emit()

    @contextmanager
    def _replacing(self, *, same_items: bool) -> Iterator[None]:
        """Have the figures replaced within; where items and columns are the same, the selection stays."""
        if not same_items:
            self.beginResetModel()
        yield
        if same_items:
            self.sort(*self._sorted_by)
            self._changed()
        else:
            self._arrange()
            self.endResetModel()

    def _arrange(self) -> None:
        column, order = self._sorted_by
        keys = self._keys(self.columns[min(column, len(self.columns) - 1)].key)
        self._order = np.argsort(keys if order == Qt.SortOrder.AscendingOrder else -keys, kind="stable")
        self._places = np.argsort(self._order)

    def _changed(self) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def _space(self, key: str) -> str:
        return "" if key in self.words else self.space

    def _alignment(self, key: str) -> Qt.AlignmentFlag:
        return LEFT if key in self.words else RIGHT


def prepare_table(view: QTableView) -> None:
    """Have a view show rows of figures: selected as a whole, all of one height, without a grid."""
    view.setFont(tabular(view.font()))
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setTabKeyNavigation(False)
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # else each row is measured
    view.horizontalHeader().setHighlightSections(False)
