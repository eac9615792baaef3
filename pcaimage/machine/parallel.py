"""Parallel work, within the cores and the memory that are allotted to this process."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

_ROOT = Path("/")


def available_cores(root: Path = _ROOT) -> int:
    """Return the number of cores that this process may use: those that it may run on, within its quota."""
    affinity = getattr(os, "sched_getaffinity", None)  # not everywhere
    count = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(count, _quota(root) or count)


def available_memory(root: Path = _ROOT) -> int | None:
    """Return the bytes of memory that are free for this process; None where the system does not say."""
    free = [limit - used for limit, used in _limits_of_memory(root)]
    with suppress(OSError, ValueError, IndexError):
        for line in (root / "proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free += [1024 * int(line.split()[1])]
    return max(min(free), 0) if free else None


@cache
def _quota(root: Path) -> int | None:
    """Return how many cores' time control groups grant, rounded up; None for no limit."""
    found = list[int]()
    for folder in _groups(root, "cpu"):
        with suppress(OSError, ValueError):
            if (folder / "cpu.max").exists():
                quota, period = (folder / "cpu.max").read_text("ascii").split()
            else:
                quota, period = (
                    (folder / f"cpu.cfs_{name}_us").read_text("ascii") for name in ("quota", "period")
                )
            if int(quota) > 0:
                found.append(max(1, -(-int(quota) // int(period))))
    return min(found, default=None)


def _limits_of_memory(root: Path) -> Iterator[tuple[int, int]]:
    """Yield the limits of memory of control groups, and what is used of each."""
    for folder in _groups(root, "memory"):
        for limit, used in (("max", "current"), ("limit_in_bytes", "usage_in_bytes")):
            with suppress(OSError, ValueError):  # no such file, or the word max
                yield tuple(int((folder / f"memory.{name}").read_text("ascii")) for name in (limit, used))  # type: ignore[misc]


def _groups(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders of the control groups that this process is in, from its own to the outermost."""
    try:
        lines = (root / "proc/self/cgroup").read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        mount = root / "sys/fs/cgroup" / (controller if controllers else "")
        own = mount / path.strip("/")
        # In a container the path may be that of the machine outside, and the mount the group itself.
        yield from (folder for folder in (own, *own.parents) if folder == mount or mount in folder.parents)


S = TypeVar("S")
T = TypeVar("T")

POLL_SECONDS = 0.03  # between two checks of a subprocess

BLAS_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

_allowed = [sys.maxsize]


def cores() -> int:
    """Return the number of cores that this process uses."""
    return min(available_cores(), _allowed[0])


def use_cores(count: int) -> None:
    """Limit the number of cores that this process uses, as other processes use the rest."""
    _allowed[0] = count


def use_one_thread() -> None:
    """Limit BLAS to one thread unless the environment says otherwise; must run before NumPy is imported.

    The programs schedule their own threads: the window works on several things at once, each in a worker
    thread. If BLAS started threads of its own in each of them, a busy machine could become tens of times
    slower. As a library, pcaimage leaves this to the program that imports it.
    """
    for name in BLAS_VARIABLES:
        os.environ.setdefault(name, "1")


def in_parallel(work: Callable[[int, int], None], length: int, *, worth: bool) -> None:
    """Call `work(start, stop)` on ranges that cover `length`, in parallel if it is `worth` it.

    NumPy releases the interpreter lock while it computes, so threads do run simultaneously.
    """
    workers = min(cores(), length) if worth else 1
    if workers < 2:
        work(0, length)
        return
    bounds = [length * worker // workers for worker in range(workers + 1)]
    side_by_side(lambda worker: work(bounds[worker], bounds[worker + 1]), workers)


def side_by_side(work: Callable[[int], T], count: int) -> list[T]:
    """Return `work(number)` for each number below `count`, computed on all cores."""
    workers = min(cores(), count)
    if workers < 2:
        return [work(number) for number in range(count)]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - small images do without threads

    found, left = dict[int, T](), iter(range(count))

    def run(_: int) -> None:
        try:
            for number in left:
                found[number] = work(number)
        finally:
            deque(left, maxlen=0)  # after an error nothing more begins

    # This thread works as well: to wake another takes as long as a small picture.
    with ThreadPoolExecutor(workers - 1) as pool:
        others = pool.map(run, range(workers - 1))
        run(0)
        list(others)  # raises their errors
    return [found[number] for number in range(count)]


def followed(first: Callable[[int], T], then: Callable[[int, Sequence[T]], None], count: int) -> list[T]:
    """Return `first(number)` for each number below `count`, and process the results on all cores.

    ``then(number, results)`` is called as soon as a core has nothing more urgent to do, with the results of
    the previous number, if there is one, and of the number itself.
    """
    if count == 1:
        only = first(0)
        then(0, [only])
        return [only]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - as above

    workers = min(cores(), 2 * count)
    with ThreadPoolExecutor(max(workers, 1)) as pool:
        begun = [pool.submit(first, number) for number in range(count)]

        def follow(number: int) -> None:
            then(number, [each.result() for each in begun[max(number - 1, 0) : number + 1]])

        # They start in this order, so anything waited for has started.
        following = [pool.submit(follow, number) for number in range(count)]
        try:
            for each in following:
                each.result()
            return [each.result() for each in begun]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def in_order(work: Callable[[int], T], count: int) -> Generator[T]:
    """Yield `work(number)` for each number below `count` in order, computed ahead on all cores.

    Only as much is computed ahead as keeps all cores busy, so that results need little memory.
    """
    if count < 2:
        yield from map(work, range(count))
    else:
        yield from ahead(work, range(count))


def ahead(work: Callable[[S], T], items: Iterable[S]) -> Generator[T]:
    """Yield `work(item)` for each item in order, computed ahead on all cores as by :func:`in_order`.

    Items are taken in the consumer's thread, while earlier ones are worked on.
    """
    workers = cores()
    if workers < 2:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - as above

    begun: deque[Future[T]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for item in items:
                begun.append(pool.submit(work, item))
                if len(begun) > 2 * workers:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:
            for future in begun:
                future.cancel()


def run_python(
    arguments: Sequence[str],
    ask: Callable[[], None],
    source: IO[bytes] | None = None,
    target: IO[bytes] | None = None,
) -> int:
    """Run Python in a subprocess with this process's module path, and return its exit code.

    `ask` is called several times a second; raising from it kills the subprocess. Standard input is by default
    this process's own, and standard output discarded. OSError if the subprocess cannot be started.
    """
    import subprocess  # noqa: PLC0415 - few commands start another process

    process = subprocess.Popen(  # noqa: S603 - it is Python itself
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=source,
        stdout=subprocess.DEVNULL if target is None else target,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None:
            ask()
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLL_SECONDS)
    finally:
        process.kill()
        process.wait()
    return process.returncode
