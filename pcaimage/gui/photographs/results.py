"""The table of what becomes of each photograph in the queue."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from pcaimage.batching.tasks import Result, State
from pcaimage.gui.photographs.tally import Tally
from pcaimage.gui.photographs.words import change_words, outcome_words
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.formatting import file_size

Index = QModelIndex | QPersistentModelIndex

_COLUMNS = ("Photograph", "State", "Before", "After", "Change")
_STATE, _BEFORE, _AFTER = 1, 2, 3
_NUMBERS = frozenset({2, 3, 4})
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ResultModel(QAbstractTableModel):
    """A row for each photograph, in the order of the strip."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tally = Tally({})
        self._sources: tuple[str, ...] = ()
        self.error_colour = QColor()
        """The colour of rows that failed."""

    @property
    def tally(self) -> Tally:
        """The tally that is shown."""
        return self._tally

    def source(self, row: int) -> str:
        """Return the path of a row's photograph."""
        return self._sources[row]

    def failed_rows(self) -> list[int]:
        """Return the rows of photographs that failed."""
        failed = {each.source for each in self._tally.failures}
        return [row for row, source in enumerate(self._sources) if source in failed] if failed else []

    def show_tally(self, tally: Tally) -> None:
        """Show another state of the queue."""
        before, self._tally = self._tally, tally
        if before.weights is not tally.weights:
            self.beginResetModel()
            self._sources = tuple(tally.weights)
            self.endResetModel()
        elif self._sources:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._sources) - 1, len(_COLUMNS) - 1))

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of photographs."""
        return 0 if parent is not None and parent.isValid() else len(self._sources)

    def columnCount(self, parent: Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the heading of a column."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in _NUMBERS else _LEFT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, its tip, its place or its colour."""
        source = self._sources[index.row()]
        result = self._tally.results.get(source)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(source, result, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return source if result is None else f"{source}\n{outcome_words(result)}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() in _NUMBERS else _LEFT
        failed = result is not None and result.state is State.FAILED
        if role == Qt.ItemDataRole.ForegroundRole and failed:
            return QBrush(self.error_colour)
        return None

    def _text(self, source: str, result: Result | None, column: int) -> str:
        if column == 0:
            return PurePath(source).name
        if column == _STATE:
            waiting = "" if self._tally.ended else "Waiting"
            busy = "Being made…" if source in self._tally.working else waiting
            return busy if result is None else outcome_words(result)
        before = self._tally.weights[source] if result is None else result.source_bytes
        after = None if result is None else result.target_bytes
        if column == _BEFORE:
            return file_size(before) if before else ""
        if column == _AFTER:
            return "" if after is None else file_size(after)
        return change_words(before, after)


class ResultTable(QTableView):
    """Shows the table; a double click or Return opens a photograph."""

    opened = Signal(str)
    """The path of the photograph."""

    def __init__(self, model: ResultModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results = model
        self.setModel(model)
        self.setAccessibleName("What becomes of each photograph")
        self.setFont(tabular(self.font()))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_STATE, QHeaderView.ResizeMode.Stretch)
        letter = self.fontMetrics().horizontalAdvance("0")
        for column, letters in ((0, 28), (2, 11), (3, 11), (4, 10)):
            header.resizeSection(column, letters * letter)
        model.modelReset.connect(self._span)
        model.dataChanged.connect(self._span)
        self.activated.connect(lambda index: self.opened.emit(self._results.source(index.row())))
        self._tint()

    def changeEvent(self, event: Any) -> None:
        """Follow the colour scheme."""
        super().changeEvent(event)
        if event.type() == event.Type.PaletteChange:
            self._tint()

    def _span(self) -> None:
        """Give the reasons of failures the room of the sizes, which they do not have."""
        self.clearSpans()
        for row in self._results.failed_rows():
            self.setSpan(row, _STATE, 1, len(_COLUMNS) - _STATE)

    def _tint(self) -> None:
        self._results.error_colour = QColor(colours_of(self.palette()).error)
