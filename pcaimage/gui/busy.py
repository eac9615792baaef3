"""Shows what is being done, if it takes longer than a moment."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from pcaimage.gui.progress import ProgressStrip
from pcaimage.gui.session.jobs import JobRunner

LABELS = {
    "open": "opening",
    "save": "saving",
    "export": "exporting",
    "fit": "fitting",
    "refine": "refining",
    "target": "searching",
    "settle": "reconstructing",
    "measure": "encoding",
    "similarity": "comparing",
    "rival": "preparing the comparison",
    "drag": "writing what is dragged",
}
"""What each kind of work is called, the most important first; others are not shown."""

DELAY = 250
"""Milliseconds before a job is worth mentioning."""


class BusyIndicator(QObject):
    """Lets a progress strip show the most important of the jobs that run."""

    def __init__(self, jobs: JobRunner, strip: ProgressStrip, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs, self._strip = jobs, strip
        self._progress: dict[str, tuple[int, int]] = {}
        self._waiting = QTimer(self, singleShot=True, interval=DELAY)
        self._waiting.timeout.connect(self._show)
        jobs.started.connect(self._on_started)
        jobs.progressed.connect(self._on_progressed)
        jobs.finished.connect(self._on_finished)

    def _on_started(self, kind: str) -> None:
        if kind in LABELS:
            self._progress[kind] = (0, 0)
            if not self._waiting.isActive() and self._strip.isHidden():
                self._waiting.start()

    def _on_progressed(self, kind: str, done: int, total: int) -> None:
        if kind in LABELS:
            self._progress[kind] = (done, total)
            if not self._strip.isHidden():
                self._show()

    def _on_finished(self, kind: str) -> None:
        self._progress.pop(kind, None)
        if not self._strip.isHidden() or not self._progress:
            self._show()

    def _show(self) -> None:
        shown = next((kind for kind in LABELS if kind in self._progress and self._jobs.busy(kind)), None)
        if shown is None:
            self._waiting.stop()
            self._strip.clear()
        else:
            self._strip.set_progress(LABELS[shown], *self._progress[shown])
