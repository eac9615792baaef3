"""Costs of the kept axes: numbers, bytes, and PCA's loss beside that of rounding."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QWidget

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.step_figures import CostFigures, cost_figures

_LINE, _MARGIN = 20, 10


class CostBars(Pane[CostFigures]):
    """Draws numbers and errors as bars."""

    name = "Costs"
    tip = (
        "Numbers of the axes and of the data. Bytes: rounded scores and data in as few bits as their "
        "ranges need, 4 for each number of axes, mean and σ. Only the first of two errors is PCA's."
    )
    least, usual = QSize(200, 92), QSize(460, 120)

    def show_figures(self, figures: CostFigures) -> None:
        """Draw other costs."""
        cost = figures.cost
        self._show(
            figures,
            f"{cost.numbers} of {cost.raw_numbers} numbers, {cost.n_bytes} of {cost.raw_bytes} bytes, "
            f"error {figure(cost.lost, 3)} unrounded and {figure(cost.rounded, 3)} by rounding",
        )

    def draw(self, painter: QPainter, colours: Colours, figures: CostFigures) -> None:
        """Draw a line for numbers, one for bytes, and one for each error."""
        cost, whole = figures.cost, figures.whole or 1.0
        raw, numbers = cost.raw_bytes, cost.numbers / cost.raw_numbers
        lines = [
            (f"{cost.numbers:,} of {cost.raw_numbers:,} numbers", numbers, colours.bar),
            (f"{cost.n_bytes:,} of {raw:,} bytes, scores rounded", cost.n_bytes / max(raw, 1), colours.bar),
            (f"unrounded: error {figure(cost.lost, 3)}", cost.lost / whole, colours.accent),
            (f"rounding adds {figure(cost.rounded, 3)}", cost.rounded / whole, colours.curve),
        ]
        texts = max(painter.fontMetrics().horizontalAdvance(text) for text, _, _ in lines) + 12
        width, top = self.width() - 2 * _MARGIN - texts, 6.0
        for text, share, colour in lines:
            painter.setPen(QColor(colours.text))
            painter.drawText(QRectF(_MARGIN, top, texts, _LINE), Qt.AlignmentFlag.AlignVCenter, text)
            room = QRectF(_MARGIN + texts, top + 3, width, _LINE - 6)
            painter.setOpacity(0.25)
            painter.fillRect(room, QColor(colours.grid))
            painter.setOpacity(1.0)
            room.setWidth(width * min(share, 1.0))
            painter.fillRect(room, QColor(colour))
            top += _LINE


class CostView(QWidget):
    """Costs, with the step that scores are rounded to."""

    roundingChosen = Signal(float)  # noqa: N815

    def __init__(self) -> None:
        super().__init__()
        self.bars = CostBars()
        self.step = QDoubleSpinBox(stepType=QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.step.setAccessibleName("Step of the scores")
        self.step.setToolTip("Scores are rounded to multiples of this step Δ.")
        self.step.setRange(0.0001, 1e9)
        self.step.setKeyboardTracking(False)
        label = QLabel("Scores rounded to multiples of Δ =")
        label.setBuddy(self.step)
        row = hbox(label, self.step, (FREE, 1))
        vbox((self.bars, 1), row, of=self)
        self.step.valueChanged.connect(self.roundingChosen)

    def show_state(self, state: LabState) -> None:
        """Show the costs of a state."""
        found = cost_figures(state)
        with QSignalBlocker(self.step):
            self.step.setDecimals(max(4, 1 - math.floor(math.log10(found.step))))
            self.step.setMinimum(10.0 ** -self.step.decimals())
            self.step.setValue(found.step)
        self.bars.show_figures(found)
