"""Questions about files whose disk may not answer, such as the share of a server that is gone.

The system lets whoever asks wait, without a way to give up, so another thread asks.
"""

from __future__ import annotations

import errno
import threading
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

PATIENCE = 0.5
"""Seconds until the window goes on without an answer."""

_NEVER = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)
"""The errors of names that lead to nothing; any other may pass, as that of a disk that is not attached."""


def answer_within(seconds: float, ask: Callable[[], T], otherwise: T) -> T:
    """Return the answer to a question about files, or another value where the disk gives none in time.

    Parameters
    ----------
    seconds : float
        How long to wait.
    ask : callable
        Asks on another thread, which is left alone when the time is over.
    otherwise : object
        The value if there is no answer in time, or an OSError or a ValueError in its place.
    """
    answers: list[T] = []

    def run() -> None:
        try:
            answers.append(ask())
        except (OSError, ValueError):  # the latter for names that hold a zero
            return

    thread = threading.Thread(target=run, name="slow disks", daemon=True)
    thread.start()
    thread.join(seconds)
    return answers[0] if answers else otherwise


def is_gone(path: str) -> bool:
    """Return whether nothing is at a path; False where that cannot be told, as in a folder without access."""
    try:
        Path(path).stat()
    except OSError as error:
        return error.errno in _NEVER
    except ValueError:
        return True
    return False
