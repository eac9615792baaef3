"""The original and its reconstruction, moved by one hand."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from pcaimage.gui.canvas import ImageCanvas
from pcaimage.gui.geometry import Region, Size
from pcaimage.gui.viewport import Viewport


class CompareView(QWidget):
    """Two canvases of one size that show the same part of the image.

    Pictures and captions are given to the canvases, :attr:`original` and :attr:`reconstruction`; the
    viewport is given here, to both.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    viewportRequested = Signal(object)  # noqa: N815
    """A :class:`Viewport` that the user's hand asks for, over either canvas."""
    pictureNeeded = Signal(object, float)  # noqa: N815
    """The :class:`Region` visible in either canvas, and the scale."""
    cursorMoved = Signal(int, int)  # noqa: N815
    """The image pixel under the cursor."""
    cursorLeft = Signal()  # noqa: N815
    """The cursor is not over the image any more."""
    filesDropped = Signal(list)  # noqa: N815
    """Paths of files dropped here."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image = Size(0, 0)
        self.original = ImageCanvas("Original")
        self.reconstruction = ImageCanvas("Reconstruction")
        self._asking = QTimer(self, singleShot=True, interval=0)
        self._asking.timeout.connect(self._ask_for_picture)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for canvas in (self.original, self.reconstruction):
            row.addWidget(canvas, 1)
            canvas.viewportRequested.connect(self.viewportRequested)
            canvas.cursorMoved.connect(self.cursorMoved)
            canvas.cursorLeft.connect(self.cursorLeft)
            canvas.filesDropped.connect(self.filesDropped)
            canvas.pictureNeeded.connect(self._asking.start)

    @property
    def view_size(self) -> Size:
        """The size of one canvas in device pixels; both have it, to within a pixel."""
        return self.reconstruction.view_size

    @property
    def viewport(self) -> Viewport:
        """What both canvases show."""
        return self.reconstruction.viewport

    def set_image_size(self, width: int, height: int) -> None:
        """Show another image, or none; pictures of the former are forgotten.

        Parameters
        ----------
        width, height : int
            In pixels; 0 for no image.
        """
        self._image = Size(width, height)
        for canvas in (self.original, self.reconstruction):
            canvas.set_image_size(width, height)

    def set_viewport(self, viewport: Viewport) -> None:
        """Show another part of the image, or another scale, in both.

        Parameters
        ----------
        viewport : Viewport
            What to show.
        """
        for canvas in (self.original, self.reconstruction):
            canvas.set_viewport(viewport)

    def set_original_available(self, available: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Show or hide the left canvas.

        Parameters
        ----------
        available : bool
            False for a compressed file that was opened without its original.
        """
        self.original.setVisible(available)

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
            The region visible in either canvas, and the scale.
        """
        region, scale = self.reconstruction.wanted()
        if self.original.isVisible():
            region = region.united(self.original.wanted()[0])
        return region, scale

    def _ask_for_picture(self) -> None:
        region, scale = self.wanted()
        if not region.empty:
            self.pictureNeeded.emit(region, scale)
