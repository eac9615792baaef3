"""The steps of the course, below them what the present one is about, and its task: what to try."""

from __future__ import annotations

import re
from html import escape

from PySide6 import QtWidgets
from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent

from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.theme import Coloured, colours_of
from pcaimage.insight.lab.live import step_formula
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.steps import STEPS, legend, lesson
from pcaimage.insight.numeric import Convention
from pcaimage.language import tr

_WIDTH = 232


class Rail(Coloured):
    """Lists the steps, marks those that are done, and explains one of them."""

    stepChosen = Signal(str)  # noqa: N815

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[str, Convention] | None = None
        self.list = QtWidgets.QListWidget()
        self.list.setAccessibleName("Steps")
        for step in STEPS:
            item = QtWidgets.QListWidgetItem(step.title, self.list)
            item.setData(Qt.ItemDataRole.UserRole, step.key)
        rows = self.list.sizeHintForRow(0) * len(STEPS) + 2 * self.list.frameWidth() + 2
        self.list.setMaximumHeight(rows)
        self.list.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.lesson = QtWidgets.QTextBrowser(openExternalLinks=True)
        self.lesson.setAccessibleName("What this step is about")
        vbox((self.list, 2), (self.lesson, 3), of=self)
        self.setFixedWidth(_WIDTH)
        self.list.currentItemChanged.connect(self._choose)

    def show_state(self, state: LabState, ticks: frozenset[str]) -> None:
        """Show the step of a state, and mark those that were done at some time."""
        with QSignalBlocker(self.list):
            for number, step in enumerate(STEPS):
                mark = "✓ " if step.key in ticks else f"{number + 1}. "
                item = self.list.item(number)
                if item.text() != mark + step.title:
                    item.setText(mark + step.title)
                if step.key == state.step and self.list.currentItem() is not item:
                    self.list.setCurrentItem(item)
        if self._shown != (state.step, state.convention):
            self._shown = state.step, state.convention
            self._recolour()

    def go_on(self) -> None:
        """Choose the next step; after the last one stay."""
        self.list.setCurrentRow(min(self.list.currentRow() + 1, len(STEPS) - 1))

    def _recolour(self) -> None:
        """Write the lesson, with the legend in the colours of the plots."""
        if self._shown is None:
            return
        (step, by), colours = self._shown, colours_of(self.palette())
        said, sources = lesson(step, by)
        signs = "<br>".join(
            f'<span style="color:{getattr(colours, colour)}">{sign}</span> {escape(tr(words))}'
            for colour, sign, words in legend(step, by)
        )
        read_on = "<br>".join(f'<a href="{url}">{escape(title)}</a>' for title, url in sources)
        words = re.sub(r"\*(.+?)\*", r"<i>\1</i>", escape(tr(said)))
        formula = f"<b>{escape(tr(step_formula(step, by)))}</b>"
        parts = (formula, words, signs, read_on and f"{tr('Read on:')}<br>{read_on}")
        self.lesson.setHtml("".join(f'<p style="margin:0 0 8px 0">{part}</p>' for part in parts if part))

    def _choose(self, item: QtWidgets.QListWidgetItem | None) -> None:
        if item is not None:
            self.stepChosen.emit(item.data(Qt.ItemDataRole.UserRole))


class TaskBar(QtWidgets.QWidget):
    """Says what to try; a question has a field for its answer, and hints."""

    nextRequested = Signal()  # noqa: N815
    hintRequested = Signal()  # noqa: N815
    answered = Signal(str)  # what was typed as the answer to a question

    def __init__(self) -> None:
        super().__init__()
        self.task, self.reached = QtWidgets.QLabel(), QtWidgets.QLabel()
        for label in (self.task, self.reached):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setSizePolicy(QtWidgets.QSizePolicy.Policy.Ignored, QtWidgets.QSizePolicy.Policy.Minimum)
        font = self.task.font()
        font.setBold(True)
        self.task.setFont(font)
        self.answer = QtWidgets.QLineEdit(placeholderText="Answer", maxLength=2000)
        self.answer.setMaximumWidth(180)
        self.answer.setAccessibleName("Answer")
        self.answer.returnPressed.connect(self._answer)
        self.check, self.hint = QtWidgets.QPushButton("Check"), QtWidgets.QPushButton("Hint")
        self.next = QtWidgets.QPushButton("Next Step")
        self.check.clicked.connect(self._answer)
        self.hint.clicked.connect(self.hintRequested)
        self.next.clicked.connect(self.nextRequested)
        words = vbox(self.task, self.reached, spacing=1)
        hbox((words, 1), self.answer, self.check, self.hint, self.next, of=self, margins=(12, 5, 8, 5))
        self.show_task("", "", asks=False)

    def show_task(
        self, task: str, reached: str, *, asks: bool, hints: bool = False, last: bool = False
    ) -> None:
        """Show a task; it may ask for a typed answer, have hints left, and be the last one."""
        self.task.setText(task)
        self.reached.setText(reached)
        self.answer.setVisible(asks)
        self.check.setVisible(asks)
        self.hint.setVisible(hints)
        self.next.setEnabled(not last)
        self.next.setText("Next Question" if task[:1].isdigit() else "Next Step")

    def _answer(self) -> None:
        if self.answer.text().strip():
            self.answered.emit(self.answer.text())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw a tinted surface, by which the eye finds the task."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours_of(self.palette()).accent_soft))
        painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
