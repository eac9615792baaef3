"""The scatter plot of two axes, with a line that is turned, and points that are drawn, by mouse and keys."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane, arrow, dots, label, lines, polygon, ticks
from pcaimage.gui.lab.samples import draw_groups, draw_points, draw_samples, inks
from pcaimage.gui.theme import faint
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import ScatterFigures
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState

MILLISECONDS = 360  # duration of a turn
MOST_THREADS = 400  # points whose threads and feet are drawn; more would hide each other

MOST_NAMES = 12
_MARGIN, _SIDE, _BELOW, _HANDLE, _NEAR = 26, 44, 20, 7.0, 9.0


@dataclass(frozen=True, eq=False)
class Held:
    """The view, which stays where it is while a point is dragged."""

    shown: Floats  # the place in the middle of the widget, before centring
    scale: float  # pixels per unit
    point: int  # the sample, from 0


_GRID = np.arange(-4, 5) / 2
_CIRCLE = np.stack([np.cos(turn := np.linspace(0, 2 * np.pi, 73)), np.sin(turn)], axis=1)


class MovedPlane(QObject):
    """A grid and a circle over the scatter plot, which the matrix of the plane moves.

    The matrix is divided by its largest eigenvalue: the circle becomes an ellipse of half-axes 1 and λ₂ / λ₁.
    """

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self.share: float | None = None
        """How far the plane is moved, from 0 to 1; None while this is not shown."""
        self._animation = QVariantAnimation(self, startValue=0.0, endValue=1.0, duration=MILLISECONDS)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutSine)
        self._animation.valueChanged.connect(self._move)

    def set_shown(self, *, shown: bool) -> None:
        """Show the movement from the beginning, or nothing."""
        self._animation.stop()
        self._move(0.0 if shown else None)
        if shown:
            self._animation.start()

    def _move(self, share: float | None) -> None:
        self.share = share
        self._view.update()

    def draw(self, painter: QPainter, colours: Colours, origin: QPointF, unit: float, matrix: Floats) -> None:
        """Draw the plane as a (2, 2) matrix moves it, with so many pixels to a unit."""
        if self.share is None:
            return
        largest = float(np.abs(np.linalg.eigvalsh(matrix)).max()) or 1.0
        moved = (1 - self.share) * np.eye(2) + self.share * matrix / largest

        def places(points: Floats) -> Floats:
            found: Floats = points @ moved * [unit, -unit] + [origin.x(), origin.y()]
            return found

        ends = np.full(len(_GRID), _GRID[-1])
        painter.setPen(QPen(faint(colours.muted, 110), 1))
        for one, other in ((_GRID, ends), (ends, _GRID)):
            start, end = (np.stack(pair, axis=1) for pair in ((one, other), (one, -other)))
            lines(painter, places(start), places(end if one is _GRID else end * [-1, -1]))
        painter.setPen(QPen(QColor(colours.curve), 2))
        painter.drawPolygon(polygon(places(_CIRCLE)))
        for x, y in places(np.eye(2)).tolist():
            arrow(painter, origin, QPointF(x, y))


class PlaneView(Pane[ScatterFigures]):
    """Draws points, their ellipse, the features' axes, and a line with threads to it."""

    lineMoved = Signal(float, bool)  # noqa: N815
    """An angle in radians, and whether it is final."""
    bestRequested = Signal()  # noqa: N815
    sampleToggled = Signal(int)  # noqa: N815
    """A sample, from 0, that was clicked with Ctrl."""
    pointAdded = Signal(float, float)  # noqa: N815
    """The place in the plane where a point was drawn."""
    pointMoved = Signal(int, float, float, bool)  # noqa: N815
    """A sample, its place in the plane, and whether it is final."""
    pointRemoved = Signal(int)  # noqa: N815

    name = "Scatter plot with a line to turn"
    tip = (
        "Drag the line, or turn it with ← and → (Shift: finely). Return: the best one. Ctrl+click marks "
        "a point."
    )
    lacking = "One feature has no plane."
    least, usual = QSize(220, 160), QSize(460, 420)
    takes_keys = True

    def __init__(self) -> None:
        super().__init__()
        self._state: LabState | None = None
        self._points: QPixmap | None = None
        self._held: Held | None = None
        self._drawing = False
        self.moving = MovedPlane(self)
        self.shows_components = False
        """Whether both components of the plane are drawn, each as long as its deviation."""
        self.shows_names = False

    def show_figures(self, figures: ScatterFigures | None, state: LabState) -> None:
        """Draw the plane of a state; None for a single feature."""
        before = self._figures
        if figures is None or before is None or figures.points is not before.points:
            self._points = None
        self._state, described = state, ""
        if figures is not None:
            degrees = math.degrees(figures.line.angle)
            across, up = figures.axes
            described = f"{across} across, {up} up, line at {degrees:.1f} degrees"
        self._show(figures, described)

    def set_drawing(self, *, drawing: bool) -> None:
        """Let the mouse draw points, or turn the line."""
        self._drawing = drawing
        self.setCursor(Qt.CursorShape.CrossCursor if drawing else Qt.CursorShape.ArrowCursor)

    def set_components(self, shown: bool) -> None:  # noqa: FBT001 - a slot of Qt
        """Draw both components of the plane, or leave them to be found."""
        self.shows_components = shown
        self.update()

    def set_names(self, shown: bool) -> None:  # noqa: FBT001 - a slot of Qt
        """Write the names of samples beside their points, where there is room, or only of marked ones."""
        self.shows_names = shown
        self.update()

    def centre_and_scale(self) -> tuple[QPointF, QPointF, float]:
        """Return the middle of the widget, the point that is shown there, and pixels per unit."""
        middle = QPointF(self.width() / 2, self.height() / 2)
        if self._figures is None:
            return middle, QPointF(), 1.0
        if self._held is not None:
            return middle, QPointF(*(self._held.shown - self._figures.origin).tolist()), self._held.scale
        low, high = self._figures.extent
        room = np.array([self.width(), self.height()]) - 2 * _MARGIN
        span = np.maximum(high - low, 1e-300)
        scale = float(min(room / span)) if (high > low).any() else 1.0
        shown = (low + high) / 2
        return middle, QPointF(float(shown[0]), float(shown[1])), scale

    def place(self, x: float, y: float) -> QPointF:
        """Return where a point of the plane is on the widget."""
        middle, shown, scale = self.centre_and_scale()
        return QPointF(middle.x() + (x - shown.x()) * scale, middle.y() - (y - shown.y()) * scale)

    def point_at(self, position: QPointF) -> tuple[float, float]:
        """Return the point of the plane at a place on the widget."""
        middle, shown, scale = self.centre_and_scale()
        x, y = (position.x() - middle.x()) / scale, (middle.y() - position.y()) / scale
        return x + shown.x(), y + shown.y()

    def sample_at(self, position: QPointF) -> int | None:
        """Return the sample, from 0, whose point is near a place on the widget; None if there is none."""
        if self._figures is None:
            return None
        offsets = self._on_widget(self._figures.points) - [position.x(), position.y()]
        squares = np.square(offsets).sum(axis=1)
        nearest = int(squares.argmin())
        return nearest if squares[nearest] <= _NEAR**2 else None

    def angle_at(self, position: QPointF) -> float:
        """Return the angle of the line through a place on the widget, from −π/2 to π/2."""
        origin = self.place(0.0, 0.0)
        angle = math.atan2(origin.y() - position.y(), position.x() - origin.x())
        return (angle + math.pi / 2) % math.pi - math.pi / 2

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Mark a point with Ctrl, remove one with the right button while drawing, or begin to drag."""
        sample = self.sample_at(event.position())
        if self._drawing and event.button() == Qt.MouseButton.RightButton and sample is not None:
            self.pointRemoved.emit(sample)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if sample is not None:
                self.sampleToggled.emit(sample)
        else:
            super().mousePressEvent(event)

    def dragged(self, position: QPointF, *, final: bool) -> None:
        """Turn the line to the mouse, or draw."""
        if self._figures is None:
            return
        if self._drawing:
            self._draw_point(position, self._figures, final=final)
        else:
            self.lineMoved.emit(self.angle_at(position), final)

    def _draw_point(self, position: QPointF, figures: ScatterFigures, *, final: bool) -> None:
        held = self._held
        if held is None:
            if final:
                return
            _, shown, scale = self.centre_and_scale()
            sample = self.sample_at(position)
            at = len(figures.points) if sample is None else sample
            self._held = held = Held(np.array([shown.x(), shown.y()]) + figures.origin, scale, at)
            if sample is None:
                self.pointAdded.emit(*self.point_at(position))
                return
        self.pointMoved.emit(held.point, *self.point_at(position), final)
        if final:
            self._held = self._points = None
            self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Turn the line by a degree, or by a tenth with Shift; delete the marked point while drawing."""
        if self._figures is None or self._state is None:
            super().keyPressEvent(event)
            return
        angle, key = self._figures.line.angle, Qt.Key(event.key())
        step = math.radians(0.1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0)
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.lineMoved.emit(angle + (step if key == Qt.Key.Key_Left else -step), True)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.bestRequested.emit()
        elif key == Qt.Key.Key_Home:
            self.lineMoved.emit(0.0, True)
        elif key == Qt.Key.Key_Delete and self._drawing and self._state.marked:
            self.pointRemoved.emit(self._state.marked[0])
        else:
            super().keyPressEvent(event)

    def _recolour(self) -> None:
        self._points = None

    def resizeEvent(self, _event: object) -> None:
        """Draw the points anew."""
        self._points = None

    def draw(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        """Draw everything; the points come from a picture that is kept while the line turns."""
        state = self._state
        if state is None:
            return
        if self._points is None:
            self._points = self._drawn_points(colours, figures, state)
        self._draw_line(painter, colours, figures)
        painter.drawPixmap(0, 0, self._points)
        self._draw_laid(painter, colours, state)
        if state.step == "power":
            self._draw_powers(painter, colours, state)
        if self.shows_components:
            self._draw_components(painter, colours, state)
        unit = 0.3 * min(self.width(), self.height())
        i, j = state.plane
        self.moving.draw(painter, colours, self.place(0.0, 0.0), unit, state.matrix[np.ix_([i, j], [i, j])])
        self._draw_marks(painter, colours, figures, state)
        self._draw_names(painter, colours, figures, state)
        draw_groups(painter, colours, state.data, self)

    def _on_widget(self, points: Floats) -> Floats:
        middle, shown, scale = self.centre_and_scale()
        offset = np.array([shown.x(), shown.y()])
        found: Floats = (points - offset) * [scale, -scale] + [middle.x(), middle.y()]
        return found

    def _drawn_points(self, colours: Colours, figures: ScatterFigures, state: LabState) -> QPixmap:
        """Return the points, the ellipses and the features' axes as a picture with a clear background."""
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DotLine))
        for factor in (1.0, 2.0):
            ellipse = figures.mean + factor * (figures.ellipse - figures.mean)
            painter.drawPolygon(polygon(self._on_widget(ellipse)))
        places = self._on_widget(figures.points)
        draw_points(painter, places, state.data.group_numbers, inks(colours), self)
        if state.step != "take":
            draw_samples(painter, colours, state.data, state.data.samples, places)
        painter.end()
        return pixmap

    def _draw_line(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        origin = self.place(0.0, 0.0)
        area = QRectF(self.rect()).adjusted(_SIDE, 0, 0, -_BELOW)
        low, high = self.point_at(area.bottomLeft()), self.point_at(area.topRight())
        ticks(painter, colours.muted, area, (low[0], high[0]), (low[1], high[1]))
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QPointF(0, origin.y()), QPointF(self.width(), origin.y()))
        painter.drawLine(QPointF(origin.x(), 0), QPointF(origin.x(), self.height()))
        if len(figures.points) <= MOST_THREADS and self.moving.share is None:
            feet = self._on_widget(figures.line.feet)
            thread = faint(colours.curve, 130)
            painter.setPen(QPen(thread, 1))
            lines(painter, self._on_widget(figures.points), feet)
            dots(painter, feet, colours.curve, 4)
        far = math.hypot(self.width(), self.height())
        along = QPointF(math.cos(figures.line.angle), -math.sin(figures.line.angle))
        painter.setPen(QPen(QColor(colours.accent), 2))
        painter.drawLine(origin - along * far, origin + along * far)
        if self._drawing:
            return
        painter.setBrush(QColor(colours.accent))
        painter.setPen(QPen(QColor(colours.base), 2))
        painter.drawEllipse(self._handle(origin, along), _HANDLE, _HANDLE)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_laid(self, painter: QPainter, colours: Colours, state: LabState) -> None:
        """Draw the lines that were laid, with their errors at their ends."""
        origin = self.place(0.0, 0.0)
        painter.setPen(QPen(QColor(colours.edge), 1, Qt.PenStyle.DashLine))
        taken, room = list[QRectF](), QRectF(self.rect())
        for angle in state.lines:
            along = QPointF(math.cos(angle), -math.sin(angle)) * (0.46 * min(self.width(), self.height()))
            painter.drawLine(origin - along, origin + along)
            words = f"{figure(math.degrees(angle), 3)}°: error {figure(state.error_at(angle), 4)}"
            label(painter, origin + along, words, taken, room)

    def _handle(self, origin: QPointF, along: QPointF) -> QPointF:
        reach = 0.36 * min(self.width(), self.height())
        place = origin + along * reach
        inside = QRectF(self.rect()).adjusted(12, 12, -12, -12)
        return place if inside.contains(place) else origin - along * reach

    def _draw_powers(self, painter: QPainter, colours: Colours, state: LabState) -> None:
        """Draw the directions of power iteration, the last one strongest, and the first component."""
        plane = state.basis.axes[list(state.plane)]
        reach, origin = 0.42 * min(self.width(), self.height()), self.place(0.0, 0.0)

        def end(direction: Floats) -> QPointF:
            x, y = (plane @ direction).tolist()
            return origin + QPointF(x, -y) * reach

        painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DashLine))
        first = end(state.prepared.pca.components[0])
        painter.drawLine(origin * 2 - first, first)
        colour = QColor(colours.curve)
        for number, direction in enumerate(state.powers, start=1):
            colour.setAlpha(max(40, round(255 * number / len(state.powers))))
            painter.setPen(QPen(colour, 2))
            arrow(painter, origin, end(direction))

    def _draw_components(self, painter: QPainter, colours: Colours, state: LabState) -> None:
        """Draw the directions of most and of least variance in the plane, as long as two deviations."""
        origin, matrix = self.place(0.0, 0.0), state.matrix[np.ix_(state.plane, state.plane)]
        pens = [(matrix, QPen(QColor(colours.text), 2))]
        if state.marked and self._figures is not None and state.data.n_samples > 2:
            # Without the marked sample sums of products lose its own, and the mean is another one.
            point, n, by = self._figures.points[state.sample], state.data.n_samples, state.convention
            lost = np.outer(point, point) * (n / (n - 1) if by.centre else 1.0)
            without = (matrix * state.prepared.divisor - lost) / by.divisor.of(n - 1)
            pens.append((without, QPen(QColor(colours.curve), 2, Qt.PenStyle.DashLine)))
        for each, pen in pens:
            painter.setPen(pen)
            values, vectors = np.linalg.eigh(each)
            for value, (x, y) in zip(values.tolist(), vectors.T.tolist(), strict=True):
                arrow(painter, origin, self.place(*(2 * max(value, 0.0) ** 0.5 * part for part in (x, y))))

    def _draw_marks(
        self, painter: QPainter, colours: Colours, figures: ScatterFigures, state: LabState
    ) -> None:
        if self.shows_names:
            painter.setPen(QColor(colours.muted))
            taken, room = list[QRectF](), QRectF(self.rect())
            places = self._on_widget(figures.points[:MOST_THREADS]).tolist()
            for sample, (x, y) in enumerate(places):
                if sample not in state.marked:
                    label(painter, QPointF(x, y), state.data.sample_names[sample], taken, room)
        if state.newcomer is not None:
            x, y = (state.of_newcomer.scores_of(0)[list(state.plane)]).tolist()
            painter.setPen(QPen(QColor(colours.accent), 2))
            place = self.place(x, y)
            painter.drawRect(QRectF(place.x() - 5, place.y() - 5, 10, 10))
            painter.drawText(place + QPointF(10, -6), "new")
        if not state.marked:
            return
        chosen = list(state.marked)
        places, feet = (self._on_widget(each[chosen]) for each in (figures.points, figures.line.feet))
        painter.setPen(QPen(QColor(colours.curve), 2))
        lines(painter, places, feet)
        dots(painter, feet, colours.curve, 7)
        painter.setPen(QPen(QColor(colours.text), 2))
        for sample, (x, y) in zip(chosen, places.tolist(), strict=True):
            painter.drawEllipse(QPointF(x, y), 7, 7)
            painter.drawText(QPointF(x + 10, y - 6), state.data.sample_names[sample])

    def _draw_names(
        self, painter: QPainter, colours: Colours, figures: ScatterFigures, state: LabState
    ) -> None:
        across, up = figures.axes
        origin, names = self.place(0.0, 0.0), state.data.features
        if len(names) <= MOST_NAMES:
            reach, taken = 0.3 * min(self.width(), self.height()), list[QRectF]()
            for name, (x, y) in zip(names, figures.arrows.tolist(), strict=True):
                if name in figures.axes or math.hypot(x, y) < 0.15:
                    continue
                end = origin + QPointF(x, -y) * reach
                painter.setPen(QPen(QColor(colours.muted), 1))
                arrow(painter, origin, end, 6)
                label(painter, end, name, taken, QRectF(self.rect()))
        painter.setPen(QColor(colours.text))
        metrics = painter.fontMetrics()
        below = min(max(origin.y() + metrics.height(), metrics.height()), self.height() - 6)
        left = self.width() - metrics.horizontalAdvance(across) - (88 if state.data.groups else 8)
        painter.drawText(QPointF(left, below), across)
        beside = min(max(origin.x() + 6, 6), self.width() - metrics.horizontalAdvance(up) - 8)
        painter.drawText(QPointF(beside, metrics.height()), up)
