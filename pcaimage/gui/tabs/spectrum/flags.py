"""A strip of flags over the spectrum: where 90, 95 and 99 % of the variance are reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.scale import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from pcaimage.gui.tabs.spectrum.figures import Threshold

_GAP = 4
_STALK = 5
_PADDING = 10


class ThresholdFlags(QWidget):
    """Buttons that stand over the components by which shares of the variance are reached.

    Parameters
    ----------
    place : callable
        Returns where a component is, in pixels from the strip's left.
    parent : QWidget, optional
        The parent widget.
    """

    chosen = Signal(int)
    """The k of a flag that was clicked."""

    def __init__(self, place: Callable[[int], float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self._flags: list[tuple[Threshold, QToolButton]] = []
        self._of = PLAIN.of
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    @property
    def buttons(self) -> list[QToolButton]:
        """The flags, from the left to the right."""
        return [button for _, button in self._flags]

    def set_thresholds(self, thresholds: Sequence[Threshold], of: str = PLAIN.of) -> None:
        """Show other thresholds.

        Parameters
        ----------
        thresholds : sequence of Threshold
            Ascending.
        of : str, optional
            What they are shares of.
        """
        if (of, *thresholds) != (self._of, *(mark for mark, _ in self._flags)):
            self._of = of
            for _, button in self._flags:
                button.hide()
                button.deleteLater()
            self._flags = [(mark, self._flag(mark)) for mark in thresholds]
        self.arrange()

    def arrange(self) -> None:
        """Put each flag over its component, or beside it where another is in the way."""
        sizes = [button.fontMetrics().horizontalAdvance(mark.name) + _PADDING for mark, button in self._flags]
        lefts: list[float] = []
        for (mark, _), width in zip(self._flags, sizes, strict=True):
            wished = self._place(mark.k) - width / 2
            lefts.append(max(wished, lefts[-1] + sizes[len(lefts) - 1] + _GAP if lefts else 0.0))
        limit = float(self.width())
        for number in reversed(range(len(lefts))):
            lefts[number] = min(lefts[number], limit - sizes[number])
            limit = lefts[number] - _GAP
        for (_, button), left, width in zip(self._flags, lefts, sizes, strict=True):
            button.setGeometry(round(left), 0, width, self.height() - _STALK)
        self.update()

    def sizeHint(self) -> QSize:
        """Return a height for one line.

        Returns
        -------
        QSize
            Of any width.
        """
        return QSize(0, self.fontMetrics().height() + _STALK + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the flags over their components."""
        super().resizeEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Draw a stalk from each flag to its component."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours_of(self.palette()).curve), 1.0))
        for mark, button in self._flags:
            foot = button.geometry().center()
            top = QPointF(foot.x() + 0.5, self.height() - _STALK)
            painter.drawLine(top, QPointF(self._place(mark.k), self.height()))
        painter.end()

    def _flag(self, mark: Threshold) -> QToolButton:
        components = "1 component" if mark.k == 1 else f"{mark.k} components"
        button = QToolButton(self)
        button.setText(mark.name)
        button.setAutoRaise(True)
        button.setFont(tabular(button.font()))
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setToolTip(f"{mark.name} {self._of} is reached with {components}; click to keep so many.")
        button.setAccessibleName(f"Keep {components}, the fewest that reach {mark.name} {self._of}")
        button.clicked.connect(lambda: self.chosen.emit(mark.k))
        button.show()
        return button
