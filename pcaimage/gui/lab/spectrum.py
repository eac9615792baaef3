"""Variances along the axes beside the eigenvalues that they become, and what the k axes kept cost."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QWidget

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.colours import Colours
from pcaimage.gui.lab.pane import Pane, polygon, ticks
from pcaimage.gui.lab.samples import axis_image, draw_image
from pcaimage.insight.formatting import percent
from pcaimage.insight.lab.data import Floats, LabData
from pcaimage.insight.lab.figures import CostFigures, SpectrumFigures, cost_figures
from pcaimage.insight.lab.formula import figure
from pcaimage.insight.lab.state import LabState

_LEFT, _RIGHT, _BOTTOM, _WORDS, _PICTURE = 46, 44, 20, 20, 38
_WIDE = 3.0  # pixels of a bar that is drawn by itself; thinner ones are drawn as one outline


class SpectrumView(Pane[SpectrumFigures]):
    """Draws bars, ghosts of the eigenvalues, the cumulative share with its 95 %, and axes as pictures."""

    kChosen = Signal(int, bool)  # noqa: N815
    """The number of kept axes, and whether it is final."""

    name = "Variances along the axes"
    tip = (
        "Drag, or use ← and →, to choose how many axes are kept. Outlines: eigenvalues. Ties: components "
        "of equal variance, of which any basis will do."
    )
    least, usual = QSize(200, 140), QSize(360, 240)
    takes_keys = True

    def __init__(self) -> None:
        super().__init__()
        self._data: LabData | None = None
        self._axes: Floats | None = None
        self._pictures: list[QImage] = []
        self._ghosts = True

    def set_ghosts(self, *, shown: bool) -> None:
        """Draw the eigenvalues that bars become, or leave them to be found."""
        self._ghosts = shown
        self.update()

    def show_figures(self, figures: SpectrumFigures, data: LabData, axes: Floats) -> None:
        """Draw other variances; axes of shape (n_features, n_features) are drawn if samples are pictures."""
        if axes is not self._axes:
            self._pictures = []
        self._data, self._axes = data, axes
        self._show(figures, self._words(figures))

    def k_at(self, x: float) -> int:
        """Return the k of a place on the widget: all axes to its left are kept."""
        if self._figures is None:
            return 0
        count = len(self._figures.bars)
        return min(max(round((x - _LEFT) / max(self.width() - _LEFT - _RIGHT, 1) * count), 0), count)

    def dragged(self, position: QPointF, *, final: bool) -> None:
        """Choose k."""
        self.kChosen.emit(self.k_at(position.x()), final)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep one axis more or fewer."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if not step or self._figures is None:
            super().keyPressEvent(event)
            return
        self.kChosen.emit(min(max(self._figures.k + step, 0), len(self._figures.bars)), True)

    def draw(self, painter: QPainter, colours: Colours, figures: SpectrumFigures) -> None:
        """Draw bars, ghosts, the curve, where k is, and pictures of the first axes."""
        top = _WORDS + 4 + self._draw_pictures(painter, colours, figures)
        area = QRectF(_LEFT, top, self.width() - _LEFT - _RIGHT, self.height() - top - _BOTTOM)
        count = len(figures.bars)
        width = area.width() / count
        largest = max(float(figures.ghosts.max(initial=0.0)), float(figures.bars.max(initial=0.0))) or 1.0
        ticks(painter, colours.muted, area, (0.0, count), (0.0, largest))
        self._draw_shares(painter, colours, area)
        kept = np.where(np.arange(count) < figures.k, figures.bars, 0.0)
        if width < _WIDE:
            for values, ink in ((figures.bars, colours.bar), (kept, colours.accent)):
                painter.fillPath(_skyline(values / largest, area), QColor(ink))
            if self._ghosts:
                painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DotLine))
                painter.drawPath(_skyline(figures.ghosts / largest, area))
        else:
            self._draw_bars(painter, colours, figures, area, largest)
        ks = np.unique(np.linspace(0, count, round(area.width() / 2)).astype(int))
        x, y = area.left() + ks * width, area.bottom() - figures.cumulative[ks] * area.height()
        shares = np.stack([x, y], axis=1)
        painter.setPen(QPen(QColor(colours.curve), 2))
        painter.drawPolyline(polygon(shares))
        painter.setPen(QPen(QColor(colours.curve), 1, Qt.PenStyle.DashLine))
        level = area.bottom() - 0.95 * area.height()
        painter.drawLine(QPointF(area.left(), level), QPointF(area.right(), level))
        left = area.left() + figures.k * width
        painter.setPen(QPen(QColor(colours.text), 2))
        painter.drawLine(QPointF(left, area.top() - 4), QPointF(left, area.bottom()))
        painter.setPen(QColor(colours.text))
        room = self.width() - 20
        text = painter.fontMetrics().elidedText(self._words(figures), Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(10, 2, room, _WORDS), Qt.AlignmentFlag.AlignVCenter, text)

    @staticmethod
    def _draw_shares(painter: QPainter, colours: Colours, area: QRectF) -> None:
        """Write the scale of the cumulative share at the right."""
        painter.setPen(QColor(colours.curve))
        height = painter.fontMetrics().height()
        for share in (0, 50, 95):
            top = area.bottom() - share / 100 * area.height() - height / 2
            room = QRectF(area.right() + 4, top, 40, height)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, f"{share}\u00a0%")

    def _draw_bars(
        self, painter: QPainter, colours: Colours, figures: SpectrumFigures, area: QRectF, largest: float
    ) -> None:
        width = area.width() / len(figures.bars)
        gap = min(0.15 * width, 6)
        for axis, (bar, ghost) in enumerate(zip(figures.bars.tolist(), figures.ghosts.tolist(), strict=True)):
            left = area.left() + axis * width + gap
            height = bar / largest * area.height()
            colour = QColor(colours.accent if axis < figures.k else colours.bar)
            painter.fillRect(QRectF(left, area.bottom() - height, width - 2 * gap, height), colour)
            height = ghost / largest * area.height() * self._ghosts
            painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DotLine))
            painter.drawRect(QRectF(left, area.bottom() - height, width - 2 * gap, height))

    def _draw_pictures(self, painter: QPainter, colours: Colours, figures: SpectrumFigures) -> int:
        """Draw the first axes, those that are left out faintly, and return the height that it takes."""
        if self._data is None or self._axes is None or self._data.picture is None:
            return 0
        room = max((self.width() - _LEFT - 10) // (_PICTURE + 4), 1)
        while len(self._pictures) < min(room, len(self._axes)):
            image = axis_image(self._data, self._axes[len(self._pictures)])
            if image is None:
                return 0
            self._pictures.append(image)
        for axis, image in enumerate(self._pictures[:room]):
            painter.setOpacity(1.0 if axis < figures.k else 0.35)
            place = QRectF(_LEFT + axis * (_PICTURE + 4), _WORDS + 4, _PICTURE, _PICTURE)
            draw_image(painter, image, place, colours.border)
        painter.setOpacity(1.0)
        return _PICTURE + 8

    def _words(self, figures: SpectrumFigures) -> str:
        share = percent(100 * float(figures.cumulative[figures.k]))
        words = f"k = {figures.k} of {len(figures.bars)}: {share} · 95\u00a0%: {figures.k95}"
        return words + (" · ties" if figures.ties else "")


def _skyline(heights: Floats, area: QRectF) -> QPainterPath:
    """Return bars without gaps as one outline, for heights as shares of the area."""
    shown = heights
    if len(heights) > (room := max(round(area.width() / 2), 1)):
        shown = heights[np.arange(room) * len(heights) // room]
    tops = area.bottom() - np.repeat(shown, 2) * area.height()
    edges = np.linspace(area.left(), area.right(), len(shown) + 1)
    sides = np.repeat(edges, 2)[1:-1]
    ends = [[area.right(), area.bottom()], [area.left(), area.bottom()]]
    path = QPainterPath()
    path.addPolygon(polygon(np.concatenate([np.stack([sides, tops], axis=1), ends])))
    path.closeSubpath()
    return path


_LINE, _MARGIN = 20, 10  # of the bars of costs


class CostBars(Pane[CostFigures]):
    """Draws numbers and errors as bars."""

    name = "Costs"
    tip = (
        "Numbers of the axes and of the data. Bytes: rounded scores and data in as few bits as their "
        "ranges need, 4 for each number of axes, mean and σ. Only the first of two errors is PCA's."
    )
    least, usual = QSize(200, 72), QSize(460, 120)

    def show_figures(self, figures: CostFigures) -> None:
        """Draw other costs."""
        cost = figures.cost
        self._show(
            figures,
            f"{cost.numbers} of {cost.raw_numbers} numbers, {cost.n_bytes} of {cost.raw_bytes} bytes, "
            f"error {figure(cost.lost, 3)} unrounded and {figure(cost.rounded, 3)} by rounding",
        )

    def draw(self, painter: QPainter, colours: Colours, figures: CostFigures) -> None:
        """Draw a line for numbers, one for bytes, and one for each error."""
        cost, whole = figures.cost, figures.whole or 1.0
        raw, numbers = cost.raw_bytes, cost.numbers / cost.raw_numbers
        lines = [
            (f"{cost.numbers:,} of {cost.raw_numbers:,} numbers", numbers, colours.bar),
            (f"{cost.n_bytes:,} of {raw:,} bytes, scores rounded", cost.n_bytes / max(raw, 1), colours.bar),
            (f"unrounded: error {figure(cost.lost, 3)}", cost.lost / whole, colours.accent),
            (f"rounding adds {figure(cost.rounded, 3)}", cost.rounded / whole, colours.curve),
        ]
        texts = max(painter.fontMetrics().horizontalAdvance(text) for text, _, _ in lines) + 12
        width, top = self.width() - 2 * _MARGIN - texts, 6.0
        for text, share, colour in lines:
            painter.setPen(QColor(colours.text))
            painter.drawText(QRectF(_MARGIN, top, texts, _LINE), Qt.AlignmentFlag.AlignVCenter, text)
            room = QRectF(_MARGIN + texts, top + 3, width, _LINE - 6)
            painter.setOpacity(0.25)
            painter.fillRect(room, QColor(colours.grid))
            painter.setOpacity(1.0)
            room.setWidth(width * min(share, 1.0))
            painter.fillRect(room, QColor(colour))
            top += _LINE


class CostView(QWidget):
    """Costs, with the step that scores are rounded to."""

    roundingChosen = Signal(float)  # noqa: N815

    def __init__(self) -> None:
        super().__init__()
        self.bars = CostBars()
        self.step = QDoubleSpinBox(stepType=QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.step.setAccessibleName("Step of the scores")
        self.step.setToolTip("Scores are rounded to multiples of this step Δ.")
        self.step.setRange(0.0001, 1e9)
        self.step.setKeyboardTracking(False)
        label = QLabel("Scores rounded to multiples of Δ =")
        label.setBuddy(self.step)
        row = hbox(label, self.step, (FREE, 1))
        vbox((self.bars, 1), row, of=self)
        self.step.valueChanged.connect(self.roundingChosen)

    def show_state(self, state: LabState) -> None:
        """Show the costs of a state."""
        found = cost_figures(state)
        with QSignalBlocker(self.step):
            self.step.setDecimals(max(4, 1 - math.floor(math.log10(found.step))))
            self.step.setMinimum(10.0 ** -self.step.decimals())
            self.step.setValue(found.step)
        self.bars.show_figures(found)
