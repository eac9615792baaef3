"""Finds in the background what a plan gives: the size of its file, and files in other formats."""

from __future__ import annotations

from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from pcaimage.gui.export.maker import ExportMaker, Glimpse
from pcaimage.gui.export.plan import Equal, ExportPlan
from pcaimage.gui.session.jobs import Failure, JobRunner
from pcaimage.imaging import Alternative
from pcaimage.progress import Progress

DELAY = 120  # milliseconds for which a plan must stay before work on it begins
ESTIMATE, MEASURE, PROPOSE, ROWS = (f"export-{kind}" for kind in ("estimate", "measure", "propose", "rows"))
"""The kinds of jobs."""

Wanted = TypeVar("Wanted")


class Finder(QObject, Generic[Wanted]):
    """Works on what is wanted now, once it has stayed for a moment, and forgets what was wanted before."""

    failed = Signal(str)  # a sentence: nothing can be found for the present plan

    kinds: tuple[str, ...] = ()  # the kinds of its jobs

    def __init__(self, jobs: JobRunner, maker: ExportMaker, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs, self._maker = jobs, maker
        self._wanted: Wanted | None = None
        self._wait = QTimer(self, singleShot=True, interval=DELAY)
        self._wait.timeout.connect(self._start)

    def stop(self) -> None:
        """Stop all work."""
        self._wanted = None
        self._wait.stop()
        self._jobs.cancel(*self.kinds)

    def _want(self, wanted: Wanted) -> None:
        self._jobs.cancel(*self.kinds)
        self._wanted = wanted
        self._wait.start()

    def _start(self) -> None:
        if self._wanted is not None:
            self._begin(self._wanted)

    def _begin(self, wanted: Wanted) -> None:
        raise NotImplementedError

    def _report(self, failure: Failure) -> None:
        self.failed.emit(failure.sentence)


class ExportSizes(Finder[ExportPlan]):
    """Finds the size of a plan's file: an estimate at once, the exact size after it."""

    glimpsed = Signal(object)  # a :class:`Glimpse` of the present plan
    measured = Signal(int)  # the exact size in bytes of the present plan's file
    proposed = Signal(object)  # the :class:`ExportPlan` with what looks like the picture in the fewest bytes

    kinds = ESTIMATE, MEASURE, PROPOSE

    def follow(self, plan: ExportPlan) -> None:
        """Find the size of another plan's file instead of the last one's."""
        self._want(plan)

    def propose(self, plan: ExportPlan) -> None:
        """Try formats for a plan instead."""
        work = partial(self._maker.propose, plan)
        self._jobs.submit(PROPOSE, work, on_done=self.proposed.emit, on_failed=self._report)

    def _begin(self, wanted: ExportPlan) -> None:
        work = partial(self._maker.glimpse, wanted)
        self._jobs.submit(ESTIMATE, work, on_done=self._glimpsed, on_failed=self._report)

    def _glimpsed(self, glimpse: Glimpse) -> None:
        self.glimpsed.emit(glimpse)
        if glimpse.exact:
            self.measured.emit(glimpse.n_bytes)
        elif self._maker.measurable(glimpse.plan):
            work = partial(self._maker.measure, glimpse.plan)
            self._jobs.submit(MEASURE, work, on_done=self.measured.emit, on_failed=self._report, patient=True)


class ExportRows(Finder[tuple[ExportPlan, Equal]]):
    """Finds files that are as large or as good as that of a plan in other formats, one after the other."""

    found = Signal(object)  # an :class:`~pcaimage.imaging.Alternative`; the plan's own file comes first
    ended = Signal()  # there are no more
    _made = Signal(object, object)

    kinds = (ROWS,)

    def __init__(self, jobs: JobRunner, maker: ExportMaker, parent: QObject) -> None:
        super().__init__(jobs, maker, parent)
        self._made.connect(self._on_made)

    def follow(self, plan: ExportPlan, equal: Equal) -> None:
        """Find files as large or as good as that of another plan."""
        self._want((plan, equal))

    def _begin(self, wanted: tuple[ExportPlan, Equal]) -> None:
        work, done = partial(self._work, wanted), lambda _: self.ended.emit()
        self._jobs.submit(ROWS, work, on_done=done, on_failed=self._report, patient=True)

    def _work(self, wanted: tuple[ExportPlan, Equal], progress: Progress) -> None:
        self._maker.side_by_side(*wanted, partial(self._made.emit, wanted), progress)

    def _on_made(self, wanted: object, row: Alternative) -> None:
        if wanted is self._wanted:  # rows of an earlier plan may still be on their way
            self.found.emit(row)
