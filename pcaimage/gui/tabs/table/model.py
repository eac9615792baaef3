"""The rows of the table of components, sorted by numbers: by NumPy, so that thousands take no time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont

from pcaimage.gui.colours import Colours
from pcaimage.insight.component_table import COLUMNS, ComponentColumn, ComponentRows

Index = QModelIndex | QPersistentModelIndex

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_SPACE = "\u2003"
"""Behind numbers and their titles, which so stand clear of the next column and of the arrow of sorting."""
_NOBODY = QModelIndex()


class ComponentModel(QAbstractTableModel):
    """Shows :class:`ComponentRows` in some order.

    Parameters
    ----------
    colours : Colours
        The scheme to begin with.
    parent : QObject, optional
        The owner.
    """

    def __init__(self, colours: Colours, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: ComponentRows | None = None
        self._present: int | None = None
        self._colours = colours
        self._sorted_by: tuple[int, Qt.SortOrder] = (0, Qt.SortOrder.AscendingOrder)
        self._order: NDArray[np.intp] = np.zeros(0, np.intp)
        self._places: NDArray[np.intp] = self._order

    @property
    def rows(self) -> ComponentRows | None:
        """The figures shown."""
        return self._rows

    @property
    def columns(self) -> tuple[ComponentColumn, ...]:
        """The columns shown."""
        return COLUMNS if self._rows is None else self._rows.columns

    @property
    def present(self) -> int:
        """How many components can be kept."""
        rows = 0 if self._rows is None else len(self._rows)
        return rows if self._present is None else min(self._present, rows)

    def set_rows(self, rows: ComponentRows | None, present: int | None = None) -> None:
        """Show other figures; where they are of as many components, what is selected stays so.

        Parameters
        ----------
        rows : ComponentRows or None
            None for none.
        present : int, optional
            How many of the components a file holds; all unless said otherwise.
        """
        now, self._present = self._rows, present
        if rows is not None and now is not None and (len(rows), rows.columns) == (len(now), now.columns):
            self._rows = rows
            self.sort(*self._sorted_by)
            self._changed(0, len(rows) - 1)
            return
        self.beginResetModel()
        self._rows = rows
        self._put(self._sorting())
        self.endResetModel()

    def set_kept(self, k: int, left_out: frozenset[int]) -> None:
        """Show that other components are kept.

        Parameters
        ----------
        k : int
            How many.
        left_out : frozenset of int
            Which of those are left out by hand.
        """
        rows = self._rows
        if rows is None or (rows.k, rows.left_out) == (k, left_out):
            return
        self._rows = rows.kept(k, left_out)
        if self.columns[self._sorted_by[0]].key == "state":
            self.sort(*self._sorted_by)
        self._changed(0, len(rows) - 1)

    def set_colours(self, colours: Colours) -> None:
        """Show another colour scheme.

        Parameters
        ----------
        colours : Colours
            The scheme.
        """
        self._colours = colours
        self._changed(0, self.rowCount() - 1)

    def component_at(self, row: int) -> int:
        """Return the component in a row.

        Parameters
        ----------
        row : int
            As shown.

        Returns
        -------
        int
            Counted from 1.
        """
        return int(self._order[row]) + 1

    def row_of(self, component: int) -> int:
        """Return the row of a component; the inverse of :meth:`component_at`.

        Parameters
        ----------
        component : int
            Counted from 1.

        Returns
        -------
        int
            As shown.
        """
        return int(self._places[component - 1])

    def rowCount(self, parent: Index = _NOBODY) -> int:
        """Return how many components there are."""
        return 0 if parent.isValid() or self._rows is None else len(self._rows)

    def columnCount(self, parent: Index = _NOBODY) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title, what it means, and where it stands."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        answers = {
            Qt.ItemDataRole.DisplayRole: column.title + ("" if column.key == "state" else _SPACE),
            Qt.ItemDataRole.ToolTipRole: column.about,
            Qt.ItemDataRole.AccessibleDescriptionRole: column.about,
            Qt.ItemDataRole.TextAlignmentRole: _LEFT if column.key == "state" else _RIGHT,
        }
        return answers.get(Qt.ItemDataRole(role))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        rows = self._rows
        if rows is None or not index.isValid():
            return None
        key, component = self.columns[index.column()].key, self.component_at(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            if key == "state" and component > self.present:
                return "not in the file"
            last = " ◂ k" if component == rows.k else ""
            return rows.shown(key, component) + (last if key == "state" else _SPACE)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if key == "state" else _RIGHT
        return self._look(key, component, rows, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by numbers; what is unknown comes last either way, and equals keep the file's order."""
        self._sorted_by = (max(column, 0), order)
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        components = [(self.component_at(index.row()), index.column()) for index in kept]
        self._put(self._sorting())
        moved = [self.index(self.row_of(component), at) for component, at in components]
        self.changePersistentIndexList(kept, moved)
        self.layoutChanged.emit()

    def _look(self, key: str, component: int, rows: ComponentRows, role: int) -> Any:
        """Return how a cell looks: the last component that is kept stands out, those behind it stand back."""
        colours = self._colours
        if role == Qt.ItemDataRole.BackgroundRole and component == rows.k:
            return QColor(colours.accent_soft)
        if role == Qt.ItemDataRole.FontRole and component == rows.k:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and rows.state(component) != "kept":
            return QColor(colours.muted)
        if role == Qt.ItemDataRole.DecorationRole and key == "axis" and rows.axes is not None:
            return QColor(colours.planes[int(rows.axes[component - 1]) - 1])
        return None

    def _sorting(self) -> NDArray[np.intp]:
        rows, (column, order) = self._rows, self._sorted_by
        if rows is None:
            return np.zeros(0, np.intp)
        values = rows.values(self.columns[min(column, len(self.columns) - 1)].key)
        keys = values if order == Qt.SortOrder.AscendingOrder else -values
        found: NDArray[np.intp] = np.argsort(keys, kind="stable")
        return found

    def _put(self, order: NDArray[np.intp]) -> None:
        self._order = order
        self._places = np.argsort(order)

    def _changed(self, first: int, last: int) -> None:
        if last >= first:
            self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))
