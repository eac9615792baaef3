"""Work that leaves the window's thread: one job of a kind at a time, the newest request wins."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QThread, QThreadPool, QTimer, Signal, Slot

from pcaimage.gui.session.job import Failure, Job, Runnable, Work
from pcaimage.progress import Progress

_HOLD = 250  # milliseconds for which it waits at most before it starts, while pictures are being made
_TURNS = 3  # of the event loop after that: pictures are painted, plots are told, and plots are painted


def _ignore(*_: object) -> None:
    """Do nothing with a result."""


class JobRunner(QObject):
    """Runs jobs on a thread pool of its own and delivers their results to the thread it lives in."""

    progressed = Signal(str, int, int)
    """Kind, done, total; only of the newest job of the kind."""
    started = Signal(str)
    """A kind became busy."""
    finished = Signal(str)
    """A kind is not busy any more: its newest job delivered its result, failed or was cancelled."""
    _reported = Signal(object, int, int)
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        # NumPy has threads of its own; these only have to let a preview run beside an encoding.
        self._pool.setMaxThreadCount(max(4, QThread.idealThreadCount()))
        self._patient_pool = QThreadPool(self)
        self._patient_pool.setMaxThreadCount(self._pool.maxThreadCount())
        self._patient_pool.setThreadPriority(QThread.Priority.LowPriority)
        self._running: dict[str, Job] = {}
        self._pending: dict[str, Job] = {}
        self._held: list[Job] = []
        """Patient ones that run as soon as the others have ended."""
        self._turns = 0
        self._hold = QTimer(self, singleShot=True)
        self._hold.timeout.connect(self._let_go)
        self._arrived: deque[Job] = deque()
        """Those that ended. One is delivered a turn of the event loop: what it changed is painted, and what
        the user did meanwhile is seen, before the next."""
        self._next = QTimer(self, singleShot=True)
        self._next.timeout.connect(self._deliver)
        self._closed = False
        self._reported.connect(self._deliver_progress)
        self._ended.connect(self._arrive)

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
        """Ask for work; it replaces what was asked of the same kind before.

        Parameters
        ----------
        kind : str
            Such as ``"preview"``. Jobs of different kinds run side by side.
        work : callable
            Called with a progress callback on another thread. It must not touch widgets, and should
            report often: that is where it is stopped.
        on_done, on_failed, on_progress : callable
            Called on the thread of the runner with the result, a :class:`Failure`, or done and total.
            None is called for a job that was replaced or cancelled.
        finish_running : bool
            Let a job of the kind that runs already finish and deliver, instead of stopping it. For
            previews: otherwise a hand that never rests would never see one.
        patient : bool
            Let work that is not have the processor first: a moment to end in, and all it can use after that.
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
            self.started.emit(kind)

    def cancel(self, kind: str) -> None:
        """Stop the work of a kind; nothing of it is delivered.

        Parameters
        ----------
        kind : str
            The kind; that nothing of it is running is fine.
        """
        was_busy = self.busy(kind)
        self._pending.pop(kind, None)
        self._stop(kind)
        if was_busy:
            self.finished.emit(kind)

    def cancel_all(self) -> None:
        """Stop all work."""
        for kind in {*self._running, *self._pending}:
            self.cancel(kind)

    @property
    def under_way(self) -> frozenset[str]:
        """The kinds of which a result is still to come."""
        return frozenset(kind for kind in (*self._running, *self._pending) if self.busy(kind))

    def busy(self, kind: str | None = None) -> bool:
        """Return whether a result is still to come.

        Returns
        -------
        bool
            False for work that was cancelled, even while its thread has not noticed.
        """
        if kind is None:
            return bool(self.under_way)
        running = self._running.get(kind)
        return kind in self._pending or (running is not None and not running.stopped.is_set())

    def wait(self, milliseconds: int = -1) -> bool:
        """Block until no thread is working; results are delivered by the event loop afterwards.

        Returns
        -------
        bool
            Whether all threads are idle.
        """
        return all(pool.waitForDone(milliseconds) for pool in (self._pool, self._patient_pool))

    def shutdown(self, milliseconds: int = -1) -> bool:
        """Stop all work for good and wait for the threads; nothing is delivered from now on.

        Parameters
        ----------
        milliseconds : int
            How long to wait at most; for ever by default.

        Returns
        -------
        bool
            Whether all threads are idle.
        """
        self.cancel_all()
        self._closed = True
        self._arrived.clear()
        return self.wait(milliseconds)

    def _start(self, job: Job) -> None:
        self._running[job.kind] = job
        if job.patient and self._hurried:
            self._held.append(job)
            if not self._hold.isActive():
                self._hold.start(_HOLD)
        else:
            self._run(job)

    def _stop(self, kind: str) -> None:
        """Stop the work of a kind that runs; what has not begun is forgotten at once."""
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
        """Whether there is work that others should wait for."""
        return any(not job.patient for job in self._running.values())

    def _let_go(self) -> None:
        """Have what was held back done, in a moment or now."""
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
            self.progressed.emit(job.kind, done, total)

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
            elif not was_stopped:
                job.on_done(job.result)
        finally:
            if not was_stopped and not self.busy(job.kind):
                self.finished.emit(job.kind)
