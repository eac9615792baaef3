"""The widget that shows an image and feels the hand on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QPointF, Qt, Signal

from pcaimage.gui.drops import dropped_files
from pcaimage.gui.gestures import Pan, Zoom, key_gesture, wheel_gesture
from pcaimage.gui.surface import ImageSurface
from pcaimage.gui.viewport import Viewport

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDropEvent,
        QKeyEvent,
        QMouseEvent,
        QNativeGestureEvent,
        QResizeEvent,
        QWheelEvent,
    )
    from PySide6.QtWidgets import QWidget

_PAN_BUTTONS = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)


class ImageCanvas(ImageSurface):
    """Shows the part of an image that a viewport selects, and turns the hand's movements into wishes.

    It changes nothing by itself: it asks for another viewport with :attr:`viewportRequested` and shows
    it when :meth:`set_viewport` answers.

    Parameters
    ----------
    name : str
        What it shows, for people who cannot see it.
    parent : QWidget, optional
        The parent widget.
    """

    viewportRequested = Signal(object)  # noqa: N815
    """A :class:`Viewport` that the user's hand asks for."""
    cursorMoved = Signal(int, int)  # noqa: N815
    """The image pixel under the cursor."""
    cursorLeft = Signal()  # noqa: N815
    """The cursor is not over the image any more."""
    filesDropped = Signal(list)  # noqa: N815
    """Paths of files dropped here."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._grabbed: QPointF | None = None
        self._over_image = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)

    def event(self, event: QEvent) -> bool:
        """Turn a touchpad's pinch into a zoom."""
        if event.type() == QEvent.Type.NativeGesture:
            gesture = cast("QNativeGestureEvent", event)
            if gesture.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self._request(Zoom(1.0 + gesture.value()), gesture.position())
                return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep an image fitted that was fitted."""
        if self._image.width and self._viewport.is_fit(self._view_shown, self._image):
            self.viewportRequested.emit(Viewport.fit(self.view_size, self._image))
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the cursor, or pan with a touchpad."""
        self._request(wheel_gesture(event), event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pan with the arrows, zoom with ``+`` and ``-``."""
        gesture = key_gesture(event)
        if gesture is None:
            super().keyPressEvent(event)
            return
        self._request(gesture, QPointF(self.width() / 2, self.height() / 2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the image."""
        if event.button() in _PAN_BUTTONS:
            self._grabbed = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the image with the hand, and say which pixel is under it."""
        position = event.position()
        if self._grabbed is not None:
            moved, self._grabbed = position - self._grabbed, position
            self._request(Pan(moved.x(), moved.y()), position)
        self._report_cursor(position)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the image."""
        if event.button() in _PAN_BUTTONS:
            self._grabbed = None
            self.unsetCursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Change between the whole image and 100 % about the cursor."""
        view = self.view_size
        if event.button() != Qt.MouseButton.LeftButton or not self._image.width:
            return
        if self._viewport.is_fit(view, self._image):
            self._request(Zoom(1.0 / self._viewport.scale), event.position())
        else:
            self.viewportRequested.emit(Viewport.fit(view, self._image))

    def leaveEvent(self, event: QEvent) -> None:
        """Say that no pixel is under the cursor any more."""
        self._leave_image()
        super().leaveEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Hand on files."""
        event.acceptProposedAction()
        self.filesDropped.emit(dropped_files(event.mimeData()))

    def _request(self, gesture: Pan | Zoom | None, at: QPointF) -> None:
        if gesture is None or not self._image.width:
            return
        ratio, view = self.devicePixelRatioF(), self.view_size
        if isinstance(gesture, Pan):
            wished = self._viewport.panned(gesture.dx * ratio, gesture.dy * ratio, view, self._image)
        else:
            x, y = at.x() * ratio, at.y() * ratio
            wished = self._viewport.zoomed(gesture.factor, x, y, view, self._image)
        if wished != self._viewport:
            self.viewportRequested.emit(wished)

    def _report_cursor(self, position: QPointF) -> None:
        ratio = self.devicePixelRatioF()
        x, y = self._viewport.to_image(position.x() * ratio, position.y() * ratio, self.view_size)
        if 0 <= x < self._image.width and 0 <= y < self._image.height:
            self._over_image = True
            self.cursorMoved.emit(int(x), int(y))
        else:
            self._leave_image()

    def _leave_image(self) -> None:
        if self._over_image:
            self._over_image = False
            self.cursorLeft.emit()
