"""The form of what is sent: which photographs, as what, how large, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QLineEdit, QPushButton, QWidget

from pcaimage.batching.recipes import Recipe
from pcaimage.batching.sharing import Curve, survey
from pcaimage.batching.tasks import Task
from pcaimage.gui import dialogs
from pcaimage.gui.export.plan import METADATA, PCAI, format_called
from pcaimage.gui.panel.form_rows import ChoiceBox, dialog_form, row_label, side_by_side, tips_of
from pcaimage.gui.photographs.plan import EDGES, FORMATS, MEASURES, SendPlan, folder_for
from pcaimage.gui.photographs.roll import Photograph, Roll
from pcaimage.gui.photographs.words import counted, estimate_words
from pcaimage.gui.session.jobs import Failure, JobRunner
from pcaimage.gui.theme import tabular
from pcaimage.imaging.image.formats import FORMATS as WRITTEN
from pcaimage.insight.formatting import file_size

_TIPS = tips_of("send")
_LOOK = "send"  # the kind of the jobs that look at photographs
_MOST = 24
"""The largest number of photographs that are looked at before they are sent; they stand for the others."""


class SendForm(QWidget):
    """Shows a plan for photographs with an estimate, and emits when the user changes it."""

    changed = Signal()  # the plan or the photographs are others

    def __init__(self, roll: Roll, selected: Sequence[int], plan: SendPlan, jobs: JobRunner) -> None:
        super().__init__()
        self._jobs, self._known, self._failed = jobs, dict[Recipe, dict[str, Curve]](), set[Task]()
        self._roll, self._selected = roll, tuple(selected)
        self.plan = plan if plan.folder else replace(plan, folder=folder_for(roll))
        which = [(f"All {counted(len(roll))}, {file_size(roll.n_bytes)}", "all")]
        if 1 < len(selected) < len(roll):
            which += [(f"The {counted(len(selected), 'selected photograph')}", "selected")]
        known = {each.name for each in WRITTEN} | {PCAI.name}
        formats = [(format_called(name).title, name) for name in FORMATS if name in known]
        measures = [(title, name) for name, (title, *_) in MEASURES.items()]
        edges = [(f"{edge:,}\u00a0px" if edge else "Keep the size", edge) for edge in EDGES]
        choice = partial(ChoiceBox, letters=18)
        self.which = choice("Photographs", _TIPS["which"], which)
        self.format = choice("Format", _TIPS["format"], formats)
        self.measure = choice("Size", _TIPS["measure"], measures)
        self.edge = choice("Longest edge", _TIPS["edge"], edges)
        self.strip = choice("Metadata", _TIPS["strip"], METADATA)
        self._boxes = {name: getattr(self, name) for name in ("format", "measure", "edge", "strip")}
        self.value, self.folder, self.choose = QDoubleSpinBox(), QLineEdit(), QPushButton("C&hoose…")
        self.estimate = QLabel(wordWrap=True)
        self._lay_out()
        self._connect()
        self._show()

    @property
    def photographs(self) -> tuple[Photograph, ...]:
        """The photographs that are meant."""
        if self.which.currentData() == "selected":
            return tuple(self._roll.photographs[row] for row in self._selected)
        return self._roll.photographs

    def _lay_out(self) -> None:
        self.value.setAccessibleName("Value of the size")
        self.value.setToolTip(_TIPS["measure"])
        self.value.setKeyboardTracking(False)
        self.value.setGroupSeparatorShown(True)
        for widget, name in ((self.folder, "Folder"), (self.choose, "Choose the folder")):
            widget.setAccessibleName(name)
            widget.setToolTip(_TIPS["folder"])
        self.folder.setTextMargins(3, 0, 3, 0)
        self.choose.setAutoDefault(False)
        self.estimate.setFont(tabular(self.font()))
        self._form = form = dialog_form(self)
        form.setContentsMargins(16, 16, 16, 8)
        form.addRow(row_label("&Photographs", self.which), self.which)
        form.addRow(row_label("&Format", self.format), self.format)
        self._size_row = side_by_side(self.measure, self.value)
        form.addRow(row_label("&Size", self.measure), self._size_row)
        form.addRow(row_label("Longest &edge", self.edge), self.edge)
        form.addRow(row_label("&Metadata", self.strip), self.strip)
        form.addRow(row_label("F&older", self.folder), side_by_side(self.folder, self.choose, stretch=(1, 0)))
        form.addRow("", self.estimate)
        self.setMinimumWidth(460)

    def _connect(self) -> None:
        self.which.activated.connect(self._show)
        for field, box in self._boxes.items():
            box.activated.connect(partial(self._take_choice, box, field))
        self.value.valueChanged.connect(lambda value: self._take(**{self.plan.measure: value}))
        self.folder.textEdited.connect(lambda text: self._take(folder=text))
        self.choose.clicked.connect(self._ask_folder)

    def _show(self) -> None:
        """Show the plan, and look at photographs as it would make them."""
        plan = self.plan
        for field, box in self._boxes.items():
            box.choose(getattr(plan, field))
        _, least, greatest, unit = MEASURES[plan.measure]
        with QSignalBlocker(self.folder), QSignalBlocker(self.value):
            if self.folder.text() != plan.folder:
                self.folder.setText(plan.folder)
            self.value.setRange(least, greatest)
            self.value.setDecimals(1 if plan.measure == "total" else 0)
            self.value.setSuffix(unit)
            self.value.setValue(plan.value)
        for row in (self._size_row, self.edge, self.strip):
            self._form.setRowVisible(row, not plan.compresses)
        self.stop()
        self._look()
        self.changed.emit()

    @property
    def curves(self) -> Mapping[str, Curve]:
        """What is known of photographs as the plan would make them, by their paths."""
        return self._known.get(self.plan.recipe(None, None), {})

    def stop(self) -> None:
        """Look at no more photographs."""
        self._jobs.cancel(_LOOK)

    def _look(self, task: Task | None = None, found: tuple[str, Curve] | Failure | None = None) -> None:
        """Take what was found of a photograph, show the estimate, and look at another."""
        meant, recipe = [each.path for each in self.photographs], self.plan.recipe(None, None)
        if task is not None and isinstance(found, tuple):
            self._known.setdefault(task.recipe, {})[task.source] = found[1]
        elif task is not None:
            self._failed.add(task)  # the batch says why
        goal, known = self.plan.goal(len(meant)), self.curves
        if goal is None:
            own = sum(each.own is not None for each in self.photographs)
            kept = f", {counted(own)} with own settings" if own else ""
            self.estimate.setText(f"As set in the strip{kept}. Files open in pcaimage, and nowhere else.")
            return
        portions = goal.shared({path: known[path] for path in meant if path in known}, len(meant))
        self.estimate.setText(estimate_words([*portions.values()], len(meant)))
        looked = meant[:: -(-len(meant) // _MOST)]
        tasks = (Task(path, "", "", recipe) for path in looked if path not in known)
        following = next((each for each in tasks if each not in self._failed), None)
        if following is not None:
            done = partial(self._look, following)
            self._jobs.submit(_LOOK, lambda _: survey(following), on_done=done, on_failed=done)

    def _take(self, **changes: object) -> None:
        self.plan = replace(self.plan, **changes)  # type: ignore[arg-type]  # the fields' own data
        self._show()

    def _take_choice(self, box: ChoiceBox, field: str, _row: int) -> None:
        self._take(**{field: box.currentData()})

    def _ask_folder(self) -> None:
        found = dialogs.ask_folder(self, "Folder for the files", str(Path(self.plan.folder).parent))
        if found is not None:
            self._take(folder=str(found))
