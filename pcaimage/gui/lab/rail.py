"""The steps of the course, with one thing to try in each."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QWidget

from pcaimage.gui.boxes import vbox
from pcaimage.insight.lab.live import step_formula
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.steps import STEPS, check, step_named

_WIDTH = 208


class Rail(QWidget):
    """Lists the steps, marks those that are done, and says what to try."""

    stepChosen = Signal(str)  # noqa: N815

    def __init__(self) -> None:
        super().__init__()
        self.list = QListWidget()
        self.list.setAccessibleName("Steps")
        for step in STEPS:
            item = QListWidgetItem(step.title, self.list)
            item.setData(Qt.ItemDataRole.UserRole, step.key)
        self.formula, self.task, self.reached = QLabel(), QLabel(), QLabel()
        for label in (self.formula, self.task, self.reached):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        font = self.formula.font()
        font.setBold(True)
        self.formula.setFont(font)
        vbox((self.list, 1), self.formula, self.task, self.reached, of=self)
        self.setFixedWidth(_WIDTH)
        self.list.currentItemChanged.connect(self._choose)

    def show_state(self, state: LabState, ticks: frozenset[str]) -> None:
        """Show the step of a state and how far it is done, and mark those that were done at some time."""
        with QSignalBlocker(self.list):
            for number, step in enumerate(STEPS):
                mark = "✓ " if step.key in ticks else f"{number + 1}. "
                item = self.list.item(number)
                if item.text() != mark + step.title:
                    item.setText(mark + step.title)
                if step.key == state.step and self.list.currentItem() is not item:
                    self.list.setCurrentItem(item)
        step, found = step_named(state.step), check(state)
        self.formula.setText(step_formula(step.key, state.convention))
        self.task.setText(f"Try: {step.words(state.convention)}")
        self.reached.setText(("✓ " if found.done else "") + found.words)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.stepChosen.emit(item.data(Qt.ItemDataRole.UserRole))
