"""The queue: makes files of many photographs in processes of their own, while the window goes on."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from pcaimage.batching.batches import Batch, working
from pcaimage.batching.recipes import Recipe
from pcaimage.batching.sharing import Curve
from pcaimage.batching.tasks import Result, Task
from pcaimage.batching.work import failure_reason
from pcaimage.errors import Cancelled
from pcaimage.gui.photographs.words import Tally

NICENESS = 10  # niceness of the processes, which give way to the window
PATIENCE = 15.0  # seconds in which processes that are told to stop end


@dataclass(frozen=True)
class Errand:
    """The work of a queue: a batch, with recipes of some photographs' own by their paths."""

    batch: Batch
    own: Mapping[str, Recipe] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)  # lengths of files, by path
    curves: Mapping[str, Curve] = field(default_factory=dict)  # that are known already, by path

    def tasks(self, sources: Sequence[str]) -> list[Task]:
        """Return the tasks of some photographs; their files have the same names whichever these are.

        PcaImageError if a place is taken, or a file is missing.
        """
        wanted = frozenset(sources)
        found = [task for task in self.batch.tasks(self.batch.plan()) if task.source in wanted]
        return [replace(task, recipe=self.own.get(task.source, task.recipe)) for task in found]

    def after(self, tally: Tally) -> Batch:
        """Return the batch of what is lacking, for which some bytes are left."""
        goal, spent = self.batch.goal, tally.n_bytes[1]
        if goal is None or goal.total is None:
            return self.batch
        return replace(self.batch, goal=replace(goal, total=max(1, goal.total - spent)))

    def target(self, result: Result) -> Path:
        """Return the file that was made of a photograph."""
        return Path(self.batch.output, result.target)


class Queue(QObject):
    """Carries out one errand at a time, on a thread that waits for processes."""

    changed = Signal(object)  # the new :class:`Tally`
    failed = Signal(str)  # a sentence: nothing could be begun, or the work ended early
    ended = Signal()  # the queue ended: all is done, or it was stopped, or it failed
    _came = Signal(int, object)
    _worked = Signal(int, object)
    _stopped = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.errand: Errand | None = None
        """The last request."""
        self.tally: Tally | None = None
        """The progress; None if nothing was asked for yet."""
        self._run, self._stopping = 0, threading.Event()
        self._thread: threading.Thread | None = None
        self._came.connect(self._on_came)
        self._worked.connect(self._on_worked)
        self._stopped.connect(self._on_stopped)

    @property
    def running(self) -> bool:
        """Whether something is being done."""
        return self.tally is not None and not self.tally.ended

    def start(self, errand: Errand) -> None:
        """Carry out an errand; nothing happens while another is."""
        if not self.running:
            self.errand = errand
            self._begin(Tally(dict(errand.weights), started=time.monotonic()))

    def go_on(self) -> None:
        """Do what is lacking of the last errand: what was not done, and what failed."""
        if self.tally is not None and not self.running:
            self._begin(self.tally.begun_again(time.monotonic()))

    def stop(self) -> None:
        """Stop the work; files are whole, or they are not there."""
        self._stopping.set()

    def shutdown(self) -> None:
        """Stop the work, and wait until its processes have ended; nothing is told any more."""
        self._run += 1
        self.stop()
        if self._thread is not None:
            self._thread.join(PATIENCE)

    def _begin(self, tally: Tally) -> None:
        self._run += 1
        self._stopping = threading.Event()
        self._become(tally)
        work = (self._run, self.errand, tally, self._stopping)
        # No job of the window: figures wait for those, and this one takes minutes.
        self._thread = threading.Thread(target=self._work, args=work, name="queue", daemon=True)
        self._thread.start()

    def _become(self, tally: Tally) -> None:
        self.tally = tally
        self.changed.emit(tally)

    def _work(self, run: int, errand: Errand, tally: Tally, stopping: threading.Event) -> None:
        def watch(shares: Mapping[str, float]) -> None:
            if stopping.is_set():
                raise Cancelled("The queue was stopped.")
            self._worked.emit(run, shares)

        sentence = ""
        try:
            tasks, batch = errand.tasks(tally.lacking), errand.after(tally)
            with working(
                batch, tasks=len(tasks), niceness=NICENESS, watch=watch, curves=errand.curves
            ) as results:
                for result in results(tasks):
                    self._came.emit(run, result)
        except Cancelled:
            pass
        except RuntimeError:  # the window was deleted meanwhile
            return
        except Exception as error:  # noqa: BLE001 - a thread's error has nowhere else to go
            sentence = failure_reason(error)
        self._stopped.emit(run, sentence)

    def _on_came(self, run: int, result: Result) -> None:
        if run == self._run and self.tally is not None:
            self._become(self.tally.with_result(result))

    def _on_worked(self, run: int, shares: Mapping[str, float]) -> None:
        if run == self._run and self.tally is not None:
            self._become(replace(self.tally, shares={**self.tally.shares, **shares}))

    def _on_stopped(self, run: int, sentence: str) -> None:
        if run != self._run or self.tally is None:
            return
        self._thread = None
        self._become(replace(self.tally, shares={}, ended=True))
        if sentence:
            self.failed.emit(sentence)
        self.ended.emit()
