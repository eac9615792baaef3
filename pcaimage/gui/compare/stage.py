"""Where the canvases stand: beside each other, upon each other with a divider, or one alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QWidget

from pcaimage.codec import Region
from pcaimage.gui.compare.canvas import ImageCanvas
from pcaimage.gui.compare.difference import DifferenceCanvas
from pcaimage.gui.compare.divider import CENTRE, SplitDivider
from pcaimage.gui.compare.viewport import Size, Viewport

if TYPE_CHECKING:
    from PySide6.QtCore import QSize
    from PySide6.QtGui import QResizeEvent, QWheelEvent

Mode = Literal["side-by-side", "split", "difference"]

_GAP = 2


class Stage(QWidget):
    """Canvases that show the same part of the image, in one of three arrangements.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    viewportRequested = Signal(object)  # noqa: N815
    """A :class:`Viewport` that the user's hand asks for, over any canvas."""
    pictureNeeded = Signal(object, float)  # noqa: N815
    """The :class:`Region` visible in any canvas, and the scale."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image = Size(0, 0)
        self._view_shown = Size(0, 0)  # the size that the viewport was last seen at
        self._mode: Mode = "side-by-side"
        self._with_original = True
        self._place = CENTRE
        self.original = ImageCanvas("Original", self, keeps_fitted=False)
        self.reconstruction = ImageCanvas("Reconstruction", self, keeps_fitted=False)
        self.difference = DifferenceCanvas(self, keeps_fitted=False)
        self.canvases: tuple[ImageCanvas, ...] = (self.original, self.reconstruction, self.difference)
        self.divider = SplitDivider(self)
        self.divider.moved.connect(self.set_divider)
        self._asking = QTimer(self, singleShot=True, interval=0)
        self._asking.timeout.connect(self._ask_for_picture)
        for canvas in self.canvases:
            canvas.viewportRequested.connect(self.viewportRequested)
            canvas.pictureNeeded.connect(self._asking.start)
        self._arrange()

    @property
    def mode(self) -> Mode:
        """How the pictures are compared; side by side whenever there is no original."""
        return self._mode if self._with_original else "side-by-side"

    @property
    def front(self) -> ImageCanvas:
        """The canvas that is always seen: the right one, or the difference."""
        return self.difference if self.mode == "difference" else self.reconstruction

    @property
    def divider_place(self) -> float:
        """Where the divider is, from 0 (left) to 1 (right)."""
        return self._place

    @property
    def view_size(self) -> Size:
        """The size of one canvas in device pixels; all that are seen have it, to within a pixel."""
        return self.front.view_size

    @property
    def viewport(self) -> Viewport:
        """What the canvases show."""
        return self.reconstruction.viewport

    def set_mode(self, mode: Mode) -> None:
        """Compare in another way; an image that was fitted stays fitted.

        Parameters
        ----------
        mode : {"side-by-side", "split", "difference"}
            Remembered, but without effect while there is no original.
        """
        self._mode = mode
        self._rearrange()

    def set_divider(self, place: float) -> None:
        """Move the divider.

        Parameters
        ----------
        place : float
            From 0 (left) to 1 (right).
        """
        self._place = min(max(place, 0.0), 1.0)
        self._divide()

    def set_image_size(self, width: int, height: int) -> None:
        """Show another image, or none; pictures of the former are forgotten.

        Parameters
        ----------
        width, height : int
            In pixels; 0 for no image.
        """
        self._image = Size(width, height)
        for canvas in self.canvases:
            canvas.set_image_size(width, height)

    def set_viewport(self, viewport: Viewport) -> None:
        """Show another part of the image, or another scale, in all canvases.

        Parameters
        ----------
        viewport : Viewport
            What to show.
        """
        self._view_shown = self.view_size
        for canvas in self.canvases:
            canvas.set_viewport(viewport)

    def set_original_available(self, available: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show or hide the left picture.

        Parameters
        ----------
        available : bool
            False for a compressed file that was opened without its original.
        """
        self._with_original = available
        self._rearrange()

    def fit(self) -> None:
        """Ask for the whole image."""
        if self._image.width:
            self.viewportRequested.emit(Viewport.fit(self.view_size, self._image))

    def zoom_to(self, scale: float) -> None:
        """Ask for a scale, about the middle.

        Parameters
        ----------
        scale : float
            Device pixels per image pixel; 1 is 100 %.
        """
        self.zoom_by(scale / self.viewport.scale)

    def zoom_by(self, factor: float) -> None:
        """Ask for a larger or smaller scale, about the middle.

        Parameters
        ----------
        factor : float
            What to multiply the scale by.
        """
        if self._image.width:
            view = self.view_size
            centre = view.width / 2, view.height / 2
            self.viewportRequested.emit(self.viewport.zoomed(factor, *centre, view, self._image))

    def request_picture(self) -> None:
        """Ask for pictures again although nothing moved, because the image itself changed."""
        self._asking.start()

    def wanted(self) -> tuple[Region, float]:
        """Return what pictures should show now.

        Returns
        -------
        tuple of Region and float
            The region visible in any canvas, and the scale.
        """
        region, scale = self.front.wanted()
        if not self.original.isHidden():
            region = region.united(self.original.wanted()[0])
        return region, scale

    def minimumSizeHint(self) -> QSize:
        """Return the room that two canvases beside each other need."""
        least = self.original.minimumSize()
        least.setWidth(2 * least.width() + _GAP)
        return least

    def event(self, event: QEvent) -> bool:
        """Keep an image fitted when the window moves to a screen of another density."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._rearrange()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep an image fitted that was fitted."""
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
            self.viewportRequested.emit(Viewport.fit(self.view_size, self._image))

    def _arrange(self) -> None:
        mode, front = self.mode, self.front
        seen = {front} if mode == "difference" or not self._with_original else {self.original, front}
        width, height = self.width(), self.height()
        left = (width - _GAP) // 2
        for canvas in seen:
            if mode != "side-by-side" or len(seen) == 1:
                canvas.setGeometry(0, 0, width, height)
            elif canvas is self.original:
                canvas.setGeometry(0, 0, left, height)
            else:
                canvas.setGeometry(left + _GAP, 0, width - left - _GAP, height)
        front.show()
        hidden: list[QWidget] = [canvas for canvas in self.canvases if canvas not in seen]
        hidden += [] if mode == "split" else [self.divider]
        keys = self.window().focusWidget()
        if any(widget is keys or widget.isAncestorOf(keys) for widget in hidden):
            front.setFocus()  # else Qt would give them to the next widget of the window
        for widget in hidden:
            widget.hide()
        self.original.setVisible(self.original in seen)
        self._divide()

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

    def _ask_for_picture(self) -> None:
        region, scale = self.wanted()
        if not region.empty:
            self.pictureNeeded.emit(region, scale)
