"""The list of photographs that the strip shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from pcaimage.batching.tasks import Result
from pcaimage.gui.photographs.roll import Roll
from pcaimage.gui.photographs.words import photograph_words, tip_words

Index = QModelIndex | QPersistentModelIndex


class PhotographModel(QAbstractListModel):
    """A row for each photograph; pictures are the view's."""

    relisted = Signal()
    """Other photographs are listed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._roll = Roll()
        self._results: Mapping[str, Result] = {}

    @property
    def roll(self) -> Roll:
        """The photographs."""
        return self._roll

    def show_roll(self, roll: Roll) -> None:
        """List other photographs, or the same with other settings."""
        before, self._roll = self._roll, roll
        if [each.path for each in before.photographs] != [each.path for each in roll.photographs]:
            self.beginResetModel()
            self.endResetModel()
            self.relisted.emit()
        elif len(roll):
            self.dataChanged.emit(self.index(0), self.index(len(roll) - 1))

    def show_results(self, results: Mapping[str, Result]) -> None:
        """Show what became of photographs, by their paths."""
        self._results = results
        if len(self._roll):
            self.dataChanged.emit(self.index(0), self.index(len(self._roll) - 1))

    def result(self, row: int) -> Result | None:
        """Return what became of a photograph; None if nothing has."""
        return self._results.get(self._roll.photographs[row].path)

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of photographs; they have no children."""
        return 0 if parent is not None and parent.isValid() else len(self._roll)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a photograph, its tip, or what a screen reader says; None for other roles."""
        row = index.row()
        if not 0 <= row < len(self._roll):
            return None
        photograph = self._roll.photographs[row]
        if role == Qt.ItemDataRole.DisplayRole:
            return photograph.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip_words(photograph, self.result(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return photograph_words(photograph, row, len(self._roll), self.result(row))
        return None
