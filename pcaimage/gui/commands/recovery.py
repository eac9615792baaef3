"""Offers to reopen the images that were open when the program crashed, and records the present ones."""

from __future__ import annotations

import faulthandler
import threading
from functools import partial
from pathlib import Path
from typing import IO

from PySide6.QtCore import QTimer

from pcaimage.gui.commands.context import CommandContext, Commands
from pcaimage.gui.commands.faults import SHOW, FaultNotices
from pcaimage.gui.records import FAULTS, Record, abandoned_records, new_record
from pcaimage.gui.session.kept import Kept, kept_from, kept_of
from pcaimage.gui.session.state import SessionState
from pcaimage.machine.folders import private_folder
from pcaimage.machine.reports import write_text

FOLDER = "windows"
PACE = 1000
"""Milliseconds between a change and its note; the changes of a drag are noted together."""
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
        record.forget_faults()
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
        record.erase()
    else:
        record.write(kept.to_values())
