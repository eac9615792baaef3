"""The lab's tables of numbers, with the formula of the cell at hand."""

from __future__ import annotations

from collections.abc import Callable
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
)
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
        self._state: LabState | None = None
        self._frame: tables.Frame | None = None
        self._rows: dict[int, list[float]] = {}
        self._texts: list[list[str]] | None = None
        self._pictures: dict[int, QImage | None] = {}

    def show_table(self, state: LabState, kind: tables.Kind) -> None:
        """Show another table; a selection stays if it has the same names."""
        found = tables.frame(state, kind)
        same = kind is self.kind and found == self._frame
        if not same:
            self.beginResetModel()
        self.kind, self._state, self._frame, self._rows, self._pictures = kind, state, found, {}, {}
        self._texts = tables.texts(state, kind)
        if not same:
            self.endResetModel()
        elif self.rowCount() and self.columnCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of rows."""
        return 0 if self._frame is None or parent.isValid() else len(self._frame.rows)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if self._frame is None or parent.isValid() else len(self._frame.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text or alignment of a cell."""
        if self._state is None or not index.isValid():
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole}:
            row = index.row()
            if self._texts is not None:
                return self._texts[row][index.column()]
            if row not in self._rows:
                self._rows[row] = tables.row_of(self._state, self.kind, row).tolist()
            return tables.text(self.kind, self._rows[row][index.column()])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let samples be edited."""
        edited = Qt.ItemFlag.ItemIsEditable if self.kind is tables.Kind.DATA else Qt.ItemFlag.NoItemFlags
        return super().flags(index) | edited

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a number, also such as 1,5 or 3/4; anything else leaves the cell as it is."""
        numbers = numbers_in(str(value), 1)
        if role == Qt.ItemDataRole.EditRole and numbers is not None:
            self.typed.emit(index.row(), index.column(), numbers[0])
        return numbers is not None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the name of a column or row, or the picture of a row."""
        if self._frame is None:
            return None
        names = self._frame.columns if orientation == Qt.Orientation.Horizontal else self._frame.rows
        if role == Qt.ItemDataRole.DisplayRole:
            return names[section] if section < len(names) else None
        if role == Qt.ItemDataRole.DecorationRole and orientation == Qt.Orientation.Vertical:
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
            return current.row(), current.column()
        return (0 if self._state is None else self._state.sample), 0

    def go_to(self, row: int, column: int) -> None:
        """Go to a cell of the samples."""
        self.show_kind(tables.Kind.DATA)
        self.table.setCurrentIndex(self.model.index(row, column))
        self.table.setFocus()

    def _refresh(self) -> None:
        state, name = self._state, self.kind.currentData()
        if state is None:
            return
        if name in NOTES:
            self.notes.setPlainText(by_hand(state) if name == PAPER else listing(state))
        self.pages.setCurrentWidget(self.notes if name in NOTES else self.table)
        self.model.show_table(state, self.model.kind if name in NOTES else tables.Kind(name))
        height = _PICTURE if self.model.picture(0) is not None else _ROW
        if self.table.verticalHeader().defaultSectionSize() != height:
            self.table.verticalHeader().setDefaultSectionSize(height)
        current = self.table.currentIndex()
        self._tell(current if current.isValid() else self.model.index(0, 0))

    def _tell(self, index: QtCore.QModelIndex) -> None:
        if self._state is not None and index.isValid():
            self._formula = tables.formula(self._state, self.model.kind, index.row(), index.column())
            self.formula.setText(self._formula.text())

    def _mark(self) -> None:
        """Tell which samples are selected."""
        if self._state is None or self.model.kind not in _OF_SAMPLES:
            return
        rows = dict.fromkeys(index.row() for index in self.table.selectedIndexes()[:_MOST_MARKED])
        current = self.table.currentIndex().row()
        found = tuple(sorted(rows, key=lambda row: row != current))
        if found and found != self._state.marked:
            self.samplesChosen.emit(found)

    def _select(self, state: LabState) -> None:
        """Go to the row of the sample that was marked elsewhere."""
        if not state.marked or self.model.kind not in _OF_SAMPLES or self.pages.currentIndex():
            return
        selected = {index.row() for index in self.table.selectedIndexes()[:_MOST_MARKED]}
        if state.sample not in selected:
            with QtCore.QSignalBlocker(self.table.selectionModel()):
                column = max(self.table.currentIndex().column(), 0)
                chosen = self.model.index(state.sample, min(column, self.model.columnCount() - 1))
                self.table.setCurrentIndex(chosen)
            self.table.viewport().update()
            self._tell(chosen)

    def _copy(self, form: Callable[[tables.Grid], str]) -> None:
        if self._state is None:
            return
        noted = self.pages.currentWidget() is self.notes
        copied = self.notes.toPlainText() if noted else form(tables.grid(self._state, self.model.kind))
        QGuiApplication.clipboard().setText(copied)

    def _copy_formula(self, write: Callable[[Formula], str]) -> None:
        if self._formula is not None:
            QGuiApplication.clipboard().setText(write(self._formula))


def _same_numbers(one: LabState, other: LabState) -> bool:
    """Whether two states have the same tables and notes."""
    names = ("prepared", "basis", "removed", "k", "step")
    return all(getattr(one, name) is getattr(other, name) for name in names)
