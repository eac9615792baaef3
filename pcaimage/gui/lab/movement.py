"""Moving pictures of the lab: turns in small steps, and the plane as the matrix moves it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEasingCurve, QObject, QPointF, QTimer, QVariantAnimation
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import arrow, lines, polygon
from pcaimage.gui.theme import faint
from pcaimage.insight.lab.data import Floats
from pcaimage.insight.lab.state import LabState
from pcaimage.insight.lab.transitions import FRAMES, Motion

MILLISECONDS = 360  # duration of a turn


class Turning(QObject):
    """Shows the states between two others, one after the other; what comes in between ends it at once."""

    def __init__(self, show: Callable[[LabState], None], parent: QObject) -> None:
        super().__init__(parent)
        self.enabled = False
        self._show = show
        self.left: list[LabState] = []  # states that are still to be shown
        self._timer = QTimer(self, interval=MILLISECONDS // FRAMES)
        self._timer.timeout.connect(self._step)

    def go(self, before: LabState, after: LabState) -> bool:
        """Begin to show a turn; False if there is none to be shown."""
        motion = Motion.between(before, after) if self.enabled else None
        if motion is None:
            return False
        self.left = motion.frames()
        self._timer.start()
        self._step()
        return True

    def stop(self) -> None:
        """Show no more of it."""
        self.left = []
        self._timer.stop()

    def _step(self) -> None:
        frame = self.left.pop(0)
        if not self.left:
            self._timer.stop()
        self._show(frame)


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
