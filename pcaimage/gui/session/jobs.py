"""Background jobs on worker threads: one job of a kind at a time, and the newest request wins.

Pictures of a drag must not wait for figures, so there are two classes of jobs. *Patient* jobs run on a pool
of low priority, and start only when no other job is running and its result has been painted: beside a
picture, every step of Python in the GUI thread would wait for the interpreter's lock, or for a thread that
has the lock but not the processor.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, QRunnable, QThread, QThreadPool, QTimer, Signal, SignalInstance, Slot

from pcaimage.errors import Cancelled, PcaImageError
from pcaimage.machine.mapped import check_watched, cut_files
from pcaimage.machine.reports import sentence_of, write_report
from pcaimage.progress import Progress

Work = Callable[[Progress], Any]  # a function that takes a progress callback and returns a result

_LOG = logging.getLogger(__name__)
_PATIENT = 10  # the niceness of threads that pictures must not wait for
_REPORT_EVERY = 0.03  # seconds; more often would only fill the event queue
HOLD = 250  # milliseconds after which patient jobs begin even if pictures are still being made
_TURNS = 3  # turns of the event loop before patient jobs begin: time to paint the picture, then the plots

LEFT, RIGHT, DIFFERENCE, MAGNIFIED = "original", "picture", "difference", "magnified"
"""The kinds of the three views' pictures and the magnifier's."""

PICTURES = frozenset({RIGHT, DIFFERENCE})  # the kinds of pictures that follow every change of k


@dataclass(frozen=True, slots=True)
class Failure:
    """The error of a job."""

    sentence: str
    error: Exception  # the cause; some have a remedy that can be offered
    report: Path | None = None  # the crash report of an error that nobody foresaw
    foreseen: bool = True


@dataclass(eq=False, slots=True)
class Job:
    """A request for work, the callbacks for its result, and the result."""

    kind: str
    work: Work
    on_done: Callable[[Any], None]
    on_failed: Callable[[Failure], None]
    on_progress: Progress
    patient: bool
    stopped: Event = field(default_factory=Event)
    result: Any = None
    failure: Failure | None = None


class Runnable(QRunnable):
    """Runs one job on a thread of the pool, and reports only through queued signals."""

    def __init__(self, job: Job, reported: Any, ended: Any) -> None:
        super().__init__()
        self._job = job
        self._reported = reported
        self._ended = ended
        self._last = 0.0

    def run(self) -> None:
        """Do the work, and report its end in any case."""
        job = self._job
        if job.patient:
            give_way()
        try:
            self._check()
            known = cut_files()  # perhaps of an image that was open before
            job.result = job.work(self._progress)
            check_watched(known)  # raises if a mapped file was truncated meanwhile
        except Cancelled:
            job.stopped.set()
        except PcaImageError as error:
            job.failure = Failure(str(error), error)
        except MemoryError as error:
            job.failure = Failure(
                "There is not enough memory for this; close other images or choose a smaller one.", error
            )
        except Exception as error:  # noqa: BLE001 - a thread's error has nowhere else to go
            _LOG.debug("The job %r failed unexpectedly.", job.kind, exc_info=True)
            report = write_report(error)
            job.failure = Failure(sentence_of(error, report), error, report, foreseen=False)
        # The pool keeps its last runnable, which would keep the image alive.
        del self._job
        with suppress(RuntimeError):  # the runner was deleted
            self._ended.emit(job)

    def _check(self) -> None:
        if self._job.stopped.is_set():
            raise Cancelled

    def _progress(self, done: int, total: int) -> None:
        self._check()
        now = time.monotonic()
        if done >= total or now - self._last >= _REPORT_EVERY:
            self._last = now
            self._reported.emit(self._job, done, total)


def give_way() -> None:
    """Lower the priority of this thread and of all threads that it starts, for good.

    Elsewhere Qt does it; on Linux every thread has its own niceness, which Qt does not set.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        # A process that was started nicer stays so: to lower its niceness is not permitted.
        if os.getpriority(os.PRIO_PROCESS, thread) < _PATIENT:
            os.setpriority(os.PRIO_PROCESS, thread, _PATIENT)


def _ignore(*_: object) -> None:
    """Discard a result."""


class Watch(QObject):
    """Tells of jobs of some kinds."""

    changed = Signal(str)  # a kind that has become busy, or is not any more
    progressed = Signal(str, int, int)  # kind, done, total; only of the newest job of the kind


class JobRunner(QObject):
    """Runs jobs on worker threads, and delivers their results on its own thread."""

    unforeseen = Signal(object)
    """The :class:`Failure` of a job by an error that nobody foresaw; it has been delivered, too."""
    started = Signal(str)  # the kind of a job, when the kind becomes busy
    finished = Signal(str)
    """The kind of a job, when its newest job delivered its result, failed or was cancelled."""
    _reported = Signal(object, int, int)
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self, maxThreadCount=max(4, QThread.idealThreadCount()))
        # NumPy has threads of its own; these only let a preview run beside an encoding.
        self._patient_pool = QThreadPool(self, maxThreadCount=self._pool.maxThreadCount())
        self._patient_pool.setThreadPriority(QThread.Priority.LowPriority)
        self._running: dict[str, Job] = {}
        self._pending: dict[str, Job] = {}
        self._held: list[Job] = []
        """Patient jobs that wait for the others."""
        self._turns = 0
        self._hold = QTimer(self, singleShot=True)
        self._hold.timeout.connect(self._let_go)
        self._arrived: deque[Job] = deque()
        """Finished jobs. One is delivered per turn of the event loop, so that its changes are painted and
        user input is handled before the next."""
        self._next = QTimer(self, singleShot=True)
        self._next.timeout.connect(self._deliver)
        self._closed = False
        self._watches: dict[frozenset[str], Watch] = {}
        self._reported.connect(self._deliver_progress)
        self._ended.connect(self._arrive)

    def watch(self, *kinds: str) -> Watch:
        """Return the signals of jobs of these kinds."""
        chosen = frozenset(kinds)
        if chosen not in self._watches:
            self._watches[chosen] = Watch(self)
        return self._watches[chosen]

    def submit(
        self,
        kind: str,
        work: Work,
        *,
        on_done: Callable[[Any], None] = _ignore,
        on_failed: Callable[[Failure], None] = _ignore,
        on_progress: Progress = _ignore,
        finish_running: bool = False,
        patient: bool = False,
    ) -> None:
        """Request work; it replaces the earlier request of the same kind.

        Jobs of different kinds run side by side. The work, on a worker thread, must not touch widgets, and
        should report its progress often, because that is where it is cancelled. Result, :class:`Failure` and
        progress reach the runner's thread, but never those of a job that was replaced or cancelled. With
        `finish_running` the running job of the kind is let finish and deliver; otherwise a drag without a
        pause would never show a preview. A `patient` job waits for all that are not.
        """
        if self._closed:
            return
        was_busy = self.busy(kind)
        job = Job(kind, work, on_done, on_failed, on_progress, patient)
        if not finish_running:
            self._stop(kind)
        if kind in self._running:
            self._pending[kind] = job
        else:
            self._start(job)
        if not was_busy:
            self._emit(self.started, kind)

    def cancel(self, *kinds: str) -> None:
        """Cancel the work of some kinds, if any; none of its results are delivered."""
        for kind in kinds:
            was_busy = self.busy(kind)
            self._pending.pop(kind, None)
            self._stop(kind)
            if was_busy:
                self._emit(self.finished, kind)

    def cancel_all(self) -> None:
        """Cancel all work."""
        self.cancel(*{*self._running, *self._pending})

    @property
    def under_way(self) -> frozenset[str]:
        """The kinds of jobs whose result is still to come."""
        return frozenset(kind for kind in (*self._running, *self._pending) if self.busy(kind))

    def busy(self, kind: str | None = None) -> bool:
        """Return whether a result of a kind, or of any, is still to come.

        Cancelled work has none, even while its thread has not noticed yet.
        """
        if kind is None:
            return bool(self.under_way)
        running = self._running.get(kind)
        return kind in self._pending or (running is not None and not running.stopped.is_set())

    def wait(self, milliseconds: int = -1) -> bool:
        """Block until all threads are idle, at most so many milliseconds; return whether they are.

        The results are delivered by the event loop later.
        """
        return all(pool.waitForDone(milliseconds) for pool in (self._pool, self._patient_pool))

    def shutdown(self, milliseconds: int = -1) -> bool:
        """Cancel all work for good, and wait for the threads as :meth:`wait` does.

        Nothing is delivered from now on.
        """
        self.cancel_all()
        self._closed = True
        self._arrived.clear()
        return self.wait(milliseconds)

    def _start(self, job: Job) -> None:
        self._running[job.kind] = job
        if job.patient:
            self._held.append(job)
            if not self._hold.isActive():
                self._turns = _TURNS
                self._hold.start(HOLD if self._hurried else 0)
        else:
            self._run(job)

    def _stop(self, kind: str) -> None:
        """Cancel the running work of a kind; work that has not begun is dropped at once."""
        job = self._running.get(kind)
        if job is None:
            return
        job.stopped.set()
        if job in self._held:
            self._held.remove(job)
            del self._running[kind]

    def _run(self, job: Job) -> None:
        pool = self._patient_pool if job.patient else self._pool
        pool.start(Runnable(job, self._reported, self._ended))

    @property
    def _hurried(self) -> bool:
        """Whether a job runs that patient ones wait for."""
        return any(not job.patient for job in self._running.values())

    def _let_go(self) -> None:
        """Start the patient jobs that were held back, after some turns of the event loop."""
        self._turns -= 1
        if self._turns > 0:
            self._hold.start(0)
            return
        held, self._held = self._held, []
        for job in held:
            if not self._closed:
                self._run(job)

    @Slot(object, int, int)
    def _deliver_progress(self, job: Job, done: int, total: int) -> None:
        if not self._closed and not job.stopped.is_set():
            job.on_progress(done, total)
            for watch in self._watching(job.kind):
                watch.progressed.emit(job.kind, done, total)

    @Slot(object)
    def _arrive(self, job: Job) -> None:
        if self._closed:
            return
        self._arrived.append(job)
        self._next.start(0)

    def _deliver(self) -> None:
        if self._closed:
            return
        job = self._arrived.popleft()
        if self._arrived:
            self._next.start(0)
        was_stopped = job.stopped.is_set()
        self._running.pop(job.kind, None)
        following = self._pending.pop(job.kind, None)
        if following is not None:
            self._start(following)
        if self._held and not self._hurried:
            self._turns = _TURNS
            self._hold.start(0)
        try:
            if not was_stopped and job.failure is not None:
                job.on_failed(job.failure)
                if not job.failure.foreseen:
                    self.unforeseen.emit(job.failure)
            elif not was_stopped:
                job.on_done(job.result)
        finally:
            if not was_stopped and not self.busy(job.kind):
                self._emit(self.finished, job.kind)

    def _emit(self, signal: SignalInstance, kind: str) -> None:
        for watch in self._watching(kind):
            watch.changed.emit(kind)
        signal.emit(kind)

    def _watching(self, kind: str) -> list[Watch]:
        return [watch for kinds, watch in self._watches.items() if kind in kinds]
