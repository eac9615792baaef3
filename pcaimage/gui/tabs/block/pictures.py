"""A sample as it was, and as the sum of its components, enlarged."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QImage, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.theme import colours_of, tabular
from pcaimage.insight.inspection import Bytes

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_GAP = 8


@dataclass(frozen=True, eq=False)
class Titled:
    """A picture with a caption.

    Parameters
    ----------
    title : str
        Beneath the picture.
    pixels : ndarray of uint8, shape (h, w, 1 or 3), or None
        The picture; None where there is none.
    inner : tuple of int or None
        Left, top, right and bottom of what is outlined in it.
    """

    title: str
    pixels: Bytes | None
    inner: tuple[int, int, int, int] | None = None


class BlockPictures(QWidget):
    """Shows pictures of a sample side by side; arrow keys go to its neighbours.

    Parameters
    ----------
    parent : QWidget, optional
        The parent widget.
    """

    moved = Signal(int, int)
    """The number of samples to go to the right, and down."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[tuple[Titled, QImage | None], ...] = ()
        self.setFont(tabular(self.font()))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 80)
        self.setAccessibleName("Block, original and reconstruction")
        self.setToolTip("The original, and the sum so far. Arrow keys go to the neighbouring blocks.")

    def sizeHint(self) -> QSize:
        """Ask for two squares."""
        return QSize(268, 140)

    @property
    def shown(self) -> tuple[Titled, ...]:
        """The pictures from left to right."""
        return tuple(titled for titled, _ in self._shown)

    def show_pictures(self, *pictures: Titled) -> None:
        """Show other pictures.

        Parameters
        ----------
        *pictures : Titled
            From left to right; none for nothing.
        """
        known = {id(titled.pixels): image for titled, image in self._shown}
        self._shown = tuple(
            (titled, known.get(id(titled.pixels)) or _image(titled.pixels)) for titled in pictures
        )
        self.setAccessibleDescription(", ".join(titled.title for titled in pictures))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to a neighbour."""
        way = _ARROWS.get(Qt.Key(event.key()))
        if way is None:
            super().keyPressEvent(event)
        else:
            self.moved.emit(*way)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that keys go to neighbours."""
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that they do not any longer."""
        self.update()
        super().focusOutEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the pictures as large as there is room, with their pixels as squares."""
        painter = QPainter(self)
        colours = colours_of(self.palette())
        line = painter.fontMetrics().height() + 2
        count = max(len(self._shown), 1)
        width = (self.width() - _GAP * (count - 1)) / count
        for place, (titled, image) in enumerate(self._shown):
            room = QRectF(place * (width + _GAP), 0, width, self.height() - line)
            bottom = room.bottom()
            if image is not None:
                target = fitted(image, room)
                _draw(painter, image, titled.inner, target, QColor(colours.accent))
                bottom = target.bottom()
            painter.setPen(QColor(colours.muted))
            caption = QRectF(room.left(), bottom, width, line)
            text = painter.fontMetrics().elidedText(titled.title, Qt.TextElideMode.ElideRight, int(width))
            painter.drawText(caption, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, text)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)


def fitted(image: QImage, room: QRectF) -> QRectF:
    """Return where a picture is drawn: as large as fits, in the middle.

    Parameters
    ----------
    image : QImage
        The picture.
    room : QRectF
        Where there is room.

    Returns
    -------
    QRectF
        Of the picture's proportions.
    """
    scale = max(min(room.width() / image.width(), room.height() / image.height()), 0.01)
    width, height = image.width() * scale, image.height() * scale
    return QRectF(room.center().x() - width / 2, room.center().y() - height / 2, width, height)


def _image(pixels: Bytes | None) -> QImage | None:
    return None if pixels is None else to_qimage(pixels)


def _draw(
    painter: QPainter,
    image: QImage,
    inner: tuple[int, int, int, int] | None,
    target: QRectF,
    accent: QColor,
) -> None:
    painter.drawImage(target, image)
    if inner is None:
        return
    scale = target.width() / image.width()
    left, top, right, bottom = (edge * scale for edge in inner)
    outline = QRectF(target.left() + left, target.top() + top, right - left, bottom - top)
    for colour, width in ((QColor("#ffffff"), 3), (accent, 1)):
        painter.setPen(QPen(colour, width))
        painter.drawRect(outline)
