"""Recent files: their submenu, and their pictures and those of samples in an empty window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMenu

from pcaimage.gui.commands.build import fill_submenu
from pcaimage.gui.compare.renderer import Renderer
from pcaimage.gui.empty import EmptyView
from pcaimage.gui.preferences import Preferences
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.session import Session
from pcaimage.gui.slow_disks import is_gone
from pcaimage.gui.thumbnails import Thumbnails
from pcaimage.imaging.reading.samples import sample_names


class RecentMenu(QObject):
    """The submenu of recent files.

    Another thread looks which of them are gone, for a disk may take minutes to answer; until it has, a file
    is taken to be there.
    """

    _looked = Signal(str, bool)  # a path, and whether nothing is there
    shown = Signal(list)  # the paths that are offered now, the newest first
    forgotten = Signal()  # the user had all paths forgotten

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


_BEHIND_FIRST_FRAME = 50  # milliseconds until thumbnails are sought; before, they would only delay the window
_BEHIND_OPENING = 500
"""Milliseconds until they are sought again where a file is being opened, which they would delay, too."""


class WelcomePictures(QObject):
    """Shows thumbnails on the page of an empty window, and keeps one of every file that is opened."""

    def __init__(self, session: Session, page: EmptyView, recent: RecentMenu, renderer: Renderer) -> None:
        super().__init__(page)
        self._session, self._page, self._recent = session, page, recent
        self._thumbnails = Thumbnails(self)
        self._kept: Document | None = None
        self._sought = False
        self._thumbnails.found.connect(page.show_thumbnail)
        recent.shown.connect(self._show_recent)
        recent.forgotten.connect(self._thumbnails.forget)
        renderer.leftBackdropReady.connect(self._keep)
        renderer.rightBackdropReady.connect(self._keep)
        session.watch("document").connect(self._follow)
        page.set_recent(recent.paths)
        QTimer.singleShot(_BEHIND_FIRST_FRAME, self, self._seek)

    def _seek(self) -> None:
        """Find all pictures of the page, once it is to be seen."""
        if self._sought or self._session.state.document is not None:
            return
        if self._session.jobs.busy("open"):
            QTimer.singleShot(_BEHIND_OPENING, self, self._seek)  # which may be in vain
            return
        self._sought = True
        self._thumbnails.find(self._recent.paths)
        self._thumbnails.make_samples(sample_names())

    def _follow(self) -> None:
        if self._session.state.document is None:
            self._kept = None
            self._seek()

    def _show_recent(self, paths: list[str]) -> None:
        self._page.set_recent(paths)
        if self._sought:
            self._thumbnails.find(paths)

    def _keep(self, picture: Picture) -> None:
        """Keep a thumbnail of the file that was opened, when its first picture is there."""
        document = self._session.state.document
        if document is None or document is self._kept or document.path is None:
            return
        self._kept = document
        path = str(document.path)
        if path in self._recent.paths:  # not any more if the user had it forgotten
            self._thumbnails.keep(path, picture, self._recent.paths)
