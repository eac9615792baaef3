"""Feeds: background jobs that compute what a tab's page shows, while the page is seen."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Generic, Protocol, TypeVar

from numpy.typing import NDArray
from PySide6.QtCore import QObject, SignalInstance

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import Failure
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.progress import Progress

FITTING = "Finding the components…"
NOT_FITTED = (
    "There are no components yet: fitting was stopped. Choose a method or block size to fit the image."
)

T = TypeVar("T")
R_contra = TypeVar("R_contra", contravariant=True)


@dataclass(frozen=True, eq=False)
class Want(Generic[T]):
    """A result that a view needs: its key, and the work that finds it on a worker thread.

    Equal keys have equal results, so a key that is shown or pending is not requested again.
    """

    key: object
    work: Callable[[Progress], T]


class Idle(Enum):
    """The answer of a feed that wants nothing."""

    KEEP = auto()
    """The view is up to date."""


class Feed(QObject, Generic[T]):
    """Runs a background job for the present state, and shows its result.

    A view that is not seen costs nothing: work starts when the view is shown, is done once for each key,
    waits for pictures, and stale results are dropped. `kind` names the work in the job runner, where work
    replaces unfinished work of the same kind.
    """

    finishes = False
    """Whether running work finishes before newer work starts: else a drag without a pause would never show
    a result."""

    def __init__(self, session: Session, kind: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session, self.kind = session, kind
        self._active = False
        self._shown: object | None = None
        """The key of the result shown."""
        self._asked: object | None = None
        """The key of the work under way."""
        session.afterwards.stateChanged.connect(self._follow)
        session.jobs.watch("fit").changed.connect(self._follow_fitting)

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

    @abstractmethod
    def _want(self, state: SessionState) -> Want[T] | Idle | None:
        """Return what the view needs for a state; None if there is nothing to show."""

    @abstractmethod
    def _show(self, result: T) -> None:
        """Show a result."""

    @abstractmethod
    def _clear(self) -> None:
        """Show that there is nothing."""

    @abstractmethod
    def _say(self, sentence: str) -> None:
        """Show why there is no result."""


class FiguresPage(Protocol[R_contra]):
    """A page that shows results, or the reason why there are none."""

    def set_figures(self, figures: R_contra) -> None:
        """Show results."""

    def say(self, sentence: str) -> None:
        """Show a sentence instead of results."""


class ExactPage(FiguresPage[R_contra], Protocol[R_contra]):
    """A page about the exact reconstruction."""

    def set_updating(self, updating: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Mark the results that are shown as those of an earlier setting, or not."""


class ExactFeed(Feed[T]):
    """Compares the exact reconstruction with the original; older figures stay until there is one."""

    empty = waiting = no_original = ""
    """Messages without an image, without a reconstruction, and without an original."""

    def __init__(
        self, session: Session, kind: str, page: ExactPage[T], parent: QObject | None = None
    ) -> None:
        super().__init__(session, kind, parent)
        self._page = page
        self._of: Document | None = None
        """The document for which the page was last cleared."""

    def refresh(self) -> None:
        """Start the comparison of the present state, and mark older figures as such."""
        super().refresh()
        if self.active:
            want = self._want(self.session.state)
            self._page.set_updating(want is None or want.key != self._shown)

    def _want(self, state: SessionState) -> Want[T] | None:
        document, fit, settled = state.document, state.fit, state.settled
        if document is None or document.image is None or fit is None:
            return None
        if settled is None or settled.setting != state.setting:
            return None
        original, reconstruction = document.image.pixels, settled.pixels
        if document.is_stack:
            original, reconstruction = original[state.frame], reconstruction[state.frame]
        work = self._comparison(state, document, fit, original, reconstruction)
        return Want((fit, state.setting, state.frame), work)

    @abstractmethod
    def _comparison(
        self,
        state: SessionState,
        document: Document,
        fit: Fit,
        original: NDArray[Any],
        reconstruction: NDArray[Any],
    ) -> Callable[[Progress], T]:
        """Return the work that compares two images of shape (H, W, C)."""

    def _show(self, result: T) -> None:
        self._page.set_figures(result)

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
        if document is None:
            self._page.say(self.empty)
        else:
            self._page.say(self.waiting if document.image is not None else self.no_original)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._page.say(sentence)


class PointedPage(FiguresPage[R_contra], Protocol[R_contra]):
    """A page about one pixel of the image."""

    @property
    def targetChanged(self) -> SignalInstance:
        """Emits the x and y of the pixel that the page is to be about."""

    def set_pinned(self, pinned: bool) -> None:  # noqa: FBT001 - a Qt setter
        """Stay with the pixel, or follow the cursor again."""


class PointedFeed(Feed[T]):
    """Analyses the sample at one pixel: the one under the cursor, or the pinned one."""

    finishes = True
    empty = waiting = ""
    """Messages without an image, and until results are possible."""

    def __init__(
        self, session: Session, kind: str, page: PointedPage[T], parent: QObject | None = None
    ) -> None:
        super().__init__(session, kind, parent)
        self._page = page
        self._target: tuple[int, int] | None = None
        self._of: Document | None = None
        """The document that the target is a pixel of."""
        page.targetChanged.connect(self._aim)

    def _aim(self, x: int, y: int) -> None:
        self._target = (x, y)
        self.refresh()

    def _place(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return the target within an image of this width and height; its centre at first."""
        width, height = size
        x, y = self._target or (width // 2, height // 2)
        return min(max(x, 0), width - 1), min(max(y, 0), height - 1)

    def _forget(self, state: SessionState) -> None:
        if state.document is not self._of:
            self._of, self._target = state.document, None
            self._page.set_pinned(False)
        super()._forget(state)
        self._clear()

    def _show(self, result: T) -> None:
        self._page.set_figures(result)

    def _clear(self) -> None:
        self._page.say(self.empty if self.session.state.document is None else self.waiting)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._page.say(sentence)
