"""Translates wheel, touchpad and keyboard events to gestures: to pan or to zoom a view."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputDevice, QKeyEvent, QWheelEvent

_STEP = 1.25  # factor of one notch of the wheel and of one press of ``+``
_PAN_STEP = 64.0
_PIXELS_PER_DOUBLING = 240.0

ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
"""The steps to the right and down that arrow keys stand for."""
BY_KEY = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
"""How the keyboard brings the focus, which is then to be seen."""
_ZOOM_KEYS = {Qt.Key.Key_Plus: _STEP, Qt.Key.Key_Equal: _STEP, Qt.Key.Key_Minus: 1 / _STEP}


@dataclass(frozen=True, slots=True)
class Pan:
    """Move the image by a number of device-independent pixels."""

    dx: float
    dy: float


@dataclass(frozen=True, slots=True)
class Zoom:
    """Multiply the scale by a factor."""

    factor: float


def wheel_gesture(event: QWheelEvent) -> Pan | Zoom | None:
    """Return the gesture of a wheel event; None for such as the end of a scroll.

    A mouse wheel zooms. Two fingers on a touchpad pan, as they do everywhere, and zoom with Ctrl.
    """
    pixels, angle = event.pixelDelta(), event.angleDelta()
    control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
    touchpad = event.device().type() == QInputDevice.DeviceType.TouchPad or (
        not pixels.isNull() and event.phase() != Qt.ScrollPhase.NoScrollPhase
    )
    if touchpad and not control:
        delta = pixels if not pixels.isNull() else angle / 2
        return None if delta.isNull() else Pan(float(delta.x()), float(delta.y()))
    if touchpad and pixels.y():
        return Zoom(2.0 ** (pixels.y() / _PIXELS_PER_DOUBLING))
    return Zoom(_STEP ** (angle.y() / 120)) if angle.y() else None


def wheel_notch(event: QWheelEvent) -> int:
    """Return 1 for a wheel turned away from the user, -1 for one turned towards them, else 0.

    Some systems report a vertical wheel as horizontal while Shift is held.
    """
    angle = event.angleDelta().y() or event.angleDelta().x()
    return (angle > 0) - (angle < 0)


def key_gesture(event: QKeyEvent) -> Pan | Zoom | None:
    """Return the gesture of a key; None for a key without one."""
    key = Qt.Key(event.key())
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    if held != Qt.KeyboardModifier.NoModifier:
        return None
    if key in ARROWS:
        right, down = ARROWS[key]
        return Pan(-right * _PAN_STEP, -down * _PAN_STEP)
    return Zoom(_ZOOM_KEYS[key]) if key in _ZOOM_KEYS else None
