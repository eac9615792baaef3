"""Keeps a view supplied with what it shows of the session, while it is seen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject

from pcaimage.gui.session.jobs import Failure, Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.progress import Progress

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Want(Generic[T]):
    """A result that a view needs: its key, and the work that finds it on a worker thread.

    Results of equal keys are the same, so a key that is shown or under way is not asked for again.
    """

    key: object
    work: Callable[[Progress], T]


class Idle(Enum):
    """The answer of a feed that wants nothing."""

    KEEP = auto()
    """Everything is known; what is shown stays."""


FITTING = "Finding the components…"
NOT_FITTED = (
    "There are no components yet: fitting was stopped. Choose a method or block size to fit the image."
)


class Feed(QObject, Generic[T]):
    """Runs a background job for the present state, and shows its result.

    A view that is not seen costs nothing: work starts when the view is shown, is done once for each key,
    waits for pictures, and stale results are dropped. `kind` names the work in the job runner, where work
    replaces unfinished work of the same kind.
    """

    finishes = False
    """Whether running work finishes before newer work starts: else a drag without a pause would never show a
    result."""

    def __init__(self, session: Session, kind: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.kind = session, kind
        self._active = False
        self._shown: object | None = None
        """The key of what is shown."""
        self._asked: object | None = None
        """The key of the work under way."""
        session.afterwards.stateChanged.connect(self._follow)
        for changed in (session.jobs.started, session.jobs.finished):
            changed.connect(self._follow_work)

    @property
    def active(self) -> bool:
        """Whether the view is seen."""
        return self._active

    def set_active(self, active: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Start to supply the view, or stop."""
        self._active = active
        if active:
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
            patient=True,
        )

    def _follow(self, state: SessionState, before: SessionState) -> None:
        if state.document is not before.document:
            self._forget(state)
        self.refresh()

    def _follow_work(self, kind: str) -> None:
        """Look again when fitting starts or ends: the message of an empty view depends on it."""
        if kind == "fit":
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

    def _want(self, state: SessionState) -> Want[T] | Idle | None:
        """Return what the view needs of a state; None where there is nothing to show."""
        key = self._key(state)
        if key is None:
            return None
        return Idle.KEEP if key in (self._shown, self._asked) else Want(key, self._work(state))

    def _key(self, state: SessionState) -> object | None:
        raise NotImplementedError

    def _work(self, state: SessionState) -> Work:
        raise NotImplementedError

    @abstractmethod
    def _show(self, result: T) -> None:
        """Show a result."""

    @abstractmethod
    def _clear(self) -> None:
        """Show that there is nothing."""

    @abstractmethod
    def _say(self, sentence: str) -> None:
        """Show why there is no result."""


class ExactFeed(Feed[Any]):
    """Compares the exact reconstruction with the original; older figures stay until there is one."""

    empty = waiting = no_original = ""
    """What is said without an image, without a reconstruction, and without an original."""

    def __init__(self, session: Session, kind: str, view: Any, parent: QObject | None = None) -> None:
        super().__init__(session, kind, parent)
        self._view = view
        self._of: object = None
        """What the view was last cleared for."""

    def refresh(self) -> None:
        """Have the figures found that are not known yet."""
        super().refresh()
        if self.active:
            key = self._key(self.session.state)
            self._view.set_updating(key is None or key != self._shown)

    def _key(self, state: SessionState) -> object | None:
        settled, document = state.settled, state.document
        if document is None or document.image is None or settled is None or settled.setting != state.setting:
            return None
        return state.fit, state.setting, state.frame

    def _pair(self, state: SessionState) -> tuple[Any, Any]:
        """Return the original and the reconstruction of the image that is shown."""
        document, settled = state.document, state.settled
        if document is None or document.image is None or settled is None:
            raise ValueError("There is nothing to compare.")
        pair = document.image.pixels, settled.pixels
        return (pair[0][state.frame], pair[1][state.frame]) if document.is_stack else pair

    def _show(self, result: Any) -> None:
        self._view.set_figures(result)

    def _forget(self, state: SessionState) -> None:
        document = state.document
        if document is None or document.image is None or document is not self._of:
            super()._forget(state)
            self._of = document
            self._clear()
        elif self._asked is not None:
            self.session.jobs.cancel(self.kind)
            self._asked = None

    def _clear(self) -> None:
        document = self.session.state.document
        told = self.waiting if document is None or document.image is not None else self.no_original
        self._view.say(self.empty if document is None else told)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._view.say(sentence)


class PointedFeed(Feed[Any]):
    """Finds out about the pixel that a view asks for: the one under the cursor, or the one that is pinned."""

    finishes = True
    empty = waiting = ""
    """What is said without an image, and while nothing can be found out yet."""

    def __init__(self, session: Session, kind: str, view: Any, parent: QObject | None = None) -> None:
        super().__init__(session, kind, parent)
        self._view = view
        self._target: tuple[int, int] | None = None
        self._of: object = None
        """What the target is a pixel of."""
        view.targetChanged.connect(self._aim)

    def _aim(self, x: int, y: int) -> None:
        self._target = (x, y)
        self.refresh()

    def _place(self, size: tuple[int, int]) -> tuple[int, int]:
        width, height = size
        x, y = self._target or (width // 2, height // 2)
        return min(max(x, 0), width - 1), min(max(y, 0), height - 1)

    def _forget(self, state: SessionState) -> None:
        if state.document is not self._of:
            self._of, self._target = state.document, None
            self._view.set_pinned(False)
        super()._forget(state)
        self._clear()

    def _clear(self) -> None:
        self._view.say(self.empty if self.session.state.document is None else self.waiting)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._view.say(sentence)
