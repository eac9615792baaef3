"""The table of what becomes of each photograph in the queue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QBrush, QGuiApplication, QPalette
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from pcaimage.batching.tasks import State
from pcaimage.gui.photographs.tally import Tally
from pcaimage.gui.photographs.words import change_words, outcome_words
from pcaimage.gui.tabs.shared.sorted_table import SortedTableModel, TableColumn, prepare_table
from pcaimage.insight.formatting import file_size


class ResultColumn(NamedTuple):
    """A column of the table, and how many letters wide it is."""

    key: str
    title: str
    letters: int = 0
    about: str = ""


_COLUMNS = (
    ResultColumn("photograph", "Photograph", 28),
    ResultColumn("state", "State"),
    ResultColumn("before", "Before", 11),
    ResultColumn("after", "After", 11),
    ResultColumn("change", "Change", 10),
)
_STATE = 1


class ResultModel(SortedTableModel):
    """A row for each photograph, in the order of the strip."""

    words = frozenset({"photograph", "state"})
    space = ""

    def __init__(self) -> None:
        super().__init__()
        self._tally = Tally({})
        self._sources: tuple[str, ...] = ()

    @property
    def columns(self) -> Sequence[TableColumn]:
        """The columns shown."""
        return _COLUMNS

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
        with self._replacing(same_items=self._tally.weights is tally.weights):
            self._tally, self._sources = tally, tuple(tally.weights)

    def _keys(self, _key: str) -> NDArray[Any]:
        return np.arange(len(self._sources))

    def _text(self, key: str, item: int) -> str:
        source = self._sources[item]
        result = self._tally.results.get(source)
        if key == "photograph":
            return PurePath(source).name
        if key == "state":
            waiting = "" if self._tally.ended else "Waiting"
            busy = "Being made…" if source in self._tally.working else waiting
            return busy if result is None else outcome_words(result)
        before = self._tally.weights[source] if result is None else result.source_bytes
        after = None if result is None else result.target_bytes
        if key == "before":
            return file_size(before) if before else ""
        if key == "after":
            return "" if after is None else file_size(after)
        return change_words(before, after)

    def _style(self, _key: str, item: int, role: int) -> Any:
        source = self._sources[item]
        result = self._tally.results.get(source)
        if role == Qt.ItemDataRole.ToolTipRole:
            return source if result is None else f"{source}\n{outcome_words(result)}"
        failed = result is not None and result.state is State.FAILED
        if role == Qt.ItemDataRole.ForegroundRole and failed:
            return QBrush(QGuiApplication.palette().color(QPalette.ColorRole.BrightText))
        return None


class ResultTable(QTableView):
    """Shows the table; a double click or Return opens a photograph."""

    opened = Signal(str)
    """The path of the photograph."""

    def __init__(self, model: ResultModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results = model
        self.setModel(model)
        self.setAccessibleName("What becomes of each photograph")
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_STATE, QHeaderView.ResizeMode.Stretch)
        letter = self.fontMetrics().horizontalAdvance("0")
        for place, column in enumerate(_COLUMNS):
            if column.letters:
                header.resizeSection(place, column.letters * letter)
        model.modelReset.connect(self._span)
        model.dataChanged.connect(self._span)
        self.activated.connect(lambda index: self.opened.emit(self._results.source(index.row())))

    def _span(self) -> None:
        """Give the reasons of failures the room of the sizes, which they do not have."""
        self.clearSpans()
        for row in self._results.failed_rows():
            self.setSpan(row, _STATE, 1, len(_COLUMNS) - _STATE)
