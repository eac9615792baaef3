"""Encoding, the error of a sample over its code; and decoding, a sample as the sum of its parts."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane, arrow, polygon, ticks, words
from pcaimage.gui.lab.samples import axis_image, draw_image, sample_image
from pcaimage.insight.lab import figures
from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState

_LEFT, _RIGHT, _BOTTOM = 46, 14, 20


class CodeView(Pane[figures.CodeFigures]):
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
        found = figures.code_figures(state)
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
            move = step * float(found.codes[-1] - found.codes[0]) / (figures.CODES - 1)
        self.codeTried.emit(code + move, True)

    def draw(self, painter: QPainter, colours: Colours, found: figures.CodeFigures) -> None:
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


_MARGIN, _BAR, _WORDS, _WIDTH = 10, 14, 16, 78
MOST_BARS = 60  # numbers of a part that are drawn as bars; of more, only the first


class PartsView(Pane[figures.PartFigures]):
    """Draws the bar of Pythagoras, and the parts as pictures or bars with signs between them."""

    name = "Parts of a sample"
    tip = "Above: ‖x‖² as the squares of the scores and of the residual. Below: parts that add up to x."

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None

    def show_state(self, state: LabState) -> None:
        """Draw the parts of the marked sample."""
        terms = max((self.width() - 2 * _MARGIN) // _WIDTH - 3, 1)
        found, self._state = figures.part_figures(state, terms), state
        kept, left = figure(float(found.squares.sum()), 4), figure(found.left, 4)
        self._show(found, f"{figure(found.whole, 4)} = {kept} + {left}")

    def draw(self, painter: QPainter, colours: Colours, found: figures.PartFigures) -> None:
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
            draw_part(painter, colours, state.data, part, room, scale, signed=signed)
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

    def _draw_squares(self, painter: QPainter, colours: Colours, found: figures.PartFigures) -> None:
        bar = QRectF(_MARGIN, 22, self.width() - 2 * _MARGIN, _BAR)
        painter.fillRect(bar, QColor(colours.curve))
        left, unit = bar.left(), bar.width() / (found.whole or 1.0)
        kept = float(found.squares.sum()) * unit
        painter.fillRect(QRectF(left, bar.top(), kept, bar.height()), QColor(colours.accent))
        painter.setPen(QPen(QColor(colours.base), 1))
        for square in found.squares[:MOST_BARS].tolist():
            left += square * unit
            painter.drawLine(QPointF(left, bar.top()), QPointF(left, bar.bottom()))


def draw_part(
    painter: QPainter,
    colours: Colours,
    data: LabData,
    part: Floats,
    room: QRectF,
    scale: float,
    *,
    signed: bool = False,
) -> None:
    """Draw a sample, or a signed part of one, as a picture, or as bars up to a scale."""
    image = (axis_image if signed else sample_image)(data, part)
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


_TILE = 108  # pixels across of a sample from one k, at least


class KeptView(Pane[figures.KeptFigures]):
    """Draws the marked sample from several k beside each other, large, with the PSNR of all samples."""

    name = "The sample from several k"
    tip = "The marked sample from the first k axes, and the PSNR of all samples; its peak is their range."
    least, usual = QSize(220, 160), QSize(460, 420)

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None

    def show_state(self, state: LabState) -> None:
        """Draw a state."""
        across = max(self.width() // _TILE, 1)
        down = max(self.height() // (_TILE + 20), 1)
        found, self._state = figures.kept_figures(state, across * down - 1), state
        told = [_psnr(*each) for each in zip(found.ks, found.psnrs, strict=True)]
        self._show(found, "; ".join(told))

    def resizeEvent(self, _event: object) -> None:
        """Draw as many as there is room for."""
        if self._state is not None:
            self.show_state(self._state)

    def draw(self, painter: QPainter, colours: Colours, found: figures.KeptFigures) -> None:
        """Draw a tile for each k, the state's own in a frame, and the sample itself at last."""
        state = self._state
        if state is None:
            return
        original = state.data.samples[state.sample]
        titles = [_psnr(*each) for each in zip(found.ks, found.psnrs, strict=True)]
        shown = [*zip((*found.ks, -1), titles, found.decoded, strict=False)]
        shown.append((-1, f"sample {state.data.sample_names[state.sample]}", original))
        across = max(1, round((len(shown) * self.width() / max(self.height(), 1)) ** 0.5))
        down = -(-len(shown) // across)
        width, height = self.width() / across, self.height() / down
        scale = float(max(np.abs(values[:MOST_BARS]).max() for _, _, values in shown)) or 1.0
        line = painter.fontMetrics().height()
        for place, (k, title, values) in enumerate(shown):
            room = QRectF(place % across * width + 4, place // across * height + 4, width - 8, height - 8)
            draw_part(painter, colours, state.data, values, room.adjusted(4, 4, -4, -line - 2), scale)
            painter.setPen(QColor(colours.accent if k == state.k else colours.text))
            bottom = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
            painter.drawText(room, bottom, title)
            if k == state.k:
                painter.drawRect(room)


def _psnr(k: int, psnr: float) -> str:
    return f"k = {k}: {psnr:.2f} dB" if math.isfinite(psnr) else f"k = {k}: exact"
