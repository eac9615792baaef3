"""The dialog that shows a crash report before the user hands it on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pcaimage.gui.dialogs import fit_to_screen

_SIZE = 680, 460


class ReportDialog(QDialog):
    """Shows the text of a crash report, where its file is, and copies it."""

    def __init__(self, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Crash Report")
        about = QLabel(
            "Nothing was sent anywhere. If you report the fault, read the text first: it has no pixels, but "
            "may name your files.",
            wordWrap=True,
        )
        self.shown = QPlainTextEdit(readOnly=True)
        self.shown.setPlainText(_text_of(path))
        self.shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.shown.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.shown.setAccessibleName("The report")
        place = QLabel(str(path), wordWrap=True)
        place.setTextFormat(Qt.TextFormat.PlainText)
        place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = QPushButton("&Copy")
        self.copy.clicked.connect(self._copy_text)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        for widget in (about, self.shown, place, buttons):
            column.addWidget(widget)
        fit_to_screen(self, QSize(*_SIZE))

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self.shown.toPlainText())
        self.copy.setText("Copied")


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return "The report was removed."


def show_report(path: Path, parent: QWidget) -> ReportDialog:
    """Show a report without blocking the window."""
    dialog = ReportDialog(path, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
