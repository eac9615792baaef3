"""The biplot: samples as points, features as arrows, and the circle of correlations."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QCheckBox, QLabel, QSlider, QWidget

from pcaimage.gui.boxes import hbox, vbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane, arrow, dots, label
from pcaimage.gui.lab.samples import draw_groups, draw_points, draw_samples, inks
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import Biplot, axis_names, biplot
from pcaimage.insight.lab.state import LabState

MOST_ARROWS = 40  # features with an arrow and a name; of more, such as pixels, the ends are drawn

_MARGIN, _NEAR = 36, 12.0


class BiplotPlot(Pane[Biplot]):
    """Draws points and arrows, each by a scale of its own, or arrows in the circle of correlations."""

    arrowChosen = Signal(int)  # noqa: N815
    """A feature, from 0."""

    name = "Biplot"
    tip = "Points: samples. Arrows: features; click two to compare their correlation with their angle."
    least, usual = QSize(220, 200), QSize(460, 420)

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None
        self._circle = False

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
