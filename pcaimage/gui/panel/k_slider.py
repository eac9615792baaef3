"""The slider of k, or of a photo's quality, with a scale that is finer where differences are visible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QStyle

from pcaimage.codec.spectrum import OperatingPoints
from pcaimage.gui.screen.pending_k import PendingK
from pcaimage.gui.session.requests import Keep, Quantise, request_of

Floats = NDArray[np.float64]

DULL, FINE = 3.0, 32.0
"""Decibels of signal to error between which differences matter: below, nothing can be recognised; above,
hardly any difference is seen. With photographs this is about 22 to 48 dB of PSNR."""
BEYOND = 0.25  # weight of a decibel outside that range
FOR_EACH = 0.25  # share of the slider that is divided equally, so that every k has its place
LARGEST = 8.0
"""Most of the slider that a component takes, in multiples of the average: nothing lies between two k."""
_SMALLEST_ERROR = 1e-5  # share of the total variance below which an error counts as this much

_STEPS = 100_000
_PAGE = 10
_FINE = 6  # pixels to a component while Shift is held
_NOTCH = 120  # one step of a wheel, in Qt's eighths of a degree


@dataclass(frozen=True, eq=False)
class KScale:
    """The place of every k on the slider: `places` has shape (k_max,) and rises from 0 to 1."""

    places: Floats

    @classmethod
    def even(cls, k_max: int) -> KScale:
        """Return a scale on which equal distances add equally many; k_max is at least 1."""
        return cls(np.linspace(0.0, 1.0, k_max))

    @classmethod
    def logarithmic(cls, k_max: int) -> KScale:
        """Return a scale on which equal distances multiply k by equal factors; k_max is at least 1.

        It suits images whose variances are not known.
        """
        return cls(np.log(np.arange(1, k_max + 1)) / np.log(max(k_max, 2)))

    @classmethod
    def of_variances(cls, variances: Floats) -> KScale:
        """Return a scale on which equal distances change the quality about equally, where that is seen."""
        decibels = signal_to_error(variances)
        rating = np.interp(
            decibels,
            [-100.0, DULL, FINE, 200.0],
            np.cumsum([0.0, (DULL + 100) * BEYOND, FINE - DULL, (200 - FINE) * BEYOND]),
        )
        widths = np.maximum(np.diff(rating), 0.0)
        if not widths.sum() > 0:
            return cls.even(len(variances))
        widths = np.minimum(widths, LARGEST * widths.mean())
        widths = (1 - FOR_EACH) * widths / widths.sum() + FOR_EACH / len(widths)
        places = np.concatenate([[0.0], np.cumsum(widths)])
        return cls(places / places[-1])

    @property
    def k_max(self) -> int:
        """The k at the right end."""
        return len(self.places)

    def k_at(self, fraction: float) -> int:
        """Return the k nearest to a place, from 0 at the left end to 1 at the right end."""
        between = (self.places[1:] + self.places[:-1]) / 2
        return 1 + int(np.searchsorted(between, fraction))

    def place_of(self, k: int) -> float:
        """Return the place of a k, which is clamped to 1 … k_max."""
        return float(self.places[min(max(k, 1), self.k_max) - 1])


def signal_to_error(variances: Floats) -> Floats:
    """Return the ratio of the total variance to that of the error, in decibels, for k = 1 to n; at most 50.

    Each k has its own step. By reverse water-filling, every component's error is then the variance of the
    first one left out, or its own variance if that is less.
    """
    total = float(variances.sum())
    if not total > 0:
        return np.zeros(len(variances))
    levels = np.append(np.maximum.accumulate(variances[::-1])[::-1][1:], 0.0)
    ascending = np.sort(variances)
    below = np.concatenate([[0.0], np.cumsum(ascending)])
    smaller = np.searchsorted(ascending, levels)
    errors = below[smaller] + levels * (len(variances) - smaller)
    found: Floats = 10 * np.log10(total / np.maximum(errors, _SMALLEST_ERROR * total))
    return found


class KSlider(QSlider):
    """A slider that requests k while it is dragged, and commits the last one when it is released.

    Of a photo it requests operating points by their numbers from 1, as if they were k.
    """

    requested = Signal(object)  # a :class:`~pcaimage.gui.session.requests.Keep`, or of a photo a Quantise

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._k = 0
        self._k_max = 0
        self._scale = KScale.even(1)
        self._points: OperatingPoints | None = None
        self._pending = PendingK(lambda k, final: self.requested.emit(self._request(k, final)))
        self._anchor: tuple[int, int] | None = None
        self._turned = 0
        self.setRange(0, _STEPS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(lambda value: self._choose(self._scale.k_at(value / _STEPS)))
        self.sliderReleased.connect(self._commit)

    @property
    def k(self) -> int:
        """The k, or the number of the point, that is shown."""
        return self._k

    def set_points(self, points: OperatingPoints, k: int, step: float, scale: KScale) -> None:
        """Show the operating point nearest to some k and Δ; nothing is emitted."""
        self._points = points
        self._show(points.nearest(k, step) + 1, len(points), scale)
        self.setAccessibleDescription(f"step {step:.4g}, {k} components")

    def set_k(self, k: int, k_max: int, scale: KScale | None = None) -> None:
        """Show another k, on a logarithmic scale unless another is given; nothing is emitted."""
        self._points = None
        self._show(k, k_max, KScale.logarithmic(max(k_max, 1)) if scale is None else scale)
        self.setAccessibleDescription(f"{k} of {k_max} components")

    def _show(self, k: int, k_max: int, scale: KScale) -> None:
        self._k, self._k_max, self._scale = k, k_max, scale
        if k_max and self.isSliderDown() and self._scale.k_at(self.value() / _STEPS) == k:
            return  # the handle stays under the cursor
        with QSignalBlocker(self):
            self.setValue(self.value_of(k))

    def value_of(self, k: int) -> int:
        """Return the slider's value for a k, which is clamped to the scale."""
        return round(_STEPS * self._scale.place_of(k))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the handle to the cursor and start to drag it; with Shift, leave it where it is."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._anchor = None
            self.setSliderDown(True)
            self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the handle."""
        if self.isSliderDown():
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Release the handle."""
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
            self._choose(self._k + step)
        elif key in {Qt.Key.Key_Home, Qt.Key.Key_End}:
            self._choose(1 if key == Qt.Key.Key_Home else self._k_max)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Commit the k that keys have requested."""
        if not event.isAutoRepeat():
            self._commit()
        super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Commit the pending k before another widget gets the keyboard focus."""
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
            self._choose(self._k + notches)
            self._commit()
        event.accept()

    def _follow(self, event: QMouseEvent) -> None:
        x = round(event.position().x())
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._k_max:
            if self._anchor is None:
                self._anchor = x, self._pending.or_else(self._k)
            start, k = self._anchor
            k = min(max(k + round((x - start) / _FINE), 1), self._k_max)
            self.setSliderPosition(self.value_of(k))
            return
        self._anchor = None
        margin = self.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, self) // 2
        at = QStyle.sliderValueFromPosition(0, _STEPS, x - margin, self.width() - 2 * margin)
        self.setSliderPosition(at)

    def _request(self, k: int, final: bool) -> Keep | Quantise:  # noqa: FBT001 - as PendingK calls it
        return Keep(k, final) if self._points is None else request_of(self._points, k, final=final)

    def _commit(self) -> None:
        self._pending.commit()

    def _choose(self, k: int) -> None:
        if self._k_max:
            self._pending.choose(max(1, min(k, self._k_max)), self._k)
