"""Samples and features in other pictures than the plane: the biplot with its circle, and three axes."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QCheckBox, QLabel, QSlider, QWidget

from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.compare.gestures import ARROWS
from pcaimage.gui.lab.pane import Pane, arrow, dots, label, lines
from pcaimage.gui.lab.plane import MOST_NAMES, MOST_THREADS
from pcaimage.gui.lab.samples import draw_groups, draw_points, draw_samples, inks
from pcaimage.gui.theme import faint
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import Biplot, SpaceFigures, axis_names, biplot, seen_from, space
from pcaimage.insight.lab.state import LabState

MOST_ARROWS = 40  # features with an arrow and a name; of more, such as pixels, the ends are drawn

_MARGIN, _NEAR = 36, 12.0


class BiplotPlot(Pane[Biplot]):
    """Draws points and arrows, each by a scale of its own, or arrows in the circle of correlations."""

    arrowChosen = Signal(int)  # noqa: N815
    """A feature, from 0."""

    name = "Biplot"
    tip = (
        "Points: samples. Arrows: features; click two to compare their correlation with their angle, "
        "or go to them by ← and →, and choose them by the space bar."
    )
    takes_keys = True
    least, usual = QSize(220, 160), QSize(460, 420)

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None
        self._circle = False
        self._ringed = 0  # the feature that keys are about

    def show_state(self, state: LabState, alpha: float, *, circle: bool) -> None:
        """Draw a state, with an exponent from 0 to 1, or the circle."""
        self._state, self._circle = state, circle
        chosen = " and ".join(state.data.features[each] for each in state.arrows)
        self._show(biplot(state, alpha), f"{len(state.basis)} arrows, chosen: {chosen or 'none'}")

    def ends(self) -> Floats:
        """Return where the arrows end on the widget, in pixels: (n_features, 2)."""
        if self._figures is None:
            return np.zeros((0, 2))
        arrows = self._figures.correlations if self._circle else self._figures.arrows
        reach = 1.0 if self._circle else float(np.abs(arrows).max(initial=0.0)) or 1.0
        found: Floats = self._middle() + arrows * [1, -1] * (self._room() / reach)
        return found

    def dragged(self, position: QPointF, *, final: bool) -> None:
        """Choose the arrow that ends under the mouse, or comes near it."""
        ends = self.ends()
        if final and len(ends):
            point = np.array([position.x(), position.y()])
            to_ends = np.linalg.norm(ends - point, axis=1)
            near = to_ends if to_ends.min() <= _NEAR else _distances(point, self._middle(), ends)
            if near.min() <= _NEAR:
                self.arrowChosen.emit(int(near.argmin()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to another arrow, or choose the one that is ringed."""
        key, count = Qt.Key(event.key()), len(self.ends())
        if count and key == Qt.Key.Key_Space:
            self.arrowChosen.emit(self._ringed % count)
        elif count and ARROWS.get(key, (0, 0))[0]:
            self._ringed = (self._ringed + ARROWS[key][0]) % count
            self.update()
        else:
            super().keyPressEvent(event)

    def draw(self, painter: QPainter, colours: Colours, figures: Biplot) -> None:
        """Draw axes, points or circle, and arrows with names."""
        state = self._state
        if state is None:
            return
        middle = QPointF(*self._middle().tolist())
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QPointF(0, middle.y()), QPointF(self.width(), middle.y()))
        painter.drawLine(QPointF(middle.x(), 0), QPointF(middle.x(), self.height()))
        if self._circle:
            painter.setPen(QPen(QColor(colours.muted), 1))
            painter.drawEllipse(middle, self._room(), self._room())
        else:
            self._draw_samples(painter, colours, figures.points, state)
            draw_groups(painter, colours, state.data, self)
        self._draw_arrows(painter, colours, state, middle)
        names = axis_names(state)
        across, up = (names[axis] for axis in state.plane)
        painter.setPen(QColor(colours.muted))
        metrics = painter.fontMetrics()
        below = middle.y() + metrics.height()
        painter.drawText(QPointF(self.width() - metrics.horizontalAdvance(across) - 8, below), across)
        painter.drawText(QPointF(middle.x() + 6, metrics.height()), up)

    def _draw_samples(self, painter: QPainter, colours: Colours, points: Floats, state: LabState) -> None:
        reach = float(np.abs(points).max(initial=0.0)) or 1.0
        places = self._middle() + points * [1, -1] * (self._room() / reach)
        painter.setOpacity(0.55)
        palette = inks(colours) if state.data.groups else (QColor(colours.edge),)
        draw_points(painter, places, state.data.group_numbers, palette, self)
        painter.setOpacity(1.0)
        draw_samples(painter, colours, state.data, state.data.samples, places)

    def _draw_arrows(self, painter: QPainter, colours: Colours, state: LabState, middle: QPointF) -> None:
        ends, features = self.ends(), state.data.features
        if len(ends) > MOST_ARROWS:
            dots(painter, ends, colours.curve, 3)
        chosen = range(len(ends)) if len(ends) <= MOST_ARROWS else state.arrows
        taken, room = list[QRectF](), QRectF(self.rect())
        for feature in chosen:
            end, strong = QPointF(*ends[feature].tolist()), feature in state.arrows
            painter.setPen(QPen(QColor(colours.accent if strong else colours.curve), 3 if strong else 2))
            arrow(painter, middle, end)
            painter.setPen(QColor(colours.text))
            label(painter, end, features[feature], taken, room)
        if self.hasFocus() and len(ends):
            painter.setPen(QPen(QColor(colours.text), 1, Qt.PenStyle.DotLine))
            painter.drawEllipse(QPointF(*ends[self._ringed % len(ends)].tolist()), _NEAR, _NEAR)

    def _middle(self) -> Floats:
        return np.array([self.width() / 2, self.height() / 2])

    def _room(self) -> float:
        return max(min(self.width(), self.height()) / 2 - _MARGIN, 10.0)


def _distances(point: Floats, start: Floats, ends: Floats) -> Floats:
    """Return the distances of a point from lines from one start to many ends."""
    along = ends - start
    lengths = np.maximum(np.square(along).sum(axis=1), 1e-12)
    share = np.clip(along @ (point - start) / lengths, 0.0, 1.0)
    found: Floats = np.linalg.norm(start + share[:, None] * along - point, axis=1)
    return found


class BiplotView(QWidget):
    """The biplot with the slider of its exponent, and the choice of the circle."""

    def __init__(self) -> None:
        super().__init__()
        self.plot = BiplotPlot()
        self.alpha = QSlider(Qt.Orientation.Horizontal)
        self.alpha.setRange(0, 100)
        self.alpha.setValue(100)
        self.alpha.setAccessibleName("Exponent of the biplot")
        self.alpha.setToolTip(
            "Left: distances of points are those of samples. Right: arrows are as long as deviations, and "
            "their angles tell correlations."
        )
        self.circle = QCheckBox("Circle of correlations")
        self._state: LabState | None = None
        label = QLabel("α")
        label.setBuddy(self.alpha)
        row = hbox(label, (self.alpha, 1), self.circle, margins=(6, 0, 6, 4))
        vbox((self.plot, 1), row, of=self)
        self.alpha.valueChanged.connect(lambda _: self._refresh())
        self.circle.toggled.connect(lambda _: self._refresh())

    def show_state(self, state: LabState) -> None:
        """Show the biplot of a state."""
        self._state = state
        self._refresh()

    def _refresh(self) -> None:
        self.alpha.setEnabled(not self.circle.isChecked())
        if self._state is not None and len(self._state.basis) > 1:
            self.plot.show_state(self._state, self.alpha.value() / 100, circle=self.circle.isChecked())


_STEP = math.radians(5.0)
_SHEET = np.linspace(-1.0, 1.0, 9)


class SpaceView(Pane[SpaceFigures]):
    """Draws points, the sheet of the first two axes with the line, and threads to the sheet."""

    name = "Scatter plot of three axes"
    tip = "Drag, or use the arrow keys, to look from elsewhere. Threads: what the plane of two axes leaves."
    least, usual = QSize(220, 160), QSize(460, 420)
    takes_keys = True

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None
        self._last: QPointF | None = None
        self.turn, self.height_angle = math.radians(30.0), math.radians(25.0)

    def show_state(self, state: LabState) -> None:
        """Draw a state of three features at least."""
        self._state = state
        self._show(found := space(state), ", ".join(found.axes))

    def look(self, right: float, up: float) -> None:
        """Go round the points, and higher or lower, by angles in radians."""
        self.turn = (self.turn + right) % (2 * math.pi)
        self.height_angle = min(max(self.height_angle + up, -math.pi / 2), math.pi / 2)
        self.update()

    def dragged(self, position: QPointF, *, final: bool) -> None:
        """Turn what is seen with the mouse."""
        if self._last is not None:
            moved = (position - self._last) * (math.pi / max(self.width(), self.height(), 1))
            self.look(moved.x(), moved.y())
        self._last = None if final else position

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Turn what is seen by 5°."""
        if (key := Qt.Key(event.key())) in ARROWS:
            right, down = ARROWS[key]
            self.look(right * _STEP, -down * _STEP)
        else:
            super().keyPressEvent(event)

    def places(self, points: Floats) -> Floats:
        """Return where points of the three axes, (n, 3), are on the widget: (n, 2)."""
        reach = 1.0 if self._figures is None else self._figures.reach
        scale = 0.44 * min(self.width(), self.height()) / reach
        seen = points @ seen_from(self.turn, self.height_angle)
        found: Floats = seen * [scale, -scale] + [self.width() / 2, self.height() / 2]
        return found

    def draw(self, painter: QPainter, colours: Colours, figures: SpaceFigures) -> None:
        """Draw what is far first."""
        state, points = self._state, figures.points
        if state is None:
            return
        self._draw_sheet(painter, colours, figures, state)
        if len(points) <= MOST_THREADS:
            feet = self.places(points * [1, 1, 0])
            painter.setPen(QPen(faint(colours.curve, 130), 1))
            lines(painter, self.places(points), feet)
            dots(painter, feet, colours.curve, 4)
        draw_points(painter, self.places(points), state.data.group_numbers, inks(colours), self)
        painter.setPen(QPen(QColor(colours.text), 2))
        for x, y in self.places(points[list(state.marked)]).tolist():
            painter.drawEllipse(QPointF(x, y), 7, 7)
        self._draw_axes(painter, colours, figures)
        draw_groups(painter, colours, state.data, self)

    def _draw_sheet(
        self, painter: QPainter, colours: Colours, figures: SpaceFigures, state: LabState
    ) -> None:
        one, end, flat = _SHEET * figures.reach, np.full(9, figures.reach), np.zeros(9)
        painter.setPen(QPen(QColor(colours.grid), 1))
        for starts, ends in (((one, -end, flat), (one, end, flat)), ((-end, one, flat), (end, one, flat))):
            lines(painter, *(self.places(np.stack(each, axis=1)) for each in (starts, ends)))
        along = np.array([[math.cos(state.angle), math.sin(state.angle), 0.0]]) * figures.reach
        painter.setPen(QPen(QColor(colours.accent), 2))
        lines(painter, self.places(-along), self.places(along))

    def _draw_axes(self, painter: QPainter, colours: Colours, figures: SpaceFigures) -> None:
        taken, room, middle = list[QRectF](), QRectF(self.rect()), QPointF(*self.places(np.zeros((1, 3)))[0])
        ends = self.places(np.eye(3) * figures.reach).tolist()
        names = [] if self._state is None else [*self._state.data.features]
        arrows = self.places(figures.arrows * 0.7 * figures.reach).tolist()
        shown = [*zip(figures.axes, ends, [colours.text] * 3, strict=True)]
        if len(names) <= MOST_NAMES:
            others = zip(names, arrows, [colours.muted] * len(names), strict=True)
            shown += [each for each in others if each[0] not in figures.axes]
        for name, (x, y), colour in shown:
            painter.setPen(QPen(QColor(colour), 1))
            arrow(painter, middle, QPointF(x, y))
            label(painter, QPointF(x, y), name, taken, room)
