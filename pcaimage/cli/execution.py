"""The executors of commands on many files: processes of this machine, or a cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import NamedTuple

from pcaimage.cli.terminal import warn


class Execution(NamedTuple):
    """A number of processes, or the executor that replaces them; None means one process for each core."""

    workers: int | None
    executor: Executor | None = None


@contextmanager
def execution_of(workers: int | None, scheduler: str | None) -> Iterator[Execution]:
    """Yield the executor that the options ``--workers`` and ``--scheduler`` ask for.

    Of a cluster, `workers` is the least number to wait for; ClusterError if it does not get so many.
    """
    if scheduler is None:
        yield Execution(workers)
        return
    from pcaimage.batching.cluster import cluster  # noqa: PLC0415 - most commands need none

    with cluster(scheduler, workers or 1, warn) as executor:
        # Dask's log of machines that come and go does not concern the user.
        for name in [*logging.root.manager.loggerDict]:
            if name.partition(".")[0] == "distributed":
                logging.getLogger(name).setLevel(logging.CRITICAL)
        yield Execution(executor.threads, executor)
