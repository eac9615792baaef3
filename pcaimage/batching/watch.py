"""Watching folders: images that come or change become tasks once nobody writes to them any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pcaimage.batching.batches import Batch
from pcaimage.batching.tasks import Task

SECONDS = 1.0
"""Between two looks at the folders."""


def watch(batch: Batch, wait: Callable[[], None]) -> Iterator[list[Task]]:
    """Yield the tasks of images that are new or have changed, for ever.

    An image is taken when it has kept its size and its time of modification from one look to the next.
    Folders are watched rather than followed by the system's events, which network folders do not have.

    Parameters
    ----------
    batch : Batch
        What is done with the images. Outputs of an earlier batch are kept.
    wait : callable
        Called between two looks; raising from it ends the watch.

    Yields
    ------
    list of Task
        At least one.

    Raises
    ------
    ImageError
        If a folder is gone or cannot be read.
    SettingsError
        If an output would take the place of an image.
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
    except OSError:  # it has gone meanwhile
        return None
    return found.st_size, found.st_mtime_ns
