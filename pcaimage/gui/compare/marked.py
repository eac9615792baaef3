"""An image with what is laid upon it: a translucent picture, a frame, the other view's cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QWidget

from pcaimage.gui.compare.caption import MARGIN, Side, paint_strip
from pcaimage.gui.compare.marks import crosshair_bounds, draw_crosshair, draw_frame
from pcaimage.gui.compare.painting import PIXELS_VISIBLE, Layer, place
from pcaimage.gui.compare.surface import ImageSurface
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.theme import colours_of

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from pcaimage.codec import Region
    from pcaimage.gui.screen.picture import Picture


class OverlayLabel(QWidget):
    """One line in a lower corner that says what is laid over the image.

    Parameters
    ----------
    parent : QWidget
        The canvas.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self._side: Side = "left"
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    @property
    def text(self) -> str:
        """The text shown."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text.

        Parameters
        ----------
        text : str
            Empty for none.
        """
        self._text = text
        self.setVisible(bool(text))
        self.refresh()

    def set_side(self, side: Side) -> None:
        """Choose the corner.

        Parameters
        ----------
        side : {"left", "right"}
            Of the canvas.
        """
        self._side = side
        self.refresh()

    def refresh(self) -> None:
        """Take the place that the text and the canvas ask for."""
        parent = self.parentWidget()
        if parent is None or not self._text:
            return
        metrics = QFontMetrics(self.font())
        width = min(metrics.horizontalAdvance(self._text) + 18, max(0, parent.width() - 2 * MARGIN))
        self.resize(width, metrics.height() + 8)
        left = MARGIN if self._side == "left" else parent.width() - width - MARGIN
        self.move(left, parent.height() - self.height() - MARGIN)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the strip and the text."""
        painter = QPainter(self)
        paint_strip(painter, self)
        metrics = QFontMetrics(self.font())
        shown = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, self.width() - 16)
        painter.drawText(8, 4 + metrics.ascent(), shown)
        painter.end()


class MarkedSurface(ImageSurface):
    """Shows an image and marks upon it.

    Parameters
    ----------
    name : str
        What it shows, for people who cannot see it.
    parent : QWidget, optional
        The parent widget.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._overlay: Layer | None = None
        self._marker: Region | None = None
        self._crosshair: tuple[int, int] | None = None
        self._label = OverlayLabel(self)

    @property
    def overlay_label(self) -> OverlayLabel:
        """What says what is laid over the image."""
        return self._label

    @property
    def marker(self) -> Region | None:
        """The image pixels that are framed."""
        return self._marker

    @property
    def crosshair(self) -> tuple[int, int] | None:
        """The image pixel that the crosshair marks."""
        return self._crosshair

    def set_side(self, side: Side, room: int | None) -> None:
        """Choose the corners that text takes.

        Parameters
        ----------
        side : {"left", "right"}
            Of the canvas.
        room : int or None
            How wide the part of the canvas is that is seen, if that is not all of it.
        """
        self._caption.set_place(side, room)
        self._label.set_side(side)

    def set_overlay(self, picture: Picture | None, text: str = "") -> None:
        """Lay a translucent picture over the image.

        Parameters
        ----------
        picture : Picture or None
            With opacity; None for no overlay.
        text : str, optional
            What it is.
        """
        self._overlay = None if picture is None else Layer(picture, to_qimage(picture.pixels))
        self._label.set_text(text if picture is not None else "")
        self.update()

    def set_marker(self, region: Region | None) -> None:
        """Frame some pixels of the image.

        Parameters
        ----------
        region : Region or None
            The pixels; None for no frame.
        """
        if region != self._marker:
            self._marker = region
            self.update()

    def set_crosshair(self, pixel: tuple[int, int] | None) -> None:
        """Mark the pixel that the cursor is over in the other view.

        Parameters
        ----------
        pixel : tuple of int or None
            Column and row; None for no mark.
        """
        if pixel == self._crosshair:
            return
        before, self._crosshair = self._crosshair, pixel
        for each in (before, pixel):
            if each is not None:
                self.update(crosshair_bounds(self._pixel_rect(each)))

    def set_image_size(self, width: int, height: int) -> None:
        """Show another image, or none; whatever was laid upon the former is forgotten.

        Parameters
        ----------
        width, height : int
            In pixels; 0 for no image.
        """
        self.set_overlay(None)
        self._marker = self._crosshair = None
        super().set_image_size(width, height)

    def show_instead(self, source: ImageSurface | None) -> None:
        """Show what another surface of the same viewport shows, without marks, until further notice.

        Parameters
        ----------
        source : ImageSurface or None
            Whose pictures and caption to show; None for its own again.
        """
        super().show_instead(source)
        self._label.setVisible(source is None and bool(self._label.text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the label in its corner."""
        super().resizeEvent(event)
        self._label.refresh()

    def _paint_over(self, painter: QPainter) -> None:
        ratio, view = self.devicePixelRatioF(), self.view_size
        if self._overlay is not None:
            picture, image = self._overlay
            target = place(picture.extent, self._viewport, view, ratio)
            squares = target.width() * ratio >= PIXELS_VISIBLE * image.width()
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not squares)
            painter.drawImage(target, image, QRectF(image.rect()))
        painter.setClipping(False)
        if self._marker is not None:
            colours = colours_of(self.palette())
            halo = QColor(0, 0, 0, 190) if colours.dark else QColor(255, 255, 255, 220)
            rect = place(self._marker.edges, self._viewport, view, ratio)
            draw_frame(painter, rect, QColor(colours.accent), halo)
        if self._crosshair is not None:
            draw_crosshair(painter, self._pixel_rect(self._crosshair))

    def _pixel_rect(self, pixel: tuple[int, int]) -> QRectF:
        x, y = pixel
        return place((x, y, x + 1, y + 1), self._viewport, self.view_size, self.devicePixelRatioF())
