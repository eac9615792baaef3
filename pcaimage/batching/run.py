"""Running tasks on an executor, a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from itertools import islice

from pcaimage.batching.cluster import ClusterError
from pcaimage.batching.tasks import Result, State, Task
from pcaimage.batching.work import work
from pcaimage.errors import PcaImageError

_POLL = 0.5
"""Seconds after which Ctrl+C is noticed on systems where waiting cannot be interrupted."""


Watch = Callable[[Sequence[Task]], object]
"""Called with the tasks that are running, twice a second and whenever one has completed.

An exception that it raises ends the batch.
"""


def run(
    tasks: Iterable[Task], executor: Executor, in_flight: int, watch: Watch | None = None
) -> Iterator[Result]:
    """Run tasks on an executor, so many at once, and yield their results as they complete.

    The executor has threads, processes of this machine, or those of a cluster that can import this package
    and access the files; ClusterError if that is lost. `watch` is called with the tasks that are running,
    twice a second and whenever one has completed. An exception that it raises ends the batch.
    """
    waiting, rest = dict[Future[Result], Task](), iter(tasks)
    try:
        while True:
            for task in islice(rest, in_flight - len(waiting)):
                try:
                    waiting[executor.submit(work, task)] = task
                except RuntimeError as error:  # a broken pool accepts no more calls
                    yield _ended(task, error)
            if not waiting:
                return
            if watch is not None:
                watch([task for future, task in waiting.items() if future.running()])
            done, _ = wait(waiting, _POLL, FIRST_COMPLETED)
            for future in done:
                yield _result(future, waiting.pop(future))
    finally:
        for future in waiting:
            future.cancel()


def _result(future: Future[Result], task: Task) -> Result:
    try:
        return future.result()
    except ClusterError:
        raise
    except Exception as error:  # noqa: BLE001 - executors of any kind raise errors of any kind
        return _ended(task, error)


def _ended(task: Task, error: Exception) -> Result:
    return Result(task.source, task.target, State.FAILED, reason=executor_reason(error))


def executor_reason(error: Exception) -> str:
    """Return a sentence that says why an executor returned no result."""
    if isinstance(error, CancelledError):
        return "The executor cancelled it."
    if isinstance(error, PcaImageError):
        return str(error)
    reason = " ".join(str(error).split()) or type(error).__name__
    return f"The executor did not do it: {reason.removesuffix('.')}."
