"""What a hand on the wheel, the touchpad or the keyboard means for a view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputDevice

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QWheelEvent

STEP = 1.25
"""Factor of one notch of the wheel and of one press of ``+``."""
_PAN_STEP = 64.0
_PIXELS_PER_DOUBLING = 240.0

_ARROWS = {
    Qt.Key.Key_Left: (_PAN_STEP, 0.0),
    Qt.Key.Key_Right: (-_PAN_STEP, 0.0),
    Qt.Key.Key_Up: (0.0, _PAN_STEP),
    Qt.Key.Key_Down: (0.0, -_PAN_STEP),
}
_ZOOM_KEYS = {
    Qt.Key.Key_Plus: STEP,
    Qt.Key.Key_Equal: STEP,
    Qt.Key.Key_Minus: 1 / STEP,
}


@dataclass(frozen=True, slots=True)
class Pan:
    """Move the image by so many device-independent pixels."""

    dx: float
    dy: float


@dataclass(frozen=True, slots=True)
class Zoom:
    """Multiply the scale by a factor."""

    factor: float


def wheel_gesture(event: QWheelEvent) -> Pan | Zoom | None:
    """Return what a wheel event asks for.

    A mouse wheel zooms. Two fingers on a touchpad pan, as they do everywhere, and zoom with Ctrl.

    Parameters
    ----------
    event : QWheelEvent
        The event.

    Returns
    -------
    Pan, Zoom or None
        None if it asks for nothing, such as the end of a scroll.
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
    return Zoom(STEP ** (angle.y() / 120)) if angle.y() else None


def wheel_notch(event: QWheelEvent) -> int:
    """Return which way a wheel was turned, whichever axis the system takes it for.

    Parameters
    ----------
    event : QWheelEvent
        The event. Some systems turn a wheel sideways while Shift is held.

    Returns
    -------
    int
        1 away from the hand, -1 towards it, 0 if it was not turned.
    """
    angle = event.angleDelta().y() or event.angleDelta().x()
    return (angle > 0) - (angle < 0)


def key_gesture(event: QKeyEvent) -> Pan | Zoom | None:
    """Return what a key asks for.

    Parameters
    ----------
    event : QKeyEvent
        The event.

    Returns
    -------
    Pan, Zoom or None
        None for a key that means nothing to a view.
    """
    key = Qt.Key(event.key())
    held = event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
    if held != Qt.KeyboardModifier.NoModifier:
        return None
    if key in _ARROWS:
        return Pan(*_ARROWS[key])
    return Zoom(_ZOOM_KEYS[key]) if key in _ZOOM_KEYS else None
