"""The view of original and reconstruction: beside each other, split by a line, or as their difference."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from typing import Literal

from PySide6 import QtGui
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QRegion, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from pcaimage.codec import Region
from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.legend import HeatLegend
from pcaimage.gui.compare.magnifier import Magnifier
from pcaimage.gui.compare.options import ViewOption
from pcaimage.gui.compare.picker import RivalButton, ViewPicker
from pcaimage.gui.compare.viewport import Size, Viewport, fit_scale
from pcaimage.gui.theme import colours_of

CENTRE = 0.5
_WIDTH = 40
_REACH = 6
_STEP = 0.01
_PAGE = 0.1


class SplitDivider(QWidget):
    """A thin line with a grip in the middle, as high as its parent; it only requests to be moved."""

    moved = Signal(float)  # the place wanted, from 0 (left) to 1 (right)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._place = CENTRE
        self._held: float | None = None
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Divider")
        self.setToolTip("Drag to see more of either picture; double-click to centre it.")
        self.hide()

    def set_place(self, place: float) -> None:
        """Move it, from 0 (left) to 1 (right)."""
        self._place = place
        self.refresh()
        self.setAccessibleDescription(f"{place:.0%} of the view shows the left picture")

    def refresh(self) -> None:
        """Update the position after the parent's size changed."""
        parent = self.parentWidget()
        if parent is not None:
            line = round(self._place * parent.width())
            self.setGeometry(line - _WIDTH // 2, 0, _WIDTH, parent.height())

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        """Start a drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = event.position().x() - _WIDTH / 2

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:
        """Follow the mouse."""
        parent = self.parentWidget()
        if self._held is not None and parent is not None:
            x = self.mapToParent(event.position()).x() - self._held
            self._request(x / max(1, parent.width()))

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:
        """End the drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = None

    def mouseDoubleClickEvent(self, event: QtGui.QMouseEvent) -> None:
        """Move back to the middle."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = None
            self._request(CENTRE)

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        """Move with the arrows, farther with Shift; Home and End show one picture alone."""
        step = _PAGE if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _STEP
        place = {
            Qt.Key.Key_Left: self._place - step,
            Qt.Key.Key_Right: self._place + step,
            Qt.Key.Key_Home: 0.0,
            Qt.Key.Key_End: 1.0,
        }.get(Qt.Key(event.key()))
        if place is None:
            super().keyPressEvent(event)
        else:
            self._request(place)

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the line and the grip, light upon dark, visible on any picture."""
        colours = colours_of(self.palette())
        middle = self._middle()
        painter = QtGui.QPainter(self)
        for colour, width in ((QtGui.QColor(0, 0, 0, 150), 4.0), (QtGui.QColor(255, 255, 255), 2.0)):
            painter.setPen(QtGui.QPen(colour, width))
            painter.drawLine(QLineF(middle.x(), 0, middle.x(), self.height()))
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        painter.setPen(QtGui.QPen(QtGui.QColor(0, 0, 0, 150), 1))
        painter.setBrush(QtGui.QColor(colours.accent if self.hasFocus() else "#ffffff"))
        painter.drawEllipse(middle, 15, 15)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QtGui.QColor(colours.accent_text if self.hasFocus() else "#33383d"))
        for way in (-1, 1):
            tip, foot = QPointF(way * 10, 0), QPointF(way * 4, 5)
            arrow = QtGui.QPolygonF([middle + tip, middle + foot, middle + QPointF(foot.x(), -foot.y())])
            painter.drawPolygon(arrow)
        painter.end()

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Let the mouse through to the pictures beside the line and the grip."""
        super().resizeEvent(event)
        line = QtGui.QRegion(QRect(_WIDTH // 2 - _REACH, 0, 2 * _REACH, self.height()))
        grip = QRect(QPoint(0, 0), QPoint(_WIDTH - 1, _WIDTH - 1))
        grip.moveCenter(self._middle().toPoint())
        self.setMask(line.united(QtGui.QRegion(grip, QtGui.QRegion.RegionType.Ellipse)))

    def focusInEvent(self, event: QtGui.QFocusEvent) -> None:
        """Show the focus."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QtGui.QFocusEvent) -> None:
        """Show that the focus went."""
        super().focusOutEvent(event)
        self.update()

    def _middle(self) -> QPointF:
        return QRectF(0, 0, _WIDTH, self.height()).center()

    def _request(self, place: float) -> None:
        wanted = min(max(place, 0.0), 1.0)
        if wanted != self._place:
            self.moved.emit(wanted)


Mode = Literal["side-by-side", "split", "difference"]

_GAP = 2
_LARGER = 1.05  # by what factor pictures above each other must be larger than beside each other


class CompareView(QWidget):
    """Shows the same part of the image on all canvases, in one of three arrangements.

    Pictures and captions are given to the canvases, :attr:`original` (left), :attr:`reconstruction` (right)
    and :attr:`difference`; the viewport is given here, to all of them.
    """

    viewportRequested = Signal(object)  # noqa: N815
    """The :class:`Viewport` that the user wants."""
    pictureNeeded = Signal(object, float)  # noqa: N815
    """The :class:`Region` visible in any canvas, and the scale."""
    cursorMoved = Signal(int, int)  # noqa: N815
    """The image pixel under the cursor."""
    cursorLeft = Signal()  # noqa: N815
    """The cursor is no longer over the image."""
    clicked = Signal(int, int)  # the image pixel that was clicked without dragging
    outlined = Signal(list)  # the corners, column and row, of a polygon that is drawn upon the image
    filesDropped = Signal(list)  # noqa: N815
    """Paths of files dropped here."""
    menuRequested = Signal(str, QPoint)  # noqa: N815
    """A menu is wanted for the ``"left"`` or ``"right"`` view or the ``"difference"``, at this place."""
    rightRequested = Signal(object)  # noqa: N815
    """The value of the option that the right view, and with it the difference, is to show."""

    def __init__(self) -> None:
        super().__init__()
        self._image = Size(0, 0)
        self._view_shown = Size(0, 0)  # the size of a canvas when the viewport was last set
        self._mode: Mode = "side-by-side"
        self._with_original = True
        self._place = CENTRE
        self.peeking = False
        self.original = ImageCanvas("Original", self)
        self.reconstruction = ImageCanvas("Reconstruction", self)
        self.difference = ImageCanvas("Difference", self)
        self.difference.overlay_label.set_side("right")
        self.legend = HeatLegend(self.difference)
        self.canvases = (self.original, self.reconstruction, self.difference)
        self.divider = SplitDivider(self)
        self.magnifier = Magnifier(self, (self.original, self.reconstruction))
        self.left_picker = ViewPicker("left view", self.original)
        self.right_picker = ViewPicker("right view", self.reconstruction)
        self.difference_picker = ViewPicker("picture compared with the left view", self.difference)
        self.rivals = RivalButton(self)
        for corner in (self.reconstruction.overlay_label, self.legend):
            corner.set_neighbour(self.rivals)
        self._asking = QTimer(self, singleShot=True, interval=0)
        self._asking.timeout.connect(self._ask_for_picture)
        self._connect()
        self._order_tabs()
        self._arrange()

    def _connect(self) -> None:
        self.divider.moved.connect(self.set_divider)
        for picker in (self.right_picker, self.difference_picker):
            picker.requested.connect(self.rightRequested)
        for canvas, name in zip(self.canvases, ("left", "right", "difference"), strict=True):
            canvas.menuRequested.connect(partial(self.menuRequested.emit, name))
            canvas.viewportRequested.connect(self.viewportRequested)
            canvas.pictureNeeded.connect(self._asking.start)
            canvas.cursorMoved.connect(partial(self._point_at, canvas))
            canvas.cursorLeft.connect(self._point_away)
            canvas.magnifyRequested.connect(self.magnifier.step)
            canvas.keyed.connect(self._magnify_middle)
            canvas.clicked.connect(self.clicked)
            canvas.outlined.connect(self.outlined)
            canvas.filesDropped.connect(self.filesDropped)

    def _order_tabs(self) -> None:
        order: list[QWidget] = []
        for canvas, picker in (
            (self.original, self.left_picker),
            (self.reconstruction, self.right_picker),
            (self.difference, self.difference_picker),
        ):
            order += [canvas, picker.field, picker.button]
        order += [self.legend.button, self.divider, self.rivals]
        for before, after in pairwise(order):
            self.setTabOrder(before, after)

    @property
    def mode(self) -> Mode:
        """The arrangement: side by side whenever there is no original."""
        return self._mode if self._with_original else "side-by-side"

    @property
    def front(self) -> ImageCanvas:
        """The canvas that is always visible: the right one, or the difference."""
        return self.difference if self.mode == "difference" else self.reconstruction

    @property
    def divider_place(self) -> float:
        """The place of the divider, from 0 (left) to 1 (right)."""
        return self._place

    @property
    def view_size(self) -> Size:
        """The size of one canvas in device pixels; all visible ones have it, to within a pixel."""
        return self.front.view_size

    @property
    def viewport(self) -> Viewport:
        """The part of the image on all canvases, and its scale."""
        return self.reconstruction.viewport

    def wanted(self) -> tuple[Region, float]:
        """Return the region visible in any canvas and the scale, which pictures should have now."""
        region, scale = self.front.wanted()
        if not self.original.isHidden():
            region = region.united(self.original.wanted()[0])
        return region, scale

    # What is shown

    def set_mode(self, mode: Mode) -> None:
        """Choose an arrangement, which has no effect while there is no original.

        An image that fitted the view fits it afterwards.
        """
        self._point_away()
        self._mode = mode
        self._rearrange()
        self._show_peek()

    def set_original_available(self, available: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show or hide the left picture, which a compressed file without its original does not have."""
        self._point_away()
        self._with_original = available
        self._rearrange()
        self.magnifier.set_image(self._image, with_left=available)
        self._show_peek()

    def set_divider(self, place: float) -> None:
        """Move the divider, from 0 (left) to 1 (right)."""
        self._place = min(max(place, 0.0), 1.0)
        self._divide()

    def set_image_size(self, width: int, height: int) -> None:
        """Show another image, or none of size 0; pictures of the former are dropped."""
        self._image = Size(width, height)
        for canvas in self.canvases:
            canvas.set_image_size(width, height)
        self.magnifier.set_image(self._image, with_left=self._with_original)
        self._arrange()

    def set_viewport(self, viewport: Viewport) -> None:
        """Show another part of the image, or another scale, on all canvases."""
        self._view_shown = self.view_size
        for canvas in self.canvases:
            canvas.set_viewport(viewport)
        if self.magnifier.loupe.isVisible():
            self._magnify_middle()

    def set_magnifier(self, on: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Switch the magnifier on, visible while the cursor is over the image or keys move it, or off."""
        self.magnifier.set_on(on)
        for canvas in self.canvases:
            canvas.set_magnifying(on)
        self._magnify_middle()

    def set_marker(self, region: Region | None) -> None:
        """Frame some pixels of the image on all canvases."""
        for canvas in self.canvases:
            canvas.set_marker(region)

    def set_right_choices(self, options: Iterable[ViewOption], current: object) -> None:
        """Offer other contents for the right view and the difference; nothing is emitted."""
        offered = tuple(options)
        for picker in (self.right_picker, self.difference_picker):
            picker.set_choices(offered, current)

    def set_rivals(self, options: tuple[ViewOption, ...], current: object, usual: ViewOption | None) -> None:
        """Offer rivals in the button over the pictures, hidden without a usual one; nothing is emitted."""
        self.rivals.set_choices(options, current, usual)
        self._clear_corners()

    def set_right_components(self, k: int | None, most: int = 1) -> None:
        """Show a field for k, at most `most`, in the right view's caption, or hide it; nothing is emitted."""
        for picker in (self.right_picker, self.difference_picker):
            picker.set_components(k, most)

    def peek(self, on: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show the left picture instead of the right one, or of the difference, or end that."""
        self.peeking = on
        self._show_peek()

    def fit(self) -> None:
        """Ask for the whole image."""
        if self._image.width:
            self.viewportRequested.emit(Viewport.fit(self.view_size, self._image))

    def zoom_to(self, scale: float) -> None:
        """Ask for a scale of so many device pixels per image pixel, about the middle."""
        self.zoom_by(scale / self.viewport.scale)

    def zoom_by(self, factor: float) -> None:
        """Ask for a scale that is larger by a factor, about the middle."""
        if self._image.width:
            view = self.view_size
            centre = view.width / 2, view.height / 2
            self.viewportRequested.emit(self.viewport.zoomed(factor, *centre, view, self._image))

    def request_picture(self) -> None:
        """Ask for pictures again although nothing moved, because the image itself changed."""
        self._asking.start()

    def _ask_for_picture(self) -> None:
        region, scale = self.wanted()
        if not region.empty:
            self.pictureNeeded.emit(region, scale)

    def _show_peek(self) -> None:
        shown = self.front if self.peeking and self._with_original else None
        for canvas in (self.reconstruction, self.difference):
            canvas.show_instead(self.original if canvas is shown else None)
        self.legend.set_suspended(shown is self.difference)

    # The arrangement

    def minimumSizeHint(self) -> QSize:
        """Return the size that two canvases side by side need."""
        least = self.original.minimumSize()
        least.setWidth(2 * least.width() + _GAP)
        return least

    def event(self, event: QEvent) -> bool:
        """Keep a fitted image fitted when the window moves to a screen of another density."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._rearrange()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep a fitted image fitted."""
        super().resizeEvent(event)
        self._rearrange()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the cursor also where it is over the divider."""
        self.front.wheelEvent(event)

    def _rearrange(self) -> None:
        fitted = bool(self._image.width) and self.viewport.is_fit(self._view_shown, self._image)
        self._arrange()
        self._view_shown = self.view_size
        if fitted:
            self.fit()

    def _arrange(self) -> None:
        mode, front = self.mode, self.front
        seen = {front} if mode == "difference" or not self._with_original else {self.original, front}
        apart = mode == "side-by-side" and len(seen) == 2
        for canvas, half in zip((self.original, front), self._halves(), strict=True):
            canvas.setGeometry(half if apart else self.rect())
        front.show()
        hidden: list[QWidget] = [canvas for canvas in self.canvases if canvas not in seen]
        hidden += [] if mode == "split" else [self.divider]
        focused = self.window().focusWidget()
        if any(widget is focused or widget.isAncestorOf(focused) for widget in hidden):
            front.setFocus()  # else Qt would give the focus to the next widget of the window
        for widget in hidden:
            widget.hide()
        self.original.setVisible(self.original in seen)
        self._divide()
        self._clear_corners()

    def _halves(self) -> tuple[QRect, QRect]:
        """Return the places of two pictures: beside each other, or above, as panoramas are larger then."""
        width, height = self.width(), self.height()
        left, upper = (width - _GAP) // 2, (height - _GAP) // 2
        above = fit_scale(Size(width, upper), self._image)
        if above > _LARGER * fit_scale(Size(left, height), self._image):
            return QRect(0, 0, width, upper), QRect(0, upper + _GAP, width, height - upper - _GAP)
        return QRect(0, 0, left, height), QRect(left + _GAP, 0, width - left - _GAP, height)

    def _clear_corners(self) -> None:
        """Move overlays in the lower corners out of each other's way."""
        self.rivals.refresh()
        self.reconstruction.overlay_label.refresh()
        self.legend.refresh()

    def _divide(self) -> None:
        split = self.mode == "split"
        self.divider.setVisible(split)
        self.reconstruction.set_side("right" if split else "left", None)
        if not split:
            self.original.clearMask()
            self.original.set_side("left", None)
            return
        line = round(self._place * self.width())
        self.original.raise_()
        # An empty mask would count as none.
        self.original.setMask(QRegion(0, 0, line, self.height()) if line else QRegion(-1, -1, 1, 1))
        self.original.set_side("left", line)
        self.reconstruction.set_side("right", self.width() - line)
        self.divider.set_place(self._place)
        self.divider.raise_()
        self.rivals.raise_()

    # The cursor: its mark in the other picture, and the magnifier

    def _point_at(self, canvas: ImageCanvas, x: int, y: int) -> None:
        if self.mode == "side-by-side":
            other = self.original if canvas is self.reconstruction else self.reconstruction
            other.set_crosshair((x, y))
            canvas.set_crosshair(None)
        self.magnifier.point_at((x, y), canvas.mapToParent(canvas.cursor_position.toPoint()))
        self.cursorMoved.emit(x, y)

    def _point_away(self) -> None:
        for canvas in self.canvases:
            canvas.set_crosshair(None)
        self.magnifier.point_at(None)
        self.cursorLeft.emit()

    def _magnify_middle(self) -> None:
        """Magnify the middle, where keys or buttons move the image, unless the cursor is over it."""
        front, image = self.front, self._image
        if not self.magnifier.on or not image.width or any(canvas.over_image for canvas in self.canvases):
            return
        x = min(max(int(self.viewport.centre_x), 0), int(image.width) - 1)
        y = min(max(int(self.viewport.centre_y), 0), int(image.height) - 1)
        middle = front.mapToParent(QPoint(front.width() // 2, front.height() // 2))
        self.magnifier.point_at((x, y), middle)
