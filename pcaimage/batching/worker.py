"""A worker process, which calls the functions that it receives until its input ends.

``python -m pcaimage.batching.worker CORES NICENESS`` reads calls from standard input, and writes their
results to standard output, each as its length and its pickle, and before a result how far it is. The end of
its input means that its parent has ended or wants no more, so it cancels its work.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any

from pcaimage.batching.tasks import reported, stopped
from pcaimage.machine.parallel import use_cores, use_one_thread

_PACE = 0.25  # seconds between two messages about one call
LENGTH = struct.Struct(">Q")  # length prefix of a message


def send(stream: IO[bytes], message: object) -> None:
    """Write a message."""
    data = pickle.dumps(message)
    stream.write(LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Return the bytes of the next message; None at the end."""
    start = stream.read(LENGTH.size)
    if len(start) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(start)
    data = stream.read(length)
    return data if len(data) == length else None


def memory() -> int | None:
    """Return the memory of this process in bytes; None if the system does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - few imports
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return None


def answer(data: bytes) -> tuple[bool, Any, int | None]:
    """Call the function of a message; return whether it succeeded, its result or error, and the memory."""
    try:
        function, arguments, named = pickle.loads(data)  # noqa: S301 - it comes from the process that started this one
        result, returned = function(*arguments, **named), True
    except BaseException as error:  # noqa: BLE001 - it is raised where the function was called
        result, returned = error, False
    try:
        pickle.loads(pickle.dumps(result))  # noqa: S301 - as above
    except Exception as error:  # noqa: BLE001 - whatever cannot be sent is reported
        result, returned = RuntimeError(f"{result!r} cannot be sent: {error}"), False
    return returned, result, memory()


def main() -> None:
    """Serve calls until the input ends."""
    use_one_thread()
    use_cores(int(sys.argv[1]))
    if sys.platform != "win32":
        os.nice(int(sys.argv[2]))
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _let_nothing_else_use_them()
    inbox = SimpleQueue[bytes | None]()

    def read() -> None:
        while (data := receive(requests)) is not None:
            inbox.put(data)
        stopped.set()
        inbox.put(None)

    told, lock = time.monotonic(), threading.Lock()

    def tell(done: int, total: int) -> None:
        nonlocal told
        with lock:
            if total and time.monotonic() - told > _PACE:
                told = time.monotonic()
                send(replies, done / total)

    reported.set(tell)
    threading.Thread(target=read, daemon=True).start()
    with suppress(BrokenPipeError):
        while (data := inbox.get()) is not None:
            send(replies, answer(data))
    os._exit(0)  # the other thread may still be reading


def _let_nothing_else_use_them() -> None:
    """Keep output printed by libraries out of the results."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)


if __name__ == "__main__":
    main()
