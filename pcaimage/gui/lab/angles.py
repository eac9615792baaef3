"""Plots of the search for a direction: variance and error over its angle, power iteration, and deflation."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane, dots, polygon, ticks, words
from pcaimage.gui.theme import faint
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import PowerFigures, ScatterFigures, power_figures
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState

MOST_DOTS = 1000  # scores that are drawn as dots

_STRIP, _WORDS, _LEFT, _RIGHT, _TOP, _BOTTOM = 26, 18, 46, 14, 8, 20


class AngleView(Pane[ScatterFigures]):
    """Draws the strip of scores above both curves; a click lays the line at an angle."""

    lineMoved = Signal(float, bool)  # noqa: N815
    """An angle in radians, and whether it is final."""

    name = "Squares and errors over the angle"
    tip = "Above: the scores along the line. Below: their squares, and the error about it."

    def __init__(self) -> None:
        super().__init__()
        self._best: float | None = None
        self.squares = "variance"  # or what squares of scores are by another convention

    def show_figures(self, figures: ScatterFigures | None, best_error: float | None) -> None:
        """Draw the curves of a plane, and the least error that was found so far."""
        self._best, described = best_error, ""
        if figures is not None:
            spread = figures.line.spread
            described = f"{self.squares} {figure(spread.variance, 4)}, error {figure(spread.error, 4)}"
        self._show(figures, described)

    def dragged(self, position: QPointF, *, final: bool) -> None:
        """Lay the line at the angle under the mouse."""
        self.lineMoved.emit(self._angle_at(position.x()), final)

    def draw(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        """Draw strip and curves."""
        self._draw_strip(painter, colours, figures)
        self._draw_curves(painter, colours, figures)

    def _angle_at(self, x: float) -> float:
        share = (x - _LEFT) / max(self.width() - _LEFT - _RIGHT, 1)
        return (min(max(share, 0.0), 1.0) - 0.5) * math.pi

    def _draw_strip(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        scores, middle = figures.line.scores, _TOP + _STRIP / 2
        largest = float(np.sqrt(np.square(figures.points).sum(axis=1).max(initial=0.0))) or 1.0
        x = self.width() / 2 + scores / largest * (self.width() / 2 - _RIGHT)
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QPointF(_RIGHT, middle), QPointF(self.width() - _RIGHT, middle))
        colour = faint(colours.accent, 150)
        if len(x) <= MOST_DOTS:
            dots(painter, np.stack([x, np.full_like(x, middle)], axis=1), colour, 5)
            return
        # Of many scores the strip shows how many there are at each place.
        counts = np.bincount(np.clip(x, 0, self.width() - 1).astype(int), minlength=self.width())
        heights = counts / counts.max() * _STRIP / 2
        places = np.arange(len(counts), dtype=np.float64)
        outline = np.concatenate([np.stack([places, middle - heights], axis=1), [[places[-1], middle]]])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        mirrored = outline[::-1] * [1, -1] + [0, 2 * middle]
        painter.drawPolygon(polygon(np.concatenate([outline, mirrored])))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_curves(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        area = QRectF(self.rect()).adjusted(_LEFT, _TOP + _STRIP + _WORDS, -_RIGHT, -_BOTTOM)
        total = float(figures.variances[0] + figures.errors[0]) or 1.0
        # The curves repeat after 180°; the angle 0 is in the middle.
        half = len(figures.angles) // 2
        place = np.linspace(area.left(), area.right(), len(figures.angles))

        def drawn(values: Floats) -> QPolygonF:
            turned = np.concatenate([values[half:-1], values[: half + 1]])
            return polygon(np.stack([place, area.bottom() - turned / total * area.height()], axis=1))

        ticks(painter, colours.muted, area, (-90.0, 90.0), (0.0, total), degrees=True)
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(area.topLeft(), area.topRight())
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if self._best is not None:
            height = area.bottom() - self._best / total * area.height()
            painter.setPen(QPen(QColor(colours.curve), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(area.left(), height), QPointF(area.right(), height))
        for values, colour in ((figures.variances, colours.accent), (figures.errors, colours.curve)):
            painter.setPen(QPen(QColor(colour), 2))
            painter.drawPolyline(drawn(values))
        angle = (figures.line.angle + math.pi / 2) % math.pi
        x = area.left() + angle / math.pi * area.width()
        painter.setPen(QPen(QColor(colours.text), 1))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        spread = figures.line.spread
        texts = [
            (f"{self.squares} {figure(spread.variance, 4)}", colours.accent),
            (f"error {figure(spread.error, 4)}", colours.curve),
            (f"together {figure(total, 4)}", colours.muted),
        ]
        words(painter, area.left(), area.top() - 5, texts)


_LEAST, _STEPS = 0.01, 10  # degrees at the bottom, and steps that there is always room for
_LINE, _MARGIN = 22, 10  # of the bars of deflation


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


class TakenView(Pane[LabState]):
    """Draws a bar for each direction that was taken away, beside the most that it could have taken."""

    name = "What each direction took"
    tip = "Full bars: what each direction took away. Outlines: eigenvalues, the most that it could take."

    def show_state(self, state: LabState) -> None:
        """Draw the directions of a state."""
        rounds = state.taken[1]
        left = figure(rounds[-1].left if rounds else state.prepared.trace, 4)
        self._show(state, f"{len(rounds)} direction{'s' * (len(rounds) != 1)} taken away, {left} left")

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
