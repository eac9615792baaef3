"""The form of a queue: which photographs become what, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLabel, QLineEdit, QPushButton, QWidget

from pcaimage.api import Preset
from pcaimage.api.presets import BUILT_IN
from pcaimage.gui import dialogs
from pcaimage.gui.boxes import vbox
from pcaimage.gui.export.fields import ExportFields
from pcaimage.gui.export.plan import PCAI, format_called
from pcaimage.gui.panel.form_rows import ChoiceBox, dialog_form, row_label, side_by_side
from pcaimage.gui.photographs.plan import FORMATS, MEASURES, SHARED, QueuePlan, folder_for
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.gui.photographs.words import counted
from pcaimage.imaging.image.formats import FORMATS as WRITTEN
from pcaimage.insight.formatting import file_size

_TITLES = {"small": "Small", "balanced": "Balanced", "like the original": "Like the original"}
_TIPS = {
    "which": "All photographs of the strip, or those that are selected in it.",
    "format": ".pcai files open in pcaimage; choose another format for photographs that others are to open.",
    "goal": "What every photograph is to reach.",
    "own": "Photographs marked in the strip keep what was set for them; otherwise all get the goal above.",
    "folder": "Where files go; the folder is made if it is missing.",
    "skip": "Write no file that would not be smaller than its photograph.",
    "dates": "Give files the time at which their photographs were changed last.",
    "overwrite": "Replace files of other contents that are in the folder under the same names.",
}


class QueueForm(QWidget):
    """Shows a plan for photographs, and emits another when the user changes it."""

    changed = Signal()
    """The plan or the photographs are others."""

    def __init__(
        self, roll: Roll, selected: Sequence[int], presets: Sequence[Preset], plan: QueuePlan
    ) -> None:
        super().__init__()
        self._roll, self._selected, self.plan = roll, tuple(selected), plan
        self._folder_is_proposed = not plan.folder
        self._make_choices(presets)
        self.value, self.own = QDoubleSpinBox(), QCheckBox()
        self.folder, self.choose = QLineEdit(), QPushButton("C&hoose…")
        self.folder.setTextMargins(3, 0, 3, 0)
        self.skip = QCheckBox("S&kip files that would not be smaller")
        self.dates = QCheckBox("Keep the &dates")
        self.overwrite = QCheckBox("&Replace files that are there")
        self.note = QLabel(wordWrap=True)
        self._name()
        self._lay_out()
        self._show()
        self._connect()

    @property
    def photographs(self) -> tuple[Photograph, ...]:
        """The photographs that are meant."""
        if self.which.currentData() == "selected":
            return tuple(self._roll.photographs[row] for row in self._selected)
        return self._roll.photographs

    def _make_choices(self, presets: Sequence[Preset]) -> None:
        which = [(f"All {counted(len(self._roll))}, {file_size(self._roll.n_bytes)}", "all")]
        if 1 < len(self._selected) < len(self._roll):
            which += [(f"The {counted(len(self._selected), 'selected photograph')}", "selected")]
        known = {each.name for each in WRITTEN} | {PCAI.name}
        titles = {name: format_called(name).title for name in FORMATS if name in known} | {PCAI.name: ".pcai"}
        goals = [("What was applied to all", SHARED)] if self._roll.shared is not None else []
        goals += [(_TITLES.get(each.name, each.name.capitalize()), each.name) for each in BUILT_IN]
        goals += [(name, key) for key, (name, *_) in MEASURES.items()]
        goals += [(f"Preset “{each.name}”", each.name) for each in presets]
        choice = partial(ChoiceBox, letters=18)
        self.which = choice("Photographs", _TIPS["which"], which)
        formats = ((title, name) for name, title in titles.items())
        self.fields = ExportFields(_TIPS["format"], formats, self)
        self.goal = choice("Goal", _TIPS["goal"], goals)

    def _name(self) -> None:
        named: tuple[tuple[QWidget, str, str], ...] = (
            (self.value, "Value of the goal", "goal"),
            (self.folder, "Folder", "folder"),
            (self.choose, "Choose the folder", "folder"),
        )
        for widget, name, tip in named:
            widget.setAccessibleName(name)
            widget.setToolTip(_TIPS[tip])
        for box, tip in ((self.own, "own"), (self.skip, "skip"), (self.dates, "dates")):
            box.setToolTip(_TIPS[tip])
        self.overwrite.setToolTip(_TIPS["overwrite"])
        self.value.setKeyboardTracking(False)
        self.value.setGroupSeparatorShown(True)
        self.choose.setAutoDefault(False)
        self.note.setForegroundRole(QPalette.ColorRole.PlaceholderText)

    def _lay_out(self) -> None:
        self._form, fields = dialog_form(self), self.fields
        form = self._form
        form.setContentsMargins(16, 16, 16, 8)
        form.addRow(row_label("&Photographs", self.which), self.which)
        form.addRow(row_label("&Format", fields.format), fields.format)
        self._goal_row = side_by_side(self.goal, self.value)
        self._resize_row = side_by_side(fields.resize_by, fields.length)
        form.addRow(row_label("&Goal", self.goal), self._goal_row)
        form.addRow("", self.own)
        form.addRow(row_label("&Quality", fields.quality), fields.quality)
        form.addRow(row_label("R&esize", fields.resize_by), self._resize_row)
        form.addRow(row_label("Co&lours", fields.colours), fields.colours)
        form.addRow(row_label("&Metadata", fields.metadata), fields.metadata)
        form.addRow(row_label("F&older", self.folder), side_by_side(self.folder, self.choose, stretch=(1, 0)))
        boxes = vbox(self.skip, self.dates, self.overwrite, spacing=4)
        form.addRow("", boxes)
        form.addRow("", self.note)
        self.setMinimumWidth(460)

    def _show(self) -> None:
        """Show the plan; nothing is emitted."""
        plan = self.plan
        if self._folder_is_proposed:
            plan = self.plan = replace(plan, folder=folder_for(self._roll, plan))
        self.goal.choose(plan.goal)
        self.fields.show_plan(plan.export)
        with QSignalBlocker(self.folder):
            if self.folder.text() != plan.folder:
                self.folder.setText(plan.folder)
        for check, on in (
            (self.own, plan.keeps_own),
            (self.skip, plan.skip_larger),
            (self.dates, plan.keep_dates),
            (self.overwrite, plan.overwrite),
        ):
            with QSignalBlocker(check):
                check.setChecked(on)
        if plan.goal in MEASURES:
            _, least, greatest, _ = MEASURES[plan.goal]
            with QSignalBlocker(self.value):
                self.value.setRange(least, greatest)
                self.value.setDecimals(1 if plan.goal == "psnr" else 0)
                self.value.setSuffix("\u00a0dB" if plan.goal == "psnr" else "\u00a0KB")
                self.value.setValue(plan.value)
        self._show_rows()

    def _show_rows(self) -> None:
        plan, fields = self.plan, self.fields
        packs, own = plan.compresses, sum(each.own is not None for each in self.photographs)
        self._form.setRowVisible(self._goal_row, packs)
        self._form.setRowVisible(self.own, packs and own > 0)
        self._form.setRowVisible(fields.quality, not packs and plan.export.quality is not None)
        for row in (self._resize_row, fields.colours, fields.metadata):
            self._form.setRowVisible(row, not packs)
        self.value.setVisible(packs and plan.goal in MEASURES)
        self.own.setText(f"{counted(own)} keep{'s' if own == 1 else ''} &own settings")
        self.note.setText(
            "Files open in pcaimage, and nowhere else."
            if packs
            else "Photographs are written in this format as they are, without PCA."
        )

    def _connect(self) -> None:
        self.which.activated.connect(self._refresh)
        self.goal.activated.connect(self._take_goal)
        self.value.valueChanged.connect(lambda value: self._take(value=value))
        self.fields.changed.connect(lambda export: self._take(export=export))
        self.folder.textEdited.connect(self._take_folder)
        self.choose.clicked.connect(self._ask_folder)
        self.own.toggled.connect(lambda on: self._take(keeps_own=on))
        self.skip.toggled.connect(lambda on: self._take(skip_larger=on))
        self.dates.toggled.connect(lambda on: self._take(keep_dates=on))
        self.overwrite.toggled.connect(lambda on: self._take(overwrite=on))

    def _refresh(self) -> None:
        self._show()
        self.changed.emit()

    def _take(self, **changes: object) -> None:
        self.plan = replace(self.plan, **changes)  # type: ignore[arg-type]  # the fields' own data
        self._refresh()

    def _take_goal(self) -> None:
        goal = self.goal.currentData()
        value = MEASURES[goal][3] if goal in MEASURES and goal != self.plan.goal else self.plan.value
        self._take(goal=goal, value=value)

    def _take_folder(self, text: str) -> None:
        self._folder_is_proposed = False
        self._take(folder=text)

    def _ask_folder(self) -> None:
        start = Path(self.plan.folder)
        found = dialogs.ask_folder(self, "Folder for the files", str(start.parent))
        if found is not None:
            self._take_folder(str(found))
