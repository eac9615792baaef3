"""A student's exercise with its questions, what is printed, saved and hidden, and how one is made."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6 import QtWidgets
from PySide6.QtCore import QBuffer, QIODevice, QObject, Signal
from PySide6.QtGui import QPageSize, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QMenu, QWidget

from pcaimage.errors import DataError, reason_of
from pcaimage.gui.dialogs import ask_write
from pcaimage.gui.lab.actions import LabActions
from pcaimage.gui.lab.rail import TaskBar
from pcaimage.imaging.disk.atomic import atomic_write_bytes
from pcaimage.insight.lab import TABLES, built_in
from pcaimage.insight.lab.by_hand import to_latex, to_markdown, worksheet
from pcaimage.insight.lab.exercise import (
    HIDDEN,
    MAX_BYTES,
    QUANTITIES,
    SUFFIX,
    Exercise,
    Question,
    Sitting,
    numbers_in,
    records_of,
    report,
)
from pcaimage.insight.lab.state import LabState
from pcaimage.machine.folders import asset

_SOLVING = ("finish", "most", "best", "order", "components")  # commands that solve tasks at once


class Desk(QObject):
    """Asks the questions of an exercise, and keeps the answers."""

    recorded = Signal(str)  # all records, as they are kept, after one has changed
    begun = Signal(object)  # the state with which an exercise begins
    stepAsked = Signal(str)  # noqa: N815
    """The step of a question, by its key."""
    changed = Signal()  # what is asked, said or hidden has changed
    attempted = Signal(object)  # something that may fail

    def __init__(self, window: QWidget, task: TaskBar, commands: LabActions, records: str) -> None:
        super().__init__(window)
        self._window, self._task, self._commands = window, task, commands.by_name
        self.records = records_of(records)
        self.sitting: Sitting | None = None
        self.hidden: frozenset[str] = frozenset()
        self._said = ""
        self._seen = LabState.of(built_in(TABLES[0])), frozenset[str]()
        task.answered.connect(self.answer)
        task.hintRequested.connect(self.hint)
        for name in HIDDEN:
            self._commands[f"hide-{name}"].toggled.connect(lambda _: self._hide())
        self._fill(commands.menus["Exercise"])

    def open_file(self, path: Path) -> None:
        """Open the file of an exercise; DataError if it is none."""
        try:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise DataError(f"{path.name} cannot be read: {reason_of(error)}.") from error
        self.open(Exercise.read(data, path.name))

    def open(self, exercise: Exercise) -> None:
        """Begin an exercise, or go on where it was left."""
        self.sitting, self._said = Sitting.begun(exercise, self.records), ""
        self.begun.emit(self.sitting.begin)
        for name in HIDDEN:
            self._commands[f"hide-{name}"].setChecked(name in exercise.hidden)
        self._ask(self.sitting.number)

    def close(self) -> None:
        """Return to the course."""
        self.sitting = None
        for name in HIDDEN:
            self._commands[f"hide-{name}"].setChecked(False)
        self.changed.emit()

    def go_on(self) -> bool:
        """Go to the next question; False if no exercise is open."""
        if self.sitting is not None:
            self._ask(self.sitting.number + 1)
        return self.sitting is not None

    def answer(self, typed: str) -> None:
        """Judge an answer that was typed."""
        if self.sitting is not None:
            sitting, verdict = self.sitting.tried(typed, self._seen[0])
            self._said = ("✓ " if verdict.right else "") + verdict.words
            self._keep(sitting)

    def hint(self) -> None:
        """Show one hint more."""
        if self.sitting is not None:
            self._keep(self.sitting.hinted())

    def show_task(self, state: LabState, ticks: frozenset[str]) -> bool:
        """Show the question at hand instead of the task of the step; False if there is none."""
        self._seen, sitting = (state, ticks), self.sitting
        if sitting is None or (question := sitting.question) is None:
            return False
        said = self._said
        if not question.is_typed:
            tried, verdict = sitting.tried("", state)
            if tried is not sitting:
                self.sitting = sitting = tried
                self._record()
            said = "✓ Done." if sitting.given[sitting.number].right else self.shown(verdict.words)
        given, count = sitting.given[sitting.number], len(sitting.exercise.questions)
        if given.right and question.is_typed:
            said = f"✓ {given.typed}"
        words = "  ".join([said or sitting.exercise.text, *sitting.hints])
        last = sitting.number == count - 1
        hints = given.hints < len(question.hints)
        title = f"{sitting.number + 1} of {count}: {question.text}"
        self._task.show_task(title, words, asks=question.is_typed, hints=hints, last=last)
        return True

    def shown(self, words: str) -> str:
        """Return what was reached, unless answers are hidden, which it would give away."""
        return "Not yet." if "answers" in self.hidden else words

    def write_sheet(self, path: Path, *, answers: bool) -> None:
        """Write a worksheet as PDF, Markdown or LaTeX, by the suffix; DataError for another one."""
        exercise = None if self.sitting is None else self.sitting.exercise
        state, _ = self._seen
        title = state.data.name if exercise is None else exercise.title
        sheet = worksheet(state, answers=answers, exercise=exercise)
        forms: dict[str, Callable[[], bytes]] = {
            ".pdf": lambda: printed(to_markdown(title, sheet)),
            ".md": lambda: to_markdown(title, sheet).encode(),
            ".tex": lambda: to_latex(title, sheet).encode(),
        }
        if path.suffix.lower() not in forms:
            raise DataError(f"Worksheets are {', '.join(forms)}, not {path.suffix or path.name}.")
        atomic_write_bytes(path, forms[path.suffix.lower()](), overwrite=True)

    def ask_sheet(self, *, answers: bool) -> None:
        """Ask where to write a worksheet."""
        forms = {"PDF": ".pdf", "Markdown": ".md", "LaTeX": ".tex"}
        name = "worksheet with answers" if answers else "worksheet"
        self.ask_path("Worksheet", name, forms, lambda path: self.write_sheet(path, answers=answers))

    def ask_report(self) -> None:
        """Ask where to write what was answered."""
        text = report(self.records, self._seen[1]).encode()
        write = partial(atomic_write_bytes, data=text, overwrite=True)
        self.ask_path("Export answers", "answers", {"Markdown": ".md"}, write)

    def ask_exercise(self) -> None:
        """Ask for a question about what is shown, and where to save the exercise."""
        before = None if self.sitting is None else self.sitting.exercise
        dialog = ExerciseDialog(self._window, self._seen[0], before, self.hidden)

        def save() -> None:
            exercise = dialog.exercise()

            def write(path: Path) -> None:
                atomic_write_bytes(path, exercise.written(), overwrite=True)
                self.open(exercise)

            self.ask_path("Save exercise", exercise.title, {"Exercise": SUFFIX}, write)

        dialog.accepted.connect(lambda: self.attempted.emit(save))
        dialog.open()

    def ask_path(self, title: str, name: str, forms: dict[str, str], write: Callable[[Path], object]) -> None:
        """Ask where to write something."""
        path = ask_write(self._window, str(Path.home()), title, name, forms)
        if path is not None:
            self.attempted.emit(lambda: write(path))

    def _ask(self, number: int) -> None:
        if self.sitting is None:
            return
        self.sitting, self._said = self.sitting.at(number), ""
        self._task.answer.clear()
        exercise = self.sitting.exercise
        steps = [each.step for each in exercise.questions[: number + 1] if each.step]
        self.stepAsked.emit(steps[-1] if steps else exercise.step)

    def _keep(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self._record()
        self.changed.emit()

    def _record(self) -> None:
        if self.sitting is not None:
            self.records = self.sitting.recorded(self.records)
            self.recorded.emit(json.dumps(self.records, ensure_ascii=False))

    def _hide(self) -> None:
        self.hidden = frozenset(name for name in HIDDEN if self._commands[f"hide-{name}"].isChecked())
        for name in _SOLVING:
            self._commands[name].setVisible("finish" not in self.hidden)
        self.changed.emit()

    def _fill(self, menu: QMenu) -> None:
        """Offer the exercises that are shipped."""
        shipped = menu.addMenu("&Exercises of Five Texts")
        for path in sorted(asset("resources", "lab", "exercises").glob(f"*{SUFFIX}")):
            action = shipped.addAction(path.stem.replace("-", " ").capitalize())
            action.triggered.connect(lambda _=False, path=path: self.open_file(path))


def printed(markdown: str) -> bytes:
    """Return a text in Markdown as a PDF of A4."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    document = QTextDocument()
    document.setMarkdown(markdown)
    document.print_(writer)
    del writer  # which writes the end of the file
    return bytes(buffer.data().data())


_TASK, _OWN = "task", "own"


class ExerciseDialog(QtWidgets.QDialog):
    """Asks for a title, a question, what answers it, and hints; what is hidden is hidden in the exercise."""

    def __init__(
        self, parent: QtWidgets.QWidget, state: LabState, before: Exercise | None, hidden: frozenset[str]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save as exercise")
        self._state, self._before, self._hidden = state, before, hidden
        self.title = QtWidgets.QLineEdit("" if before is None else before.title)
        self.question, self.own, self.place = (QtWidgets.QLineEdit() for _ in range(3))
        self.place.setPlaceholderText("all; or a row and an entry, such as 1 2")
        self.answer = QtWidgets.QComboBox()
        self.answer.addItem("The task of the step is done", _TASK)
        for name, quantity in QUANTITIES.items():
            self.answer.addItem(quantity.title, name)
        self.answer.addItem("Numbers or a word of my own", _OWN)
        self.tolerance = QtWidgets.QDoubleSpinBox(decimals=6, value=0.01, maximum=1e9)
        self.hints = QtWidgets.QPlainTextEdit(placeholderText="One hint a line")
        self.hints.setTabChangesFocus(True)
        self.hints.setMaximumHeight(80)
        buttons = QtWidgets.QDialogButtonBox.StandardButton
        box = QtWidgets.QDialogButtonBox(buttons.Save | buttons.Cancel)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        form = QtWidgets.QFormLayout(self)
        fields: dict[str, QtWidgets.QWidget] = {
            "&Title": self.title,
            "&Question": self.question,
            "&Answer": self.answer,
            "&Which of them": self.place,
            "&My own": self.own,
            "T&olerance": self.tolerance,
            "&Hints": self.hints,
        }
        for label, field in fields.items():
            form.addRow(label, field)
        form.addRow(box)
        self.answer.currentIndexChanged.connect(lambda _: self._enable())
        self._enable()

    def exercise(self) -> Exercise:
        """Return the exercise: that of before with one question more; DataError if something is missing."""
        kind, own = self.answer.currentData(), self.own.text().strip()
        count = next((n for n in range(1, 50) if numbers_in(own, n)), 0)
        places = numbers_in(self.place.text(), len(self.place.text().split())) or []
        if not self.question.text().strip() or (kind == _OWN and not own):
            raise DataError("An exercise needs a question, and an answer to it.")
        question = Question(
            self.question.text().strip(),
            "" if kind in {_TASK, _OWN} else kind,
            tuple(int(place) for place in places) if self.place.isEnabled() else (),
            (tuple(numbers_in(own, count) or ()) or own) if kind == _OWN else (),
            self.tolerance.value(),
            step=self._state.step,
            hints=tuple(line for line in self.hints.toPlainText().splitlines() if line.strip()),
        )
        earlier = () if self._before is None else self._before.questions
        return Exercise.of(self._state, self.title.text() or "Exercise", (*earlier, question), self._hidden)

    def _enable(self) -> None:
        kind = self.answer.currentData()
        self.own.setEnabled(kind == _OWN)
        self.place.setEnabled(kind not in {_TASK, _OWN})
        self.tolerance.setEnabled(kind != _TASK)
