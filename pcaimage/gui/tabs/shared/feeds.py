"""Feeds of tabs that compare the exact reconstruction, and of those about one pixel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.feed import Feed, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.pages import C, ComparisonPage, F, PinnablePage
from pcaimage.progress import Progress


class ExactFeed(Feed[ComparisonPage[C], C]):
    """Compares the exact reconstruction with the original; older figures stay until there is one."""

    empty = waiting = no_original = ""
    """Messages without an image, without a reconstruction, and without an original."""

    def __init__(self, session: Session, page: ComparisonPage[C]) -> None:
        super().__init__(session, page)
        self._of: Document | None = None
        """The document for which the page was last cleared."""

    def refresh(self) -> None:
        """Start the comparison of the present state, and mark older figures as such."""
        super().refresh()
        if self.active:
            want = self._want(self.session.state)
            self._page.set_updating(want is None or want.key != self._shown)

    def _want(self, state: SessionState) -> Want[C] | None:
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
    ) -> Callable[[Progress], C]:
        """Return the work that compares two images of shape (H, W, C)."""

    def _show(self, result: C) -> None:
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


class PointedFeed(Feed[PinnablePage[F], F]):
    """Analyses the sample at one pixel: the one under the cursor, or the pinned one."""

    finishes = True
    empty = waiting = ""
    """Messages without an image, and until results are possible."""

    def __init__(self, session: Session, page: PinnablePage[F]) -> None:
        super().__init__(session, page)
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

    def _show(self, result: F) -> None:
        self._page.set_figures(result)

    def _clear(self) -> None:
        self._page.say(self.empty if self.session.state.document is None else self.waiting)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._page.say(sentence)
