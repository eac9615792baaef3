"""Watching folders: new and changed images become tasks once they are completely written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pcaimage.batching.batches import Batch
from pcaimage.batching.tasks import Task

SECONDS = 1.0
"""Seconds between two scans of the folders."""


def watch(batch: Batch, wait: Callable[[], None]) -> Iterator[list[Task]]:
    """Yield the tasks of images that are new or have changed, for ever.

    An image is taken when its size and modification time are unchanged between two scans. Folders are polled,
    as network folders have no change notifications. Outputs of an earlier batch are kept. `wait` is called
    between two scans; raising from it ends the watch. ImageError is raised if a folder is gone or cannot be
    read; SettingsError if an output would replace an image.
    """
    last, taken = dict[str, tuple[int, int]](), dict[str, tuple[int, int]]()
    while True:
        plan = batch.found()
        now = {source: found for source, _ in plan.files if (found := _signature(source)) is not None}
        ready = {
            source
            for source, found in now.items()
            if last.get(source) == found and taken.get(source) != found
        }
        last = now
        if ready:
            taken |= {source: now[source] for source in ready}
            yield [task for task in batch.tasks(plan) if task.source in ready]
        wait()


def _signature(source: str) -> tuple[int, int] | None:
    try:
        found = Path(source).stat()
    except OSError:  # it has been removed meanwhile
        return None
    return found.st_size, found.st_mtime_ns
