"""Variances along the axes beside the eigenvalues that they become; k is dragged."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from pcaimage.gui.theme import colours_of
from pcaimage.insight.formatting import percent
from pcaimage.insight.lab.figures import SpectrumFigures

_MARGIN, _WORDS = 10, 20


class SpectrumView(QWidget):
    """Draws bars, ghosts of the eigenvalues, and the cumulative share with its 95 %."""

    kChosen = Signal(int, bool)  # noqa: N815
    """How many axes are kept, and whether it is final."""

    def __init__(self) -> None:
        super().__init__()
        self._figures: SpectrumFigures | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Variances along the axes")
        self.setToolTip("Drag, or use ← and →, to choose how many axes are kept. Outlines: eigenvalues.")
        self.setMinimumSize(200, 140)

    def sizeHint(self) -> QSize:
        """Return the size that suits the pane."""
        return QSize(360, 240)

    def show_figures(self, figures: SpectrumFigures) -> None:
        """Draw other variances."""
        self._figures = figures
        self.setAccessibleDescription(self._words(figures))
        self.update()

    def k_at(self, x: float) -> int:
        """Return the k of a place on the widget: all axes to its left are kept."""
        if self._figures is None:
            return 0
        count = len(self._figures.bars)
        return min(max(round((x - _MARGIN) / max(self.width() - 2 * _MARGIN, 1) * count), 0), count)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose k."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Choose k while the button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.kChosen.emit(self.k_at(event.position().x()), False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Keep the k under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.kChosen.emit(self.k_at(event.position().x()), True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep one axis more or fewer."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if not step or self._figures is None:
            super().keyPressEvent(event)
            return
        self.kChosen.emit(min(max(self._figures.k + step, 0), len(self._figures.bars)), True)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw bars, ghosts, the curve, and where k is."""
        painter, colours, figures = QPainter(self), colours_of(self.palette()), self._figures
        painter.fillRect(self.rect(), QColor(colours.base))
        if figures is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(_MARGIN, _WORDS + 4, self.width() - 2 * _MARGIN, self.height() - _WORDS - _MARGIN - 4)
        count = len(figures.bars)
        width = area.width() / count
        largest = max(float(figures.ghosts.max(initial=0.0)), float(figures.bars.max(initial=0.0))) or 1.0
        gap = min(0.15 * width, 6)
        for axis, (bar, ghost) in enumerate(zip(figures.bars.tolist(), figures.ghosts.tolist(), strict=True)):
            left = area.left() + axis * width + gap
            height = bar / largest * area.height()
            colour = QColor(colours.accent if axis < figures.k else colours.bar)
            painter.fillRect(QRectF(left, area.bottom() - height, width - 2 * gap, height), colour)
            height = ghost / largest * area.height()
            painter.setPen(QPen(QColor(colours.muted), 1, Qt.PenStyle.DotLine))
            painter.drawRect(QRectF(left, area.bottom() - height, width - 2 * gap, height))
        steps = [
            QPointF(area.left() + k * width, area.bottom() - share * area.height())
            for k, share in enumerate(figures.cumulative.tolist())
        ]
        painter.setPen(QPen(QColor(colours.curve), 2))
        painter.drawPolyline(QPolygonF(steps))
        painter.setPen(QPen(QColor(colours.curve), 1, Qt.PenStyle.DashLine))
        level = area.bottom() - 0.95 * area.height()
        painter.drawLine(QPointF(area.left(), level), QPointF(area.right(), level))
        x = area.left() + figures.k * width
        painter.setPen(QPen(QColor(colours.text), 2))
        painter.drawLine(QPointF(x, area.top() - 4), QPointF(x, area.bottom()))
        painter.setPen(QColor(colours.text))
        painter.drawText(
            QRectF(_MARGIN, 2, self.width() - 2 * _MARGIN, _WORDS),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            painter.fontMetrics().elidedText(
                self._words(figures), Qt.TextElideMode.ElideRight, self.width() - 2 * _MARGIN
            ),
        )
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))

    def _words(self, figures: SpectrumFigures) -> str:
        share = percent(100 * float(figures.cumulative[figures.k]))
        words = f"k = {figures.k} of {len(figures.bars)}: {share} · 95\u00a0%: {figures.k95}"
        return words + (" · ties" if figures.ties else "")
