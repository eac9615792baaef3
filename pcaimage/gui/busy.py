"""The progress indicator in the status bar, for jobs that take longer than a moment."""

from __future__ import annotations

from PySide6.QtCore import QObject, QSize, Qt, QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QToolButton, QWidget

from pcaimage.gui.boxes import FREE, hbox
from pcaimage.gui.icons import load_icon
from pcaimage.gui.session.jobs import JobRunner
from pcaimage.gui.theme import tabular

LABELS = {
    "open": "opening",
    "save": "saving",
    "export": "exporting",
    "fit": "finding components",
    "refine": "refining",
    "target": "searching",
    "settle": "checking the picture",
    "measure": "encoding",
    "similarity": "measuring likeness",
    "rival": "preparing the comparison",
    "drag": "writing the dragged file",
}
"""The kinds of jobs that are shown, with their labels, the most important first."""

DELAY = 250  # milliseconds that a job runs before it is shown


class BusyIndicator(QObject):
    """Shows the most important running job in a progress strip."""

    def __init__(self, jobs: JobRunner, strip: ProgressStrip, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs, self._strip = jobs, strip
        self._progress: dict[str, tuple[int, int]] = {}
        self._waiting = QTimer(self, singleShot=True, interval=DELAY)
        self._waiting.timeout.connect(self._show)
        shown = jobs.watch(*LABELS)
        shown.changed.connect(self._on_changed)
        shown.progressed.connect(self._on_progressed)
        for kind in jobs.under_way:
            self._on_changed(kind)

    def _on_changed(self, kind: str) -> None:
        if not self._jobs.busy(kind):
            self._progress.pop(kind, None)
            if not self._strip.isHidden() or not self._progress:
                self._show()
        elif kind in LABELS:
            self._progress[kind] = (0, 0)
            if not self._waiting.isActive() and self._strip.isHidden():
                self._waiting.start()

    def _on_progressed(self, kind: str, done: int, total: int) -> None:
        self._progress[kind] = (done, total)
        if not self._strip.isHidden():
            self._show()

    def _show(self) -> None:
        shown = next((kind for kind in LABELS if kind in self._progress and self._jobs.busy(kind)), None)
        if shown is None:
            self._waiting.stop()
            self._strip.clear()
        else:
            self._strip.set_progress(LABELS[shown], *self._progress[shown])


class ProgressStrip(QWidget):
    """The name of a running job, its progress, and a button that cancels it."""

    def __init__(self) -> None:
        super().__init__()
        self._label = QLabel()
        self._label.setFont(tabular(self._label.font()))
        self._bar = QProgressBar(textVisible=False)
        self._bar.setFixedSize(120, 10)
        self._bar.setAccessibleName("Progress")
        self.stop = QToolButton(autoRaise=True)
        self.stop.setIcon(load_icon("cancel"))
        self.stop.setIconSize(QSize(16, 16))
        self.stop.setToolTip("Stop this job (Esc)")
        self.stop.setAccessibleName("Stop")
        parts = ((part, 0, Qt.AlignmentFlag.AlignVCenter) for part in (self._label, self._bar, self.stop))
        hbox(FREE, *parts, of=self, margins=(8, 0, 0, 0), spacing=8)
        self.hide()

    @property
    def text(self) -> str:
        """The text that is shown, such as ``"encoding 62 %"``."""
        return self._label.text()

    def set_progress(self, label: str, done: int, total: int) -> None:
        """Show that `done` of `total` steps are done; a total of 0 means it is unknown."""
        self._bar.setRange(0, total)
        self._bar.setValue(done)
        self._label.setText(f"{label} {100 * done // total}\u00a0%" if total else f"{label} …")
        self.setAccessibleName(self._label.text())
        self.show()

    def clear(self) -> None:
        """Hide the strip because no job runs."""
        self.hide()
