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

    finishes = False
    """Whether work under way is finished first: else a hand that never rests would never see a result."""

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
        if (
            self.finishes
            and key is not None
            and self._asked is not None
            and self.session.jobs.busy(self.kind)
        ):
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


class ExactFeed(Feed):
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


class PointedFeed(Feed):
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
