"""Sharing work on large arrays out among the processor's cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_parallel(work: Callable[[int, int], None], length: int, *, worth: bool) -> None:
    """Do work on ranges that make up a whole, side by side.

    NumPy lets go of Python while it computes, so threads do run at once.

    Parameters
    ----------
    work : callable
        Called with the start and the stop of a range.
    length : int
        How long the whole is.
    worth : bool
        Whether there is enough to do for more than one thread; without it, one range is all.
    """
    workers = min(os.cpu_count() or 1, length) if worth else 1
    if workers < 2:
        work(0, length)
        return
    bounds = [length * worker // workers for worker in range(workers + 1)]
    side_by_side(lambda worker: work(bounds[worker], bounds[worker + 1]), workers)


def side_by_side(work: Callable[[int], T], count: int) -> list[T]:
    """Do several things at once, as many as there are cores.

    Parameters
    ----------
    work : callable
        Called with each number below `count`.
    count : int
        How many things there are to do.

    Returns
    -------
    list
        What each call returned.
    """
    workers = min(os.cpu_count() or 1, count)
    if workers < 2:
        return [work(number) for number in range(count)]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, range(count)))
