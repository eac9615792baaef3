"""Moving the mouse over a widget, whatever other windows lie above it on the screen."""

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent
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
