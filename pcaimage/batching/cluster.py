"""Dask clusters as executors; `dask.distributed` is imported when there is an address of one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from pcaimage.errors import PcaImageError
from pcaimage.parallel import use_cores

# ruff: noqa: PLC0415 - it is imported where it is used

T = TypeVar("T")

SECONDS = 10
"""In which a scheduler answers."""

_POLL = 0.5
_LOST = "The scheduler of the cluster was lost; what was done until then is kept."


class ClusterError(PcaImageError):
    """There is no cluster to work on."""


class Cluster(Executor):
    """An executor of the workers of a Dask cluster, each thread of which works on one core.

    A call whose worker is lost is done by another; Dask gives up after it has lost several workers. Where the
    scheduler is lost, Dask waits for ever; here all calls raise :class:`ClusterError`.

    Parameters
    ----------
    inner : Executor
        Dask's own.
    threads : int
        How many threads all workers have together.
    """

    def __init__(self, inner: Executor, threads: int) -> None:
        self.threads = threads
        self._inner, self._lost = inner, threading.Event()
        self._begun, self._lock = set[Future[Any]](), threading.Lock()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call a function that can be imported there; parameters can be pickled.

        Raises
        ------
        ClusterError
            If the scheduler was lost.
        """
        with self._lock:
            if self._lost.is_set():
                raise ClusterError(_LOST)
            future: Future[T] = self._inner.submit(_on_one_core, fn, args, kwargs)
            self._begun.add(future)
        future.add_done_callback(self._begun.discard)
        return future

    def lose(self) -> None:
        """Let all calls raise, as nothing comes from the scheduler any more."""
        self._lost.set()
        with self._lock:
            begun = list(self._begun)
        for future in begun:
            with suppress(InvalidStateError):
                future.set_exception(ClusterError(_LOST))


@contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler of a cluster.

    Parameters
    ----------
    address : str
        Such as ``"tcp://host:8786"``.

    Yields
    ------
    Cluster
        Its workers. What they do when the context ends is cancelled.

    Raises
    ------
    ClusterError
        If there is no scheduler or no worker, or the package is missing.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(
            "A scheduler needs the package distributed; `pip install pcaimage[cluster]`."
        ) from error
    try:
        client = Client(address, timeout=SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError, ImportError) as error:
        raise ClusterError(f"No scheduler answers at {address}; it is given as tcp://host:port.") from error
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterError(
                f"The scheduler at {address} has no workers; `dask worker {address}` starts one."
            )
        executor, ended = client.get_executor(pure=False), threading.Event()
        found = Cluster(executor, threads)

        def watch() -> None:
            while not ended.wait(_POLL):
                if client.status == "closed":
                    found.lose()
                    return

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield found
        finally:
            ended.set()
            with suppress(Exception):  # a client that is closed has nothing to cancel
                executor.shutdown(wait=False)
    finally:
        client.close()


def _on_one_core(function: Callable[..., T], arguments: tuple[Any, ...], named: dict[str, Any]) -> T:
    """Call a function: Dask has a thread for each core, and fills all of them."""
    use_cores(1)
    return function(*arguments, **named)
