"""Encoding: the error of a sample over its code, a parabola with its minimum at dᵀx."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane, arrow, polygon, ticks, words
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.step_figures import CODES, CodeFigures, code_figures

_LEFT, _RIGHT, _BOTTOM = 46, 14, 20


class CodeView(Pane[CodeFigures]):
    """Draws the parabola; the code is dragged along it, or moved by keys."""

    codeTried = Signal(float, bool)  # noqa: N815
    """A code, and whether it is final."""

    name = "Error over the code"
    tip = "Drag, or use ← and →, to try a code c of the marked sample. The arrow goes down the gradient."
    takes_keys = True

    def __init__(self) -> None:
        super().__init__()
        self._sample = ""

    def show_state(self, state: LabState) -> None:
        """Draw the parabola of the marked sample."""
        found = code_figures(state)
        self._sample = state.data.sample_names[state.sample]
        tried = "none" if found.yours is None else figure(found.yours, 4)
        self._show(found, f"code {tried}, error {figure(found.error or 0.0, 4)}")

    def code_at(self, x: float) -> float:
        """Return the code at a place on the widget."""
        if self._figures is None:
            return 0.0
        codes = self._figures.codes
        share = min(max((x - _LEFT) / max(self.width() - _LEFT - _RIGHT, 1), 0.0), 1.0)
        return float(codes[0] + share * (codes[-1] - codes[0]))

    def dragged(self, position: QPointF, *, final: bool) -> None:
        """Try the code under the mouse."""
        self.codeTried.emit(self.code_at(position.x()), final)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Try the next code to the left or right; Return follows the gradient half way down."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        found = self._figures
        if found is None or not (step or event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
            super().keyPressEvent(event)
            return
        code = 0.0 if found.yours is None else found.yours
        move = (found.best - code) / 2
        if step:
            move = step * float(found.codes[-1] - found.codes[0]) / (CODES - 1)
        self.codeTried.emit(code + move, True)

    def draw(self, painter: QPainter, colours: Colours, found: CodeFigures) -> None:
        """Draw the parabola, its least, and the code that was tried with its gradient."""
        area = QRectF(self.rect()).adjusted(_LEFT, 26, -_RIGHT, -_BOTTOM)
        low, high = float(found.codes[0]), float(found.codes[-1])
        top = float(found.errors.max()) or 1.0

        def place(code: float, error: float) -> QPointF:
            x = area.left() + (code - low) / (high - low) * area.width()
            return QPointF(x, area.bottom() - error / top * area.height())

        ticks(painter, colours.muted, area, (low, high), (0.0, top))
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(place(0, 0), place(0, top))
        least = place(found.best, found.least)
        painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DashLine))
        painter.drawLine(place(found.best, 0), least)
        x = area.left() + (found.codes - low) / (high - low) * area.width()
        y = area.bottom() - found.errors / top * area.height()
        painter.setPen(QPen(QColor(colours.curve), 2))
        painter.drawPolyline(polygon(np.stack([x, y], axis=1)))
        texts = [(f"sample {self._sample}, axis {found.axis + 1}", colours.muted)]
        if found.yours is None:  # a handle that says where to begin
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.setBrush(QColor(colours.base))
            painter.drawEllipse(place(0.0, found.square), 5, 5)
        if found.yours is not None and found.error is not None and found.slope is not None:
            yours = place(found.yours, found.error)
            # Newton's step would be the whole way; gradient descent goes a part of it.
            ahead = found.yours - found.slope / 4
            painter.setPen(QPen(QColor(colours.accent), 2))
            arrow(painter, yours, place(ahead, found.error), 7)
            painter.setBrush(QColor(colours.accent))
            painter.drawEllipse(yours, 5, 5)
            texts += [
                (f"c = {figure(found.yours, 4)}", colours.accent),
                (f"‖x − c d‖² = {figure(found.error, 4)}", colours.curve),
            ]
        words(painter, 10, 17, texts)
