"""The fields of a plan that the export sheet and the form of a queue share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QSpinBox

from pcaimage.gui.export.plan import COLOURS, METADATA, QUALITIES, RESIZES, ExportPlan
from pcaimage.gui.panel.form_rows import ChoiceBox

TIPS = {
    "quality": "How much the format may change a picture: 100 changes it least.",
    "resize": "Make pictures smaller. They keep their proportions, and are never made larger.",
    "colours": "sRGB is what every program shows; other colour spaces need programs that read profiles.",
    "metadata": "EXIF holds the camera, the time and often the place. The colour profile always stays.",
}


class ExportFields(QObject):
    """Format, quality, size, colours and metadata of a plan."""

    changed = Signal(object)
    """The :class:`ExportPlan` with what the user chose."""

    def __init__(self, tip: str, formats: Iterable[tuple[str, str]], parent: QObject) -> None:
        """Offer formats, each with its text and its name."""
        super().__init__(parent)
        self._plan = ExportPlan()
        choice = partial(ChoiceBox, letters=18)
        self.format = choice("Format", tip, formats)
        self.quality, self.length = QSpinBox(), QSpinBox()
        self.resize_by = choice("Resize by", TIPS["resize"], RESIZES)
        self.colours = choice("Colours", TIPS["colours"], COLOURS)
        self.metadata = choice("Metadata", TIPS["metadata"], METADATA)
        for field, name in ((self.quality, "Quality"), (self.length, "New size")):
            field.setAccessibleName(name)
            field.setKeyboardTracking(False)
            field.setGroupSeparatorShown(True)
        self.quality.setRange(*QUALITIES)
        self.quality.setToolTip(TIPS["quality"])
        self.length.setToolTip(TIPS["resize"])
        self.quality.valueChanged.connect(lambda value: self.changed.emit(self._plan.with_quality(value)))
        self.length.valueChanged.connect(self._take_length)
        self.format.activated.connect(lambda: self._take(format=self.format.currentData()))
        self.resize_by.activated.connect(lambda: self._take(resize_by=self.resize_by.currentData()))
        self.colours.activated.connect(lambda: self._take(srgb=self.colours.currentData()))
        self.metadata.activated.connect(lambda: self._take(strip=self.metadata.currentData()))

    def show_plan(self, plan: ExportPlan) -> None:
        """Show a plan; nothing is emitted."""
        self._plan = plan
        self.format.choose(plan.format)
        self.resize_by.choose(plan.resize_by)
        self.colours.choose(plan.srgb)
        self.metadata.choose(plan.strip)
        percent = plan.resize_by == "percent"
        with QSignalBlocker(self.quality), QSignalBlocker(self.length):
            self.quality.setValue(plan.quality or QUALITIES[1])
            self.length.setRange(1, 100 if percent else 1_000_000)
            self.length.setValue(plan.percent if percent else plan.length)
        self.quality.setEnabled(plan.quality is not None)
        self.length.setSuffix("\u00a0%" if percent else "\u00a0px")
        self.length.setVisible(plan.resize_by != "off")

    def _take(self, **changes: object) -> None:
        self.changed.emit(replace(self._plan, **changes))  # type: ignore[arg-type]  # the fields' own data

    def _take_length(self, value: int) -> None:
        self._take(**{"percent" if self._plan.resize_by == "percent" else "length": value})
