"""The slider of k, finer where k is small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSlider, QStyle, QWidget

from pcaimage.gui.panel_view import k_at, place_of

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent

_STEPS = 1000
_PAGE = 10


class KSlider(QSlider):
    """Asks for a k while it is moved, and commits the last one when it is let go.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    componentsRequested = Signal(int)  # noqa: N815
    """The k under the hand while it moves."""
    componentsCommitted = Signal(int)  # noqa: N815
    """The k at which the hand came to rest."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._k = 0
        self._k_max = 0
        self._even = False
        self._wished: int | None = None
        self.setRange(0, _STEPS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self._moved)
        self.sliderReleased.connect(self._commit)

    def set_k(self, k: int, k_max: int, *, even: bool = False) -> None:
        """Show another k; nothing is emitted.

        Parameters
        ----------
        k, k_max : int
            How many components are kept, of how many.
        even : bool, default False
            Whether equal ways add equally many components.
        """
        self._k, self._k_max, self._even = k, k_max, even
        if k_max and k_at(self.value() / _STEPS, k_max, even=even) == k and self.isSliderDown():
            return  # the handle stays under the hand
        with QSignalBlocker(self):
            self.setValue(round(_STEPS * place_of(k, k_max, even=even)))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Bring the handle to where the slider is pressed, and take hold of it."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the handle with the hand."""
        if self.isSliderDown():
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the handle."""
        if event.button() == Qt.MouseButton.LeftButton and self.isSliderDown():
            self._follow(event)
            self.setSliderDown(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move by components, not by places on the scale."""
        key = Qt.Key(event.key())
        forward = {Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1, Qt.Key.Key_PageUp: _PAGE}
        back = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageDown: -_PAGE}
        step = (forward | back).get(key)
        if step is not None:
            self._wish(self._k + step)
        elif key in {Qt.Key.Key_Home, Qt.Key.Key_End}:
            self._wish(1 if key == Qt.Key.Key_Home else self._k_max)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Commit what the keys asked for once they are let go."""
        if not event.isAutoRepeat():
            self._commit()
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Commit what was asked for before another widget takes the keys."""
        self._commit()
        super().focusOutEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Move by components if the slider has the focus, else scroll the panel."""
        if not self.hasFocus():
            event.ignore()
            return
        self._wish(self._k + (1 if event.angleDelta().y() > 0 else -1))
        self._commit()
        event.accept()

    def _follow(self, event: QMouseEvent) -> None:
        margin = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self) // 2
        x = round(event.position().x()) - margin
        self.setSliderPosition(QStyle.sliderValueFromPosition(0, _STEPS, x, self.width() - 2 * margin))

    def _moved(self, value: int) -> None:
        if self._k_max:
            self._wish(k_at(value / _STEPS, self._k_max, even=self._even))

    def _wish(self, k: int) -> None:
        k = max(1, min(k, self._k_max))
        if self._k_max and k != (self._k if self._wished is None else self._wished):
            self._wished = k
            self.componentsRequested.emit(k)

    def _commit(self) -> None:
        wished, self._wished = self._wished, None
        if wished is not None:
            self.componentsCommitted.emit(wished)
