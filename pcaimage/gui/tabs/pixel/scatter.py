"""The plot of an image's pixels by their scores on two components, in which a lasso chooses some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from pcaimage.gui.colours import Colours
from pcaimage.gui.compare.gestures import ARROWS
from pcaimage.gui.tabs.shared.static_plot import NAMED_FROM, StaticPlot
from pcaimage.gui.theme import colours_of
from pcaimage.insight.regions import Mask, PixelScatter

_FAINTEST = 70  # the opacity of a single pixel's point; that of the fullest cell is 255
_LEFT = 72  # the width of the left axis, which has numbers of six digits
_BOX, _STEP, _LARGER = 0.15, 0.02, 1.25
"""The side of the box that keys move, how far a key moves it, and how much larger one makes it, as shares."""
_RESIZE = {Qt.Key.Key_Plus: _LARGER, Qt.Key.Key_Equal: _LARGER, Qt.Key.Key_Minus: 1 / _LARGER}


class Marked(NamedTuple):
    """A region of the image and its colour as ``#rrggbb``."""

    mask: Mask
    colour: str

    @property
    def rgb(self) -> tuple[int, int, int]:
        """Red, green and blue."""
        red, green, blue = bytes.fromhex(self.colour[1:])
        return red, green, blue


class ScatterPlot(StaticPlot):
    """Shows pixels as points, and regions in their colours; mouse or arrow keys choose pixels."""

    lassoed = Signal(object)  # the corners of a polygon of scores, shape (n, 2), while it is drawn

    def __init__(self) -> None:
        super().__init__(hint=QSize(360, 180), least=QSize(200, 80))
        plot = self._plots[0]
        self.scatter: PixelScatter | None = None
        self._marked: tuple[Marked, ...] = ()
        self._corners: list[tuple[float, float]] = []
        self._box = np.array([0.5, 0.5, _BOX])
        self._points, self._lasso = pg.ImageItem(axisOrder="row-major"), pg.PlotCurveItem(antialias=True)
        plot.getAxis("left").setWidth(_LEFT)
        for item in (self._points, self._lasso):
            plot.addItem(item, ignoreBounds=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Scores of the pixels")
        self.setAccessibleDescription(
            "Arrow keys move a box that chooses pixels, plus and minus make it larger and smaller."
        )
        self.setToolTip("Draw around points to see their pixels in the picture and their mean spectrum.")
        self._view.viewport().setCursor(Qt.CursorShape.CrossCursor)
        self._recolour()

    @property
    def surface(self) -> QWidget:
        """The widget that receives the mouse."""
        surface: QWidget = self._view.viewport()
        return surface

    def position_of(self, x: float, y: float) -> QPointF:
        """Return where scores are on :attr:`surface`."""
        return QPointF(self._view.mapFromScene(self._plots[0].vb.mapViewToScene(QPointF(x, y))))

    def show_scatter(self, scatter: PixelScatter | None, titles: tuple[str, str]) -> None:
        """Show the points of other components with the titles of their axes; None for none."""
        self.scatter, plot = scatter, self._plots[0]
        for side, title in zip(("bottom", "left"), titles, strict=True):
            plot.getAxis(side).setLabel(title)
        if scatter is not None:
            left, right, low, high = scatter.limits
            plot.setXRange(left, right, padding=0.0)
            plot.setYRange(low, high, padding=0.0)
        self._lasso.clear()
        self._fit()
        self._draw()

    def show_marked(self, marked: Sequence[Marked], *, lasso: bool) -> None:
        """Show regions in their colours, and the lasso if one of them was drawn by it."""
        self._marked = tuple(marked)
        self._lasso.setVisible(lasso)
        self._draw()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw the lasso."""
        if watched is self.surface and isinstance(event, QMouseEvent) and self.scatter is not None:
            pressed = event.type() == QEvent.Type.MouseButtonPress
            if pressed and event.button() == Qt.MouseButton.LeftButton:
                self.setFocus(Qt.FocusReason.MouseFocusReason)
                self._corners = []
            if pressed or event.buttons() & Qt.MouseButton.LeftButton:
                scene = self._view.mapToScene(event.position().toPoint())
                place = self._plots[0].vb.mapSceneToView(scene)
                self._corners.append((place.x(), place.y()))
                self.choose(np.array(self._corners))
                return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the pixels in a box that arrow keys move, and others resize."""
        key = Qt.Key(event.key())
        if self.scatter is None or (key not in ARROWS and key not in _RESIZE):
            super().keyPressEvent(event)
            return
        across, down = ARROWS.get(key, (0, 0))
        x, y, side = self._box
        self._box = np.array([x + _STEP * across, y - _STEP * down, side * _RESIZE.get(key, 1.0)]).clip(0, 1)
        left, right, low, high = self.scatter.limits
        corners = self._box[:2] + self._box[2] / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        self.choose(corners * (right - left, high - low) + (left, low))

    def choose(self, corners: Any) -> None:
        """Draw a polygon of scores, shape (n, 2), and choose the pixels inside."""
        closed = np.concatenate([corners, corners[:1]])
        self._lasso.setData(closed[:, 0], closed[:, 1])
        self.lassoed.emit(corners)

    def _draw(self) -> None:
        """Draw the points: darker where there are more, and those of regions in their colours."""
        if self.scatter is None:
            self._points.clear()
            return
        counts, colours = self.scatter.counts, colours_of(self.palette())
        weights = np.log1p(counts) / np.log1p(counts.max())
        image = np.empty((*counts.shape, 4), np.uint8)
        image[..., :3] = tuple(bytes.fromhex(colours.muted[1:]))
        image[..., 3] = np.where(counts > 0, _FAINTEST + (255 - _FAINTEST) * weights, 0)
        for marked in self._marked:
            image[self.scatter.counts_of(marked.mask) > 0] = (*marked.rgb, 255)
        left, right, low, high = self.scatter.limits
        self._points.setImage(image, levels=(0, 255), rect=QRectF(left, low, right - left, high - low))

    def _hover(self, x: float | None) -> None:
        """Do nothing: points have no figures of their own."""

    def _fit(self) -> None:
        self._plots[0].getAxis("bottom").showLabel(self._view.height() >= NAMED_FROM)

    def _paint(self, colours: Colours) -> None:
        self._lasso.setPen(self._pens(colours.text, style=Qt.PenStyle.DashLine))
        self._draw()
