"""Finds files in several formats in the background, one after the other."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from pcaimage.gui.export.maker import ExportMaker
from pcaimage.gui.export.plan import Equal, ExportPlan
from pcaimage.gui.export.sizes import DELAY
from pcaimage.gui.session.jobs import Failure, JobRunner
from pcaimage.imaging import Alternative
from pcaimage.progress import Progress

KIND = "export-rows"
"""The kind of the job."""


class ExportRows(QObject):
    """Follows a plan, and emits the files that are as large or as good in other formats."""

    found = Signal(object)
    """An :class:`~pcaimage.imaging.Alternative`; the plan's own file comes first."""
    ended = Signal()
    """There are no more."""
    failed = Signal(str)
    """A sentence: the work ended with an error."""
    _made = Signal(object, object)

    def __init__(self, jobs: JobRunner, maker: ExportMaker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._maker = jobs, maker
        self._wanted: tuple[ExportPlan, Equal] | None = None
        self._wait = QTimer(self, singleShot=True, interval=DELAY)
        self._wait.timeout.connect(self._begin)
        self._made.connect(self._on_made)

    def follow(self, plan: ExportPlan, equal: Equal) -> None:
        """Find files as large or as good as that of another plan."""
        self._wanted = plan, equal
        self._jobs.cancel(KIND)
        self._wait.start()

    def stop(self) -> None:
        """Stop all work."""
        self._wanted = None
        self._wait.stop()
        self._jobs.cancel(KIND)

    def _begin(self) -> None:
        if self._wanted is not None:
            self._jobs.submit(
                KIND,
                partial(self._work, self._wanted),
                on_done=lambda _: self.ended.emit(),
                on_failed=self._report,
                patient=True,
            )

    def _work(self, wanted: tuple[ExportPlan, Equal], progress: Progress) -> None:
        self._maker.side_by_side(*wanted, partial(self._made.emit, wanted), progress)

    def _on_made(self, wanted: object, row: Alternative) -> None:
        if wanted is self._wanted:  # rows of an earlier plan may still be on their way
            self.found.emit(row)

    def _report(self, failure: Failure) -> None:
        self.failed.emit(failure.sentence)
