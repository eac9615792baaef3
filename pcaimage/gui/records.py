"""The state that a running window records for the next start, should it crash, in a locked folder.

A process loses its locks however it ends. So an unlocked folder belongs to a window that crashed, as the
others remove theirs.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from pcaimage.machine.locks import hold

LOCK, OPEN, FAULTS = "lock", "open.json", "faults.txt"
"""Names of its files: the lock, the open images, and the interpreter's stacks at a crash."""

OLD = 30 * 86_400
"""Age in seconds at which the record of a crashed window becomes useless."""

_MOST_BYTES = 1 << 20


class Record:
    """A folder that a window holds locked, by a descriptor."""

    def __init__(self, folder: Path, lock: int) -> None:
        self.folder = folder
        self._lock: int | None = lock

    def write(self, values: dict[str, Any]) -> None:
        """Record the open images, completely or not at all; errors are ignored, as the disk may be full."""
        target, temporary = self.folder / OPEN, self.folder / f"{OPEN}.new"
        with suppress(OSError), open(temporary, "w", encoding="ascii", opener=_private) as file:
            json.dump(values, file)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            temporary.replace(target)

    def erase(self) -> None:
        """Note that nothing is open."""
        with suppress(OSError):
            (self.folder / OPEN).unlink(missing_ok=True)

    def read(self) -> dict[str, Any] | None:
        """Return the images that were open; None if there were none, or they are not known."""
        try:
            with (self.folder / OPEN).open("rb") as file:
                values = json.loads(file.read(_MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return None
        return values if isinstance(values, dict) else None

    def faults(self) -> str:
        """Return where the interpreter stood when it crashed; empty if it did not."""
        try:
            with (self.folder / FAULTS).open("rb") as file:
                return file.read(_MOST_BYTES).decode(errors="replace")
        except OSError:
            return ""

    def forget_faults(self) -> None:
        """Remove the stacks of a crash once they have been reported."""
        with suppress(OSError):
            (self.folder / FAULTS).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the folder, and release its lock."""
        if sys.platform == "win32":  # which removes no file that is open
            self.release()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.release()

    def release(self) -> None:
        """Let go of the folder, for the next start."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def new_record(folder: Path) -> Record:
    """Make a record for a window in a folder; raises OSError if that is not possible."""
    own = folder / secrets.token_hex(6)
    own.mkdir(0o700)
    lock = hold(own / LOCK)
    if lock is None:
        raise BlockingIOError("Another window holds the new folder.")
    return Record(own, lock)


def abandoned_records(folder: Path) -> list[Record]:
    """Return the records of windows that crashed, the newest first, and hold them; remove those of no use."""
    found: list[tuple[float, Record]] = []
    for each in _folders(folder):
        with suppress(OSError):
            changed = max(each.stat().st_mtime, *(file.stat().st_mtime for file in each.iterdir()))
            lock = hold(each / LOCK)
            if lock is None:
                continue
            record = Record(each, lock)
            if time.time() - changed > OLD or not (record.read() or record.faults()):
                record.remove()
            else:
                found.append((changed, record))
    return [record for _, record in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _folders(folder: Path) -> list[Path]:
    try:
        return [each for each in folder.iterdir() if each.is_dir()]
    except OSError:
        return []


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
