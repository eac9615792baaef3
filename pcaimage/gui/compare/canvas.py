"""The widget that shows an image and feels the hand on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QPointF, Qt, Signal

from pcaimage.gui.clipboard import local_files
from pcaimage.gui.compare.gestures import Pan, Zoom, key_gesture, wheel_gesture, wheel_notch
from pcaimage.gui.compare.marked import MarkedSurface
from pcaimage.gui.compare.viewport import Viewport

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDropEvent,
        QHideEvent,
        QKeyEvent,
        QMouseEvent,
        QNativeGestureEvent,
        QResizeEvent,
        QWheelEvent,
    )
    from PySide6.QtWidgets import QWidget

CLICK = 4.0
"""A hand that moves no farther than this, in device-independent pixels, has clicked."""
_PAN_BUTTONS = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)


class ImageCanvas(MarkedSurface):
    """Shows the part of an image that a viewport selects, and turns the hand's movements into wishes.

    It changes nothing by itself: it asks for another viewport with :attr:`viewportRequested` and shows
    it when :meth:`set_viewport` answers.

    Parameters
    ----------
    name : str
        What it shows, for people who cannot see it.
    parent : QWidget, optional
        The parent widget.
    keeps_fitted : bool, optional
        Whether it asks by itself to stay fitted when its size changes; else its owner does.
    """

    viewportRequested = Signal(object)  # noqa: N815
    """A :class:`Viewport` that the user's hand asks for."""
    cursorMoved = Signal(int, int)  # noqa: N815
    """The image pixel under the cursor."""
    cursorLeft = Signal()  # noqa: N815
    """The cursor is not over the image any more."""
    clicked = Signal(int, int)
    """The image pixel that was clicked without dragging."""
    filesDropped = Signal(list)  # noqa: N815
    """Paths of files dropped here."""
    magnifyRequested = Signal(int)  # noqa: N815
    """How many steps to magnify more, or less if negative."""
    keyed = Signal()
    """Keys asked for another viewport."""

    def __init__(self, name: str, parent: QWidget | None = None, *, keeps_fitted: bool = True) -> None:
        super().__init__(name, parent)
        self._keeps_fitted = keeps_fitted
        self._pressed: QPointF | None = None
        self._grabbed: QPointF | None = None
        self._over_image = False
        self._cursor = QPointF()
        self._magnifying = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)

    @property
    def cursor_position(self) -> QPointF:
        """Where the cursor was last seen, in device-independent pixels."""
        return self._cursor

    @property
    def over_image(self) -> bool:
        """Whether the cursor is over the image."""
        return self._over_image

    def set_magnifying(self, on: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Take the wheel with Shift, and plus and minus, for wishes to magnify.

        Parameters
        ----------
        on : bool
            Else they zoom.
        """
        self._magnifying = on

    def report_cursor(self) -> None:
        """Say again which pixel is under the cursor."""
        self._report_cursor(self._cursor)

    def set_viewport(self, viewport: Viewport) -> None:
        """Show another part of the image, or another scale.

        Parameters
        ----------
        viewport : Viewport
            Taken as it is; clamping is for who makes it.
        """
        moved = viewport != self._viewport
        super().set_viewport(viewport)
        if moved and self._over_image:
            self.report_cursor()

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
        if self._keeps_fitted and self._image.width and self._viewport.is_fit(self._view_shown, self._image):
            self.viewportRequested.emit(Viewport.fit(self.view_size, self._image))
        super().resizeEvent(event)
        self._leave_image()  # the cursor is elsewhere now, as seen from here

    def hideEvent(self, event: QHideEvent) -> None:
        """Say that no pixel is under the cursor any more."""
        self._leave_image()
        super().hideEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the cursor, or pan with a touchpad."""
        if self._magnifying and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self.magnifyRequested.emit(wheel_notch(event))
            event.accept()
            return
        self._request(wheel_gesture(event), event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pan with the arrows, zoom with ``+`` and ``-``."""
        gesture = key_gesture(event)
        if self._magnifying and isinstance(gesture, Zoom):
            self.magnifyRequested.emit(1 if gesture.factor > 1 else -1)
            return
        if gesture is None:
            super().keyPressEvent(event)
            return
        self._request(gesture, QPointF(self.width() / 2, self.height() / 2))
        self.keyed.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Get ready to move the image, or to click."""
        if event.button() in _PAN_BUTTONS:
            self._pressed, self._grabbed = event.position(), None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the image with the hand, and say which pixel is under it."""
        position = self._cursor = event.position()
        if self._pressed is not None and self._grabbed is None and _far(position, self._pressed):
            self._grabbed = self._pressed
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._grabbed is not None:
            moved, self._grabbed = position - self._grabbed, position
            self._request(Pan(moved.x(), moved.y()), position)
        self._report_cursor(position)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of the image; a hand that never moved it has clicked."""
        if event.button() not in _PAN_BUTTONS or self._pressed is None:
            return
        clicked = self._grabbed is None and event.button() == Qt.MouseButton.LeftButton
        pixel = self._pixel_at(self._pressed)
        self._pressed = self._grabbed = None
        self.unsetCursor()
        if clicked and pixel is not None:
            self.clicked.emit(*pixel)

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
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Hand on files."""
        event.acceptProposedAction()
        self.filesDropped.emit(local_files(event.mimeData()))

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

    def _pixel_at(self, position: QPointF) -> tuple[int, int] | None:
        ratio = self.devicePixelRatioF()
        x, y = self._viewport.to_image(position.x() * ratio, position.y() * ratio, self.view_size)
        inside = 0 <= x < self._image.width and 0 <= y < self._image.height
        return (int(x), int(y)) if inside else None

    def _report_cursor(self, position: QPointF) -> None:
        pixel = self._pixel_at(position)
        if pixel is None:
            self._leave_image()
        else:
            self._over_image = True
            self.cursorMoved.emit(*pixel)

    def _leave_image(self) -> None:
        if self._over_image:
            self._over_image = False
            self.cursorLeft.emit()


def _far(first: QPointF, second: QPointF) -> bool:
    moved = first - second
    return max(abs(moved.x()), abs(moved.y())) > CLICK
