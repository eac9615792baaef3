"""Keeps the account of the file's bytes supplied."""

from __future__ import annotations

from functools import partial
from typing import Any

from pcaimage.codec import Compressed
from pcaimage.gui.panel.bytes_view import BytesView
from pcaimage.gui.session import resolve
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.feed import Feed
from pcaimage.insight.size_breakdown import SizeBreakdown, breakdown_of
from pcaimage.progress import Progress


class BytesFeed(Feed[Any]):
    """Finds where the bytes of the present setting's file go; until then the estimated size is shown.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : BytesView
        Where it is shown.
    """

    def __init__(self, session: Session, widget: BytesView) -> None:
        super().__init__(session, "bytes", widget)
        self._widget = widget
        self._found: tuple[object, SizeBreakdown] | None = None
        self._size: int | None = None

    def _follow(self, state: SessionState, before: SessionState) -> None:
        super()._follow(state, before)
        self._update(state)

    def _update(self, state: SessionState) -> None:
        key, found = self._key(state), self._found
        parts = found[1] if found is not None and key is not None and found[0] == key else None
        original = None if state.document is None else state.document.file_size
        size = resolve.figures(state).size
        if size is None and state.fitted and state.moving:
            size = (
                self._size
            )  # until the estimate is there; else the panel would change its height all the time
        self._size = size
        self._widget.set_parts(parts, original, size)

    def _key(self, state: SessionState) -> object | None:
        document, measured = state.document, state.measured
        if document is None or state.fit is None:
            return None
        if document.compressed is not None:
            return document, state.setting.k
        return measured if measured is not None and measured.setting == state.setting else None

    def _work(self, state: SessionState) -> Work:
        return partial(_account, _compressed(state), self._key(state))

    def _show(self, result: Any) -> None:
        self._found = result
        self._update(self.session.state)

    def _clear(self) -> None:
        self._found = None
        self._update(self.session.state)

    def _say(self, sentence: str) -> None:  # noqa: ARG002 - the size alone is shown, as before
        self._clear()


def _compressed(state: SessionState) -> Compressed:
    """Return the file of the present setting."""
    if state.document is not None and state.document.compressed is not None:
        return state.document.compressed.compressed.trimmed(state.setting.k)
    if state.measured is None:
        raise ValueError("What was not measured has no bytes.")
    return state.measured.compressed


def _account(compressed: Compressed, key: object, progress: Progress) -> tuple[object, SizeBreakdown]:
    progress(0, 1)
    return key, breakdown_of(compressed)
