"""Feeds of tabs that compare the exact reconstruction, and of those about one pixel."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from numpy.typing import NDArray

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.feed import Feed, T, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.pages import C, ComparisonPage, F, FiguresPage, PinnablePage
from pcaimage.progress import Progress

Page = TypeVar("Page", bound=FiguresPage[Any])


class FiguresFeed(Feed[Page, T]):
    """Supplies a page of figures about the open document."""

    def __init__(self, session: Session, page: Page) -> None:
        super().__init__(session, page)
        self._of: Document | None = None
        """The document for which the page was last cleared."""

    def _show(self, result: T) -> None:
        self._page.set_figures(result)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._page.say(sentence)


@dataclass(frozen=True, eq=False)
class Pair:
    """An image and its exact reconstruction, both of shape (H, W, C), and what they belong to."""

    state: SessionState
    document: Document
    fit: Fit
    original: NDArray[Any]
    reconstruction: NDArray[Any]


class ExactFeed(FiguresFeed[ComparisonPage[C], C]):
    """Compares the exact reconstruction with the original; older figures stay until there is one."""

    empty = waiting = no_original = ""
    """Messages without an image, without a reconstruction, and without an original."""

    def refresh(self) -> None:
        """Start the comparison of the present state, and mark older figures as such."""
        super().refresh()
        if self.active:
            want = self._want(self.session.state)
            self._page.set_updating(want is None or want.key != self._shown)

    def _want(self, state: SessionState) -> Want[C] | None:
        document, fit, settled = state.document, state.fit, state.current(state.settled)
        if document is None or document.image is None or fit is None or settled is None:
            return None
        original, reconstruction = document.image.pixels, settled.pixels
        if document.is_stack:
            original, reconstruction = original[state.frame], reconstruction[state.frame]
        pair = Pair(state, document, fit, original, reconstruction)
        return Want((fit, state.setting, state.frame), partial(self._compared, pair))

    @staticmethod
    @abstractmethod
    def _compared(pair: Pair, progress: Progress) -> C:
        """Compare an image with its reconstruction, on a worker thread."""

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


class PointedFeed(FiguresFeed[PinnablePage[F], F]):
    """Analyses the sample at one pixel: the one under the cursor, or the pinned one."""

    finishes = True
    empty = waiting = ""  # messages without an image, and until results are possible

    def __init__(self, session: Session, page: PinnablePage[F]) -> None:
        super().__init__(session, page)
        self._target: tuple[int, int] | None = None
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

    def _clear(self) -> None:
        self._page.say(self.empty if self.session.state.document is None else self.waiting)
