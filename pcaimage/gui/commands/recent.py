"""The submenu of recent files, which leaves out those that are gone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from pcaimage.gui.commands.build import fill_submenu
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.slow_disks import is_gone


class RecentMenu(QObject):
    """The submenu of recent files.

    Another thread looks which of them are gone, for a disk may take minutes to answer; until it has, a file
    is taken to be there.
    """

    _looked = Signal(str, bool)
    """A path, and whether nothing is there."""
    shown = Signal(list)
    """The paths that are offered now, the newest first."""
    forgotten = Signal()
    """The user had all paths forgotten."""

    def __init__(self, menu: QMenu, preferences: Preferences, open_path: Callable[[str], None]) -> None:
        super().__init__(menu)
        self._menu, self._preferences, self._open = menu, preferences, open_path
        self._gone: set[str] = set()
        self._shown: list[str] | None = None
        self._looking: threading.Thread | None = None
        self._looked.connect(self._note)
        # Files may be deleted or restored while the program runs.
        menu.aboutToShow.connect(self.refresh)
        self.refresh()

    @property
    def paths(self) -> list[str]:
        """The paths that are offered now, the newest first."""
        return list(self._shown or [])

    def remember(self, path: str) -> None:
        """Put a path at the front."""
        self._gone.discard(path)
        self._preferences.remember(path, without=self._gone)
        self.refresh()

    def forget(self) -> None:
        """Forget all paths."""
        self._preferences.forget_recent()
        self.forgotten.emit()
        self.refresh()

    def refresh(self) -> None:
        """Show the remembered files, and check again which of them exist."""
        self._fill()
        if self._preferences.recent and not (self._looking is not None and self._looking.is_alive()):
            # No job: the program's end waits for jobs, but not for a daemon's disk.
            self._looking = threading.Thread(
                target=self._look, args=(self._preferences.recent,), name="recent files", daemon=True
            )
            self._looking.start()

    def _look(self, paths: list[str]) -> None:
        for path in paths:
            gone = is_gone(path)
            with suppress(RuntimeError):  # the window was deleted meanwhile
                self._looked.emit(path, gone)

    def _note(self, path: str, gone: bool) -> None:  # noqa: FBT001 - a Qt slot
        if gone != (path in self._gone):
            self._gone ^= {path}
            self._fill()

    def _fill(self) -> None:
        paths = [path for path in self._preferences.recent if path not in self._gone]
        if paths == self._shown:
            return
        self._shown = paths
        entries: list[tuple[str, Callable[[], None]]] = [(path, partial(self._open, path)) for path in paths]
        if entries:
            entries.append(("Clear", self.forget))
        fill_submenu(self._menu, entries)
        self.shown.emit(paths)
