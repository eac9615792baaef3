"""Decoding: a sample as the sum of its mean, its parts along the axes, and its residual."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane, words
from pcaimage.gui.lab.samples import axis_image, draw_image, sample_image
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.step_figures import PartFigures, part_figures

_MARGIN, _BAR, _WORDS, _WIDTH = 10, 14, 16, 78
MOST_BARS = 60
"""Numbers of a part that are drawn as bars; of more, only the first."""


class PartsView(Pane[PartFigures]):
    """Draws the bar of Pythagoras, and the parts as pictures or bars with signs between them."""

    name = "Parts of a sample"
    tip = "Above: ‖x‖² as the squares of the scores and of the residual. Below: parts that add up to x."

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None

    def show_state(self, state: LabState) -> None:
        """Draw the parts of the marked sample."""
        terms = max((self.width() - 2 * _MARGIN) // _WIDTH - 3, 1)
        found, self._state = part_figures(state, terms), state
        kept, left = figure(float(found.squares.sum()), 4), figure(found.left, 4)
        self._show(found, f"{figure(found.whole, 4)} = {kept} + {left}")

    def draw(self, painter: QPainter, colours: Colours, found: PartFigures) -> None:
        """Draw the bar, and below it the parts."""
        state = self._state
        if state is None:
            return
        name = state.data.sample_names[state.sample]
        kept, left = figure(float(found.squares.sum()), 4), figure(found.left, 4)
        texts = [
            (f"sample {name}: ‖x‖² = {figure(found.whole, 4)}", colours.muted),
            (f"Σ c² = {kept}", colours.accent),
            (f"residual {left}", colours.curve),
        ]
        words(painter, _MARGIN, 15, texts)
        self._draw_squares(painter, colours, found)
        top = 22 + _BAR + 4
        shown = [*zip(found.names, found.parts, strict=True), ("sample", found.original)]
        width = min(_WIDTH, (self.width() - 2 * _MARGIN) / len(shown))
        scale = max(float(np.abs(part[:MOST_BARS]).max()) for _, part in shown) or 1.0
        for place, (title, part) in enumerate(shown):
            left_edge = _MARGIN + place * width
            room = QRectF(left_edge + 8, top, width - 14, self.height() - top - _WORDS - 4)
            signed = title not in {"mean", "sample"}
            self._draw_part(painter, colours, part, room, scale, signed=signed)
            painter.setPen(QColor(colours.muted))
            below = QRectF(left_edge + 2, self.height() - _WORDS - 2, width - 2, _WORDS)
            text = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, round(width) - 2)
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, text)
            if place:
                painter.setPen(QColor(colours.text))
                sign = "=" if place == len(shown) - 1 else "+"
                painter.drawText(
                    QRectF(left_edge - 6, room.top(), 14, room.height()), Qt.AlignmentFlag.AlignCenter, sign
                )

    def _draw_squares(self, painter: QPainter, colours: Colours, found: PartFigures) -> None:
        bar = QRectF(_MARGIN, 22, self.width() - 2 * _MARGIN, _BAR)
        painter.fillRect(bar, QColor(colours.curve))
        left, unit = bar.left(), bar.width() / (found.whole or 1.0)
        kept = float(found.squares.sum()) * unit
        painter.fillRect(QRectF(left, bar.top(), kept, bar.height()), QColor(colours.accent))
        painter.setPen(QPen(QColor(colours.base), 1))
        for square in found.squares[:MOST_BARS].tolist():
            left += square * unit
            painter.drawLine(QPointF(left, bar.top()), QPointF(left, bar.bottom()))

    def _draw_part(
        self, painter: QPainter, colours: Colours, part: Floats, room: QRectF, scale: float, *, signed: bool
    ) -> None:
        data = self._state.data if self._state is not None else None
        image = None if data is None else (axis_image if signed else sample_image)(data, part)
        if image is not None:
            draw_image(painter, image, room, colours.border)
            return
        values = part[:MOST_BARS]
        middle, width = room.center().y(), room.width() / len(values)
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QPointF(room.left(), middle), QPointF(room.right(), middle))
        for place, value in enumerate(values.tolist()):
            height = value / scale * room.height() / 2
            rect = QRectF(room.left() + place * width + 0.1 * width, middle, 0.8 * width, -height)
            painter.fillRect(rect.normalized(), QColor(colours.curve if signed else colours.accent))
