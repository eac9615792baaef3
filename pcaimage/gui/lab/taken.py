"""Deflation: what each direction took of the variance, and what it left."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState

_LINE, _MARGIN = 22, 10


class TakenView(Pane):
    """Draws a bar for each direction that was taken away, beside the most that it could have taken."""

    def __init__(self) -> None:
        super().__init__(
            "What each direction took",
            "Full bars: what each direction took away. Outlines: eigenvalues, the most that it could take.",
            QSize(200, 124),
            QSize(460, 160),
            focus=False,
        )
        self._state: LabState | None = None

    def show_state(self, state: LabState) -> None:
        """Draw the directions of a state."""
        self._state = state
        rounds = state.taken[1]
        left = figure(rounds[-1].left if rounds else state.prepared.trace, 4)
        self.setAccessibleDescription(f"{len(rounds)} directions taken away, {left} left")
        self.update()

    def draw(self, painter: QPainter, colours: Colours) -> None:
        """Draw the bars of the last rounds, and one more for what is left."""
        state = self._state
        if state is None:
            return
        trace, ghosts = state.prepared.trace or 1.0, state.prepared.pca.variances
        rounds = list(enumerate(state.taken[1]))
        room = max((self.height() - _MARGIN) // _LINE - 1, 1)
        left = rounds[-1][1].left if rounds else state.prepared.trace
        width, top = self.width() - 2 * _MARGIN - 190, float(_MARGIN)
        vertical = Qt.AlignmentFlag.AlignVCenter
        for number, taken in rounds[-room:]:
            painter.setPen(QColor(colours.text))
            text = f"{figure(taken.before, 4)} = {figure(taken.along, 4)} + {figure(taken.left, 4)}"
            painter.drawText(QRectF(_MARGIN, top, 180, _LINE - 4), vertical, text)
            bar = QRectF(_MARGIN + 190, top, width * taken.along / trace, _LINE - 6)
            painter.fillRect(bar, QColor(colours.accent))
            bar.setWidth(width * float(ghosts[number]) / trace if number < len(ghosts) else 0.0)
            painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DotLine))
            painter.drawRect(bar)
            top += _LINE
        painter.setPen(QColor(colours.curve))
        painter.drawText(QRectF(_MARGIN, top, 180, _LINE - 4), vertical, f"left: {figure(left, 4)}")
        painter.fillRect(QRectF(_MARGIN + 190, top, width * left / trace, _LINE - 6), QColor(colours.curve))
