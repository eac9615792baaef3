"""The task of a step beside the plot: what to try, how far it is done, and the way to the next one."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QSizePolicy, QWidget

from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.theme import colours_of


class TaskBar(QWidget):
    """Says what to try; a question has a field for its answer, and hints."""

    nextRequested = Signal()  # noqa: N815
    hintRequested = Signal()  # noqa: N815
    answered = Signal(str)
    """What was typed as the answer to a question."""

    def __init__(self) -> None:
        super().__init__()
        self.task, self.reached = QLabel(), QLabel()
        for label in (self.task, self.reached):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        font = self.task.font()
        font.setBold(True)
        self.task.setFont(font)
        self.answer = QLineEdit(placeholderText="Answer", maxLength=2000)
        self.answer.setMaximumWidth(180)
        self.answer.setAccessibleName("Answer")
        self.answer.returnPressed.connect(self._answer)
        self.check, self.hint = QPushButton("Check"), QPushButton("Hint")
        self.next = QPushButton("Next Step")
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
