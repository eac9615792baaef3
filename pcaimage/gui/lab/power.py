"""Power iteration and deflation: the angle to the first component, and what each direction took away."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane, dots, polygon, ticks, words
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.step_figures import PowerFigures, power_figures

_LEAST, _STEPS = 0.01, 10  # degrees at the bottom, and steps that there is always room for


class PowerView(Pane[PowerFigures]):
    """Draws angles over steps on a logarithmic scale, beside the ratio of the eigenvalues."""

    name = "Angle to the first component"
    tip = "Each multiplication by C turns the direction closer. It begins along the line."

    def show_state(self, state: LabState) -> None:
        """Draw the steps of a state."""
        found = power_figures(state)
        steps = len(found.growths)
        self._show(found, f"{figure(float(found.angles[-1]), 3)} degrees after {steps} steps")

    def draw(self, painter: QPainter, colours: Colours, found: PowerFigures) -> None:
        """Draw angles as dots on a line, the expected ones dotted, and a line at 1°."""
        area = QRectF(self.rect()).adjusted(44, 26, -12, -20)
        count = max(len(found.angles) - 1, _STEPS)

        def places(angles: np.ndarray) -> np.ndarray:
            x = area.left() + np.arange(len(angles)) / count * area.width()
            share = np.log(np.clip(angles, _LEAST, 90) / _LEAST) / np.log(90 / _LEAST)
            return np.stack([x, area.bottom() - share * area.height()], axis=1)

        ticks(painter, colours.muted, area, (0.0, count))
        for degrees in (90.0, 10.0, 1.0, 0.1):
            y = float(places(np.array([degrees]))[0, 1])
            painter.setPen(QPen(QColor(colours.accent if degrees == 1 else colours.grid), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(colours.muted))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y - 8, area.left() - 6, 16), right, f"{degrees:g}°")
        painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DotLine))
        painter.drawPolyline(polygon(places(found.expected)))
        painter.setPen(QPen(QColor(colours.curve), 2))
        painter.drawPolyline(polygon(places(found.angles)))
        dots(painter, places(found.angles), colours.curve, 6)
        texts = [
            (f"{figure(float(found.angles[-1]), 3)}° to go", colours.curve),
            (found.ratio_words, colours.muted),
        ]
        if found.growths.size:
            texts.append((f"‖C w‖ = {figure(float(found.growths[-1]), 4)}", colours.text))
        words(painter, 10, 17, texts)


_LINE, _MARGIN = 22, 10


class TakenView(Pane[LabState]):
    """Draws a bar for each direction that was taken away, beside the most that it could have taken."""

    name = "What each direction took"
    tip = "Full bars: what each direction took away. Outlines: eigenvalues, the most that it could take."

    def show_state(self, state: LabState) -> None:
        """Draw the directions of a state."""
        rounds = state.taken[1]
        left = figure(rounds[-1].left if rounds else state.prepared.trace, 4)
        self._show(state, f"{len(rounds)} directions taken away, {left} left")

    def draw(self, painter: QPainter, colours: Colours, state: LabState) -> None:
        """Draw the bars of the last rounds, and one more for what is left."""
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
