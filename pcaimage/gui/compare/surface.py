"""The part of an image's widget that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pcaimage.codec import Region
from pcaimage.gui.compare.caption import CaptionStrip
from pcaimage.gui.compare.painting import Layer, checkerboard, covers, draw_layer, place
from pcaimage.gui.compare.viewport import Size, Viewport
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.theme import colours_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFocusEvent, QPaintEvent, QResizeEvent

    from pcaimage.gui.screen.picture import Picture

_BY_KEY = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class ImageSurface(QWidget):
    """Shows the part of an image that a viewport selects.

    Until the picture for a viewport arrives, the last picture is shown where it belongs, over a
    backdrop of the whole image if there is one.

    Parameters
    ----------
    name : str
        What it shows, for people who cannot see it.
    parent : QWidget, optional
        The parent widget.
    """

    pictureNeeded = Signal(object, float)  # noqa: N815
    """The visible :class:`Region` and the scale, once per turn of the event loop in which they changed."""
    pictureChanged = Signal()  # noqa: N815
    """Newer pixels are shown."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image = Size(0, 0)
        self._viewport = Viewport(0.0, 0.0, 1.0)
        self._view_shown = Size(0, 0)  # the size that the viewport was last seen at
        self._picture: Layer | None = None
        self._backdrop: Layer | None = None
        self._asked: tuple[Region, float] | None = None
        self._framed = False
        self._lines: tuple[str, ...] = ()
        self._source: ImageSurface | None = None
        self._caption = CaptionStrip(self)
        self._asking = QTimer(self, singleShot=True, interval=0)
        self._asking.timeout.connect(self._ask_for_picture)
        self.setAccessibleName(name)
        self.setMinimumSize(160, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    def view_size(self) -> Size:
        """The canvas's size in device pixels."""
        ratio = self.devicePixelRatioF()
        return Size(self.width() * ratio, self.height() * ratio)

    @property
    def viewport(self) -> Viewport:
        """What is shown."""
        return self._viewport

    @property
    def layers(self) -> list[Layer]:
        """The backdrop and the picture, so far as there are any, each to be painted over the one before."""
        return [layer for layer in (self._backdrop, self._picture) if layer is not None]

    @property
    def picture(self) -> Picture | None:
        """The newest picture, if there is one."""
        return None if self._picture is None else self._picture.picture

    @property
    def lines(self) -> tuple[str, ...]:
        """The caption that was set."""
        return self._lines

    @property
    def caption(self) -> CaptionStrip:
        """The strip over the image."""
        return self._caption

    def set_image_size(self, width: int, height: int) -> None:
        """Show another image, or none; pictures of the former are forgotten.

        Parameters
        ----------
        width, height : int
            In pixels; 0 for no image.
        """
        self._image = Size(width, height)
        self._picture = self._backdrop = None
        self.request_picture()
        self.update()
        self.pictureChanged.emit()

    def set_viewport(self, viewport: Viewport) -> None:
        """Show another part of the image, or another scale.

        Parameters
        ----------
        viewport : Viewport
            Taken as it is; clamping is for who makes it.
        """
        self._view_shown = self.view_size
        if viewport != self._viewport:
            self._viewport = viewport
            self._asking.start()
            self.update()

    def set_picture(self, picture: Picture | None) -> None:
        """Show newer pixels.

        Parameters
        ----------
        picture : Picture or None
            Covering the visible region, or whatever was visible when it was asked for.
        """
        self._picture = None if picture is None else Layer(picture, to_qimage(picture.pixels))
        self.update()
        self.pictureChanged.emit()

    def set_backdrop(self, picture: Picture | None) -> None:
        """Set what is seen where no newer picture is yet, so that panning never shows holes.

        Parameters
        ----------
        picture : Picture or None
            The whole image at a low resolution.
        """
        self._backdrop = None if picture is None else Layer(picture, to_qimage(picture.pixels))
        self.update()
        self.pictureChanged.emit()

    def set_caption(self, lines: Sequence[str]) -> None:
        """Set the text over the image.

        Parameters
        ----------
        lines : sequence of str
            At most three; none hides the strip.
        """
        if (wanted := tuple(lines)) != self._lines:
            self._lines = wanted
            self._show_caption()

    def set_busy(self, hint: str) -> None:
        """Show in the caption that something is being computed.

        Parameters
        ----------
        hint : str
            Such as ``"encoding 40 %"``; an empty string when all is done.
        """
        self._caption.set_busy(hint)

    def show_instead(self, source: ImageSurface | None) -> None:
        """Show what another surface of the same viewport shows, until further notice.

        Parameters
        ----------
        source : ImageSurface or None
            Whose pictures and caption to show; None for its own again.
        """
        if source is self._source:
            return
        if self._source is not None:
            self._source.pictureChanged.disconnect(self._repaint)
        self._source = source
        if source is not None:
            source.pictureChanged.connect(self._repaint)
            self._caption.set_lines(source.lines or (source.accessibleName(),))
        else:
            self._show_caption()
        self._repaint()

    def wanted(self) -> tuple[Region, float]:
        """Return what a picture should show now.

        Returns
        -------
        tuple of Region and float
            The visible region and the scale.
        """
        return self._viewport.visible_region(self.view_size, self._image), self._viewport.scale

    def request_picture(self) -> None:
        """Ask for a picture again although nothing moved, because the image itself changed."""
        self._asked = None
        self._asking.start()

    def event(self, event: QEvent) -> bool:
        """Ask for a picture again when the window moves to a screen of another density."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._asking.start()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the backdrop, then the newest picture."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(colours.canvas))
        # Blocks at the right and lower edges reach over the image.
        inside = place((0, 0, *self._image), self._viewport, self.view_size, self.devicePixelRatioF())
        painter.setClipRect(inside)
        self._paint_picture(painter)
        if self._source is None:
            self._paint_over(painter)
        painter.setClipping(False)
        if self._framed:
            painter.setPen(QPen(QColor(colours.accent), 1))
            painter.drawRect(QRect(0, 0, self.width() - 1, self.height() - 1))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for a picture of the new size."""
        super().resizeEvent(event)
        self._view_shown = self.view_size
        self._caption.refresh()
        self._asking.start()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the frame that marks where keys go, to those who use them."""
        self._framed = event.reason() in _BY_KEY
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Remove the frame."""
        self._framed = False
        self.update()
        super().focusOutEvent(event)

    def _paint_picture(self, painter: QPainter) -> None:
        layers = (self._source or self).layers
        if len(layers) == 2 and covers(layers[1].picture, self.wanted()[0]):
            del layers[0]  # nothing of it would be seen
        checker = checkerboard(*colours_of(self.palette()).checker)
        for layer in layers:
            target = place(layer.picture.extent, self._viewport, self.view_size, self.devicePixelRatioF())
            draw_layer(painter, layer, target, self._viewport.scale, checker)

    def _paint_over(self, painter: QPainter) -> None:
        """Paint what lies upon the image and ends where it ends."""

    def _show_caption(self) -> None:
        if self._source is None:
            self._caption.set_lines(self._lines)
            self.setAccessibleDescription("\n".join(self._lines))

    def _repaint(self) -> None:
        self.update()

    def _ask_for_picture(self) -> None:
        wanted = self.wanted()
        if wanted != self._asked and not wanted[0].empty:
            self._asked = wanted
            self.pictureNeeded.emit(*wanted)
