"""The card that says which file is being opened, and how far, with a picture of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from pcaimage.gui.busy import DELAY
from pcaimage.gui.theme import colours_of

if TYPE_CHECKING:
    from PySide6.QtGui import QImage, QPaintEvent

    from pcaimage.gui.session.jobs import JobRunner

_PICTURE = QSize(240, 160)
_ROUND = 8.0
KIND = "open"
"""The kind of the job that is followed."""


class OpeningCard(QFrame):
    """Shows the name of a file that is being opened, its picture once there is one, and the progress."""

    cancelRequested = Signal()  # noqa: N815
    """The user does not want it any more."""
    changed = Signal()
    """It appeared, went, or needs another size."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._image: QImage | None = None
        self._name, self._picture, self._bar = QLabel(wordWrap=True), QLabel(), QProgressBar()
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self._name.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Progress")
        self._bar.setFixedHeight(10)
        stop = QPushButton("Stop")
        stop.setToolTip("Do not open it (Esc)")
        stop.clicked.connect(self.cancelRequested)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(12)
        column.addWidget(self._picture)
        column.addWidget(self._name)
        column.addWidget(self._bar)
        column.addWidget(stop, 0, Qt.AlignmentFlag.AlignHCenter)
        self.setFixedWidth(_PICTURE.width() + 48)
        self.hide()

    @property
    def text(self) -> str:
        """What is being opened; empty while nothing is."""
        return "" if self.isHidden() else self._name.text()

    @property
    def has_picture(self) -> bool:
        """Whether a picture of the file is shown."""
        return self._image is not None

    def begin(self, name: str) -> None:
        """Name another file, of which there is no picture yet."""
        self._image = None
        self._picture.hide()
        self._bar.setRange(0, 0)
        self._name.setText(f"Opening {name}…")
        self.setAccessibleName(self._name.text())

    def appear(self) -> None:
        """Show the card, and tell screen readers."""
        self.show()
        self.raise_()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
        self.changed.emit()

    def vanish(self) -> None:
        """Hide the card."""
        self.hide()
        self.changed.emit()

    def set_progress(self, done: int, total: int) -> None:
        """Show that `done` of `total` steps are done; a total of 0 means it is unknown."""
        self._bar.setRange(0, total)
        self._bar.setValue(done)

    def set_picture(self, image: QImage) -> None:
        """Show a picture of the file."""
        self._image = image
        ratio = self.devicePixelRatioF()
        keep, smooth = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        pixmap = QPixmap.fromImage(image.scaled(_PICTURE * ratio, keep, smooth))
        pixmap.setDevicePixelRatio(ratio)
        self._picture.setPixmap(pixmap)
        self._picture.show()
        self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Paint the surface."""
        colours = colours_of(self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(colours.window))
        painter.setPen(QPen(QColor(colours.border), 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
        painter.end()


class OpeningNotice(QObject):
    """Shows the card while a file is being opened for longer than a moment."""

    previewWanted = Signal(str)  # noqa: N815
    """The path of a file whose picture would be shown."""

    def __init__(self, jobs: JobRunner, card: OpeningCard, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs, self._card, self._path = jobs, card, ""
        self._waiting = QTimer(self, singleShot=True, interval=DELAY)
        self._waiting.timeout.connect(self._appear)
        jobs.progressed.connect(self._on_progressed)
        jobs.finished.connect(self._on_finished)

    def begin(self, name: str, path: str) -> None:
        """Say what begins to be opened."""
        self._path = path
        self._card.begin(name)
        self._waiting.start()

    def show_preview(self, path: str, image: QImage) -> None:
        """Show a picture of the file that is being opened; that of any other is ignored."""
        if path == self._path and not self._card.isHidden():
            self._card.set_picture(image)

    def _appear(self) -> None:
        if self._jobs.busy(KIND):
            self._card.appear()
            if self._path:
                self.previewWanted.emit(self._path)

    def _on_progressed(self, kind: str, done: int, total: int) -> None:
        if kind == KIND:
            self._card.set_progress(done, total)

    def _on_finished(self, kind: str) -> None:
        if kind == KIND and not self._jobs.busy(KIND):
            self._waiting.stop()
            self._path = ""
            if not self._card.isHidden():
                self._card.vanish()
