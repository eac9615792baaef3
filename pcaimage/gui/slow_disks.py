"""Queries about files whose disk may not answer, such as a share of a server that is gone.

The system blocks the calling thread without a way to give up, so another thread makes the call.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 0.5  # seconds until the window goes on without an answer

_NEVER = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)
"""Errors of paths that lead to nothing; any other may pass, such as that of a disk that is not attached."""


def answer_within(seconds: float, ask: Callable[[], T], otherwise: T) -> T:
    """Return the answer to a query about files, or another value if the disk gives none within the seconds.

    The query is made on another thread, which is abandoned then. If it raises OSError or ValueError, the
    other value is returned, too.
    """
    answers: list[T] = []

    def run() -> None:
        try:
            answers.append(ask())
        except (OSError, ValueError):  # ValueError is for names that contain a null character
            return

    thread = threading.Thread(target=run, name="slow disks", daemon=True)
    thread.start()
    thread.join(seconds)
    return answers[0] if answers else otherwise


def is_gone(path: str) -> bool:
    """Return whether nothing exists at a path; False if that is unknown, as in a folder without access."""
    try:
        Path(path).stat()
    except OSError as error:
        return error.errno in _NEVER
    except ValueError:
        return True
    return False
