"""The export sheet: a dialog that asks how the image is exported, and shows what each format gives."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6 import QtWidgets
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPalette, QPixmap, QStandardItem, QStandardItemModel

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.dialogs import fit_to_screen, stand_above
from pcaimage.gui.export import plan as plans
from pcaimage.gui.export.maker import DETAIL, Glimpse
from pcaimage.gui.export.plan import ExportPlan
from pcaimage.gui.panel.form_rows import ChoiceBox, dialog_form, row_label, side_by_side, tips_of
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.document import Document
from pcaimage.gui.tabs.shared.sorted_table import LEFT, RIGHT, prepare_table
from pcaimage.gui.theme import enlarged, tabular
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


class FormatTable(QtWidgets.QTableWidget):
    """A row for each format, with quality, size, PSNR and SSIM; the row of the plan is selected."""

    chosen = Signal(str, object)  # the name of a format, and a quality or None

    def __init__(self) -> None:
        super().__init__(0, len(_COLUMNS))
        self._rows: list[Alternative] = []
        self.setAccessibleName("Formats side by side")
        self.setToolTip("A click takes a row's format; ≈ marks estimates from a part of the picture.")
        prepare_table(self)
        self.setSelectionMode(QtWidgets.QAbstractItemView.SelectionMode.SingleSelection)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QtWidgets.QHeaderView.ResizeMode.Stretch)
        for column, text in enumerate(_COLUMNS):
            item = QtWidgets.QTableWidgetItem(text)
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
            item = QtWidgets.QTableWidgetItem(text)
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


_EQUAL = (("of the same size", "size"), ("that look as good", "score"))
_TIPS = tips_of("export")
_OWN = {
    "PCAI": "Opens in pcaimage only, and looks as in the window.",
    "PAGE": "Opens in any browser, offline, and looks as in the window.",
}


class _Detail(QtWidgets.QLabel):
    """A detail as the file shows it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(DETAIL, DETAIL)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def show_pixels(self, after: NDArray[np.uint8] | None) -> None:
        """Show a detail; None where there is no preview."""
        if after is None:
            self.setText("Stacks have no preview.")
            return
        picture = to_qimage(after)
        picture.setDevicePixelRatio(self.devicePixelRatioF())
        self.setPixmap(QPixmap.fromImage(picture))


class ExportSheet(QtWidgets.QDialog):
    """Shows a plan, and emits the user's requests."""

    planned = Signal(object)  # another :class:`ExportPlan`
    comparisonRequested = Signal(object, str)  # noqa: N815
    """The :class:`ExportPlan` to compare other formats with, and the property that their files share."""
    comparisonEnded = Signal()  # noqa: N815
    """The formats need not be compared any more."""

    def __init__(self, document: Document, plan: plans.ExportPlan, k: int, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self._document, self.plan = document, plan
        self._undecided: plans.ExportPlan | None = None  # that a proposal is to take the place of
        self._stale = False
        """Whether the rows of the table are those of an earlier plan."""
        formats = ((_offer_text(each), each.format.name) for each in plans.offers(document))
        pictures = (
            ("Original", "original"),
            (f"Reconstruction: what you see at k\u00a0=\u00a0{k}", "reconstruction"),
        )
        choice = partial(ChoiceBox, letters=18)
        self.picture = choice("Picture", _TIPS["picture"], pictures)
        self.format = choice("Format", _TIPS["format"], formats)
        self.resize_by = choice("Resize by", _TIPS["resize"], plans.RESIZES)
        self.colours = choice("Colours", _TIPS["colours"], plans.COLOURS)
        self.metadata = choice("Metadata", _TIPS["metadata"], plans.METADATA)
        self.quality, self.length, self.slider = (
            QtWidgets.QSpinBox(),
            QtWidgets.QSpinBox(),
            QtWidgets.QSlider(Qt.Orientation.Horizontal),
        )
        self.compare = QtWidgets.QPushButton("&Compare formats", autoDefault=False)
        self.equal = choice("Formats have in common", choices=_EQUAL)
        self.table, self.table_note = FormatTable(), QtWidgets.QLabel(wordWrap=True)
        self.pixels, self.note = QtWidgets.QLabel(), QtWidgets.QLabel(wordWrap=True)
        self.size_line, self.saving_line = QtWidgets.QLabel(), QtWidgets.QLabel(wordWrap=True)
        self.detail, self.detail_note = _Detail(), QtWidgets.QLabel()
        self.buttons = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Cancel)
        self.export = self.buttons.addButton("&Export…", QtWidgets.QDialogButtonBox.ButtonRole.AcceptRole)
        self.setWindowTitle(f"Export {document.name}")
        self._grey(plans.offers(document))
        self._name()
        self._lay_out()
        self._connect()
        self.show_plan(plan)

    # What is shown

    def show_plan(self, plan: plans.ExportPlan) -> None:
        """Show a plan; nothing is emitted."""
        self.plan = plan
        percent = plan.resize_by == "percent"
        boxes = self.format, self.resize_by, self.colours, self.metadata
        for box, value in zip(boxes, (plan.format, plan.resize_by, plan.srgb, plan.strip), strict=True):
            box.choose(value)
        self.picture.setEnabled(self._document.image is not None and not plan.own)
        self.picture.choose(plan.picture if self.picture.isEnabled() else "reconstruction")
        with QSignalBlocker(self.slider), QSignalBlocker(self.quality), QSignalBlocker(self.length):
            for scale in (self.slider, self.quality):
                scale.setValue(plan.quality or plans.QUALITIES[1])
                scale.setEnabled(plan.quality is not None)
            self.length.setRange(1, 100 if percent else 1_000_000)
            self.length.setValue(plan.percent if percent else plan.length)
        self.length.setSuffix("\u00a0%" if percent else "\u00a0px")
        self.length.setVisible(plan.resize_by != "off")
        self._enable()
        self.table.show_plan(plan)
        self.note.setText(self._hint())
        self.size_line.setText("…")
        self.saving_line.setText("The size is being found.")
        self.size_line.setAccessibleName("Size")

    def show_glimpse(self, glimpse: Glimpse) -> None:
        """Show an estimate of the size, the size in pixels and the detail."""
        width, height = glimpse.size
        self.pixels.setText(f"{width} × {height} pixels")
        self._show_size(glimpse.n_bytes, exact=glimpse.exact)
        self.detail.show_pixels(glimpse.detail)
        self.export.setEnabled(True)

    def await_proposal(self) -> None:
        """Say that a better plan is being chosen."""
        self._undecided = self.plan
        self.show_plan(self.plan)

    def propose(self, plan: plans.ExportPlan) -> None:
        """Take a proposal, unless the user has chosen something else in the meantime."""
        awaited, self._undecided = self._undecided, None
        self.note.setText(self._hint())
        if self.plan == awaited:
            self._become(plan)

    def show_measured(self, n_bytes: int) -> None:
        """Show the exact size."""
        self._show_size(n_bytes, exact=True)

    def show_failure(self, sentence: str) -> None:
        """Say why the file cannot be made."""
        self.size_line.setText("–")
        self.saving_line.setText(sentence)
        self.export.setEnabled(False)

    def show_comparison(self, equal: plans.Equal) -> None:
        """Open the table of formats, and ask for its rows."""
        self.equal.choose(equal)
        self.compare.setChecked(True)

    @property
    def comparing(self) -> plans.Equal | None:
        """The property that the formats in the table share; None while it is closed."""
        return cast("plans.Equal", self.equal.currentData()) if self.compare.isChecked() else None

    def add_row(self, row: Alternative) -> None:
        """Add a format to the table."""
        if self._stale:
            self.table.clear_rows()
            self._stale = False
        self.table.add(row)
        self.table.show_plan(self.plan)

    def end_rows(self, sentence: str = "") -> None:
        """Say that all formats are there, or why they are not."""
        about = f"Files of the {self.picture.currentData()}, compared with it."
        self.table_note.setText(sentence or about)

    def show_note(self, sentence: str) -> None:
        """Say why the file was not written under the name that was chosen."""
        self.note.setText(sentence)

    def _show_size(self, n_bytes: int, *, exact: bool) -> None:
        size, compared = plans.size_words(n_bytes, self._document.file_size, exact=exact)
        self.size_line.setText(size)
        self.saving_line.setText(compared)
        self.size_line.setAccessibleName(f"Size: {size}")

    def _enable(self) -> None:
        for box, reason, tip in (
            (self.resize_by, plans.resize_reason(self._document), "resize"),
            (self.colours, plans.srgb_reason(self._document), "colours"),
            (self.metadata, None, "metadata"),
        ):
            possible = reason is None and not self.plan.own
            box.setEnabled(possible)
            box.setToolTip(_TIPS[tip] if possible else _OWN.get(self.plan.format) or reason or "")
        self.length.setEnabled(self.resize_by.isEnabled())

    def _hint(self) -> str:
        plan = self.plan
        if plan == self._undecided:
            return "Choosing the smallest file that looks like the picture …"
        if plan.own:
            return _OWN[plan.format]
        if plan.quality is None:
            few = "" if plan.target.lossless else ", if it has no more than 256 colours"
            return f"{plan.target.title} keeps every pixel exactly{few}."
        if not plan.target.profile and not plan.srgb and plans.srgb_reason(self._document) is None:
            return f"{plan.target.title} files carry no colour profile, so colours are converted to sRGB."
        return ""

    # How it is made

    def _grey(self, found: Iterable[plans.Offer]) -> None:
        model = cast("QStandardItemModel", self.format.model())
        for row, each in enumerate(found):
            item: QStandardItem = model.item(row)
            item.setEnabled(not each.reason)
            item.setToolTip(f"{each.format.title} {each.reason}." if each.reason else "")

    def _name(self) -> None:
        for field, name in ((self.quality, "Quality"), (self.length, "New size")):
            field.setAccessibleName(name)
            field.setKeyboardTracking(False)
            field.setGroupSeparatorShown(True)
        for scale in (self.quality, self.slider):
            scale.setRange(*plans.QUALITIES)
            scale.setToolTip(_TIPS["quality"])
        self.length.setToolTip(_TIPS["resize"])
        self.slider.setAccessibleName("Quality slider")
        self.detail.setAccessibleName("Detail at 100 %")
        self.pixels.setAccessibleName("Size in pixels")
        self.size_line.setAccessibleName("Size")
        self.size_line.setFont(tabular(enlarged(self.font(), 1.5)))
        self.size_line.setWordWrap(False)
        for label in (self.note, self.detail_note, self.pixels, self.table_note):
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.compare.setCheckable(True)
        self.compare.setAccessibleName("Compare formats")
        self.compare.setToolTip(_TIPS["compare"])
        self.compare.setVisible(len(plans.comparable(self._document)) > 1)
        for widget in (self.equal, self.table, self.table_note):
            widget.hide()
        self.export.setDefault(True)
        self.buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Cancel).setAutoDefault(False)

    def _lay_out(self) -> None:
        form = dialog_form()
        form.addRow(row_label("&Picture", self.picture), self.picture)
        form.addRow(row_label("&Format", self.format), self.format)
        form.addRow(row_label("&Quality", self.quality), side_by_side(self.quality, self.slider))
        form.addRow(row_label("&Resize", self.resize_by), side_by_side(self.resize_by, self.length))
        form.addRow("", self.pixels)
        form.addRow(row_label("Co&lours", self.colours), self.colours)
        form.addRow(row_label("&Metadata", self.metadata), self.metadata)
        self.note.setMinimumHeight(2 * self.note.fontMetrics().lineSpacing())  # nothing moves when it speaks
        left = vbox(form, self.note, FREE, self.size_line, self.saving_line, spacing=8)
        self.detail_note.setText("A detail at 100 % as the file shows it")
        right = vbox(self.detail, self.detail_note, FREE, spacing=4)
        content = self._content = QtWidgets.QWidget()
        columns = hbox((left, 1), right, spacing=24)
        comparing = hbox(self.compare, self.equal, (self.table_note, 1), spacing=8)
        vbox(columns, comparing, self.table, of=content, margins=(16, 16, 16, 8), spacing=8)
        content.setMinimumWidth(360 + 24 + DETAIL)
        self._area = stand_above(content, self.buttons, self)
        fit_to_screen(self)

    def _connect(self) -> None:
        boxes = {"picture": self.picture, "format": self.format, "resize_by": self.resize_by}
        boxes |= {"srgb": self.colours, "strip": self.metadata}
        for field, box in boxes.items():
            box.activated.connect(lambda _, box=box, field=field: self._take(field, box.currentData()))
        self.quality.valueChanged.connect(lambda value: self._become(self.plan.with_quality(value)))
        self.length.valueChanged.connect(self._take_length)
        self.slider.valueChanged.connect(self.quality.setValue)
        self.compare.toggled.connect(self._open_table)
        self.equal.activated.connect(self._request_rows)
        self.table.chosen.connect(self._take_row)
        self.buttons.rejected.connect(self.reject)

    def _become(self, plan: plans.ExportPlan, *, compared: bool = False) -> None:
        if plan != self.plan:
            self.show_plan(plan)
            self.planned.emit(plan)
            if self.compare.isChecked() and not compared:
                self._request_rows()

    def _take_length(self, value: int) -> None:
        self._take("percent" if self.plan.resize_by == "percent" else "length", value)

    def _take(self, field: str, value: object) -> None:
        self._become(replace(self.plan, **{field: value}))  # type: ignore[arg-type]  # the field's own data

    def _take_row(self, name: str, quality: int | None) -> None:
        """Take a format of the table, whose rows stay to choose others."""
        self._become(self.plan.taking(name, quality), compared=True)

    def _open_table(self, on: bool) -> None:  # noqa: FBT001 - a Qt slot
        for widget in (self.equal, self.table, self.table_note):
            widget.setVisible(on)
        if on:
            self._request_rows()
        else:
            self.comparisonEnded.emit()
        layout = self._content.layout()
        if layout is not None:
            layout.activate()  # else its size hint is that without the table
        self._area.updateGeometry()
        fit_to_screen(self)
        if on:
            self._area.ensureWidgetVisible(self.table)

    def _request_rows(self) -> None:
        self._stale = True
        self.table_note.setText("Formats are being tried…")
        self.comparisonRequested.emit(self.plan, self.equal.currentData())


def _offer_text(offer: plans.Offer) -> str:
    return f"{offer.format.title}: {offer.reason}" if offer.reason else offer.format.title
