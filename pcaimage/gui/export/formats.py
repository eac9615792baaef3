"""The table of the export sheet that shows several formats side by side."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from pcaimage.gui.export.plan import ExportPlan
from pcaimage.gui.tabs.shared.sorted_table import LEFT, RIGHT, prepare_table
from pcaimage.imaging import Alternative
from pcaimage.insight.formatting import decibels, file_size

_COLUMNS = ("Format", "Quality", "Size", "PSNR", "Looks")
_ROWS = 11


def row_words(row: Alternative) -> tuple[str, str, str, str, str]:
    """Return the texts of a row; ≈ marks estimates from a part of the picture."""
    about = "" if row.exact else "≈\u00a0"
    lost = math.isfinite(row.psnr)
    shown = about + decibels(row.psnr) if lost else "lossless"
    return (
        row.format.title,
        "–" if row.quality is None else str(row.quality),
        about + file_size(row.n_bytes),
        shown,
        f"{row.score:.0f}\u00a0%" if lost else "as the original",
    )


class FormatTable(QTableWidget):
    """A row for each format, with quality, size, PSNR and SSIM; the row of the plan is selected."""

    chosen = Signal(str, object)  # the name of a format, and a quality or None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_COLUMNS), parent)
        self._rows: list[Alternative] = []
        self.setAccessibleName("Formats side by side")
        self.setToolTip("A click takes a row's format; ≈ marks estimates from a part of the picture.")
        prepare_table(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column, text in enumerate(_COLUMNS):
            item = QTableWidgetItem(text)
            item.setTextAlignment(RIGHT if column else LEFT)
            self.setHorizontalHeaderItem(column, item)
        self.cellClicked.connect(lambda row, _: self._choose(row))
        self.cellActivated.connect(lambda row, _: self._choose(row))

    @property
    def rows(self) -> tuple[Alternative, ...]:
        """The rows shown."""
        return tuple(self._rows)

    def clear_rows(self) -> None:
        """Remove all rows."""
        self._rows.clear()
        self.setRowCount(0)

    def add(self, row: Alternative) -> None:
        """Show a row: in place of the estimate of its format, if there is one, or else as the last."""
        names = [each.format.name for each in self._rows]
        number = names.index(row.format.name) if row.format.name in names else len(names)
        self._rows[number : number + 1] = [row]
        self.setRowCount(len(self._rows))
        for column, text in enumerate(row_words(row)):
            item = QTableWidgetItem(text)
            if column:
                item.setTextAlignment(RIGHT)
            self.setItem(number, column, item)

    def show_plan(self, plan: ExportPlan) -> None:
        """Select the row of a plan, or none; nothing is emitted."""
        wanted = plan.format, plan.quality
        number = next((n for n, row in enumerate(self._rows) if _key(row) == wanted), None)
        if number is None:
            self.clearSelection()
        else:
            self.selectRow(number)

    def sizeHint(self) -> QSize:
        """Return room for all formats."""
        rows = _ROWS * self.verticalHeader().defaultSectionSize()
        return QSize(420, self.horizontalHeader().sizeHint().height() + rows + 2 * self.frameWidth())

    def minimumSizeHint(self) -> QSize:
        """Return as much: the sheet scrolls, the table does not."""
        return self.sizeHint()

    def _choose(self, number: int) -> None:
        self.chosen.emit(*_key(self._rows[number]))


def _key(row: Alternative) -> tuple[str, int | None]:
    return row.format.name, row.quality
