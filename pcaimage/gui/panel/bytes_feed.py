"""The feed of the account of a file's bytes."""

from __future__ import annotations

from pcaimage.gui.panel.bytes_view import BytesView
from pcaimage.gui.session import resolve
from pcaimage.gui.session.feed import Feed, Want
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.insight.size_breakdown import SizeBreakdown, breakdown_of


class BytesFeed(Feed[BytesView, tuple[object, SizeBreakdown]]):
    """Finds where the bytes of the present setting's file go; until then the estimated size is shown.

    A result carries its key, for it is shown only while it is of the present setting.
    """

    kind = "bytes"

    def __init__(self, session: Session, page: BytesView) -> None:
        super().__init__(session, page)
        self._found: tuple[object, SizeBreakdown] | None = None
        self._size: int | None = None

    def _show_state(self, state: SessionState) -> None:
        want, found = self._want(state), self._found
        parts = found[1] if found is not None and want is not None and found[0] == want.key else None
        document = state.document
        original = None if document is None else document.file_size
        share = document is not None and document.images_in_file > 1
        compared = f"a {document.image_word}'s" if document is not None and share else "the original"
        size = resolve.figures(state).size
        if size is None and state.fitted and state.moving:
            size = self._size  # until there is an estimate: else the panel's height would change all the time
        self._size = size
        self._page.set_parts(parts, original, size, compared)

    def _want(self, state: SessionState) -> Want[tuple[object, SizeBreakdown]] | None:
        document, measured = state.document, state.current(state.measured)
        if document is None or state.fit is None:
            return None
        if document.compressed is not None:
            file, k = document.compressed.compressed, state.setting.k
            key = document, k
            return Want(key, lambda _: (key, breakdown_of(file.trimmed(k))))
        if measured is None:
            return None
        return Want(measured, lambda _: (measured, breakdown_of(measured.compressed)))

    def _show(self, result: tuple[object, SizeBreakdown]) -> None:
        self._found = result
        self._show_state(self.session.state)

    def _clear(self) -> None:
        self._found = None
        self._show_state(self.session.state)

    def _say(self, sentence: str) -> None:  # noqa: ARG002 - the size alone is shown, as before
        self._clear()
