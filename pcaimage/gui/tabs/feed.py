"""Keeps one tab supplied with what it shows, while it is seen."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from PySide6.QtCore import QObject

from pcaimage.gui.session.job import Failure, Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState


class Feed(QObject):
    """Has something found out about the present state in the background, and shown.

    What is not seen costs nothing: work starts when the tab is shown, is done once for each :meth:`_key`,
    waits for pictures, and what comes too late is dropped.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    kind : str
        What the work is called; work of one kind replaces work of the same kind.
    parent : QObject, optional
        The owner.
    """

    def __init__(self, session: Session, kind: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.kind = session, kind
        self._active = False
        self._shown: object | None = None
        """The key of what is shown."""
        self._asked: object | None = None
        """The key of what is being found out."""
        session.afterwards.stateChanged.connect(self._follow)
        for changed in (session.jobs.started, session.jobs.finished):
            changed.connect(self._follow_work)

    @property
    def active(self) -> bool:
        """Whether the tab is seen."""
        return self._active

    def set_active(self, active: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Start to supply the tab, or stop.

        Parameters
        ----------
        active : bool
            Whether it is seen.
        """
        self._active = active
        if active:
            self.refresh()
        elif self._asked is not None:
            self._asked = None
            self.session.jobs.cancel(self.kind)

    def refresh(self) -> None:
        """Have found out what is not known yet of the present state."""
        state = self.session.state
        key = self._key(state) if self._active else None
        if not self._active or (key is not None and key in (self._shown, self._asked)):
            return
        if key is None:
            self._forget(state)
            return
        self._asked = key
        self.session.jobs.submit(
            self.kind,
            self._work(state),
            on_done=lambda result: self._done(key, result),
            on_failed=self._failed,
            patient=True,
        )

    def _follow(self, state: SessionState, before: SessionState) -> None:
        if state.document is not before.document:
            self._forget(state)
        self.refresh()

    def _follow_work(self, kind: str) -> None:
        """Look again when components begin or cease to be found: what a tab says may depend on it."""
        if kind == "fit":
            self._follow(self.session.state, self.session.state)

    def _forget(self, state: SessionState) -> None:
        if self._asked is not None:
            self.session.jobs.cancel(self.kind)
        if self._shown is not None or self._asked is not None or state.document is None:
            self._shown = self._asked = None
            self._clear()

    def _done(self, key: object, result: Any) -> None:
        self._asked, self._shown = None, key
        self._show(result)
        self.refresh()

    def _failed(self, failure: Failure) -> None:
        self._asked = None
        self._say(failure.sentence)

    @abstractmethod
    def _key(self, state: SessionState) -> object | None:
        """Return what the shown depends on, comparable by ==; None where there is nothing to show."""

    @abstractmethod
    def _work(self, state: SessionState) -> Work:
        """Return the work: ``work(progress)``, on another thread; its result is handed to :meth:`_show`."""

    @abstractmethod
    def _show(self, result: Any) -> None:
        """Show what was found."""

    @abstractmethod
    def _clear(self) -> None:
        """Show that there is nothing."""

    @abstractmethod
    def _say(self, sentence: str) -> None:
        """Show why nothing could be found out."""
