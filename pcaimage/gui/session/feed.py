"""Feeds: background jobs that compute what a page shows, while the page is seen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from PySide6.QtCore import QObject

from pcaimage.gui.session.jobs import Failure
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.transitions import NO_COMPONENTS
from pcaimage.progress import Progress

FITTING = "Finding the components…"

T = TypeVar("T")
P = TypeVar("P", bound=QObject)


@dataclass(frozen=True, eq=False)
class Want(Generic[T]):
    """A result that a view needs: its key, and the work that finds it on a worker thread.

    Equal keys have equal results, so a key that is shown or pending is not requested again.
    """

    key: object
    work: Callable[[Progress], T]


class Idle(Enum):
    """The answer of a feed that wants nothing."""

    KEEP = auto()  # the view is up to date


class Feed(QObject, Generic[P, T]):
    """Runs a background job for the present state, and has its page show the result.

    A page that is not seen costs nothing: work starts when the page is shown, is done once for each key,
    waits for pictures, and stale results are dropped. `kind` names the work in the job runner, where work
    replaces unfinished work of the same kind.
    """

    kind: str
    finishes = False
    """Whether running work finishes before newer work starts: else a drag without a pause would never show
    a result."""
    patient = True  # whether the work waits for pictures

    def __init__(self, session: Session, page: P) -> None:
        super().__init__(page)
        self.session, self._page = session, page
        self._active = False
        self._shown: object | None = None
        """The key of the result shown."""
        self._asked: object | None = None
        """The key of the work under way."""
        session.afterwards.stateChanged.connect(self._follow)
        session.jobs.watch("fit").changed.connect(self._follow_fitting)

    @property
    def active(self) -> bool:
        """Whether the page is seen."""
        return self._active

    def set_active(self, active: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Start to supply the page, or stop."""
        self._active = active
        if active:
            self._show_state(self.session.state)
            self.refresh()
        elif self._asked is not None:
            self._asked = None
            self.session.jobs.cancel(self.kind)

    def refresh(self) -> None:
        """Start the work that the present state wants, unless it is done or under way."""
        state = self.session.state
        want = self._want(state) if self._active else Idle.KEEP
        if want is None:
            self._forget(state)
            return
        if want is Idle.KEEP or want.key in (self._shown, self._asked):
            return
        if self.finishes and self._asked is not None and self.session.jobs.busy(self.kind):
            return
        key = self._asked = want.key
        self.session.jobs.submit(
            self.kind,
            want.work,
            on_done=lambda result: self._done(key, result),
            on_failed=self._failed,
            patient=self.patient,
        )

    def _follow(self, state: SessionState, before: SessionState) -> None:
        if self._active or not state.moving:
            self._show_state(state)
        if state.document is before.document is None:
            return  # a file is being opened
        if state.document is not before.document:
            self._forget(state)
        self.refresh()

    def _follow_fitting(self) -> None:
        """Look again when fitting starts or ends: the message of an empty view depends on it."""
        self._follow(self.session.state, self.session.state)

    def _forget(self, state: SessionState) -> None:
        if self._asked is not None:
            self.session.jobs.cancel(self.kind)
        if self._shown is not None or self._asked is not None or state.document is None:
            self._shown = self._asked = None
            self._clear()

    def _done(self, key: object, result: T) -> None:
        self._asked, self._shown = None, key
        self._show(result)
        self.refresh()

    def _failed(self, failure: Failure) -> None:
        self._asked = None
        self._say(failure.sentence)

    def _why_empty(self, state: SessionState, without_image: str, fitted: str) -> str:
        """Return why a page is empty: without an image, with its components, or until these are found."""
        if state.document is None:
            return without_image
        if state.fit is not None:
            return fitted
        return FITTING if self.session.jobs.busy("fit") else NO_COMPONENTS

    def _show_state(self, state: SessionState) -> None:
        """Show what needs no work."""

    @abstractmethod
    def _want(self, state: SessionState) -> Want[T] | Idle | None:
        """Return what the view needs for a state; None if there is nothing to show."""

    @abstractmethod
    def _show(self, result: T) -> None:
        """Show a result."""

    @abstractmethod
    def _clear(self) -> None:
        """Show that there is nothing."""

    def _say(self, sentence: str) -> None:  # noqa: ARG002 - not all pages have room for it
        """Show why there is no result, or at least that there is none."""
        self._clear()
