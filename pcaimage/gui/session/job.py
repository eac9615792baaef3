"""One job on a thread of a pool: its work, its result, and why there is none."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from PySide6.QtCore import QRunnable

from pcaimage.errors import Cancelled, PcaImageError
from pcaimage.progress import Progress

Work = Callable[[Progress], Any]
"""A function that is given where to report progress, and returns its result."""

_LOG = logging.getLogger(__name__)
_PATIENT = 10  # as nice as work that a picture should not wait for
_REPORT_EVERY = 0.03  # seconds; the eye does not see more, and the event queue need not carry it


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job gave no result.

    Parameters
    ----------
    sentence : str
        For the user.
    error : Exception
        For who wants to offer a way out.
    """

    sentence: str
    error: Exception


@dataclass(eq=False, slots=True)
class Job:
    """Work that was asked for, who wants its result, and what became of it."""

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
    """Runs one job on a thread of the pool and reports by queued signals only."""

    def __init__(self, job: Job, reported: Any, ended: Any) -> None:
        super().__init__()
        self._job = job
        self._reported = reported
        self._ended = ended
        self._last = 0.0

    def run(self) -> None:
        """Do the work; whatever happens, say that it ended."""
        job = self._job
        if job.patient:
            _give_way()
        try:
            self._check()
            job.result = job.work(self._progress)
        except Cancelled:
            job.stopped.set()
        except PcaImageError as error:
            job.failure = Failure(str(error), error)
        except MemoryError as error:
            job.failure = Failure(
                "There is not enough memory for this; close other images or choose a smaller one.", error
            )
        except Exception as error:  # noqa: BLE001 - a thread's error has nowhere else to go
            _LOG.exception("The job %r failed unexpectedly.", job.kind)
            job.failure = Failure(
                f"Something unexpected went wrong ({type(error).__name__}: {error}); please report it.",
                error,
            )
        # The pool keeps its last runnable, and with it would keep the image that was worked on.
        del self._job
        with suppress(RuntimeError):  # the runner has gone, and nobody waits
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


def _give_way() -> None:
    """Let other threads go first; so will all that this one starts. There is no way back from that.

    Where it can, Qt sees to it; on Linux every thread has a niceness of its own, which Qt leaves alone.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PATIENT)
