"""Handover of files to a window that is already open.

For each user and screen one process *listens*: it holds a lock file, and answers at a local socket (a named
pipe on Windows), to which others send the files that they were started with. No Qt here, so that processes
that merely hand over files need not load it.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pcaimage.machine.folders import private_folder
from pcaimage.machine.locks import hold

VERSION = 1  # increases when older programs would misread a request

MOST_BYTES = 1 << 20  # of a request

ANSWER = b"ok\n"

STARTING, ANSWERING = 20.0, 5.0  # timeouts in seconds for a window that is starting, and for one that is open

_SCREEN = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM")
_TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")
_LONGEST_ADDRESS = 100  # limit in bytes on the path of a socket; systems allow 108 or 104
_PAUSE = 0.05

PART = "::"  # what stands between a file and the array in it that is to be opened
held_locks: list[int] = []  # the lock of the listening process, held until it ends


def address() -> str | None:
    """Return the address at which the window of this user and screen listens; None if none is possible."""
    screen = "|".join(os.environ.get(name, "") for name in _SCREEN)
    name = f"pcaimage-{hashlib.sha256(screen.encode(errors='surrogateescape')).hexdigest()[:12]}"
    try:
        folder = _runtime_folder() or private_folder("run")
    except OSError:
        return None
    if sys.platform == "win32":
        user = hashlib.sha256(str(folder).encode()).hexdigest()[:12]
        return rf"\\.\pipe\{name}-{user}"
    path = str(folder / name)
    return path if len(os.fsencode(path)) <= _LONGEST_ADDRESS else None


def hand_over(files: Sequence[str], where: str | None) -> bool:
    """Hand files to the open window, and return whether it accepted them.

    If no window listens, this process becomes the one that does, and False is returned; also if there are too
    many files for a request. Without files, the window is only brought to the front. `where` is the result of
    :func:`address`.
    """
    request = request_of(files)
    if where is None or len(request) > MOST_BYTES:
        return False
    end = time.monotonic() + STARTING
    while True:
        with suppress(OSError):
            if _ask(where, request):
                return True
        try:
            lock = hold(_lock_of(where))
        except OSError:
            return False
        if lock is not None:
            held_locks.append(lock)
            return False
        if time.monotonic() > end:  # it hangs, or the file system has no locks
            return False
        time.sleep(_PAUSE)


def located(path: str) -> tuple[Path, str | None]:
    """Return a file, and the array that is named behind it."""
    file, colons, member = path.partition(PART)
    return (Path(file), member) if colons and not os.path.lexists(path) else (Path(path), None)


def listens() -> bool:
    """Return whether this process is the listening one."""
    return bool(held_locks)


def request_of(files: Sequence[str]) -> bytes:
    """Return the request to open files, one line of JSON; paths become absolute."""
    token = next((os.environ[name] for name in _TOKENS if os.environ.get(name)), "")
    values = {"version": VERSION, "files": [os.path.abspath(file) for file in files], "token": token}  # noqa: PTH100 - a trailing slash and the like do not matter
    return json.dumps(values).encode("ascii") + b"\n"


def files_of(request: bytes) -> tuple[list[str], str] | None:
    """Return a request's files, and the token that lets a window come to the front; None if it is invalid."""
    try:
        values = json.loads(request)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or values.get("version") != VERSION:
        return None
    files, token = values.get("files"), values.get("token")
    if not isinstance(files, list) or not isinstance(token, str):
        return None
    sound = "\0" not in token and all(isinstance(file, str) and file and "\0" not in file for file in files)
    return (files, token) if sound else None


def _ask(where: str, request: bytes) -> bool:
    """Send a request, and return whether it was answered; raises OSError if nobody listens."""
    if sys.platform == "win32":
        with open(where, "r+b", buffering=0) as pipe:  # noqa: PTH123 - no file of the disk
            pipe.write(request)
            return bool(pipe.read(len(ANSWER)) == ANSWER)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWERING)
        connection.connect(where)
        try:
            connection.sendall(request)
            return _all_of(connection) == ANSWER
        except TimeoutError:
            return False


def _all_of(connection: Any) -> bytes:
    answer = b""
    while len(answer) < len(ANSWER) and (part := connection.recv(len(ANSWER) - len(answer))):
        answer += part
    return answer


def _lock_of(where: str) -> Path:
    if sys.platform == "win32":
        return private_folder("run") / f"{where.rpartition(chr(92))[2]}.lock"
    return Path(f"{where}.lock")


def _runtime_folder() -> Path | None:
    """Return the folder for sockets of the user's session, if the platform has one."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if sys.platform == "win32" or not folder.is_absolute():
        return None
    with suppress(OSError):
        found = folder.stat()
        if found.st_uid == os.geteuid() and not found.st_mode & 0o022:
            return folder
    return None
