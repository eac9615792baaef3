"""What follows the cursor over the canvases: its mark in the other picture, and the magnifier."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal

from pcaimage.gui.compare.magnifier import Magnifier
from pcaimage.gui.compare.stage import Stage

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from pcaimage.gui.compare.canvas import ImageCanvas
    from pcaimage.gui.compare.stage import Mode
    from pcaimage.gui.compare.viewport import Viewport
    from pcaimage.gui.screen.picture import Picture


class PointedStage(Stage):
    """Canvases that know of each other's cursor.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    cursorMoved = Signal(int, int)  # noqa: N815
    """The image pixel under the cursor."""
    cursorLeft = Signal()  # noqa: N815
    """The cursor is not over the image any more."""
    magnifierNeeded = Signal(object)  # noqa: N815
    """The :class:`Region` wanted in full resolution; answer with :meth:`set_magnified`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.magnifier = Magnifier(self, (self.original, self.reconstruction))
        self.magnifier.needed.connect(self.magnifierNeeded)
        for canvas in self.canvases:
            canvas.cursorMoved.connect(partial(self._point_at, canvas))
            canvas.cursorLeft.connect(self._point_away)
            canvas.magnifyRequested.connect(self.magnifier.step)
            canvas.keyed.connect(self._magnify_middle)

    def set_mode(self, mode: Mode) -> None:
        """Compare in another way; an image that was fitted stays fitted.

        Parameters
        ----------
        mode : {"side-by-side", "split", "difference"}
            Remembered, but without effect while there is no original.
        """
        self._point_away()
        super().set_mode(mode)

    def set_image_size(self, width: int, height: int) -> None:
        """Show another image, or none; pictures of the former are forgotten.

        Parameters
        ----------
        width, height : int
            In pixels; 0 for no image.
        """
        super().set_image_size(width, height)
        self.magnifier.set_image(self._image, with_left=self._with_original)

    def set_viewport(self, viewport: Viewport) -> None:
        """Show another part of the image, or another scale, in all canvases.

        Parameters
        ----------
        viewport : Viewport
            What to show.
        """
        super().set_viewport(viewport)
        if self.magnifier.loupe.isVisible():
            self._magnify_middle()

    def set_original_available(self, available: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show or hide the left picture.

        Parameters
        ----------
        available : bool
            False for a compressed file that was opened without its original.
        """
        self._point_away()
        super().set_original_available(available)
        self.magnifier.set_image(self._image, with_left=available)

    def set_magnifier(self, on: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Switch the magnifier on or off.

        Parameters
        ----------
        on : bool
            It is seen while the cursor is over the image, or keys move the image.
        """
        self.magnifier.set_on(on)
        for canvas in self.canvases:
            canvas.set_magnifying(on)
        self._magnify_middle()

    def set_magnified(self, left: Picture | None, right: Picture | None) -> None:
        """Answer :attr:`magnifierNeeded`.

        Parameters
        ----------
        left, right : Picture or None
            Of that region, in full resolution; None for what is not known.
        """
        self.magnifier.set_magnified(left, right)

    def set_pixel_values(self, left: str, right: str) -> None:
        """Say what the magnifier writes of the pixel under the cursor, such as its 16-bit values.

        Parameters
        ----------
        left, right : str
            To be set again after every :attr:`cursorMoved`; without it, the values seen are written.
        """
        self.magnifier.set_values(left, right)

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
        """Show what keys or buttons brought to the middle, unless the cursor is over the image."""
        front, image = self.front, self._image
        if not self.magnifier.on or not image.width or any(canvas.over_image for canvas in self.canvases):
            return
        x = min(max(int(self.viewport.centre_x), 0), int(image.width) - 1)
        y = min(max(int(self.viewport.centre_y), 0), int(image.height) - 1)
        middle = front.mapToParent(QPoint(front.width() // 2, front.height() // 2))
        self.magnifier.point_at((x, y), middle)
