"""The export sheet: a dialog that asks how the image is exported, and shows what that gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette, QPixmap, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPushButton,
    QSlider,
    QSpinBox,
    QWidget,
)

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.dialogs import fit_to_screen, stand_above
from pcaimage.gui.export.formats import FormatTable
from pcaimage.gui.export.maker import DETAIL, Glimpse
from pcaimage.gui.export.plan import (
    PCAI,
    Equal,
    ExportPlan,
    Offer,
    comparable,
    offers,
    quality_range,
    resize_reason,
    srgb_reason,
)
from pcaimage.gui.export.words import COLOURS, METADATA, RESIZES, size_words
from pcaimage.gui.panel.form_rows import ChoiceBox, dialog_form, row_label, side_by_side
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.document import Document
from pcaimage.gui.theme import enlarged, tabular
from pcaimage.imaging import Alternative

_EQUAL = (("of the same size", "size"), ("of the same PSNR", "psnr"))
_TIPS = {
    "format": "The kind of file. Formats that cannot hold this image in full are grey.",
    "quality": "How much the format may change the picture: 100 changes it least. The size below follows.",
    "decibels": "The PSNR of the file in decibels: how close it is to the reconstruction.",
    "resize": "Make the picture smaller. It keeps its proportions, and is never made larger.",
    "colours": "sRGB is what every program shows; other colour spaces need programs that read profiles.",
    "compare": "Show the picture in several formats, as large or as good as now, to choose one.",
    "metadata": "EXIF holds the camera, the time and often the place. The colour profile always stays.",
}
_OWN = "Opens in pcaimage only; quality and size are those of the window."


class ExportSheet(QDialog):
    """Shows a plan, and emits the user's requests."""

    planned = Signal(object)
    """Another :class:`ExportPlan`."""
    comparisonRequested = Signal(object, str)  # noqa: N815
    """The :class:`ExportPlan` to compare other formats with, and the property that their files share."""
    comparisonEnded = Signal()  # noqa: N815
    """The formats need not be compared any more."""

    def __init__(self, document: Document, plan: ExportPlan, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._plan = document, plan
        self._stale = False
        """Whether the rows of the table are those of an earlier plan."""
        choice = partial(ChoiceBox, letters=18)
        formats = ((_offer_text(each), each.format.name) for each in offers(document))
        self.format = choice("Format", choices=formats)
        self.quality, self.slider = QSpinBox(), QSlider(Qt.Orientation.Horizontal)
        self.resize_by = choice("Resize by", choices=RESIZES)
        self.length = QSpinBox()
        self.colours = choice("Colours", choices=COLOURS)
        self.metadata = choice("Metadata", choices=METADATA)
        self.compare = QPushButton("&Compare formats")
        self.equal = choice("Formats have in common", choices=_EQUAL)
        self.table, self.table_note = FormatTable(), QLabel(wordWrap=True)
        self.pixels, self.note = QLabel(), QLabel(wordWrap=True)
        self.size_line, self.saving_line = QLabel(), QLabel(wordWrap=True)
        self.detail, self.detail_note = QLabel(), QLabel()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.export = self.buttons.addButton("&Export…", QDialogButtonBox.ButtonRole.AcceptRole)
        self.setWindowTitle(f"Export the reconstruction of {document.name}")
        self._grey(offers(document))
        self._name()
        self._lay_out()
        self._connect()
        self.show_plan(plan)

    @property
    def plan(self) -> ExportPlan:
        """The plan that is shown."""
        return self._plan

    # What is shown

    def show_plan(self, plan: ExportPlan) -> None:
        """Show a plan; nothing is emitted."""
        self._plan = plan
        fields: tuple[tuple[ChoiceBox, object], ...] = (
            (self.format, plan.format),
            (self.resize_by, plan.resize_by),
            (self.colours, plan.srgb),
            (self.metadata, plan.strip),
        )
        for box, data in fields:
            box.choose(data)
        self._show_quality()
        self._show_length()
        self._enable()
        self.table.show_plan(plan)
        self.note.setText(self._hint())
        self.note.setVisible(bool(self.note.text()))
        self._wait()

    def show_glimpse(self, glimpse: Glimpse) -> None:
        """Show an estimate of the size, the size in pixels and the detail."""
        width, height = glimpse.size
        self.pixels.setText(f"{width} × {height} pixels")
        self._show_size(glimpse.n_bytes, exact=glimpse.exact)
        if glimpse.detail is None:
            self.detail.setText("Stacks have no preview.")
        else:
            picture = to_qimage(glimpse.detail)
            picture.setDevicePixelRatio(self.devicePixelRatioF())
            self.detail.setPixmap(QPixmap.fromImage(picture))
        self.export.setEnabled(True)

    def show_measured(self, n_bytes: int) -> None:
        """Show the exact size."""
        self._show_size(n_bytes, exact=True)

    def show_failure(self, sentence: str) -> None:
        """Say why the file cannot be made."""
        self.size_line.setText("–")
        self.saving_line.setText(sentence)
        self.export.setEnabled(False)

    def show_comparison(self, equal: Equal) -> None:
        """Open the table of formats, and ask for its rows."""
        self.equal.choose(equal)
        self.compare.setChecked(True)

    @property
    def comparing(self) -> Equal | None:
        """The property that the formats in the table share; None while it is closed."""
        return cast("Equal", self.equal.currentData()) if self.compare.isChecked() else None

    def add_row(self, row: Alternative) -> None:
        """Add a format to the table."""
        if self._stale:
            self.table.clear_rows()
            self._stale = False
        self.table.add(row)
        self.table.show_plan(self._plan)

    def end_rows(self, sentence: str = "") -> None:
        """Say that all formats are there, or why they are not."""
        self.table_note.setText(sentence or self._compared_with())

    def _compared_with(self) -> str:
        if self._document.image is None:
            return "Files of the reconstruction, compared with it."
        return "Files of the original, compared with it. Export writes the reconstruction."

    def show_note(self, sentence: str) -> None:
        """Say why the file was not written under the name that was chosen."""
        self.note.setText(sentence)
        self.note.show()

    def _show_size(self, n_bytes: int, *, exact: bool) -> None:
        size, compared = size_words(n_bytes, self._document.file_size, exact=exact)
        self.size_line.setText(size)
        self.saving_line.setText(compared)
        self.size_line.setAccessibleName(f"Size: {size}")

    def _wait(self) -> None:
        self.size_line.setText("…")
        self.saving_line.setText("The size is being found.")
        self.size_line.setAccessibleName("Size")

    def _show_quality(self) -> None:
        plan = self._plan
        lowest, highest = quality_range(plan.target)
        lossy, decibels = plan.quality is not None, plan.format == "JPEG2000"
        for field in (self.quality, self.slider):
            with QSignalBlocker(field):
                field.setRange(lowest, highest)
                field.setValue(plan.quality if plan.quality is not None else highest)
            field.setEnabled(lossy)
            field.setToolTip(_TIPS["decibels" if decibels else "quality"])
        self.quality.setSuffix(" dB" if decibels else "")
        self.quality.setSpecialValueText("")

    def _show_length(self) -> None:
        plan = self._plan
        percent = plan.resize_by == "percent"
        with QSignalBlocker(self.length):
            self.length.setRange(1, 100 if percent else 1_000_000)
            self.length.setValue(plan.percent if percent else plan.length)
        self.length.setSuffix(" %" if percent else " px")
        self.length.setVisible(plan.resize_by != "off")

    def _enable(self) -> None:
        for box, reason, tip in (
            (self.resize_by, resize_reason(self._document), "resize"),
            (self.colours, srgb_reason(self._document), "colours"),
            (self.metadata, None, "metadata"),
        ):
            possible = reason is None and not self._plan.own
            box.setEnabled(possible)
            box.setToolTip(_TIPS[tip] if possible else _OWN if self._plan.own else reason or "")
        self.length.setEnabled(self.resize_by.isEnabled())

    def _hint(self) -> str:
        plan = self._plan
        if plan.own:
            return _OWN
        if plan.quality is None:
            return f"{plan.target.title} is lossless: it keeps every pixel exactly."
        if not plan.target.profile and not plan.srgb and srgb_reason(self._document) is None:
            return f"{plan.target.title} files carry no colour profile, so colours are converted to sRGB."
        return ""

    # How it is made

    def _grey(self, found: Iterable[Offer]) -> None:
        model = cast("QStandardItemModel", self.format.model())
        for row, each in enumerate(found):
            item: QStandardItem = model.item(row)
            item.setText(_offer_text(each))
            item.setEnabled(not each.reason)
            item.setToolTip(f"{each.format.title} {each.reason}." if each.reason else "")

    def _name(self) -> None:
        self.format.setToolTip(_TIPS["format"])
        self.quality.setAccessibleName("Quality")
        self.slider.setAccessibleName("Quality slider")
        self.length.setAccessibleName("New size")
        self.detail.setAccessibleName("Detail at 100 %")
        self.pixels.setAccessibleName("Size in pixels")
        self.size_line.setAccessibleName("Size")
        for field in (self.quality, self.length):
            field.setKeyboardTracking(False)
        self.length.setGroupSeparatorShown(True)
        self.size_line.setFont(tabular(enlarged(self.font(), 1.5)))
        self.size_line.setWordWrap(False)
        for label in (self.note, self.detail_note, self.pixels, self.table_note):
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.compare.setCheckable(True)
        self.compare.setAutoDefault(False)
        self.compare.setAccessibleName("Compare formats")
        self.compare.setToolTip(_TIPS["compare"])
        possible = len(comparable(self._document)) > 1
        self.compare.setVisible(possible)
        for widget in (self.equal, self.table, self.table_note):
            widget.hide()
        self.export.setDefault(True)
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setAutoDefault(False)
        self.format.setFocus()

    def _lay_out(self) -> None:
        form = dialog_form()
        form.addRow(row_label("&Format", self.format), self.format)
        form.addRow(row_label("&Quality", self.quality), side_by_side(self.quality, self.slider))
        form.addRow(row_label("&Resize", self.resize_by), side_by_side(self.resize_by, self.length))
        form.addRow("", self.pixels)
        form.addRow(row_label("Co&lours", self.colours), self.colours)
        form.addRow(row_label("&Metadata", self.metadata), self.metadata)
        left = vbox(form, self.note, FREE, self.size_line, self.saving_line, spacing=8)
        self.detail.setFixedSize(DETAIL, DETAIL)
        self.detail.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.detail_note.setText("A detail at 100 %, as the file shows it")
        right = vbox(self.detail, self.detail_note, FREE, spacing=4)
        content = self._content = QWidget()
        columns = hbox((left, 1), right, spacing=24)
        comparing = hbox(self.compare, self.equal, (self.table_note, 1), spacing=8)
        vbox(columns, comparing, self.table, of=content, margins=(16, 16, 16, 8), spacing=8)
        content.setMinimumWidth(360 + 24 + DETAIL)
        self._area = stand_above(content, self.buttons, self)
        fit_to_screen(self)

    def _connect(self) -> None:
        self.format.activated.connect(lambda: self._take(format=self.format.currentData()))
        self.quality.valueChanged.connect(self._take_quality)
        self.slider.valueChanged.connect(self._take_quality)
        self.resize_by.activated.connect(lambda: self._take(resize_by=self.resize_by.currentData()))
        self.length.valueChanged.connect(self._take_length)
        self.colours.activated.connect(lambda: self._take(srgb=self.colours.currentData()))
        self.metadata.activated.connect(lambda: self._take(strip=self.metadata.currentData()))
        self.compare.toggled.connect(self._open_table)
        self.equal.activated.connect(self._request_rows)
        self.table.chosen.connect(self._take_row)
        self.buttons.rejected.connect(self.reject)

    def _take(self, **changes: object) -> None:
        self._become(replace(self._plan, **changes))  # type: ignore[arg-type]  # the fields' own data

    def _take_quality(self, quality: int) -> None:
        self._become(self._plan.with_quality(quality))

    def _take_length(self, value: int) -> None:
        self._take(**{"percent" if self._plan.resize_by == "percent" else "length": value})

    def _become(self, plan: ExportPlan) -> None:
        if plan != self._plan:
            self.show_plan(plan)
            self.planned.emit(plan)
            if self.compare.isChecked():
                self._request_rows()

    def _take_row(self, name: str, quality: int | None) -> None:
        """Take a format of the table, whose rows stay to choose others."""
        plan = self._plan.taking(name, quality)
        if plan != self._plan:
            self.show_plan(plan)
            self.planned.emit(plan)

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
        self.comparisonRequested.emit(self._plan, self.equal.currentData())


def _offer_text(offer: Offer) -> str:
    title = "pcaimage (.pcai)" if offer.format is PCAI else offer.format.title
    return f"{title}: {offer.reason}" if offer.reason else title
