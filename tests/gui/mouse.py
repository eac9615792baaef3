"""Moving the mouse over a widget and turning its wheel, whatever other windows lie above it."""

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication


def move(widget, to):
    """Do what Qt does when the cursor gets there; the real one may be over the window of another test."""
    place, on_screen = QPointF(to), QPointF(widget.mapToGlobal(to))
    if not widget.testAttribute(Qt.WidgetAttribute.WA_UnderMouse):
        widget.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
        QApplication.sendEvent(widget, QEnterEvent(place, place, on_screen))
    held, keys = QApplication.mouseButtons(), QApplication.keyboardModifiers()
    event = QMouseEvent(QEvent.Type.MouseMove, place, on_screen, Qt.MouseButton.NoButton, held, keys)
    QApplication.sendEvent(widget, event)
    QApplication.processEvents()


def turn(widget, by, *, at=None, keys=Qt.KeyboardModifier.NoModifier, pixels=None):
    """Turn the wheel by an angle, 120 of which are a notch, or two fingers by some pixels."""
    angle = by if isinstance(by, QPoint) else QPoint(0, by)
    place = QPointF(at or widget.rect().center())
    phase = Qt.ScrollPhase.ScrollUpdate if pixels else Qt.ScrollPhase.NoScrollPhase
    none = Qt.MouseButton.NoButton
    event = QWheelEvent(place, widget.mapToGlobal(place), pixels or QPoint(), angle, none, keys, phase, False)
    QApplication.sendEvent(widget, event)
