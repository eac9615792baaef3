"""The scatter plot of two axes, with a line that is turned by mouse and keys."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.theme import colours_of
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.figures import ScatterFigures

MOST_THREADS = 400
"""Points whose threads and feet are drawn; more would hide each other."""

MANY = 1000
"""Points from which they are drawn small."""

_MOST_NAMES = 12
_MARGIN, _HANDLE = 26, 7.0


class PlaneView(QWidget):
    """Draws points, their ellipse, the features' axes, and a line with threads to it."""

    lineMoved = Signal(float, bool)  # noqa: N815
    """An angle in radians, and whether it is final."""
    bestRequested = Signal()  # noqa: N815

    def __init__(self) -> None:
        super().__init__()
        self._figures: ScatterFigures | None = None
        self._groups: tuple[int, ...] | None = None
        self._names: tuple[str, ...] = ()
        self._points: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Scatter plot with a line to turn")
        self.setToolTip("Drag the line, or turn it with ← and → (Shift: finely). Return: the best one.")
        self.setMinimumSize(220, 200)

    def sizeHint(self) -> QSize:
        """Return the size that suits the pane."""
        return QSize(460, 420)

    def show_figures(
        self, figures: ScatterFigures | None, features: tuple[str, ...], groups: tuple[int, ...] | None
    ) -> None:
        """Draw a plane; None for a single feature."""
        same = (
            figures is not None
            and self._figures is not None
            and np.array_equal(figures.points, self._figures.points)
        )
        self._figures, self._names, self._groups = figures, features, groups
        if not same:
            self._points = None
        if figures is not None:
            degrees = math.degrees(figures.line.angle)
            across, up = figures.axes
            self.setAccessibleDescription(f"{across} across, {up} up, line at {degrees:.1f} degrees")
        self.update()

    def centre_and_scale(self) -> tuple[QPointF, QPointF, float]:
        """Return the middle of the widget, the point that is shown there, and pixels per unit."""
        middle = QPointF(self.width() / 2, self.height() / 2)
        if self._figures is None:
            return middle, QPointF(), 1.0
        points = self._figures.points
        corners = np.vstack([points.min(axis=0), points.max(axis=0), [0.0, 0.0]])
        low, high = corners.min(axis=0), corners.max(axis=0)
        room = np.array([self.width(), self.height()]) - 2 * _MARGIN
        span = np.maximum(high - low, 1e-300)
        scale = float(min(room / span)) if (high > low).any() else 1.0
        shown = (low + high) / 2
        return middle, QPointF(float(shown[0]), float(shown[1])), scale

    def place(self, x: float, y: float) -> QPointF:
        """Return where a point of the plane is on the widget."""
        middle, shown, scale = self.centre_and_scale()
        return QPointF(middle.x() + (x - shown.x()) * scale, middle.y() - (y - shown.y()) * scale)

    def angle_at(self, position: QPointF) -> float:
        """Return the angle of the line through a place on the widget, from −π/2 to π/2."""
        origin = self.place(0.0, 0.0)
        angle = math.atan2(origin.y() - position.y(), position.x() - origin.x())
        return (angle + math.pi / 2) % math.pi - math.pi / 2

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Turn the line to the mouse."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.LeftButton and self._figures is not None:
            self.lineMoved.emit(self.angle_at(event.position()), False)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Turn the line while the button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton and self._figures is not None:
            self.lineMoved.emit(self.angle_at(event.position()), False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Leave the line where it is."""
        if event.button() == Qt.MouseButton.LeftButton and self._figures is not None:
            self.lineMoved.emit(self.angle_at(event.position()), True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Turn the line by a degree, or by a tenth with Shift."""
        if self._figures is None:
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
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._points = None
            self.update()
        super().changeEvent(event)

    def resizeEvent(self, _event: object) -> None:
        """Draw the points anew."""
        self._points = None

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw everything; the points come from a picture that is kept while the line turns."""
        painter, colours = QPainter(self), colours_of(self.palette())
        painter.fillRect(self.rect(), QColor(colours.base))
        if self._figures is None:
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "One feature has no plane.")
            return
        if self._points is None:
            self._points = self._drawn_points(colours)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_line(painter, colours, self._figures)
        painter.drawPixmap(0, 0, self._points)
        self._paint_names(painter, colours, self._figures)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _on_widget(self, points: Floats) -> list[QPointF]:
        middle, shown, scale = self.centre_and_scale()
        x = middle.x() + (points[:, 0] - shown.x()) * scale
        y = middle.y() - (points[:, 1] - shown.y()) * scale
        return [QPointF(*each) for each in zip(x.tolist(), y.tolist(), strict=True)]

    def _drawn_points(self, colours: Colours) -> QPixmap:
        """Return the points, the ellipses and the features' axes as a picture with a clear background."""
        figures, ratio = self._figures, self.devicePixelRatioF()
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        if figures is None:
            return pixmap
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DotLine))
        for factor in (1.0, 2.0):
            painter.drawPolygon(
                QPolygonF(self._on_widget(figures.mean + factor * (figures.ellipse - figures.mean)))
            )
        palette = tuple(QColor(each) for each in (*colours.planes, *colours.references))
        groups = np.zeros(len(figures.points), int) if self._groups is None else np.array(self._groups)
        if len(figures.points) > MANY:
            painter.drawImage(QRectF(self.rect()), self._dots(figures.points, groups, palette))
        else:
            for group in np.unique(groups).tolist():
                colour = QColor(palette[group % len(palette)])
                colour.setAlpha(230)
                painter.setPen(QPen(colour, 6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
                painter.drawPoints(QPolygonF(self._on_widget(figures.points[groups == group])))
        painter.end()
        return pixmap

    def _dots(self, points: Floats, groups: NDArray[np.int_], palette: tuple[QColor, ...]) -> QImage:
        """Return many points as small squares on a clear picture, ten times as fast as a painter."""
        ratio = self.devicePixelRatioF()
        width, height, side = round(self.width() * ratio), round(self.height() * ratio), round(2 * ratio)
        middle, shown, scale = self.centre_and_scale()
        x = ((middle.x() + (points[:, 0] - shown.x()) * scale) * ratio).astype(int) - side // 2
        y = ((middle.y() - (points[:, 1] - shown.y()) * scale) * ratio).astype(int) - side // 2
        inside = (x >= 0) & (y >= 0) & (x < width - side) & (y < height - side)
        inks = np.array([each.rgb() for each in palette], np.uint32)[groups % len(palette)]
        pixels = np.zeros((height, width), np.uint32)
        for down in range(side):
            for right in range(side):
                pixels[y[inside] + down, x[inside] + right] = inks[inside]
        return QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32).copy()

    def _paint_line(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        origin = self.place(0.0, 0.0)
        painter.setPen(QPen(QColor(colours.grid), 1))
        painter.drawLine(QPointF(0, origin.y()), QPointF(self.width(), origin.y()))
        painter.drawLine(QPointF(origin.x(), 0), QPointF(origin.x(), self.height()))
        if len(figures.points) <= MOST_THREADS:
            feet = self._on_widget(figures.line.feet)
            thread = QColor(colours.curve)
            thread.setAlpha(130)
            painter.setPen(QPen(thread, 1))
            for point, foot in zip(self._on_widget(figures.points), feet, strict=True):
                painter.drawLine(point, foot)
            painter.setPen(QPen(QColor(colours.curve), 4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawPoints(QPolygonF(feet))
        far = math.hypot(self.width(), self.height())
        along = QPointF(math.cos(figures.line.angle), -math.sin(figures.line.angle))
        painter.setPen(QPen(QColor(colours.accent), 2))
        painter.drawLine(origin - along * far, origin + along * far)
        painter.setBrush(QColor(colours.accent))
        painter.setPen(QPen(QColor(colours.base), 2))
        painter.drawEllipse(self._handle(origin, along), _HANDLE, _HANDLE)

    def _handle(self, origin: QPointF, along: QPointF) -> QPointF:
        reach = 0.36 * min(self.width(), self.height())
        place = origin + along * reach
        inside = QRectF(self.rect()).adjusted(12, 12, -12, -12)
        return place if inside.contains(place) else origin - along * reach

    def _paint_names(self, painter: QPainter, colours: Colours, figures: ScatterFigures) -> None:
        across, up = figures.axes
        origin = self.place(0.0, 0.0)
        if len(self._names) <= _MOST_NAMES:
            reach = 0.3 * min(self.width(), self.height())
            for name, (x, y) in zip(self._names, figures.arrows.tolist(), strict=True):
                if name in figures.axes or math.hypot(x, y) < 0.15:
                    continue
                end = origin + QPointF(x, -y) * reach
                painter.setPen(QPen(QColor(colours.muted), 1))
                painter.drawLine(origin, end)
                painter.drawText(end + QPointF(3, -3), name)
        painter.setPen(QColor(colours.text))
        metrics = painter.fontMetrics()
        below = min(max(origin.y() + metrics.height(), metrics.height()), self.height() - 6)
        painter.drawText(QPointF(self.width() - metrics.horizontalAdvance(across) - 8, below), across)
        beside = min(max(origin.x() + 6, 6), self.width() - metrics.horizontalAdvance(up) - 8)
        painter.drawText(QPointF(beside, metrics.height()), up)
