"""The dialog by which it is corrected how a text was read as a table, and columns are chosen."""

from __future__ import annotations

from PySide6 import QtWidgets

from pcaimage.errors import DataError
from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.insight.lab.data import LIMITS, table_in
from pcaimage.insight.numeric import Gaps, How, Role, layout_of

_GAPS = {
    Gaps.REFUSED: "Refuse gaps",
    Gaps.LEFT_OUT: "Leave out rows with gaps",
    Gaps.FILLED: "Fill gaps with means",
}
_MOST_TRIED = 1 << 18  # bytes of a text that is read anew after each change, to say what comes of it


class ReadingDialog(QtWidgets.QDialog):
    """Asks what the columns of a text hold, and how its numbers are written."""

    def __init__(self, parent: QtWidgets.QWidget, data: bytes, name: str, how: How) -> None:
        super().__init__(parent)
        self.setWindowTitle("Read otherwise")
        self._data, self._name, self._roles = data, name, list[Role]()
        self.columns = QtWidgets.QTableWidget(columnCount=3)
        self.columns.setHorizontalHeaderLabels(["Column", "Last cell", "Holds"])
        self.columns.setAccessibleName("Columns")
        self.columns.setSelectionBehavior(QtWidgets.QAbstractItemView.SelectionBehavior.SelectRows)
        self.columns.setEditTriggers(QtWidgets.QAbstractItemView.EditTrigger.NoEditTriggers)
        self.columns.horizontalHeader().setSectionResizeMode(QtWidgets.QHeaderView.ResizeMode.Stretch)
        self.columns.setTabKeyNavigation(False)
        self.role, self.comma, self.gaps = QtWidgets.QComboBox(), QtWidgets.QComboBox(), QtWidgets.QComboBox()
        self.role.addItems([role.capitalize() for role in Role])
        self.role.setAccessibleName("What the chosen columns hold")
        self.comma.addItems(["Decimal point", "Decimal comma"])
        self.comma.setAccessibleName("Decimals")
        self.gaps.addItems(list(_GAPS.values()))
        self.gaps.setAccessibleName("Gaps")
        self.gaps.setCurrentIndex(list(_GAPS).index(how.gaps))
        self.header = QtWidgets.QCheckBox("The first row has &names")
        self.turned = QtWidgets.QCheckBox("&Samples are columns")
        self.turned.setChecked(how.transpose)
        self.said = QtWidgets.QLabel(wordWrap=True)
        kinds = QtWidgets.QDialogButtonBox.StandardButton
        self.buttons = QtWidgets.QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._lay_out()
        self._fill(how)
        self.header.toggled.connect(lambda _: self._fill(self._basic()))
        self.comma.activated.connect(lambda _: self._fill(self._basic()))
        for box in (self.turned.toggled, self.gaps.activated):
            box.connect(lambda _: self._try())
        self.role.activated.connect(self._choose)
        self.columns.currentCellChanged.connect(
            lambda row, *_: self.role.setCurrentIndex(list(Role).index(self._roles[row]))
        )

    def _lay_out(self) -> None:
        label = QtWidgets.QLabel("&Chosen columns hold")
        label.setBuddy(self.role)
        chosen = hbox(label, self.role, (FREE, 1))
        options = hbox(self.header, self.turned, self.comma, self.gaps, (FREE, 1))
        vbox((self.columns, 1), chosen, options, self.said, self.buttons, of=self, margins=12)
        self.resize(560, 420)

    def how(self) -> How:
        """Return how the text is to be read."""
        basic = self._basic()
        return How(basic.header, basic.comma, tuple(self._roles), basic.gaps, basic.transpose)

    def _basic(self) -> How:
        gaps = list(_GAPS)[self.gaps.currentIndex()]
        comma = self.comma.currentIndex() == 1
        return How(self.header.isChecked(), comma, gaps=gaps, transpose=self.turned.isChecked())

    def _fill(self, how: How) -> None:
        """List the columns, with what they seem to hold."""
        found = layout_of(self._data, self._name, how, LIMITS)
        self._roles = found.roles
        self.header.setChecked(found.header)
        self.comma.setCurrentIndex(int(found.comma))
        self.columns.setRowCount(len(found.names))
        for row, cells in enumerate(zip(found.names, found.rows[-1].cells, found.roles, strict=True)):
            for column, text in enumerate(cells):
                self.columns.setItem(row, column, QtWidgets.QTableWidgetItem(str(text)))
        self._try()

    def _choose(self, role: int) -> None:
        rows = {index.row() for index in self.columns.selectedIndexes()}
        for row in rows:
            self._roles[row] = list(Role)[role]
            self.columns.setItem(row, 2, QtWidgets.QTableWidgetItem(self._roles[row]))
        self._try()

    def _try(self) -> None:
        """Say what comes of it, unless that takes too long."""
        if len(self._data) > _MOST_TRIED:
            return
        try:
            words = f"Read as {table_in(self._data, self._name, self.how()).reading}."
        except DataError as error:
            words = str(error)
        self.said.setText(words)
        self.buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Ok).setEnabled(
            words.startswith("Read as")
        )
