"""What is shown in place of pictures: what can be opened, or what is being opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import PurePath
from typing import Final

from PySide6 import QtGui, QtWidgets
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.clipboard import local_files
from pcaimage.gui.icons import load_icon
from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.state import Opening
from pcaimage.gui.style import fill_rounded, outline_rounded
from pcaimage.gui.theme import Coloured, colours_of, enlarged

_PICTURE = QSize(112, 76)
_ROUND = 6.0
_AIR = 4
_SQUARES = 2  # least scale at which pixels are seen as squares


class Card(QAbstractButton):
    """Opens the image on its picture, by a click, Return or Space; arrow keys go to the next card."""

    WIDTH: Final = _PICTURE.width() + 2 * _AIR

    def __init__(self, text: str) -> None:
        super().__init__()
        self.picture: QImage | None = None
        self.setText(text)
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(self.sizeHint())

    def set_picture(self, image: QImage) -> None:
        """Show a picture; what does not fit the card's proportions is cut off."""
        self.picture = image
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for the picture and the text."""
        height = _PICTURE.height() + self.fontMetrics().height() + 3 * _AIR
        return QSize(self.WIDTH, height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open also on Return, as Space does."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.click()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow a change of the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setFixedSize(self.sizeHint())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the picture with rounded corners, the text, and a frame for focus and pointer."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.underMouse() or self.isDown():
            fill_rounded(painter, frame, colours.accent_soft, _ROUND)
        if self.hasFocus():
            outline_rounded(painter, frame, QPen(QColor(colours.accent), 2), _ROUND)
        place = QRectF(_AIR, _AIR, _PICTURE.width(), _PICTURE.height())
        outline = QPainterPath()
        outline.addRoundedRect(place, _ROUND, _ROUND)
        if self.picture is None:
            painter.fillPath(outline, QColor(colours.button))
            painter.strokePath(outline, QPen(QColor(colours.border), 1))
        else:
            part = _covering(self.picture, place)
            # The pixels of a tiny image stay squares.
            painter.setRenderHint(
                QPainter.RenderHint.SmoothPixmapTransform, place.width() < _SQUARES * part.width()
            )
            painter.setClipPath(outline)
            painter.drawImage(place, self.picture, part)
            painter.setClipping(False)
        under = self.underMouse() or self.isDown()
        painter.setPen(QColor(colours.text if under else colours.canvas_text))
        line = QRect(_AIR, int(place.bottom()) + _AIR, _PICTURE.width(), self.fontMetrics().height())
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, line.width())
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine), shown)
        painter.end()


def _covering(image: QImage, place: QRectF) -> QRectF:
    """Return the largest part in the middle of an image that has a place's proportions."""
    scale = min(image.width() / place.width(), image.height() / place.height())
    part = QRectF(0, 0, place.width() * scale, place.height() * scale)
    part.moveCenter(QPointF(image.width() / 2, image.height() / 2))
    return part


_MARGIN = 16
_GAP = 8
_MOST_RECENT = 5
_TITLES = {"digits": "Digits, a stack", "synthetic bands": "Bands, a cube"}
"""The titles of samples that are no photographs."""
_TABLES = "Tables of numbers, such as CSV files, open in the PCA lab."


class CardRow(QtWidgets.QWidget):
    """Cards under a heading, in as many rows as the width needs."""

    def __init__(self, heading: str) -> None:
        super().__init__()
        self.heading = QtWidgets.QLabel(heading)
        self.cards: list[Card] = []
        self._columns = 0
        self._grid = QtWidgets.QGridLayout()
        self._grid.setSpacing(_GAP)
        vbox(self.heading, self._grid, of=self, spacing=_GAP)
        self.setAccessibleName(heading)
        self.hide()

    def show_cards(self, cards: Sequence[Card], columns: int) -> None:
        """Show other cards, or hide the row if there are none."""
        for card in self.cards:
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards, self._columns = list(cards), 0
        self.arrange(columns)
        self.setVisible(bool(cards))

    def arrange(self, columns: int) -> None:
        """Arrange the cards in rows of `columns`."""
        if columns == self._columns:
            return
        self._columns = columns
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, *divmod(place, columns))
        for column in range(max(self._grid.columnCount(), columns) + 1):
            self._grid.setColumnStretch(column, int(column == columns))


class EmptyView(Coloured):
    """Asks for an image to be dropped, with buttons and pictures for the other ways to open one."""

    sampleRequested = Signal(str)  # noqa: N815
    """The name of a sample image."""
    filesDropped = Signal(list)  # noqa: N815
    """The paths of the files."""
    recentRequested = Signal(str)  # noqa: N815
    """The path of a recent file."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self.setAccessibleName("No image is open")
        self._dragged_over = False
        self._title = QtWidgets.QLabel("Drop an image here")
        self._title.setFont(enlarged(self._title.font(), 1.8))
        self.open = QtWidgets.QPushButton(load_icon("open"), "&Open…")
        self.paste = QtWidgets.QPushButton(load_icon("paste"), "&Paste")
        self._recent = CardRow("Recent files")
        self._samples = CardRow("Sample images")
        self._tables = QtWidgets.QLabel(
            _TABLES, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self._body = QtWidgets.QWidget()
        self._lay_out()
        self._recolour()

    def set_samples(self, names: Sequence[str]) -> None:
        """Offer sample images by name."""
        cards = []
        for name in names:
            text = _TITLES.get(name, name.replace("_", " ").capitalize())
            cards.append(self._card(name, text, partial(self.sampleRequested.emit, name)))
        self._samples.show_cards(cards, self._columns())

    def set_recent(self, paths: Sequence[str]) -> None:
        """Offer recent files, the newest first."""
        cards = []
        for path in paths[:_MOST_RECENT]:
            card = self._card(path, PurePath(path).name, partial(self.recentRequested.emit, path))
            card.setToolTip(path)
            cards.append(card)
        self._recent.show_cards(cards, self._columns())

    def show_thumbnail(self, name: str, image: QtGui.QImage) -> None:
        """Show the picture of a sample of this name, or of the file at this path, if it is offered."""
        for card in (*self._samples.cards, *self._recent.cards):
            if card.objectName() == name:
                card.set_picture(image)

    def _card(self, name: str, text: str, act: Callable[[], object]) -> Card:
        card = Card(text)
        card.setObjectName(name)
        card.clicked.connect(lambda _=False: act())
        return card

    def _columns(self) -> int:
        room = self.width() - 4 * _MARGIN - self._scroll.verticalScrollBar().sizeHint().width()
        return max(1, (room + _GAP) // (Card.WIDTH + _GAP))

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
        """Put as many cards into a row as there is room for."""
        super().resizeEvent(event)
        for row in (self._recent, self._samples):
            row.arrange(self._columns())

    def dragEnterEvent(self, event: QtGui.QDragEnterEvent) -> None:
        """Accept files, and highlight the drop area."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()
            self._highlight(on=True)

    def dragLeaveEvent(self, event: QtGui.QDragLeaveEvent) -> None:
        """Stop highlighting the drop area."""
        self._highlight(on=False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QtGui.QDropEvent) -> None:
        """Emit the dropped files."""
        event.acceptProposedAction()
        self._highlight(on=False)
        self.filesDropped.emit(local_files(event.mimeData()))

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the drop area."""
        colours = colours_of(self.palette())
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QtGui.QColor(colours.canvas))
        painter.setBrush(QtGui.QColor(colours.accent_soft if self._dragged_over else colours.canvas))
        edge = QtGui.QColor(colours.accent if self._dragged_over else colours.muted)
        painter.setPen(QtGui.QPen(edge, 1.5, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN), 8, 8)
        painter.end()

    def _lay_out(self) -> None:
        for button in (self.open, self.paste):
            button.setMinimumWidth(112)
        ways = hbox(FREE, self.open, self.paste, FREE, spacing=_GAP)
        rows = vbox(self._recent, self._samples, self._tables, spacing=_MARGIN)
        middle = hbox(FREE, rows, FREE)
        column = vbox(of=self._body, margins=_MARGIN)
        column.addStretch()
        column.addWidget(self._title, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(_GAP)
        column.addLayout(ways)
        column.addSpacing(_MARGIN)
        column.addLayout(middle)
        column.addStretch()
        self._scroll = scroll = QtWidgets.QScrollArea()
        scroll.setWidget(self._body)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for see_through in (scroll.viewport(), self._body):
            see_through.setAutoFillBackground(False)
        vbox(scroll, of=self, margins=_MARGIN + 2)

    def _highlight(self, *, on: bool) -> None:
        self._dragged_over = on
        self._title.setText("Let go to open" if on else "Drop an image here")
        self.update()

    def _recolour(self) -> None:
        colours = colours_of(self.palette())
        for label in (self._title, self._recent.heading, self._samples.heading, self._tables):
            _set_text_colour(label, colours.canvas_text)
        self.update()


def _set_text_colour(widget: QtWidgets.QWidget, colour: str) -> None:
    palette = QtGui.QPalette()
    palette.setColor(QtGui.QPalette.ColorRole.WindowText, QtGui.QColor(colour))
    widget.setPalette(palette)


DELAY = 250  # milliseconds after which opening a file is worth a page of its own
_OPENING_MARGIN, _BAR = 24, 240


class _Preview(QtWidgets.QWidget):
    """Shows a small picture as large as there is room."""

    def __init__(self) -> None:
        super().__init__()
        self.picture: QtGui.QImage | None = None

    def paintEvent(self, _event: QtGui.QPaintEvent) -> None:
        """Paint the picture in the middle."""
        if self.picture is None:
            return
        size = self.picture.size().toSizeF()
        size.scale(QSizeF(self.size()), Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(0, 0, size.width(), size.height())
        place.moveCenter(QRectF(self.rect()).center())
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, self.picture)
        painter.end()


class OpeningView(QtWidgets.QWidget):
    """Tells which file is being opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opening: Opening | None = None
        self._preview = _Preview()
        self._title = QtWidgets.QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._title.setTextFormat(Qt.TextFormat.PlainText)  # a file name may look like markup
        self._title.setFont(enlarged(self._title.font(), 1.3))
        self._bar = QtWidgets.QProgressBar(textVisible=False)
        self._bar.setFixedSize(_BAR, 8)
        self._bar.setAccessibleName("Progress")
        self._bar.setRange(0, 0)
        bar = self._bar, 0, Qt.AlignmentFlag.AlignHCenter
        vbox((self._preview, 1), self._title, bar, (FREE, 1), of=self, margins=_OPENING_MARGIN, spacing=12)

    @property
    def text(self) -> str:
        """The title that is shown."""
        return self._title.text()

    @property
    def picture(self) -> QtGui.QImage | None:
        """The small picture that is shown."""
        return self._preview.picture

    def show_opening(self, opening: Opening | None) -> None:
        """Show the file being opened; the page stays unchanged for None."""
        if opening is None or opening is self.opening:
            return
        if self.opening is None or opening.name != self.opening.name or opening.picture is None:
            self._bar.setRange(0, 0)
        self.opening = opening
        self._preview.picture = None if opening.picture is None else to_qimage(opening.picture)
        self._title.setText(f"Opening {opening.name}…")
        self.setAccessibleName(self._title.text())
        self._arrange()
        self.update()

    def set_progress(self, done: int, total: int) -> None:
        """Show how far it is; a total of 0 means that is not known."""
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        if self.opening is not None:
            share = f" {100 * done // total}\u00a0%" if total else ""
            self._title.setText(f"Opening {self.opening.name}…{share}")

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        """Paint the ground on which the picture lies."""
        painter = QtGui.QPainter(self)
        painter.fillRect(event.rect(), QtGui.QColor(colours_of(self.palette()).canvas))
        painter.end()

    def _arrange(self) -> None:
        """Put the title below the picture, or in the middle if there is none."""
        column = self.layout()
        if isinstance(column, QtWidgets.QVBoxLayout):
            column.setStretch(column.count() - 1, 1 if self.picture is None else 0)
        _set_text_colour(self._title, colours_of(self.palette()).canvas_text)
