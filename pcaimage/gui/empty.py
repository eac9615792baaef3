"""The page of an empty window: the ways to open an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from pcaimage.gui.clipboard import local_files
from pcaimage.gui.icons import load_icon
from pcaimage.gui.theme import colours_of, enlarged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPaintEvent

_SAMPLES_IN_A_ROW = 3
_MARGIN = 16


class EmptyView(QWidget):
    """Asks for an image to be dropped, with buttons for the other ways to open one."""

    openRequested = Signal()  # noqa: N815
    pasteRequested = Signal()  # noqa: N815
    sampleRequested = Signal(str)  # noqa: N815
    """The name of a sample image."""
    filesDropped = Signal(list)  # noqa: N815
    """The paths of the files."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptDrops(True)
        self.setAccessibleName("No image is open")
        self._dragged_over = False
        self._title = QLabel("Drop an image here")
        self._title.setFont(enlarged(self._title.font(), 1.8))
        self._open = QPushButton("&Open…")
        self._open.clicked.connect(self.openRequested)
        self._paste = QPushButton("&Paste")
        self._paste.clicked.connect(self.pasteRequested)
        self._hint = QLabel("or try a sample image")
        self._samples = QGridLayout()
        self._samples.setSpacing(8)
        self._lay_out()
        self._tint()

    def set_samples(self, names: Sequence[str]) -> None:
        """Offer sample images by name."""
        while (item := self._samples.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for i, name in enumerate(names):
            button = QPushButton(name.replace("_", " ").capitalize())
            button.setObjectName(name)
            button.clicked.connect(lambda _=False, name=name: self.sampleRequested.emit(name))
            self._samples.addWidget(button, *divmod(i, _SAMPLES_IN_A_ROW))
        self._hint.setVisible(bool(names))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files, and highlight the drop area."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()
            self._highlight(on=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Stop highlighting the drop area."""
        self._highlight(on=False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Emit the dropped files."""
        event.acceptProposedAction()
        self._highlight(on=False)
        self.filesDropped.emit(local_files(event.mimeData()))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the drop area."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(colours.canvas))
        painter.setBrush(QColor(colours.accent_soft if self._dragged_over else colours.canvas))
        edge = QColor(colours.accent if self._dragged_over else colours.muted)
        painter.setPen(QPen(edge, 1.5, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN), 8, 8)
        painter.end()

    def _lay_out(self) -> None:
        ways = QHBoxLayout()
        ways.setSpacing(8)
        ways.addStretch()
        for button in (self._open, self._paste):
            button.setMinimumWidth(112)
            ways.addWidget(button)
        ways.addStretch()
        samples = QHBoxLayout()
        samples.addStretch()
        samples.addLayout(self._samples)
        samples.addStretch()
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * _MARGIN, 2 * _MARGIN, 2 * _MARGIN, 2 * _MARGIN)
        column.addStretch()
        column.addWidget(self._title, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(16)
        column.addLayout(ways)
        column.addSpacing(24)
        column.addWidget(self._hint, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(8)
        column.addLayout(samples)
        column.addStretch()

    def _highlight(self, *, on: bool) -> None:
        self._dragged_over = on
        self._title.setText("Let go to open" if on else "Drop an image here")
        self.update()

    def _tint(self) -> None:
        colours = colours_of(self.palette())
        self._open.setIcon(load_icon("open", colours))
        self._paste.setIcon(load_icon("paste", colours))
        for label in (self._title, self._hint):
            _set_text_colour(label, colours.canvas_text)
        self.update()


def _set_text_colour(widget: QWidget, colour: str) -> None:
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
    widget.setPalette(palette)
