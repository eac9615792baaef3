"""Tells of errors that nobody foresaw, wherever in the window they were raised, and shows their reports."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QPushButton, QWidget

from pcaimage.gui.boxes import vbox
from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.dialogs import fit_to_screen, open_once
from pcaimage.machine.reports import sentence_of, write_report

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
        self.shown = QPlainTextEdit(readOnly=True, plainText=_text_of(path))
        self.shown.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.shown.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.shown.setAccessibleName("The report")
        place = QLabel(str(path), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = QPushButton("&Copy")
        self.copy.clicked.connect(self._copy_text)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        vbox(about, self.shown, place, buttons, of=self, margins=16, spacing=12)
        fit_to_screen(self, QSize(*_SIZE))

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self.shown.toPlainText())
        self.copy.setText("Copied")


def _text_of(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return "The report was removed."


SHOW = "Show Report…"  # the text of the button


class FaultNotices(Commands):
    """Shows a sentence for each error that nobody foresaw, with a button for its report."""

    met = Signal(object)  # an error, which any thread may emit

    def __init__(self, context: CommandContext) -> None:
        super().__init__(context)
        self.met.connect(self._tell)
        context.session.jobs.unforeseen.connect(lambda failure: self._show(failure.sentence, failure.report))

    def show_report(self, path: Path) -> None:
        """Show a report."""
        open_once(ReportDialog(path, self._window))

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Tell of errors in slots and in threads that Python would only print."""

        def of_slot(_: type[BaseException], error: BaseException, __: TracebackType | None) -> None:
            self._take(error)

        def of_thread(args: threading.ExceptHookArgs) -> None:
            if args.exc_value is not None:
                self._take(args.exc_value)

        before = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = of_slot, of_thread
        try:
            yield
        finally:
            sys.excepthook, threading.excepthook = before

    def _take(self, error: BaseException) -> None:
        if isinstance(error, Exception):
            self.met.emit(error)
        else:  # Ctrl+C, and the end of the program
            sys.__excepthook__(type(error), error, error.__traceback__)

    def _tell(self, error: Exception) -> None:
        report = write_report(error)
        self._show(sentence_of(error, report), report)

    def _show(self, sentence: str, report: Path | None) -> None:
        if report is None:
            self._messages.show_message("error", sentence)
        else:
            self._messages.show_message("error", sentence, SHOW, partial(self.show_report, report))
