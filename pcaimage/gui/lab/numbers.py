"""The lab's tables of numbers; the formula of the cell at hand goes to the strip above."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QTableView, QToolButton, QVBoxLayout, QWidget

from pcaimage.gui.theme import tabular
from pcaimage.insight.lab.export import to_csv, to_latex, to_text
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.numbers import Grid, Kind, formula, grid
from pcaimage.insight.lab.state import LabState

TITLES = {
    Kind.DATA: "Samples X",
    Kind.PREPARED: "Prepared samples",
    Kind.MATRIX: "Covariance",
    Kind.AXES: "Axes",
    Kind.SCORES: "Scores",
    Kind.RECONSTRUCTION: "Reconstruction",
    Kind.RESIDUALS: "Residuals",
}
_FORMATS = {"Copy as &Text": to_text, "Copy as &CSV": to_csv, "Copy as &LaTeX": to_latex}
_NO_PARENT = QModelIndex()

Index = QModelIndex | QPersistentModelIndex


class GridModel(QAbstractTableModel):
    """The cells of one table."""

    def __init__(self) -> None:
        super().__init__()
        self.grid: Grid | None = None

    def show_grid(self, shown: Grid) -> None:
        """Show another table; a selection stays if it has the same shape."""
        same = self.grid is not None and self.grid.values.shape == shown.values.shape
        if not same:
            self.beginResetModel()
        self.grid = shown
        if not same:
            self.endResetModel()
        elif self.rowCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def rowCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of rows."""
        return 0 if self.grid is None or parent.isValid() else len(self.grid.rows)

    def columnCount(self, parent: Index = _NO_PARENT) -> int:
        """Return the number of columns."""
        return 0 if self.grid is None or parent.isValid() else len(self.grid.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text or alignment of a cell."""
        if self.grid is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            value = float(self.grid.values[index.row(), index.column()])
            return "0" if abs(value) < 1e-12 else figure(value, 4)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the name of a column or row."""
        if self.grid is None or role != Qt.ItemDataRole.DisplayRole:
            return None
        names = self.grid.columns if orientation == Qt.Orientation.Horizontal else self.grid.rows
        return names[section] if section < len(names) else None


class NumbersView(QWidget):
    """A table of numbers, a box that chooses which, and a button that copies it."""

    formulaChanged = Signal(str)  # noqa: N815
    """The formula of the cell under the mouse, or of the current one."""

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None
        self.model = GridModel()
        self.table = QTableView()
        self.table.setModel(self.model)
        self.table.setFont(tabular(self.table.font()))
        self.table.setMouseTracking(True)
        self.table.setAccessibleName("Numbers")
        self.table.setTabKeyNavigation(False)
        self.table.horizontalHeader().setDefaultSectionSize(92)
        self.table.verticalHeader().setDefaultSectionSize(24)
        self.kind = QComboBox()
        self.kind.setAccessibleName("Which numbers")
        for kind, title in TITLES.items():
            self.kind.addItem(title, kind.value)
        self.copy = copy = QToolButton()
        copy.setText("Copy")
        copy.setToolTip("Copy the whole table.")
        copy.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        copy.setMenu(menu := QMenu(copy))
        for title, form in _FORMATS.items():
            menu.addAction(title).triggered.connect(partial(self._copy, form))
        row = QHBoxLayout()
        row.addWidget(self.kind, 1)
        row.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.table, 1)
        self.kind.currentIndexChanged.connect(lambda _: self._refresh())
        self.table.entered.connect(self._tell)
        self.table.selectionModel().currentChanged.connect(lambda index, _: self._tell(index))

    def sizeHint(self) -> QSize:
        """Return the size that suits the pane."""
        return QSize(460, 240)

    def show_state(self, state: LabState) -> None:
        """Show the numbers of another state."""
        self._state = state
        self._refresh()

    def show_kind(self, kind: Kind) -> None:
        """Choose the table."""
        self.kind.setCurrentIndex(self.kind.findData(kind.value))

    def _refresh(self) -> None:
        if self._state is not None:
            self.model.show_grid(grid(self._state, Kind(self.kind.currentData())))
            current = self.table.currentIndex()
            self._tell(current if current.isValid() else self.model.index(0, 0))

    def _tell(self, index: QModelIndex) -> None:
        if self._state is not None and index.isValid():
            found = formula(self._state, Kind(self.kind.currentData()), index.row(), index.column())
            self.formulaChanged.emit(found.text())

    def _copy(self, form: Any) -> None:
        if self.model.grid is not None:
            QGuiApplication.clipboard().setText(form(self.model.grid))
