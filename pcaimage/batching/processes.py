"""Executors: single-core processes that survive the crash of any of them, and the workers of a Dask cluster.

The standard library's pool starts processes that import the main program, fails all calls if one process
dies, and lets processes grow. Here a process is Python with one module; a call whose process died is retried
once in a new one; and a process that has grown too large is replaced between two calls. `dask.distributed` is
imported only when a cluster is used.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import IO, Any, NamedTuple, TypeVar, cast

from pcaimage.batching.worker import receive, send
from pcaimage.errors import Cancelled, PcaImageError, SettingsError
from pcaimage.machine.parallel import available_cores, available_memory, use_cores

T = TypeVar("T")

MAX_BYTES = 300_000_000  # memory in bytes between two calls above which a process is replaced
WORKER_BYTES = 500_000_000
"""Memory in bytes that has to be free for each process that nobody asked for: that of some 18 megapixels."""
MAX_CALLS = 200  # number of calls after which a process is replaced if its memory cannot be determined
PATIENCE = 5.0  # seconds that a process may take to stop
ATTEMPTS = 2  # largest number of attempts at a call whose process dies
AHEAD = 2  # largest number of calls submitted per worker of an executor, one of them in progress
IN_FLIGHT = 64  # largest number of calls submitted to an executor of unknown size


class WorkerError(PcaImageError):
    """The worker process died before it finished its work."""


class Share(Future[T]):
    """A future of which it is known how far it is."""

    done_share = 0.0


class _Call(NamedTuple):
    future: Share[Any]
    message: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Processes(Executor):
    """An executor of worker processes, at most `workers`, each using as many cores, started on demand.

    They keep the `inherited` file descriptor open while they run; niceness is their scheduling priority
    relative to this process, 0 to 19 (lowest). Windows has neither.
    """

    def __init__(
        self, workers: int, *, cores: int = 1, inherited: int | None = None, niceness: int = 0
    ) -> None:
        self._workers, self._cores, self._inherited = workers, cores, inherited
        self._niceness = niceness
        self._calls = SimpleQueue[_Call | None]()
        self._threads = list[threading.Thread]()
        self._running = set[_Process]()
        self._lock, self._stopping, self._closed = threading.Lock(), False, False
        self._pending = 0

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Submit a call of an importable function with picklable arguments; RuntimeError after a shutdown.

        The future raises :class:`WorkerError` if the process died on every attempt.
        """
        future = Share[Any]()
        with self._lock:
            if self._closed:
                raise RuntimeError("The executor was shut down.")
            self._pending += 1
            if len(self._threads) < min(self._workers, self._pending):
                thread = threading.Thread(target=self._serve, daemon=True)
                self._threads.append(thread)
                thread.start()
        self._calls.put(_Call(future, (fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - as in Executor
        """Refuse further calls, and end the processes when pending calls are done."""
        with self._lock:
            already, self._closed = self._closed, True
        if cancel_futures:
            self._cancel()
        if not already:
            for _ in self._threads:
                self._calls.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def stop(self) -> None:
        """Stop all work within seconds; processes clean up unfinished work."""
        with self._lock:
            self._stopping = True
            running = list(self._running)
        self._cancel()
        for process in running:
            process.stop()
        for process in running:
            process.end()
        self.shutdown()

    def _cancel(self) -> None:
        while not self._calls.empty():
            call = self._calls.get()
            if call is not None:
                call.future.cancel()

    def _serve(self) -> None:
        """Serve calls with a process that belongs to this thread."""
        process: _Process | None = None
        while (call := self._calls.get()) is not None:
            if call.future.set_running_or_notify_cancel():
                process = self._answered(process, call)
            with self._lock:
                self._pending -= 1
            if process is not None and process.is_spent:
                self._end(process)
                process = None
        if process is not None:
            self._end(process)

    def _answered(self, process: _Process | None, call: _Call) -> _Process | None:
        """Run a call, with retries, and settle its future; return the process for the next call."""
        for _ in range(ATTEMPTS):
            if self._stopping:
                break
            if process is not None and not process.runs:
                self._end(process)
                process = None
            try:
                process = process or self._started()
                result = process.call(call)
            except EOFError:
                if process is not None:
                    self._end(process)
                process = None
            except BaseException as error:  # noqa: BLE001 - it belongs to who waits for the result
                call.future.set_exception(error)
                return process
            else:
                call.future.set_result(result)
                return process
        call.future.set_exception(
            Cancelled("The batch was stopped.")
            if self._stopping
            else WorkerError(
                "The process that worked on it was ended twice; perhaps there is too little memory."
            )
        )
        return process

    def _started(self) -> _Process:
        process = _Process(self._cores, self._inherited, self._niceness)
        with self._lock:
            self._running.add(process)
            stopping = self._stopping
        if stopping:  # it was started before the others were stopped
            process.stop()
        return process

    def _end(self, process: _Process) -> None:
        process.end()
        process.close()
        with self._lock:
            self._running.discard(process)


class _Process:
    """A worker process, used by one thread."""

    def __init__(self, cores: int, inherited: int | None, niceness: int) -> None:
        separate: dict[str, Any] = {"start_new_session": True}  # Ctrl+C is handled by this process
        if sys.platform == "win32":
            separate = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
        self._process = subprocess.Popen(  # noqa: S603 - it is Python itself
            [sys.executable, "-P", "-m", "pcaimage.batching.worker", str(cores), str(niceness)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if sys.stderr is not None else subprocess.DEVNULL,
            pass_fds=() if inherited is None else (inherited,),
            **separate,
        )
        self._calls, self._bytes, self._input = 0, cast("int | None", 0), threading.Lock()

    @property
    def runs(self) -> bool:
        """Whether the process is running."""
        return self._process.poll() is None

    @property
    def is_spent(self) -> bool:
        """Whether it has grown too large, or may have."""
        return self._calls >= MAX_CALLS if self._bytes is None else self._bytes > MAX_BYTES

    def call(self, call: _Call) -> Any:
        """Call a function in the process; return its result or raise its error; EOFError if it died."""
        self._calls += 1
        try:
            send(cast("IO[bytes]", self._process.stdin), call.message)
            while isinstance(answer := self._received(), float):
                call.future.done_share = answer
        except (OSError, ValueError) as error:  # its input was closed
            raise EOFError from error
        returned, result, self._bytes = answer
        if not returned:
            raise result
        return result

    def _received(self) -> Any:
        data = receive(cast("IO[bytes]", self._process.stdout))
        if data is None:
            raise EOFError
        return pickle.loads(data)  # noqa: S301 - it comes from this program's own process

    def stop(self) -> None:
        """Tell the process to stop soon."""
        with self._input, suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()

    def end(self) -> None:
        """End the process, which is idle or has died."""
        self.stop()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Close the pipe of results, which is no longer read."""
        if self._process.stdout is not None:
            self._process.stdout.close()


def check_workers(workers: int | None) -> None:
    """Raise SettingsError if a number of workers, None for one on each core, is not positive."""
    if workers is not None and workers < 1:
        raise SettingsError(f"There must be at least one worker, not {workers}.")


@contextmanager
def pool_of(
    workers: int | None,
    executor: Executor | None,
    calls: int | None,
    *,
    inherited: int | None = None,
    niceness: int = 0,
) -> Iterator[tuple[Executor, int]]:
    """Yield an executor, by default worker processes, and how many calls to submit to it at once.

    With fewer `calls` than cores, or little memory, each process uses several cores. An error stops them.
    """
    if executor is not None:
        yield executor, AHEAD * workers if workers else IN_FLIGHT
        return
    cores = available_cores() if workers is None else workers
    processes = cores if calls is None else max(1, min(cores, calls))
    if workers is None:
        processes = max(1, min(processes, (available_memory() or cores * WORKER_BYTES) // WORKER_BYTES))
    pool = Processes(processes, cores=cores // processes, inherited=inherited, niceness=niceness)
    try:
        yield pool, AHEAD * processes
    except BaseException:
        pool.stop()
        raise
    pool.shutdown()


SECONDS = 10  # timeout in seconds for connecting to a scheduler
START_PATIENCE = 60  # seconds to wait for the workers of a cluster that is starting
POLL = 0.5  # seconds between two looks at a cluster
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

    Workers that are still starting are waited for, up to a minute, until there are `least`; `tell`
    receives a sentence if that takes a while. Calls that are still running when the context ends are
    cancelled. ClusterError is raised if there is no scheduler, or too few workers, or the package is missing.
    """
    try:
        from distributed import Client  # noqa: PLC0415 - it is optional, and slow to load
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
    announced, end = False, time.monotonic() + START_PATIENCE
    while len(found := client.nthreads()) < least:
        few = f"The scheduler at {address} has {len(found) or 'no'} worker{'' if len(found) == 1 else 's'}"
        if time.monotonic() > end:
            wanted = "" if least == 1 else f", not {least}"
            raise ClusterError(f"{few}{wanted}; `dask worker {address}` starts one.")
        if tell is not None and not announced:
            tell(f"{few}; waiting up to {START_PATIENCE} seconds for {least}.")
            announced = True
        time.sleep(POLL)
    return sum(found.values())


def _on_one_core(function: Callable[..., T], arguments: tuple[Any, ...], named: dict[str, Any]) -> T:
    """Call a function on one core, as Dask runs one thread for each core."""
    use_cores(1)
    return function(*arguments, **named)
