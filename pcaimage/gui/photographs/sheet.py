"""The window of a queue: first its form, then what becomes of each photograph."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QSize, QTimer
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.dialogs import fit_to_screen, stand_above
from pcaimage.gui.photographs.form import QueueForm
from pcaimage.gui.photographs.results import ResultModel, ResultTable
from pcaimage.gui.photographs.tally import Tally
from pcaimage.gui.photographs.words import counted, progress_words, summary_words
from pcaimage.gui.theme import enlarged, tabular

_SIZE = QSize(720, 480)
_SECOND = 1000


class QueueSheet(QDialog):
    """Asks what is to be made, and shows how far it is; closed meanwhile, it can be shown again."""

    def __init__(self, form: QueueForm, parent: QWidget) -> None:
        super().__init__(parent)
        self.form = form
        self.results = ResultModel()
        self.table = ResultTable(self.results)
        self.bar, self.title, self.line = QProgressBar(), QLabel(), QLabel(wordWrap=True)
        self.note = QLabel(wordWrap=True)
        self.begin_buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.begin = self.begin_buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self.stop, self.again = QPushButton("&Stop"), QPushButton("&Retry Failed")
        self.folder, self.hide_button = QPushButton("Show in &Folder"), QPushButton("&Close")
        self._clock = QTimer(self, interval=_SECOND)
        self._pages = QStackedWidget()
        self._lay_out()
        self._connect()
        self._show_form()
        fit_to_screen(self)

    def show_failure(self, sentence: str) -> None:
        """Show why the work could not be begun, beside the form, or why it ended."""
        if not self.results.tally.done:
            self._pages.setCurrentIndex(0)
            self.begin.setEnabled(True)
        self.note.setText(sentence)
        self.note.show()

    def show_tally(self, tally: Tally) -> None:
        """Show how far the work is."""
        self.results.show_tally(tally)
        if self._pages.currentIndex() == 0 and not tally.ended:
            self._pages.setCurrentIndex(1)
            self.note.hide()
            self.resize(self.size().expandedTo(_SIZE))
        self._show_progress()

    def _show_progress(self) -> None:
        tally = self.results.tally
        self.bar.setRange(0, 1000)
        self.bar.setValue(round(1000 * tally.share))
        self.title.setText(summary_words(tally))
        self.line.setText(progress_words(tally, tally.seconds_left(time.monotonic())))
        self.stop.setVisible(not tally.ended)
        rest = len(tally.failures) or len(tally.lacking)
        self.again.setVisible(tally.ended and rest > 0)
        self.again.setText("&Go On" if tally.lacking else "&Retry Failed")
        self.folder.setVisible(tally.n_bytes[0] > 0)
        self.hide_button.setText("&Close" if tally.ended else "&Hide")
        if tally.ended:
            self._clock.stop()
        elif not self._clock.isActive():
            self._clock.start()

    def _show_form(self) -> None:
        count, packs = len(self.form.photographs), self.form.plan.compresses
        verb = "Compress" if packs else "Export"
        self.setWindowTitle(f"{verb} {counted(count)}")
        self.begin.setText(f"{verb} {count:,}")
        self.begin.setEnabled(bool(self.form.plan.folder.strip()))
        self.note.hide()

    def _lay_out(self) -> None:
        first, second = QWidget(), QWidget()
        stand_above(self.form, self.begin_buttons, first, 0)
        self.title.setFont(enlarged(self.font(), 1.3))
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Progress of all photographs")
        self.line.setFont(tabular(self.font()))
        row = hbox(self.stop, self.again, FREE, self.folder, self.hide_button)
        shown = self.title, self.bar, self.line, (self.table, 1), row
        vbox(*shown, of=second, margins=(16, 16, 16, 0), spacing=8)
        for button in (self.stop, self.again, self.folder):
            button.setAutoDefault(False)
        self.begin_buttons.button(QDialogButtonBox.StandardButton.Cancel).setAutoDefault(False)
        self.begin.setDefault(True)
        self._pages.addWidget(first)
        self._pages.addWidget(second)
        self.note.setContentsMargins(16, 0, 16, 0)
        self.note.setAccessibleName("Note")
        vbox((self._pages, 1), self.note, of=self, margins=(0, 0, 0, 16))

    def _connect(self) -> None:
        self.form.changed.connect(self._show_form)
        self.begin_buttons.rejected.connect(self.reject)
        self.hide_button.clicked.connect(self.reject)
        self._clock.timeout.connect(self._show_progress)

    @property
    def place(self) -> Path:
        """The folder of the form."""
        return Path(self.form.plan.folder).expanduser()
