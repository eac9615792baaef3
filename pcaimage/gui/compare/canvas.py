"""The widget that shows a part of an image and translates mouse and keyboard to requests for another part."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6 import QtGui
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from pcaimage.codec import Region
from pcaimage.gui.clipboard import local_files
from pcaimage.gui.compare import painting
from pcaimage.gui.compare.gestures import BY_KEY, Pan, Zoom, key_gesture, wheel_gesture, wheel_notch
from pcaimage.gui.compare.strips import CaptionStrip, OverlayLabel, Side
from pcaimage.gui.compare.viewport import Size, Viewport
from pcaimage.gui.screen.picture import Extent, Picture
from pcaimage.gui.theme import colours_of

_CLICK = 4.0  # a press that moves no farther than this, in device-independent pixels, is a click
_PAN_BUTTONS = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)


class ImageCanvas(QWidget):
    """Shows the part of an image that a viewport selects, with a caption and marks upon it.

    It does not move by itself: it asks for another viewport with :attr:`viewportRequested`, and for pixels
    with :attr:`pictureNeeded`. Until a picture of the viewport arrives, the last one is shown where it
    belongs, over a coarse backdrop of the whole image. Its accessible name says what it shows.
    """

    pictureNeeded = Signal(object, float)  # noqa: N815
    """The visible :class:`Region` and the scale, once per turn of the event loop in which they changed."""
    pictureChanged = Signal()  # noqa: N815
    """The picture or the backdrop was replaced."""
    viewportRequested = Signal(object)  # noqa: N815
    """The :class:`Viewport` that the user wants."""
    cursorMoved = Signal(int, int)  # noqa: N815
    """The image pixel under the cursor."""
    cursorLeft = Signal()  # noqa: N815
    """The cursor is no longer over the image."""
    clicked = Signal(int, int)  # the image pixel that was clicked without dragging
    outlined = Signal(list)
    """The corners, column and row, of a polygon that is drawn with Shift; fractions are places in a pixel."""
    filesDropped = Signal(list)  # noqa: N815
    """Paths of files dropped here."""
    magnifyRequested = Signal(int)  # noqa: N815
    """Steps by which to magnify more, or less if negative."""
    keyed = Signal()  # keys asked for another viewport
    menuRequested = Signal(QPoint)  # noqa: N815
    """A menu is wanted at this place of the screen."""
    resized = Signal()  # its size has changed; overlays in its corners must move

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image = Size(0, 0)
        self._viewport = Viewport(0.0, 0.0, 1.0)
        self._picture: painting.Layer | None = None
        self._backdrop: painting.Layer | None = None
        self._overlay: painting.Layer | None = None
        self._marker: Region | None = None
        self._crosshair: tuple[int, int] | None = None
        self._source: ImageCanvas | None = None
        self._lines: tuple[str, ...] = ()
        self._framed = False
        self._outline: list[tuple[float, float]] | None = None  # a polygon that is being drawn
        self._pressed: QPointF | None = None  # where a mouse button went down
        self._grabbed: QPointF | None = None  # where the image was last dragged to
        self._cursor = QPointF()
        self.over_image = False
        self._magnifying = False
        self._asked: tuple[Region, float] | None = None
        self._asking = QTimer(self, singleShot=True, interval=0)
        self._asking.timeout.connect(self._ask_for_picture)
        self.caption = CaptionStrip(self)
        self.overlay_label = OverlayLabel(self)
        self.setAccessibleName(name)
        self.setMinimumSize(160, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)

    # What is shown

    @property
    def view_size(self) -> Size:
        """The canvas's size in device pixels."""
        ratio = self.devicePixelRatioF()
        return Size(self.width() * ratio, self.height() * ratio)

    @property
    def viewport(self) -> Viewport:
        """The part of the image that is shown, and its scale."""
        return self._viewport

    @property
    def picture(self) -> Picture | None:
        """The newest picture, if there is one."""
        return None if self._picture is None else self._picture.picture

    @property
    def layers(self) -> list[painting.Layer]:
        """The backdrop and the picture, as far as there are any, in the order of painting."""
        return [layer for layer in (self._backdrop, self._picture) if layer is not None]

    @property
    def lines(self) -> tuple[str, ...]:
        """The caption that was set; another one may be shown, see :meth:`show_instead`."""
        return self._lines

    @property
    def marker(self) -> Region | None:
        """The image pixels that are framed."""
        return self._marker

    @property
    def crosshair(self) -> tuple[int, int] | None:
        """The image pixel that the crosshair marks."""
        return self._crosshair

    @property
    def cursor_position(self) -> QPointF:
        """The last position of the cursor, in device-independent pixels."""
        return self._cursor

    def wanted(self) -> tuple[Region, float]:
        """Return the region and the scale that a picture should have now."""
        return self._viewport.visible_region(self.view_size, self._image), self._viewport.scale

    def set_image_size(self, width: int, height: int) -> None:
        """Show another image, or none of size 0; pictures of the former and marks upon it are dropped."""
        self._image = Size(width, height)
        self._picture = self._backdrop = None
        self._marker = self._crosshair = None
        self.set_overlay(None)
        self.request_picture()
        self.pictureChanged.emit()

    def set_viewport(self, viewport: Viewport) -> None:
        """Show another part of the image, or another scale; the viewport is not clamped."""
        if viewport == self._viewport:
            return
        self._viewport = viewport
        self._asking.start()
        self.update()
        if self.over_image:
            self._report_cursor(self._cursor)

    def set_picture(self, picture: Picture | None) -> None:
        """Show a newer picture of the part that was visible when it was requested."""
        self._picture = painting.Layer.of(picture)
        self.update()
        self.pictureChanged.emit()

    def set_backdrop(self, picture: Picture | None) -> None:
        """Set a coarse picture of the whole image, so that panning never shows holes."""
        self._backdrop = painting.Layer.of(picture)
        self.update()
        self.pictureChanged.emit()

    def request_picture(self) -> None:
        """Ask for a picture again although nothing moved, because the image itself changed."""
        self._asked = None
        self._asking.start()

    def set_caption(self, lines: Sequence[str]) -> None:
        """Set the text over the image, of at most three lines; none hides the strip."""
        if (wanted := tuple(lines)) != self._lines:
            self._lines = wanted
            self._show_caption()

    def set_side(self, side: Side, room: int | None) -> None:
        """Choose the corners of the texts; `room` is the width of the visible part, if not all of it is."""
        self.caption.set_place(side, room)
        self.overlay_label.set_side(side)

    def set_overlay(self, picture: Picture | None, text: str = "") -> None:
        """Lay a translucent picture over the image, with a text that names it."""
        self._overlay = painting.Layer.of(picture)
        self.overlay_label.set_text(text if picture is not None else "")
        self.update()

    def set_marker(self, region: Region | None) -> None:
        """Frame some pixels of the image."""
        if region != self._marker:
            self._marker = region
            self.update()

    def set_crosshair(self, pixel: tuple[int, int] | None) -> None:
        """Mark the pixel, column and row, that the cursor is over in the other view."""
        if pixel == self._crosshair:
            return
        before, self._crosshair = self._crosshair, pixel
        for each in (before, pixel):
            if each is not None:
                self.update(painting.crosshair_bounds(self._pixel_rect(each)))

    def set_magnifying(self, on: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Let Shift and wheel, and plus and minus, request another magnification instead of a zoom."""
        self._magnifying = on

    def show_instead(self, source: ImageCanvas | None) -> None:
        """Show the pictures and the caption of another canvas with the same viewport, or its own again."""
        if source is self._source:
            return
        if self._source is not None:
            self._source.pictureChanged.disconnect(self.update)
        self._source = source
        if source is not None:
            source.pictureChanged.connect(self.update)
            self.caption.set_lines(source.lines or (source.accessibleName(),))
        else:
            self._show_caption()
        self.overlay_label.setVisible(source is None and bool(self.overlay_label.text))
        self.update()

    def _show_caption(self) -> None:
        if self._source is None:
            self.caption.set_lines(self._lines)
            self.setAccessibleDescription("\n".join(self._lines))

    def _ask_for_picture(self) -> None:
        wanted = self.wanted()
        if wanted != self._asked and not wanted[0].empty:
            self._asked = wanted
            self.pictureNeeded.emit(*wanted)

    # Painting

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        """Paint the backdrop, the newest picture, the marks upon it, and the frame of the focus."""
        colours = colours_of(self.palette())
        painter = QtGui.QPainter(self)
        painter.fillRect(event.rect(), QtGui.QColor(colours.canvas))
        # Blocks at the right and lower edges reach over the image.
        painter.setClipRect(self._place((0, 0, *self._image)))
        self._paint_layers(painter)
        if self._source is None:
            self._paint_marks(painter)
        painter.setClipping(False)
        if self._framed:
            painter.setPen(QtGui.QPen(QtGui.QColor(colours.accent), 1))
            painter.drawRect(QRect(0, 0, self.width() - 1, self.height() - 1))
        painter.end()

    def _paint_layers(self, painter: QtGui.QPainter) -> None:
        layers = (self._source or self).layers
        if len(layers) == 2 and painting.covers(layers[1].picture, self.wanted()[0]):
            del layers[0]  # it would be hidden
        for layer in layers:
            target = self._place(layer.picture.extent)
            if layer.picture.has_alpha:
                painter.fillRect(target, painting.checkerboard(*colours_of(self.palette()).checker))
            squares = self._viewport.scale >= painting.PIXELS_VISIBLE and layer.picture.full_resolution
            painting.draw_layer(painter, layer, target, squares=squares)

    def _paint_marks(self, painter: QtGui.QPainter) -> None:
        if self._overlay is not None:
            target = self._place(self._overlay.picture.extent)
            size = target.width() * self.devicePixelRatioF() / self._overlay.image.width()
            painting.draw_layer(painter, self._overlay, target, squares=size >= painting.PIXELS_VISIBLE)
        painter.setClipping(False)  # marks may reach over the image
        if self._marker is not None:
            colours = colours_of(self.palette())
            halo = QtGui.QColor(0, 0, 0, 190) if colours.dark else QtGui.QColor(255, 255, 255, 220)
            painting.draw_frame(painter, self._place(self._marker.edges), QtGui.QColor(colours.accent), halo)
        if self._outline is not None:
            painter.setPen(
                QtGui.QPen(QtGui.QColor(colours_of(self.palette()).accent), 2, Qt.PenStyle.DashLine)
            )
            painter.drawPolygon([self._place((x, y, x, y)).topLeft() for x, y in self._outline])
        if self._crosshair is not None:
            painting.draw_crosshair(painter, self._pixel_rect(self._crosshair))

    def _place(self, extent: Extent) -> QRectF:
        return painting.place(extent, self._viewport, self.view_size, self.devicePixelRatioF())

    def _pixel_rect(self, pixel: tuple[int, int]) -> QRectF:
        x, y = pixel
        return self._place((x, y, x + 1, y + 1))

    # Events

    def event(self, event: QEvent) -> bool:
        """Zoom by a touchpad's pinch, and ask for a picture again on a screen of another density."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._asking.start()
        pinch = Qt.NativeGestureType.ZoomNativeGesture
        if isinstance(event, QtGui.QNativeGestureEvent) and event.gestureType() == pinch:
            self._move_view(Zoom(1.0 + event.value()), event.position())
            return True
        return super().event(event)

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Ask for a picture of the new size, and move the texts to their corners."""
        super().resizeEvent(event)
        self.caption.refresh()
        self.overlay_label.refresh()
        self._asking.start()
        self._leave_image()  # the cursor is over another pixel now, if over any
        self.resized.emit()

    def hideEvent(self, event: QtGui.QHideEvent) -> None:
        """Report that no pixel is under the cursor any more."""
        self._leave_image()
        super().hideEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Report that no pixel is under the cursor any more."""
        self._leave_image()
        super().leaveEvent(event)

    def focusInEvent(self, event: QtGui.QFocusEvent) -> None:
        """Show a frame when the focus came by the keyboard."""
        self._framed = event.reason() in BY_KEY
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QtGui.QFocusEvent) -> None:
        """Remove the frame."""
        self._framed = False
        self.update()
        super().focusOutEvent(event)

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:
        """Zoom about the cursor, or pan with a touchpad."""
        if self._magnifying and event.modifiers() == Qt.KeyboardModifier.ShiftModifier:
            self.magnifyRequested.emit(wheel_notch(event))
        else:
            self._move_view(wheel_gesture(event), event.position())
        event.accept()

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Pan with the arrows, zoom with ``+`` and ``-``."""
        gesture = key_gesture(event)
        if gesture is None:
            super().keyPressEvent(event)
        elif self._magnifying and isinstance(gesture, Zoom):
            self.magnifyRequested.emit(1 if gesture.factor > 1 else -1)
        else:
            self._move_view(gesture, QPointF(self.width() / 2, self.height() / 2), by_keys=True)
            self.keyed.emit()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Prepare for a drag or a click."""
        if (
            event.button() == Qt.MouseButton.LeftButton
            and event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        ):
            self._outline = [self._image_place(event.position())]
        elif event.button() in _PAN_BUTTONS:
            self._pressed, self._grabbed = event.position(), None

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Drag the image, and report the pixel under the cursor."""
        position = self._cursor = event.position()
        if self._outline is not None:
            self._outline.append(self._image_place(position))
            self.outlined.emit(self._outline)
            self.update()
        if self._pressed is not None and self._grabbed is None and _far(position, self._pressed):
            self._grabbed = self._pressed
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._grabbed is not None:
            moved, self._grabbed = position - self._grabbed, position
            self._move_view(Pan(moved.x(), moved.y()), position)
        self._report_cursor(position)

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:
        """End a drag; without one it was a click."""
        self._outline = None
        if event.button() not in _PAN_BUTTONS or self._pressed is None:
            return
        clicked = self._grabbed is None and event.button() == Qt.MouseButton.LeftButton
        pixel = self._pixel_at(self._pressed)
        self._pressed = self._grabbed = None
        self.unsetCursor()
        if clicked and pixel is not None:
            self.clicked.emit(*pixel)

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        """Switch between the whole image and 100 % about the cursor."""
        view = self.view_size
        if event.button() != Qt.MouseButton.LeftButton or not self._image.width:
            return
        if self._viewport.is_fit(view, self._image):
            self._move_view(Zoom(1.0 / self._viewport.scale), event.position())
        else:
            self.viewportRequested.emit(Viewport.fit(view, self._image))

    def contextMenuEvent(self, event: QtGui.QContextMenuEvent) -> None:
        """Ask for the menu of the picture."""
        self.menuRequested.emit(event.globalPos())
        event.accept()

    def dragEnterEvent(self, event: QtGui.QDragEnterEvent) -> None:
        """Accept files."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QtGui.QDropEvent) -> None:
        """Report the files."""
        event.acceptProposedAction()
        self.filesDropped.emit(local_files(event.mimeData()))

    def _move_view(self, gesture: Pan | Zoom | None, at: QPointF, *, by_keys: bool = False) -> None:
        """Ask for the viewport that a gesture leads to, at a position in device-independent pixels."""
        if gesture is None or not self._image.width:
            return
        ratio, view = self.devicePixelRatioF(), self.view_size
        if isinstance(gesture, Pan):
            move = self._viewport.stepped if by_keys else self._viewport.panned
            viewport = move(gesture.dx * ratio, gesture.dy * ratio, view, self._image)
        else:
            x, y = at.x() * ratio, at.y() * ratio
            viewport = self._viewport.zoomed(gesture.factor, x, y, view, self._image)
        if viewport != self._viewport:
            self.viewportRequested.emit(viewport)

    def _image_place(self, position: QPointF) -> tuple[float, float]:
        ratio = self.devicePixelRatioF()
        return self._viewport.to_image(position.x() * ratio, position.y() * ratio, self.view_size)

    def _pixel_at(self, position: QPointF) -> tuple[int, int] | None:
        x, y = self._image_place(position)
        inside = 0 <= x < self._image.width and 0 <= y < self._image.height
        return (int(x), int(y)) if inside else None

    def _report_cursor(self, position: QPointF) -> None:
        pixel = self._pixel_at(position)
        if pixel is None:
            self._leave_image()
        else:
            self.over_image = True
            self.cursorMoved.emit(*pixel)

    def _leave_image(self) -> None:
        if self.over_image:
            self.over_image = False
            self.cursorLeft.emit()


def _far(first: QPointF, second: QPointF) -> bool:
    moved = first - second
    return max(abs(moved.x()), abs(moved.y())) > _CLICK
