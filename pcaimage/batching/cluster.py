"""Dask clusters as executors; `dask.distributed` is imported only when a cluster is used."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from pcaimage.errors import PcaImageError
from pcaimage.machine.parallel import use_cores

# ruff: noqa: PLC0415 - it is imported where it is used

T = TypeVar("T")

SECONDS = 10
"""Timeout in seconds for connecting to a scheduler."""

PATIENCE = 60
"""Seconds to wait for the workers of a cluster that is starting."""

POLL = 0.5
"""Seconds between two looks at a cluster."""
_LOST = "The scheduler of the cluster was lost; what was done until then is kept."


class ClusterError(PcaImageError):
    """The cluster cannot be reached or used."""


class Cluster(Executor):
    """An executor on the workers of a Dask cluster, each thread of which uses one core.

    If a worker is lost, another one takes over its calls; Dask gives up after losing several workers. If the
    scheduler is lost, Dask would wait for ever; here all calls raise :class:`ClusterError`.
    """

    def __init__(self, inner: Executor, threads: int) -> None:
        self.threads = threads
        self._inner, self._lost = inner, threading.Event()
        self._begun, self._lock = set[Future[Any]](), threading.Lock()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Submit a call of a function that workers can import, with picklable arguments."""
        with self._lock:
            if self._lost.is_set():
                raise ClusterError(_LOST)
            future: Future[T] = self._inner.submit(_on_one_core, fn, args, kwargs)
            self._begun.add(future)
        future.add_done_callback(self._begun.discard)
        return future

    def lose(self) -> None:
        """Make all pending calls raise, as the scheduler no longer answers."""
        self._lost.set()
        with self._lock:
            begun = list(self._begun)
        for future in begun:
            with suppress(InvalidStateError):
                future.set_exception(ClusterError(_LOST))


@contextmanager
def cluster(address: str, least: int = 1, tell: Callable[[str], object] | None = None) -> Iterator[Cluster]:
    """Connect to the scheduler of a cluster at an address such as ``"tcp://host:8786"``.

    Workers that are still starting are waited for, up to :data:`PATIENCE`, until there are `least`; `tell`
    receives a sentence if that takes a while. Calls that are still running when the context ends are
    cancelled. ClusterError is raised if there is no scheduler, or too few workers, or the package is missing.
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
        threads = _threads(client, address, least, tell)
        executor, ended = client.get_executor(pure=False), threading.Event()
        found = Cluster(executor, threads)

        def watch() -> None:
            while not ended.wait(POLL):
                if client.status == "closed":
                    found.lose()
                    return

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield found
        finally:
            ended.set()
            with suppress(Exception):  # a closed client has nothing to cancel
                executor.shutdown(wait=False)
    finally:
        client.close()


def _threads(client: Any, address: str, least: int, tell: Callable[[str], object] | None) -> int:
    """Wait for the least number of workers, and return the number of threads of all."""
    announced, end = False, time.monotonic() + PATIENCE
    while len(found := client.nthreads()) < least:
        few = f"The scheduler at {address} has {len(found) or 'no'} worker{'' if len(found) == 1 else 's'}"
        if time.monotonic() > end:
            wanted = "" if least == 1 else f", not {least}"
            raise ClusterError(f"{few}{wanted}; `dask worker {address}` starts one.")
        if tell is not None and not announced:
            tell(f"{few}; waiting up to {PATIENCE} seconds for {least}.")
            announced = True
        time.sleep(POLL)
    return sum(found.values())


def _on_one_core(function: Callable[..., T], arguments: tuple[Any, ...], named: dict[str, Any]) -> T:
    """Call a function on one core, as Dask runs one thread for each core."""
    use_cores(1)
    return function(*arguments, **named)
