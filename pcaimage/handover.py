"""Handing files to the window that is open already.

One process of a user and a screen *listens*: it holds a lock file, and answers at a local socket (a named
pipe on Windows), where others send the files that they were started with. No Qt here: whoever only hands
over files need not load it.
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

from pcaimage.folders import private_folder
from pcaimage.locks import hold

VERSION = 1
"""Goes up when older programs would misread a request."""

MOST_BYTES = 1 << 20
"""The longest request."""

ANSWER = b"ok\n"

STARTING, ANSWERING = 20.0, 5.0
"""Seconds for which a window that starts, or one that is open, is waited for."""

_SCREEN = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM")
_TOKENS = ("XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID")
_LONGEST_ADDRESS = 100
"""Bytes; the system has 108 or 104 for the path of a socket."""
_PAUSE = 0.05

held_locks: list[int] = []
"""The lock that makes this process the one that listens, until it ends."""


def address() -> str | None:
    """Return where the window of this user and screen listens; None if there is no place for that."""
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
    """Hand files to the window that is open, and return whether it took them.

    If no window listens, this process becomes the one that does, and False is returned.

    Parameters
    ----------
    files : sequence of str
        Paths; without any, the window is only shown.
    where : str or None
        The result of :func:`address`.
    """
    if where is None:
        return False
    end = time.monotonic() + STARTING
    while True:
        with suppress(OSError):
            if _ask(where, request_of(files)):
                return True
        try:
            lock = hold(_lock_of(where))
        except OSError:
            return False
        if lock is not None:
            held_locks.append(lock)
            return False
        if time.monotonic() > end:  # it hangs, or its disk has no locks
            return False
        time.sleep(_PAUSE)


def listens() -> bool:
    """Return whether this process is the one that listens."""
    return bool(held_locks)


def request_of(files: Sequence[str]) -> bytes:
    """Return the request to open files, one line of JSON; paths become absolute."""
    token = next((os.environ[name] for name in _TOKENS if os.environ.get(name)), "")
    values = {"version": VERSION, "files": [os.path.abspath(file) for file in files], "token": token}  # noqa: PTH100 - a trailing slash and the like do not matter
    return json.dumps(values).encode("ascii") + b"\n"


def files_of(request: bytes) -> tuple[list[str], str] | None:
    """Return the files of a request, and what lets a window come to the front; None if it makes no sense."""
    try:
        values = json.loads(request)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or values.get("version") != VERSION:
        return None
    files, token = values.get("files"), values.get("token")
    if not isinstance(files, list) or not isinstance(token, str):
        return None
    return (files, token) if all(isinstance(file, str) and file for file in files) else None


def _ask(where: str, request: bytes) -> bool:
    """Send a request, and return whether it was answered; raises OSError where nobody listens."""
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
    """Return the folder for sockets of this user's session, where the platform has one."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR", ""))
    if sys.platform == "win32" or not folder.is_absolute():
        return None
    with suppress(OSError):
        found = folder.stat()
        if found.st_uid == os.geteuid() and not found.st_mode & 0o022:
            return folder
    return None
