"""The dialog by which a teacher makes an exercise of what is shown."""

from __future__ import annotations

from PySide6 import QtWidgets

from pcaimage.errors import DataError
from pcaimage.insight.lab.answers import QUANTITIES, numbers_in
from pcaimage.insight.lab.exercise import Exercise, Question
from pcaimage.insight.lab.state import LabState

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
        self.question, self.own, self.place = (
            QtWidgets.QLineEdit(),
            QtWidgets.QLineEdit(),
            QtWidgets.QLineEdit(),
        )
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
