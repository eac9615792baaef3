"""A window of its own for a tab that is torn off, and the note in the tab's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent

_SIZE = QSize(760, 520)
_SMALLEST = QSize(320, 200)


class TornWindow(QWidget):
    """Shows the page of a tab in a window of its own, above the main window."""

    closed = Signal()
    """The user closed it: the page is to come back."""

    def __init__(self, page: QWidget, title: str, main: QWidget) -> None:
        super().__init__(main, Qt.WindowType.Window)
        self._title = title
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setMinimumSize(_SMALLEST)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(page)
        closing = QShortcut(self)
        keys, usual = QKeySequence.keyBindings(QKeySequence.StandardKey.Close), QKeySequence("Ctrl+W")
        closing.setKeys(keys if usual in keys else [*keys, usual])  # given twice, a key counts as ambiguous
        closing.activated.connect(self.close)

    def show_at(self, geometry: QByteArray | None, page: QWidget) -> None:
        """Show the window with its page, where it was before or in a usual size."""
        if geometry is None or not self.restoreGeometry(geometry):
            self.resize(_SIZE)
        page.show()  # a page that leaves a tab is hidden
        self.show()

    def set_subject(self, name: str) -> None:
        """Name the image in the title; empty for none."""
        self.setWindowTitle(f"{self._title} – {name}" if name else self._title)

    def come_to_front(self) -> None:
        """Show the window above others, with the keyboard focus."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask for the page to be put back."""
        super().closeEvent(event)
        self.closed.emit()


class TornNote(QWidget):
    """Says in a tab's place that its page is in a window of its own, and offers to put it back."""

    asked = Signal()
    """The page is to come back."""

    def __init__(self, title: str) -> None:
        super().__init__()
        sentence = QLabel(f"{title} is in a window of its own.", alignment=Qt.AlignmentFlag.AlignCenter)
        button = QPushButton("Bring It Back")
        button.clicked.connect(self.asked)
        column = QVBoxLayout(self)
        column.addStretch()
        column.addWidget(sentence)
        column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch()
