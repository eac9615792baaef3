"""The page shown while a file opens: its name, the progress, and a small picture of it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QProgressBar, QVBoxLayout, QWidget

from pcaimage.gui.screen.qimage import to_qimage
from pcaimage.gui.session.state import Opening
from pcaimage.gui.theme import colours_of, enlarged

DELAY = 250
"""Milliseconds after which opening a file is worth a page of its own."""
_MARGIN, _BAR = 24, 240


class _Preview(QWidget):
    """Shows a small picture as large as there is room."""

    def __init__(self) -> None:
        super().__init__()
        self.picture: QImage | None = None

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the picture in the middle."""
        if self.picture is None:
            return
        size = self.picture.size().toSizeF()
        size.scale(QSizeF(self.size()), Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(0, 0, size.width(), size.height())
        place.moveCenter(QRectF(self.rect()).center())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, self.picture)
        painter.end()


class OpeningView(QWidget):
    """Tells which file is being opened."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._opening: Opening | None = None
        self._preview = _Preview()
        self._title = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._title.setTextFormat(Qt.TextFormat.PlainText)  # a file name may look like markup
        self._title.setFont(enlarged(self._title.font(), 1.3))
        self._bar = QProgressBar(textVisible=False)
        self._bar.setFixedSize(_BAR, 8)
        self._bar.setAccessibleName("Progress")
        self._bar.setRange(0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.setSpacing(12)
        column.addWidget(self._preview, 1)
        column.addWidget(self._title)
        column.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    @property
    def text(self) -> str:
        """The title that is shown."""
        return self._title.text()

    @property
    def picture(self) -> QImage | None:
        """The small picture that is shown."""
        return self._preview.picture

    def show_opening(self, opening: Opening | None) -> None:
        """Show the file being opened; the page stays unchanged for None."""
        if opening is None or opening is self._opening:
            return
        if self._opening is None or opening.name != self._opening.name or opening.picture is None:
            self._bar.setRange(0, 0)
        self._opening = opening
        self._preview.picture = None if opening.picture is None else to_qimage(opening.picture)
        self._title.setText(f"Opening {opening.name}…")
        self.setAccessibleName(self._title.text())
        self._arrange()
        self.update()

    def set_progress(self, done: int, total: int) -> None:
        """Show how far it is; a total of 0 means that is not known."""
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        if self._opening is not None:
            share = f" {100 * done // total}\u00a0%" if total else ""
            self._title.setText(f"Opening {self._opening.name}…{share}")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground on which the picture lies."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(colours_of(self.palette()).canvas))
        painter.end()

    def _arrange(self) -> None:
        """Put the title below the picture, or in the middle if there is none."""
        column = self.layout()
        if isinstance(column, QVBoxLayout):
            column.setStretch(column.count() - 1, 1 if self.picture is None else 0)
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(colours_of(self.palette()).canvas_text))
        self._title.setPalette(palette)
