"""Supplies the page of an empty window with recent files, and with the pictures of these and of samples."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from pcaimage.gui.commands.recent import RecentMenu
from pcaimage.gui.compare.renderer import Renderer
from pcaimage.gui.empty import EmptyView
from pcaimage.gui.screen.picture import Picture
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.session import Session
from pcaimage.gui.thumbnails import Thumbnails
from pcaimage.imaging import sample_names

_BEHIND_FIRST_FRAME = 50
"""Milliseconds until thumbnails are sought; before, they would only delay the window."""
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
