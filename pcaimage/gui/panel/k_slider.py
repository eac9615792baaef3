"""The slider of k, finer where differences are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSlider, QStyle, QWidget

from pcaimage.gui.panel.k_scale import KScale

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent

_STEPS = 100_000
_PAGE = 10
_FINE = 6
"""Pixels to a component while Shift is held."""
_NOTCH = 120
"""What Qt calls one step of a wheel."""


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
        self._scale = KScale.even(1)
        self._wished: int | None = None
        self._anchor: tuple[int, int] | None = None
        self._turned = 0
        self.setRange(0, _STEPS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self._moved)
        self.sliderReleased.connect(self._commit)

    @property
    def k(self) -> int:
        """The k that is shown."""
        return self._k

    def set_k(self, k: int, k_max: int, scale: KScale | None = None) -> None:
        """Show another k; nothing is emitted.

        Parameters
        ----------
        k, k_max : int
            How many components are kept, of how many.
        scale : KScale, optional
            The places of all k; by default equal ways multiply k by equal factors.
        """
        self._k, self._k_max = k, k_max
        self._scale = KScale.logarithmic(max(k_max, 1)) if scale is None else scale
        self.setAccessibleDescription(f"{k} of {k_max} components")
        if k_max and self.isSliderDown() and self._scale.k_at(self.value() / _STEPS) == k:
            return  # the handle stays under the hand
        with QSignalBlocker(self):
            self.setValue(self.value_of(k))

    def value_of(self, k: int) -> int:
        """Return where a k stands.

        Parameters
        ----------
        k : int
            Brought into range.

        Returns
        -------
        int
            The slider's value.
        """
        return round(_STEPS * self._scale.place_of(k))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Bring the handle to where the slider is pressed, and take hold of it; with Shift, where it is."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._anchor = None
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
        # Touchpads send many small turns.
        self._turned += event.angleDelta().y()
        notches = int(self._turned / _NOTCH)
        self._turned -= notches * _NOTCH
        if notches:
            self._wish(self._k + notches)
            self._commit()
        event.accept()

    def _follow(self, event: QMouseEvent) -> None:
        x = round(event.position().x())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._k_max:
            if self._anchor is None:
                self._anchor = x, self._k if self._wished is None else self._wished
            start, k = self._anchor
            k = min(max(k + round((x - start) / _FINE), 1), self._k_max)
            self.setSliderPosition(self.value_of(k))
            return
        self._anchor = None
        margin = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self) // 2
        at = QStyle.sliderValueFromPosition(0, _STEPS, x - margin, self.width() - 2 * margin)
        self.setSliderPosition(at)

    def _moved(self, value: int) -> None:
        if self._k_max:
            self._wish(self._scale.k_at(value / _STEPS))

    def _wish(self, k: int) -> None:
        k = max(1, min(k, self._k_max))
        if self._k_max and k != (self._k if self._wished is None else self._wished):
            self._wished = k
            self.componentsRequested.emit(k)

    def _commit(self) -> None:
        wished, self._wished = self._wished, None
        if wished is not None:
            self.componentsCommitted.emit(wished)
