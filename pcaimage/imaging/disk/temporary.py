"""Temporary files and folders next to the target, which do not outlive a killed process for ever.

Each is locked while its process uses it. A killed process loses its locks, and the next save into the same
folder removes everything that has the name of a temporary file and is not locked.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pcaimage.machine.locks import lock

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"\.pcaimage-[0-9a-f]{12}\.tmp")
_LOCKS: bool = sys.platform != "win32"
_ABANDONED = 86_400
"""Age in seconds at which a temporary file counts as abandoned, if files cannot be locked."""
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_LOOK = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def temporary_file(folder: Path, *, private: bool) -> Iterator[tuple[Path, BinaryIO]]:
    """Create a temporary file, and remove it afterwards unless it has been renamed.

    Its lock ends with the context, so the file may be closed earlier. If `private`, only its owner has
    permissions, from the first byte on; otherwise the umask decides.
    """
    remove_abandoned(folder)
    while True:
        path = folder / _name()
        number = os.open(path, _NEW, 0o600 if private else 0o666)
        if lock(number) and _is_at(number, path):
            break
        os.close(number)  # another process takes the new file for an abandoned one, and removes it
    # A duplicate shares the lock, and keeps it when the file is closed; Windows cannot move open files.
    held = os.dup(number) if _LOCKS else None
    try:
        # Unlike with os.fdopen, the file's name is its path, which tifffile needs.
        with open(path, "w+b", opener=lambda *_: number) as file:
            yield path, file
    finally:
        path.unlink(missing_ok=True)
        if held is not None:
            os.close(held)


@contextmanager
def temporary_folder(folder: Path, *, private: bool) -> Iterator[Path]:
    """Create a temporary folder, and remove it with its contents afterwards unless it has been renamed.

    If `private`, only its owner has permissions; otherwise the umask decides.
    """
    remove_abandoned(folder)
    while True:
        path = folder / _name()
        path.mkdir(0o700 if private else 0o777)
        try:
            held = os.open(path, os.O_RDONLY) if _LOCKS else None
        except FileNotFoundError:  # another process has removed it already
            continue
        if held is None or (lock(held) and _is_at(held, path)):
            break
        os.close(held)  # another process takes the new folder for an abandoned one, and removes it
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if held is not None:
            os.close(held)


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files and folders of this user whose processes have ended; errors are ignored."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(path: Path) -> None:
    found = path.lstat()
    is_folder = stat.S_ISDIR(found.st_mode)
    if not (is_folder or stat.S_ISREG(found.st_mode)):
        return
    if sys.platform == "win32":
        if time.time() - found.st_mtime > _ABANDONED:
            _remove(path, is_folder=is_folder)
        return
    if found.st_uid != os.geteuid():
        return
    held = os.open(path, _LOOK)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises where it is in use, or cannot be locked
        if _is_at(held, path):
            _remove(path, is_folder=is_folder)
    finally:
        os.close(held)


def _remove(path: Path, *, is_folder: bool) -> None:
    if is_folder:
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def _name() -> str:
    return f".pcaimage-{os.urandom(6).hex()}.tmp"


def _is_at(number: int, path: Path) -> bool:
    """Return whether a file still has its name."""
    try:
        return os.path.samestat(os.fstat(number), path.lstat())
    except FileNotFoundError:
        return False
