"""Finds the size of an export in the background: an estimate at once, the exact size after it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from pcaimage.gui.export.maker import ExportMaker, Glimpse
from pcaimage.gui.export.plan import ExportPlan
from pcaimage.gui.session.jobs import Failure, JobRunner

ESTIMATE, MEASURE = "export-estimate", "export-measure"
"""The kinds of jobs."""

DELAY = 120
"""Milliseconds for which a plan must stay before work on it begins."""


class ExportSizes(QObject):
    """Follows a plan, and emits what becomes known of its file."""

    glimpsed = Signal(object)
    """A :class:`Glimpse` of the present plan."""
    measured = Signal(int)
    """The exact size in bytes of the present plan's file."""
    failed = Signal(str)
    """A sentence: the file of the present plan cannot be made."""

    def __init__(self, jobs: JobRunner, maker: ExportMaker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._maker = jobs, maker
        self._plan: ExportPlan | None = None
        self._known: dict[ExportPlan, int] = {}
        self._wait = QTimer(self, singleShot=True, interval=DELAY)
        self._wait.timeout.connect(self._begin)

    def follow(self, plan: ExportPlan) -> None:
        """Find the size of another plan's file instead of the last one's."""
        self._plan = plan
        self._jobs.cancel(ESTIMATE, MEASURE)
        self._wait.start()

    def stop(self) -> None:
        """Stop all work."""
        self._wait.stop()
        self._jobs.cancel(ESTIMATE, MEASURE)

    def _begin(self) -> None:
        if self._plan is not None:
            self._jobs.submit(
                ESTIMATE,
                partial(self._maker.glimpse, self._plan),
                on_done=self._glimpsed,
                on_failed=self._report,
            )

    def _glimpsed(self, glimpse: Glimpse) -> None:
        plan = glimpse.plan
        self.glimpsed.emit(glimpse)
        if glimpse.exact:
            self.measured.emit(glimpse.n_bytes)
        elif plan in self._known:
            self.measured.emit(self._known[plan])
        elif self._maker.measurable(plan):
            self._jobs.submit(
                MEASURE,
                partial(self._maker.measure, plan),
                on_done=partial(self._measured, plan),
                on_failed=self._report,
                patient=True,
            )

    def _measured(self, plan: ExportPlan, n_bytes: int) -> None:
        self._known[plan] = n_bytes
        self.measured.emit(n_bytes)

    def _report(self, failure: Failure) -> None:
        self.failed.emit(failure.sentence)
