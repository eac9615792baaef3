"""An executor of processes that use one core each, survive the end of any of them, and stay small.

The standard library's pool starts processes that import the main program, fails all calls if one process
ends, and lets processes grow. Here a process is Python with one module; a call whose process ended is tried
once more in a new one; and a process that has grown too large is replaced between two calls.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, NamedTuple, TypeVar, cast

from pcaimage.batching.worker import receive, send
from pcaimage.errors import Cancelled, PcaImageError

T = TypeVar("T")

MAX_BYTES = 300_000_000
"""Memory between two calls above which a process is replaced."""
MAX_CALLS = 200
"""Calls after which a process is replaced where the system does not tell its memory."""
PATIENCE = 5.0
"""Seconds in which a process that is told to stop ends."""
ATTEMPTS = 2
"""How often a call is tried whose process ends."""


class WorkerError(PcaImageError):
    """The process that did some work ended before it had done it."""


class _Call(NamedTuple):
    future: Future[Any]
    message: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Processes(Executor):
    """An executor of worker processes.

    Parameters
    ----------
    workers : int
        How many processes there are at most; they are started when there is work for them.
    cores : int, default 1
        On how many cores each of them works.
    inherited : int, optional
        A file descriptor that they keep open as long as they run; not on Windows.
    niceness : int, default 0
        By how much they give way to other programs, 0 to 19; not on Windows.
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
        """Call a function that can be imported in a worker process.

        Parameters
        ----------
        fn : callable
            The function.
        *args, **kwargs
            Its parameters, which can be pickled.

        Returns
        -------
        Future
            It raises :class:`WorkerError` if the process ended, twice.

        Raises
        ------
        RuntimeError
            If the executor has been shut down.
        """
        future = Future[Any]()
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
        """Take no more calls, and end the processes when those that were taken are done.

        Parameters
        ----------
        wait : bool, default True
            Whether to wait for that.
        cancel_futures : bool, default False
            Whether to cancel calls that have not begun.
        """
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
        """Stop all work within some seconds; processes undo what they have not finished."""
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
        """Do calls in a process of this thread's own."""
        process: _Process | None = None
        while (call := self._calls.get()) is not None:
            if call.future.set_running_or_notify_cancel():
                try:
                    process, result = self._tried(process, call)
                except BaseException as error:  # noqa: BLE001 - it belongs to who waits for the result
                    call.future.set_exception(error)
                else:
                    call.future.set_result(result)
            with self._lock:
                self._pending -= 1
            if process is not None and process.is_spent:
                self._end(process)
                process = None
        if process is not None:
            self._end(process)

    def _tried(self, process: _Process | None, call: _Call) -> tuple[_Process | None, Any]:
        """Return the process that did a call, and the result."""
        for _ in range(ATTEMPTS):
            if self._stopping:
                raise Cancelled("The batch was stopped.")
            process = process if process is not None and process.runs else self._started()
            try:
                return process, process.call(call.message)
            except EOFError:
                self._end(process)
        if self._stopping:
            raise Cancelled("The batch was stopped.")
        raise WorkerError(
            "The process that worked on it was ended twice; perhaps there is too little memory."
        )

    def _started(self) -> _Process:
        process = _Process(self._cores, self._inherited, self._niceness)
        with self._lock:
            self._running.add(process)
            stopping = self._stopping
        if stopping:  # it was begun before the others were stopped
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
        separate: dict[str, Any] = {"start_new_session": True}  # Ctrl+C is for this process to hear
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
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def is_spent(self) -> bool:
        """Whether it has grown, or may have."""
        return self._calls >= MAX_CALLS if self._bytes is None else self._bytes > MAX_BYTES

    def call(self, message: object) -> Any:
        """Return what a function returns, or raise what it raises.

        Raises
        ------
        EOFError
            If the process ended.
        """
        self._calls += 1
        try:
            send(cast("IO[bytes]", self._process.stdin), message)
            data = receive(cast("IO[bytes]", self._process.stdout))
        except (OSError, ValueError) as error:  # its input was closed
            raise EOFError from error
        if data is None:
            raise EOFError
        returned, result, self._bytes = pickle.loads(data)  # noqa: S301 - it comes from this program's own process
        if not returned:
            raise result
        return result

    def stop(self) -> None:
        """Tell the process to end soon."""
        with self._input, suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()

    def end(self) -> None:
        """End the process; it has done its work, or ended."""
        self.stop()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """Close the pipe of results, which nobody reads any more."""
        if self._process.stdout is not None:
            self._process.stdout.close()
