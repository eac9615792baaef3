"""The window of a queue: first its form, then what becomes of each photograph."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6 import QtWidgets
from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QBrush, QGuiApplication, QPalette

from pcaimage.batching.tasks import State
from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.dialogs import fit_to_screen, stand_above
from pcaimage.gui.photographs.form import SendForm
from pcaimage.gui.photographs.words import Tally, counted, outcome_words, progress_words, summary_words
from pcaimage.gui.tabs.shared.sorted_table import SortedTableModel, TableColumn, prepare_table
from pcaimage.gui.theme import enlarged, tabular
from pcaimage.insight.formatting import change_words, file_size


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
        self.tally = Tally({})
        self._sources: tuple[str, ...] = ()

    @property
    def columns(self) -> Sequence[TableColumn]:
        """The columns shown."""
        return _COLUMNS

    def source(self, row: int) -> str:
        """Return the path of a row's photograph."""
        return self._sources[row]

    def failed_rows(self) -> list[int]:
        """Return the rows of photographs that failed."""
        failed = {each.source for each in self.tally.failures}
        return [row for row, source in enumerate(self._sources) if source in failed] if failed else []

    def show_tally(self, tally: Tally) -> None:
        """Show another state of the queue."""
        with self._replacing(same_items=self.tally.weights is tally.weights):
            self.tally, self._sources = tally, tuple(tally.weights)

    def _keys(self, _key: str) -> NDArray[Any]:
        return np.arange(len(self._sources))

    def _text(self, key: str, item: int) -> str:
        source = self._sources[item]
        result = self.tally.results.get(source)
        if key == "photograph":
            return PurePath(source).name
        if key == "state":
            waiting = "" if self.tally.ended else "Waiting"
            share = self.tally.shares.get(source)
            busy = waiting if share is None else f"{share:.0%} done".replace("%", "\u00a0%")
            return busy if result is None else outcome_words(result)
        before = self.tally.weights[source] if result is None else result.source_bytes
        after = None if result is None else result.target_bytes
        if key == "before":
            return file_size(before) if before else ""
        if key == "after":
            return "" if after is None else file_size(after)
        return change_words(before, after)

    def _style(self, _key: str, item: int, role: int) -> Any:
        source = self._sources[item]
        result = self.tally.results.get(source)
        if role == Qt.ItemDataRole.ToolTipRole:
            return source if result is None else f"{source}\n{outcome_words(result)}"
        failed = result is not None and result.state is State.FAILED
        if role == Qt.ItemDataRole.ForegroundRole and failed:
            return QBrush(QGuiApplication.palette().color(QPalette.ColorRole.BrightText))
        return None


class ResultTable(QtWidgets.QTableView):
    """Shows the table; a double click or Return opens a photograph."""

    opened = Signal(str)  # the path of the photograph

    def __init__(self, model: ResultModel) -> None:
        super().__init__()
        self._results = model
        self.setModel(model)
        self.setAccessibleName("What becomes of each photograph")
        prepare_table(self)
        self.setSelectionMode(QtWidgets.QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QtWidgets.QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_STATE, QtWidgets.QHeaderView.ResizeMode.Stretch)
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


_SIZE = QSize(720, 480)
_SECOND = 1000


class SendSheet(QtWidgets.QDialog):
    """Asks what is to be made, and shows how far it is; closed meanwhile, it can be shown again."""

    def __init__(self, form: SendForm, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self.form = form
        self.results = ResultModel()
        self.table = ResultTable(self.results)
        self.bar, self.title, self.line = (
            QtWidgets.QProgressBar(),
            QtWidgets.QLabel(),
            QtWidgets.QLabel(wordWrap=True),
        )
        self.note = QtWidgets.QLabel(wordWrap=True)
        self.begin_buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Cancel)
        self.begin = self.begin_buttons.addButton("", QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole)
        self.stop, self.again = QtWidgets.QPushButton("&Stop"), QtWidgets.QPushButton("&Retry Failed")
        self.folder, self.zip = QtWidgets.QPushButton("Show in &Folder"), QtWidgets.QPushButton("Make a &Zip")
        self.hide_button = QtWidgets.QPushButton("&Close")
        self._clock = QTimer(self, interval=_SECOND)
        self._pages = QtWidgets.QStackedWidget()
        self._lay_out()
        self._connect()
        self._show_form()
        fit_to_screen(self)

    def show_failure(self, sentence: str) -> None:
        """Show why the work could not be begun, beside the form, or why it ended."""
        if not self.results.tally.done:
            self._pages.setCurrentIndex(0)
            self.begin.setEnabled(True)
        self.note.setText(sentence)
        self.note.show()

    def show_tally(self, tally: Tally) -> None:
        """Show how far the work is."""
        self.results.show_tally(tally)
        if self._pages.currentIndex() == 0 and not tally.ended:
            self._pages.setCurrentIndex(1)
            self.note.hide()
            self.resize(self.size().expandedTo(_SIZE))
        self._show_progress()

    def _show_progress(self) -> None:
        tally = self.results.tally
        self.bar.setRange(0, 1000)
        self.bar.setValue(round(1000 * tally.share))
        self.title.setText(summary_words(tally))
        self.line.setText(progress_words(tally, tally.seconds_left(time.monotonic())))
        self.stop.setVisible(not tally.ended)
        rest = len(tally.failures) or len(tally.lacking)
        self.again.setVisible(tally.ended and rest > 0)
        self.again.setText("&Go On" if tally.lacking else "&Retry Failed")
        self.folder.setVisible(tally.n_bytes[0] > 0)
        self.zip.setVisible(tally.ended and tally.n_bytes[0] > 0)
        self.hide_button.setText("&Close" if tally.ended else "&Hide")
        if tally.ended:
            self._clock.stop()
        elif not self._clock.isActive():
            self._clock.start()

    def _show_form(self) -> None:
        count = len(self.form.photographs)
        self.setWindowTitle(f"Send {counted(count)}")
        self.begin.setText(f"Make {counted(count, 'File')}")
        self.begin.setEnabled(bool(self.form.plan.folder.strip()))
        self.note.hide()

    def _lay_out(self) -> None:
        first, second = QtWidgets.QWidget(), QtWidgets.QWidget()
        stand_above(self.form, self.begin_buttons, first, 0)
        self.title.setFont(enlarged(self.font(), 1.3))
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of all photographs")
        self.line.setFont(tabular(self.font()))
        row = hbox(self.stop, self.again, FREE, self.zip, self.folder, self.hide_button)
        shown = self.title, self.bar, self.line, (self.table, 1), row
        vbox(*shown, of=second, margins=(16, 16, 16, 0), spacing=8)
        for button in (self.stop, self.again, self.zip, self.folder):
            button.setAutoDefault(False)
        self.begin_buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Cancel).setAutoDefault(False)
        self.begin.setDefault(True)
        self._pages.addWidget(first)
        self._pages.addWidget(second)
        self.note.setContentsMargins(16, 0, 16, 0)
        self.note.setAccessibleName("Note")
        vbox((self._pages, 1), self.note, of=self, margins=(0, 0, 0, 16))

    def _connect(self) -> None:
        self.form.changed.connect(self._show_form)
        self.finished.connect(self.form.stop)
        self.begin_buttons.rejected.connect(self.reject)
        self.hide_button.clicked.connect(self.reject)
        self._clock.timeout.connect(self._show_progress)

    @property
    def place(self) -> Path:
        """The folder of the form."""
        return Path(self.form.plan.folder).expanduser()
