"""Lock files that a process holds while it runs, by which others can tell that it does.

The system releases them however the process ends.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl


def hold(path: Path) -> int | None:
    """Create a file if necessary, and lock it; OSError if it cannot be created.

    The lock is held until the descriptor is closed. None is returned if another process holds it, or if the
    file system has no locks.
    """
    if sys.platform == "win32":
        try:
            path.unlink(missing_ok=True)
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except (PermissionError, FileExistsError):  # another process holds it
            return None
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def lock(descriptor: int) -> bool:
    """Lock an open file, until it is closed; False if another process has locked it.

    Windows and some file systems have no such locks: there it is free.
    """
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return not isinstance(error, BlockingIOError)
    return True
