"""The rows of the table of bands, sorted by numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from pcaimage.gui.tabs.bands.figures import COLUMNS, QualityFigures

Index = QModelIndex | QPersistentModelIndex

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_SPACE = "\u2003"
"""Behind numbers and their titles, which so stand clear of the arrow of sorting."""
_NOBODY = QModelIndex()


class QualityModel(QAbstractTableModel):
    """Shows :class:`QualityFigures` in some order.

    Parameters
    ----------
    parent : QObject, optional
        The owner.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._figures: QualityFigures | None = None
        self._sorted_by: tuple[int, Qt.SortOrder] = (0, Qt.SortOrder.AscendingOrder)
        self._order: NDArray[np.intp] = np.zeros(0, np.intp)

    def set_figures(self, figures: QualityFigures | None) -> None:
        """Show other figures; of as many bands, what is selected stays selected.

        Parameters
        ----------
        figures : QualityFigures or None
            None for none.
        """
        now, self._figures = self._figures, figures
        if figures is not None and now is not None and len(figures) == len(now):
            self.sort(*self._sorted_by)
            return
        self.beginResetModel()
        self._order = self._sorting()
        self.endResetModel()

    def band_at(self, row: int) -> int:
        """Return the band in a row.

        Parameters
        ----------
        row : int
            As shown.

        Returns
        -------
        int
            From 0.
        """
        return int(self._order[row])

    def row_of(self, band: int) -> int:
        """Return the row of a band; the inverse of :meth:`band_at`.

        Parameters
        ----------
        band : int
            From 0.

        Returns
        -------
        int
            As shown.
        """
        return int(np.flatnonzero(self._order == band)[0])

    def rowCount(self, parent: Index = _NOBODY) -> int:
        """Return how many bands there are."""
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NOBODY) -> int:
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title, what it means, and where it stands."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        answers = {
            Qt.ItemDataRole.DisplayRole: column.title + (_SPACE if section else ""),
            Qt.ItemDataRole.ToolTipRole: column.about,
            Qt.ItemDataRole.AccessibleDescriptionRole: column.about,
            Qt.ItemDataRole.TextAlignmentRole: _RIGHT if section else _LEFT,
        }
        return answers.get(Qt.ItemDataRole(role))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows."""
        if self._figures is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            text = self._figures.shown(COLUMNS[index.column()].key, self.band_at(index.row()))
            return text + (_SPACE if index.column() else "")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() else _LEFT
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by numbers; equals keep the order of the bands."""
        self._sorted_by = (max(column, 0), order)
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        bands = [(self.band_at(index.row()), index.column()) for index in kept]
        self._order = self._sorting()
        self.changePersistentIndexList(kept, [self.index(self.row_of(band), at) for band, at in bands])
        self.layoutChanged.emit()

    def _sorting(self) -> NDArray[np.intp]:
        figures, (column, order) = self._figures, self._sorted_by
        if figures is None:
            return np.zeros(0, np.intp)
        values = figures.values(COLUMNS[column].key)
        keys = values if order == Qt.SortOrder.AscendingOrder else -values
        found: NDArray[np.intp] = np.argsort(keys, kind="stable")
        return found
