"""The strip with its buttons: what can be done with all photographs."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from pcaimage.gui.boxes import FREE, hbox, vbox
from pcaimage.gui.photographs.strip import PhotographList, PhotographModel
from pcaimage.gui.photographs.tally import Tally
from pcaimage.gui.photographs.words import roll_words
from pcaimage.gui.theme import tabular

_WIDTH = 156


class PhotographStrip(QWidget):
    """The list of photographs, and beside it how many there are, and buttons for all of them."""

    def __init__(self, model: PhotographModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.list = PhotographList(model)
        self.count, self.detail = QLabel(), QLabel()
        self.send, self.queue = QPushButton("Send…"), QPushButton("Show Progress")
        self.progress = QProgressBar()
        self._lay_out()
        model.relisted.connect(self._describe)
        model.dataChanged.connect(self._describe)
        self.show_tally(None)
        self.hide()

    def show_tally(self, tally: Tally | None) -> None:
        """Show how far the queue is; None if there is none."""
        running = tally is not None and not tally.ended
        self.progress.setVisible(running)
        self.queue.setVisible(running)
        self.send.setVisible(not running)
        if tally is not None and running:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(1000 * tally.share))
            self.detail.setText(f"{tally.done:,} of {tally.count:,} done")
        else:
            self._describe()

    def _describe(self) -> None:
        count, detail = roll_words(self._model.roll)
        self.count.setText(count)
        if self.progress.isHidden():
            self.detail.setText(detail)

    def _lay_out(self) -> None:
        self.send.setToolTip("Make files of all photographs that are small enough to be sent.")
        self.queue.setToolTip("Show what becomes of each photograph.")
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(6)
        self.progress.setAccessibleName("Progress of all photographs")
        self.detail.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for label in (self.count, self.detail):
            label.setFont(tabular(label.font()))
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        side = QWidget()
        side.setFixedWidth(_WIDTH)
        shown = self.count, self.detail, FREE, self.progress, self.queue, self.send
        vbox(*shown, of=side, margins=(8, 4, 8, 6), spacing=4)
        hbox((self.list, 1), side, of=self, spacing=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
