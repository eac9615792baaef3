"""The lab's tables of numbers, with the formula of the cell at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6 import QtCore
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication, QImage
from PySide6.QtWidgets import QComboBox, QLabel, QMenu, QPlainTextEdit, QStackedLayout, QTableView, QWidget

from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.lab.samples import axis_image, sample_image
from pcaimage.gui.menu_button import MenuButton
from pcaimage.gui.theme import tabular
from pcaimage.insight.lab import numbers as tables
from pcaimage.insight.lab.by_hand import by_hand
from pcaimage.insight.lab.exercise import numbers_in
from pcaimage.insight.lab.formula import Formula
from pcaimage.insight.lab.python import listing
from pcaimage.insight.lab.state import LabState
from pcaimage.language import tr

TITLES = {
    tables.Kind.DATA: "Samples X",
    tables.Kind.PREPARED: "Prepared samples",
    tables.Kind.CORRELATION: "Correlation of the features",
    tables.Kind.MATRIX: "Covariance",
    tables.Kind.AXES: "Axes V",
    tables.Kind.PRODUCTS: "Dot products of axes",
    tables.Kind.SCORES: "Scores",
    tables.Kind.WHITENED: "Whitened scores",
    tables.Kind.LEFT_VECTORS: "Left singular vectors U",
    tables.Kind.SINGULAR: "Singular values and eigenvalues",
    tables.Kind.RECONSTRUCTION: "Reconstruction",
    tables.Kind.RESIDUALS: "Residuals",
    tables.Kind.KEPT: "Covariance of the reconstruction",
    tables.Kind.LEFT: "What is left",
    tables.Kind.NEWCOMER: "A new sample",
    tables.Kind.PULL: "What each sample pulls",
}
PAPER, CODE = "paper", "python"
NOTES = {PAPER: "Eigenvectors by hand", CODE: "The step in Python"}
_OF_SAMPLES = (
    tables.Kind.DATA,
    tables.Kind.PREPARED,
    tables.Kind.SCORES,
    tables.Kind.WHITENED,
    tables.Kind.LEFT_VECTORS,
    tables.Kind.RECONSTRUCTION,
    tables.Kind.RESIDUALS,
    tables.Kind.LEFT,
    tables.Kind.PULL,
)
_TURNED = {*_OF_SAMPLES, tables.Kind.NEWCOMER}  # tables of which samples can be columns
_PICTURE, _ROW = 34, 24
_MOST_MARKED = 20_000  # cells of a selection that are looked at
_FORMATS = {"Copy as &Text": tables.to_text, "Copy as &CSV": tables.to_csv, "Copy as &LaTeX": tables.to_latex}
_FORMULA_FORMATS: dict[str, Callable[[Formula], str]] = {
    "Copy &Formula as Text": Formula.text,
    "Copy Formula as L&aTeX": Formula.latex,
    "Copy Formula as &Python": Formula.python,
}
_NO_PARENT = QtCore.QModelIndex()

Index = QtCore.QModelIndex | QtCore.QPersistentModelIndex


class GridModel(QtCore.QAbstractTableModel):
    """The cells of one table; a row is worked out when it is first seen. Samples can be typed."""

    typed = Signal(int, int, float)  # a number that was typed: its row and column, from 0

    def __init__(self) -> None:
        super().__init__()
        self.kind = tables.Kind.DATA
        self.turned = False
        """Whether samples are columns, as books on linear algebra have them."""
        self._state: LabState | None = None
        self._frame: tables.Frame | None = None
        self._rows: dict[int, list[float]] = {}
        self._texts: list[list[str]] | None = None
        self._pictures: dict[int, QImage | None] = {}

    def show_table(self, state: LabState, kind: tables.Kind, *, in_columns: bool = False) -> None:
        """Show another table, its samples in rows or columns; a selection stays if it has the same names."""
        found, turned = tables.frame(state, kind), in_columns and kind in _TURNED
        same = kind is self.kind and found == self._frame and turned == self.turned
        if not same:
            self.beginResetModel()
        self.turned = turned
        self.kind, self._state, self._frame, self._rows, self._pictures = kind, state, found, {}, {}
        self._texts = tables.texts(state, kind)
        if not same:
            self.endResetModel()
        elif self.rowCount() and self.columnCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def place(self, index: Index) -> tuple[int, int]:
        """Return the row and the column of the table at an index."""
        return (index.column(), index.row()) if self.turned else (index.row(), index.column())

    def at(self, row: int, column: int) -> QtCore.QModelIndex:
        """Return the index of a row and a column of the table."""
        return self.index(column, row) if self.turned else self.index(row, column)

    def _names(self, *, across: bool) -> tuple[str, ...]:
        """Return the names that stand above the table, or beside it."""
        if self._frame is None:
            return ()
        return self._frame.columns if across is not self.turned else self._frame.rows

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._names(across=False))

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._names(across=True))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text or alignment of a cell."""
        if self._state is None or not index.isValid():
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole}:
            row, column = self.place(index)
            if self._texts is not None:
                return tr(self._texts[row][column])
            if row not in self._rows:
                self._rows[row] = tables.row_of(self._state, self.kind, row).tolist()
            return tr(tables.text(self.kind, self._rows[row][column], row))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let samples be edited."""
        typed = tables.is_typed(self.kind, self.place(index)[0])
        return super().flags(index) | (Qt.ItemFlag.ItemIsEditable if typed else Qt.ItemFlag.NoItemFlags)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a number, also such as 1,5 or 3/4; anything else leaves the cell as it is."""
        numbers = numbers_in(str(value), 1)
        if role == Qt.ItemDataRole.EditRole and numbers is not None:
            self.typed.emit(*self.place(index), numbers[0])
        return numbers is not None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the name of a column or row, or the picture of a row."""
        names = self._names(across=orientation == Qt.Orientation.Horizontal)
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(names[section]) if section < len(names) else None
        rows = Qt.Orientation.Horizontal if self.turned else Qt.Orientation.Vertical
        if role == Qt.ItemDataRole.DecorationRole and orientation == rows:
            return self.picture(section)
        return None

    def picture(self, row: int) -> QImage | None:
        """Return a row as a picture; None if it is none."""
        state = self._state
        if state is None or state.data.picture is None or self.kind not in _PICTURED:
            return None
        if row not in self._pictures:
            values = tables.row_of(state, self.kind, row)
            image = _PICTURED[self.kind](state.data, values)
            size = QtCore.QSize(_PICTURE - 4, _PICTURE - 4)
            kept = Qt.AspectRatioMode.KeepAspectRatio
            self._pictures[row] = None if image is None else image.scaled(size, kept)
        return self._pictures[row]


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_PICTURED = {
    tables.Kind.DATA: sample_image,
    tables.Kind.RECONSTRUCTION: sample_image,
    tables.Kind.PREPARED: axis_image,
    tables.Kind.AXES: axis_image,
    tables.Kind.RESIDUALS: axis_image,
    tables.Kind.LEFT: axis_image,
}
"""Tables whose rows are pictures if samples are."""


class NumbersView(QWidget):
    """A table of numbers or a text, a box that chooses which, and a button that copies it."""

    samplesChosen = Signal(object)  # noqa: N815
    """The samples, from 0, whose rows are selected, the current one first."""

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None
        self._formula: Formula | None = None
        self._in_columns = False
        self.model = GridModel()
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setFont(tabular(self.table.font()))
        self.table.setMouseTracking(True)
        self.table.setAccessibleName("Numbers")
        self.table.setTabKeyNavigation(False)
        self.table.horizontalHeader().setDefaultSectionSize(92)
        self.table.verticalHeader().setDefaultSectionSize(_ROW)
        self.notes = QPlainTextEdit(readOnly=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
        self.notes.setAccessibleName("Notes")
        self.notes.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.kind = QComboBox()
        self.kind.setAccessibleName("Which numbers")
        for name, title in (*((kind.value, title) for kind, title in TITLES.items()), *NOTES.items()):
            self.kind.addItem(title, name)
        self.copy = copy = MenuButton(menu := QMenu(self))
        copy.set_words("Copy")
        copy.setToolTip("Copy the whole table, or the formula of the current cell.")
        for title, form in _FORMATS.items():
            menu.addAction(title).triggered.connect(partial(self._copy, form))
        menu.addSeparator()
        for title, write in _FORMULA_FORMATS.items():
            menu.addAction(title).triggered.connect(partial(self._copy_formula, write))
        row = hbox((self.kind, 1), copy)
        self.pages = QStackedLayout()
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.notes)
        self.formula = QLabel(wordWrap=True)
        self.formula.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.formula.setAccessibleName("Formula of the cell")
        self.formula.setMinimumHeight(self.formula.fontMetrics().height() + 4)
        vbox(row, (self.pages, 1), self.formula, of=self, spacing=4)
        self.kind.currentIndexChanged.connect(lambda _: self._refresh())
        self.table.entered.connect(self._tell)
        selection = self.table.selectionModel()
        selection.currentChanged.connect(lambda index, _: self._tell(index))
        selection.selectionChanged.connect(lambda *_: self._mark())

    def sizeHint(self) -> QtCore.QSize:
        """Return the size that suits the pane."""
        return QtCore.QSize(460, 240)

    def show_state(self, state: LabState) -> None:
        """Show the numbers of another state."""
        before, self._state = self._state, state
        if before is None or before.convention != state.convention:
            products = state.convention.products.capitalize()
            for kind, title in (
                (tables.Kind.MATRIX, products),
                (tables.Kind.KEPT, f"{products} of the reconstruction"),
            ):
                self.kind.setItemText(self.kind.findData(kind.value), title)
        if before is None or self.kind.currentData() == CODE or not _same_numbers(before, state):
            self._refresh()
        self._select(state)

    def show_kind(self, kind: str) -> None:
        """Choose the table, or one of the notes."""
        self.kind.setCurrentIndex(self.kind.findData(str(kind)))

    def cell(self) -> tuple[int, int]:
        """Return the current cell of the samples, or the row of the marked sample."""
        current = self.table.currentIndex()
        if self.model.kind is tables.Kind.DATA and current.isValid():
            return self.model.place(current)
        return (0 if self._state is None else self._state.sample), 0

    def go_to(self, row: int, column: int) -> None:
        """Go to a cell of the samples."""
        self.show_kind(tables.Kind.DATA)
        self.table.setCurrentIndex(self.model.at(row, column))
        self.table.setFocus()

    def set_in_columns(self, shown: bool) -> None:  # noqa: FBT001 - a slot of Qt
        """Write samples as columns, or as rows."""
        self._in_columns = shown
        self._refresh()

    def _refresh(self) -> None:
        state, name = self._state, self.kind.currentData()
        if state is None:
            return
        if name in NOTES:
            self.notes.setPlainText(by_hand(state) if name == PAPER else listing(state))
        self.pages.setCurrentWidget(self.notes if name in NOTES else self.table)
        kind = self.model.kind if name in NOTES else tables.Kind(name)
        self.model.show_table(state, kind, in_columns=self._in_columns)
        height = _PICTURE if self.model.picture(0) is not None else _ROW
        if self.table.verticalHeader().defaultSectionSize() != height:
            self.table.verticalHeader().setDefaultSectionSize(height)
        current = self.table.currentIndex()
        self._tell(current if current.isValid() else self.model.index(0, 0))

    def _tell(self, index: QtCore.QModelIndex) -> None:
        if self._state is not None and index.isValid():
            self._formula = tables.formula(self._state, self.model.kind, *self.model.place(index))
            self.formula.setText(self._formula.text())

    def _mark(self) -> None:
        """Tell which samples are selected."""
        if self._state is None or self.model.kind not in _OF_SAMPLES:
            return
        rows = self._selected()
        current = self.model.place(self.table.currentIndex())[0]
        found = tuple(sorted(rows, key=lambda row: row != current))
        if found and found != self._state.marked:
            self.samplesChosen.emit(found)

    def _selected(self) -> dict[int, None]:
        """Return the samples whose cells are selected."""
        chosen = self.table.selectedIndexes()[:_MOST_MARKED]
        return dict.fromkeys(self.model.place(index)[0] for index in chosen)

    def _select(self, state: LabState) -> None:
        """Go to the row of the sample that was marked elsewhere."""
        if not state.marked or self.model.kind not in _OF_SAMPLES or self.pages.currentIndex():
            return
        if state.sample not in self._selected():
            with QtCore.QSignalBlocker(self.table.selectionModel()):
                column = max(self.model.place(self.table.currentIndex())[1], 0)
                count = self.model.rowCount() if self.model.turned else self.model.columnCount()
                chosen = self.model.at(state.sample, min(column, count - 1))
                self.table.setCurrentIndex(chosen)
            self.table.viewport().update()
            self._tell(chosen)

    def _copy(self, form: Callable[[tables.Grid], str]) -> None:
        if self._state is None:
            return
        noted = self.pages.currentWidget() is self.notes
        found = tables.grid(self._state, self.model.kind)
        if self.model.turned:
            found = replace(found, rows=found.columns, columns=found.rows, values=found.values.T)
        copied = self.notes.toPlainText() if noted else form(found)
        QGuiApplication.clipboard().setText(copied)

    def _copy_formula(self, write: Callable[[Formula], str]) -> None:
        if self._formula is not None:
            QGuiApplication.clipboard().setText(write(self._formula))


def _same_numbers(one: LabState, other: LabState) -> bool:
    """Whether two states have the same tables and notes."""
    names = ("prepared", "basis", "removed", "k", "step", "newcomer")
    return all(getattr(one, name) is getattr(other, name) for name in names)
