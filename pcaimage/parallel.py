"""Sharing work out: on large arrays among the processor's cores, and to processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, TypeVar

T = TypeVar("T")

POLL_SECONDS = 0.03


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


def in_order(work: Callable[[int], T], count: int) -> Generator[T]:
    """Do several things at once, and yield what each gives as soon as all before it are done.

    No more is done ahead of what is taken than keeps all cores busy, so that results need little memory.

    Parameters
    ----------
    work : callable
        Called with each number below `count`.
    count : int
        How many things there are to do.

    Yields
    ------
    T
        What the calls returned, in the order of their numbers.
    """
    workers = min(os.cpu_count() or 1, count)
    if workers < 2:
        yield from map(work, range(count))
        return
    begun: deque[Future[T]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for number in range(count):
                begun.append(pool.submit(work, number))
                if len(begun) > 2 * workers:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()


def run_apart(
    arguments: Sequence[str],
    ask: Callable[[], None],
    source: IO[bytes] | None = None,
    target: IO[bytes] | None = None,
) -> int:
    """Run Python in a process of its own, with the modules that this one has, and wait for it.

    Parameters
    ----------
    arguments : sequence of str
        Python's.
    ask : callable
        Called some times a second. The process ends when it raises something.
    source, target : file, optional
        Its standard input, by default this process's own, and its standard output, by default nowhere.

    Returns
    -------
    int
        Its exit code.

    Raises
    ------
    OSError
        If it cannot be started.
    """
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(  # noqa: S603 - it is Python itself
        [sys.executable, *arguments],
        env=here,
        stdin=source,
        stdout=subprocess.DEVNULL if target is None else target,
        stderr=subprocess.DEVNULL,
    )
    try:
        while _runs(process):
            ask()
    finally:
        process.kill()
        process.wait()
    return process.returncode


def _runs(process: subprocess.Popen[bytes]) -> bool:
    """Wait a moment; tell whether a process still runs then."""
    try:
        process.wait(POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return False
