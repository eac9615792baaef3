"""How long work says how far it is, and how it is asked to stop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

Progress = Callable[[int, int], None]
"""``progress(done, total)``; raising :class:`pcaimage.errors.Cancelled` from it stops the work."""

Count = Callable[[int], None]
"""``count(more)`` from any thread: how much more is done."""


def no_progress(done: int, total: int) -> None:
    """Ignore a report of progress.

    Parameters
    ----------
    done, total : int
        How much is done, of how much.
    """


def part(progress: Progress, start: float, stop: float) -> Progress:
    """Let a stage report into a part of a larger job's progress.

    Parameters
    ----------
    progress : Progress
        Where the larger job reports; it receives thousandths.
    start, stop : float
        The stage's share of the whole, between 0 and 1.

    Returns
    -------
    Progress
        A callback for the stage.
    """

    def report(done: int, total: int) -> None:
        fraction = done / total if total else 1.0
        progress(round(1000 * (start + (stop - start) * fraction)), 1000)

    return report


def counted(progress: Progress, total: int) -> Count:
    """Let several threads report how much they have done.

    Parameters
    ----------
    progress : Progress
        Where the work reports; one thread at a time calls it.
    total : int
        How much there is to do.

    Returns
    -------
    Count
        What they call.
    """
    lock, done = Lock(), 0

    def add(count: int) -> None:
        nonlocal done
        with lock:
            done += count
            progress(done, total)

    return add
