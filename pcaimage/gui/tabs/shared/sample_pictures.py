"""Enlarged pictures of a sample side by side, such as the original and its reconstruction."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QImage, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pcaimage.gui.compare.gestures import ARROWS
from pcaimage.gui.screen.picture import Titled
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.theme import colours_of, tabular

_GAP = 8


class SamplePictures(QWidget):
    """Shows pictures of a sample side by side; arrow keys go to its neighbours.

    As any widget, it is drawn anew when the focus comes or goes, and in another colour scheme.
    """

    moved = Signal(int, int)  # the keys went some samples to the right, and down

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[tuple[Titled, QImage | None], ...] = ()
        self.setFont(tabular(self.font()))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(160, 80)
        self.setAccessibleName("Block, original and reconstruction")
        self.setToolTip("The original, and the sum so far. Arrow keys go to the neighbouring blocks.")

    @property
    def shown(self) -> tuple[Titled, ...]:
        """The pictures from left to right."""
        return tuple(titled for titled, _ in self._shown)

    def sizeHint(self) -> QSize:
        """Ask for two squares."""
        return QSize(268, 140)

    def show_pictures(self, *pictures: Titled) -> None:
        """Show other pictures, from left to right."""
        known = {id(titled.pixels): image for titled, image in self._shown}
        self._shown = tuple(
            (each, None if each.pixels is None else known.get(id(each.pixels)) or to_qimage(each.pixels))
            for each in pictures
        )
        self.setAccessibleDescription(", ".join(titled.title for titled in pictures))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to a neighbour."""
        way = ARROWS.get(Qt.Key(event.key()))
        if way is None:
            super().keyPressEvent(event)
        else:
            self.moved.emit(*way)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the pictures as large as there is room, with their pixels as squares."""
        painter = QPainter(self)
        colours = colours_of(self.palette())
        count = max(len(self._shown), 1)
        width = (self.width() - _GAP * (count - 1)) / count
        captions = [caption_lines(titled.title, width, painter.fontMetrics()) for titled, _ in self._shown]
        below = max(map(len, captions), default=1) * painter.fontMetrics().height() + 2
        for place, (titled, image) in enumerate(self._shown):
            room = QRectF(place * (width + _GAP), 0, width, self.height() - below)
            bottom = room.bottom()
            if image is not None:
                target = fitted(image, room)
                _draw(painter, image, titled.inner, target, QColor(colours.accent))
                bottom = target.bottom()
            painter.setPen(QColor(colours.muted))
            caption = QRectF(room.left(), bottom + 2, width, below)
            where = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            painter.drawText(caption, where, "\n".join(captions[place]))
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


def caption_lines(title: str, width: float, metrics: QFontMetrics) -> list[str]:
    """Return a title as one line or, if that is too wide, as two, the second of which has the figure."""
    if metrics.horizontalAdvance(title) <= width:
        return [title]
    elide = Qt.TextElideMode.ElideRight
    return [metrics.elidedText(part, elide, int(width)) for part in title.split(" · ", 1)]


def fitted(image: QImage, room: QRectF) -> QRectF:
    """Return where a picture is drawn in a room: as large as fits, in the middle."""
    scale = max(min(room.width() / image.width(), room.height() / image.height()), 0.01)
    width, height = image.width() * scale, image.height() * scale
    return QRectF(room.center().x() - width / 2, room.center().y() - height / 2, width, height)


def _draw(
    painter: QPainter, image: QImage, inner: tuple[int, int, int, int] | None, target: QRectF, accent: QColor
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
