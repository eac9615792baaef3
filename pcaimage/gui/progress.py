"""What the status bar shows of a long job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QToolButton, QWidget

from pcaimage.gui.icons import load_icon
from pcaimage.gui.theme import colours_of, tabular

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent


class ProgressStrip(QWidget):
    """A word for what is being done, how far it is, and a button that stops it."""

    cancelRequested = Signal()  # noqa: N815
    """The user wants the job to stop."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel()
        self._label.setFont(tabular(self._label.font()))
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(120, 10)
        self._bar.setAccessibleName("Progress")
        self._stop = QToolButton()
        self._stop.setAutoRaise(True)
        self._stop.setText("✕")
        self._stop.setIconSize(QSize(16, 16))
        self._stop.setToolTip("Stop this job (Esc)")
        self._stop.setAccessibleName("Stop")
        self._stop.clicked.connect(self.cancelRequested)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(8)
        row.addStretch()
        for widget in (self._label, self._bar, self._stop):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self._tint()
        self.hide()

    @property
    def text(self) -> str:
        """The words shown, such as ``"fitting 62 %"``."""
        return self._label.text()

    def set_progress(self, what: str, done: int, total: int) -> None:
        """Show how far a job is.

        Parameters
        ----------
        done, total : int
            How much of how much; a total of 0 says that it is not known.
        """
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        self._label.setText(f"{what} {100 * done // total}\u00a0%" if total else f"{what} …")
        self.setAccessibleName(self._label.text())
        self.show()

    def clear(self) -> None:
        """Show that nothing is being done."""
        self.hide()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the colour scheme."""
        if event.type() == event.Type.PaletteChange:
            self._tint()
        super().changeEvent(event)

    def _tint(self) -> None:
        self._stop.setIcon(load_icon("cancel", colours_of(self.palette())))
