"""Records the images that are open, and offers to reopen those of a window that crashed.

The record is in a locked folder, and a process loses its locks however it ends. So an unlocked folder belongs
to a window that crashed, as the others remove theirs.
"""

from __future__ import annotations

import faulthandler
import json
import os
import secrets
import shutil
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from PySide6.QtCore import QTimer

from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.faults import SHOW, FaultNotices
from pcaimage.gui.session.kept import Kept, kept_from, kept_of
from pcaimage.gui.session.state import SessionState
from pcaimage.machine.folders import private_folder
from pcaimage.machine.locks import hold
from pcaimage.machine.reports import write_text

LOCK, OPEN, FAULTS = "lock", "open.json", "faults.txt"
"""Names of its files: the lock, the open images, and the interpreter's stacks at a crash."""

OLD = 30 * 86_400  # age in seconds at which the record of a crashed window becomes useless

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

    def forget(self, name: str) -> None:
        """Remove one of its files: nothing is open any more, or a crash has been reported."""
        with suppress(OSError):
            (self.folder / name).unlink(missing_ok=True)

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


FOLDER = "windows"
PACE = 1000  # milliseconds between a change and its note; the changes of a drag are noted together
_REOPEN = "Open It Again"


class Recovery(Commands):
    """Records the images open in a window, and offers those of a crashed one.

    The note has paths and settings, but no pixels. A window that is closed removes it; one that is ended by a
    signal leaves it if settings were changed.
    """

    def __init__(self, context: CommandContext, faults: FaultNotices) -> None:
        super().__init__(context)
        self._faults = faults
        self._record: Record | None = None
        self._left: list[Record] = []
        self._offered: Record | None = None
        self._text = ""
        self._reopening = self._reopened = False
        """Whether offered images are being reopened, and whether they have been recorded again."""
        self._fault_file: IO[str] | None = None
        self._writing: threading.Thread | None = None
        self._timer = QTimer(self, singleShot=True, interval=PACE)
        self._timer.timeout.connect(self._note)
        noted = ("document", "choice", "setting", "look", "frame", "touched", "fit")
        context.session.afterwards.watch(*noted).connect(self._on_state)
        context.messages.dismissed.connect(self._on_dismissed)

    def begin(self) -> None:
        """Take over the records of crashed windows, and record this window's images from now on."""
        try:
            folder = private_folder(FOLDER)
            self._left = abandoned_records(folder)
            self._record = new_record(folder)
            self._catch_faults(self._record.folder / FAULTS)
        except OSError:
            return  # there is no home folder, or it is not writable

    def offer(self) -> None:
        """Offer the newest of what crashed windows left."""
        if not self._left:
            return
        record = self._left.pop(0)
        kept = kept_from(record.read() or {})
        report = write_text(found) if (found := record.faults()) else None
        record.forget(FAULTS)
        if kept is None:
            record.remove()
            if report is None:
                return
        else:
            self._offered = record
        self._show(kept, report)

    def end(self, *, by_user: bool) -> None:
        """Remove the note, unless the user did not end the program and has changed settings."""
        self._timer.stop()
        if self._writing is not None:
            self._writing.join(1)
        if self._fault_file is not None:
            faulthandler.disable()
            self._fault_file.close()
        if self._record is not None:
            kept = None if by_user else kept_of(self._session.state)
            if kept is not None and kept.touched:
                self._record.write(kept.to_values())
                self._record.release()
            else:
                self._record.remove()
        for each in [*self._left, *filter(None, [self._offered])]:
            each.release()  # it is offered next time
        self._record, self._offered, self._left = None, None, []

    def _show(self, kept: Kept | None, report: Path | None) -> None:
        where = "" if kept is None else f" while {kept.name} was open"
        self._text = f"pcaimage ended unexpectedly{where or ' the last time'}."
        show = None if report is None else partial(self._faults.show_report, report)
        if kept is None and show is not None:
            self._messages.show_message("warning", self._text, SHOW, show)
        elif kept is not None:
            other = None if show is None else (SHOW, show)
            self._messages.show_message(
                "warning", self._text, _REOPEN, partial(self._reopen, kept), other=other
            )

    def _reopen(self, kept: Kept) -> None:
        self._reopening = True
        self._session.reopen(kept)

    def _on_dismissed(self, text: str) -> None:
        if text == self._text:
            self._forget_offered()

    def _forget_offered(self) -> None:
        if self._offered is not None:
            self._offered.remove()
            self._offered = None

    def _on_state(self, state: SessionState, before: SessionState) -> None:
        if self._record is None:
            return
        if self._reopening and state.document is not None and state.document is not before.document:
            self._reopening, self._reopened = False, True
        if not self._timer.isActive():
            self._timer.start()

    def _note(self) -> None:
        """Write the note on another thread: a disk may be slow."""
        state, record = self._session.state, self._record
        if record is None:
            return
        if state.moving or (self._writing is not None and self._writing.is_alive()):
            self._timer.start()
            return
        if self._reopened and self._writing is not None:
            self._reopened = False
            self._forget_offered()  # it has been noted as that of this window
        self._writing = threading.Thread(target=_write, args=(record, state), name="notes", daemon=True)
        self._writing.start()
        if self._reopened:
            self._timer.start()

    def _catch_faults(self, path: Path) -> None:
        """Have the interpreter note where it stands when it crashes, unless someone else wants to know."""
        if not faulthandler.is_enabled():
            self._fault_file = path.open("w", encoding="utf-8")
            faulthandler.enable(self._fault_file)


def _write(record: Record, state: SessionState) -> None:
    kept = kept_of(state)
    if kept is None:
        record.forget(OPEN)
    else:
        record.write(kept.to_values())
