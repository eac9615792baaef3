"""Progress callbacks, which are also how work is cancelled."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

Progress = Callable[[int, int], None]
"""``progress(done, total)``; raising :class:`pcaimage.errors.Cancelled` from it stops the work."""

Count = Callable[[int], None]  # ``count(more)``: reports from any thread that `more` units are done


def no_progress(done: int, total: int) -> None:
    """Ignore a progress report."""


def part(progress: Progress, start: float, stop: float) -> Progress:
    """Return a progress callback for the stage from `start` to `stop` (0 to 1) of a larger job."""

    def report(done: int, total: int) -> None:
        fraction = done / total if total else 1.0
        progress(round(1000 * (start + (stop - start) * fraction)), 1000)

    return report


def overlapping(progress: Progress, first: float) -> tuple[Progress, Progress]:
    """Return callbacks for two stages that run at the same time; `first` is the share of the first one."""
    lock, shares, done = Lock(), (first, 1.0 - first), [0.0, 0.0]

    def stage(number: int) -> Progress:
        def report(count: int, total: int) -> None:
            with lock:
                done[number] = shares[number] * (count / total if total else 1.0)
                progress(round(1000 * sum(done)), 1000)

        return report

    return stage(0), stage(1)


def constant(progress: Progress, done: int, total: int) -> Progress:
    """Return a callback that reports the same progress all the time, so that it can only cancel."""
    return lambda _done, _total: progress(done, total)


def counted(progress: Progress, total: int) -> Count:
    """Return a thread-safe counter that reports the sum to `progress`, one call at a time."""
    lock, done = Lock(), 0

    def add(count: int) -> None:
        nonlocal done
        with lock:
            done += count
            progress(done, total)

    return add


class Stages:
    """Progress of a job whose stages are not all known in advance: each takes its share of the remainder."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._done = progress, 0.0

    def next(self, work: float, rest: float = 0.0) -> Progress:
        """Return a progress callback for the next stage, expected to take `work`, and all after it `rest`."""
        start = self._done
        self._done += (1 - start) * work / (work + rest)
        return part(self._progress, start, self._done)

    def end(self) -> None:
        """Report the end of the job."""
        part(self._progress, 0.0, 1.0)(1, 1)
