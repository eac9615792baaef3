"""Keeps the error tab supplied."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.job import Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.error import EMPTY, ErrorView
from pcaimage.gui.tabs.error_data import ErrorFigures
from pcaimage.gui.tabs.feed import Feed
from pcaimage.gui.tabs.stack_tools import image_words, labels_of
from pcaimage.insight.error_map import ErrorMap
from pcaimage.progress import Progress, part

NO_ORIGINAL = "This file was opened without its original, so errors are not known."
WAITING = "The errors appear here as soon as the exact reconstruction is there."


class ErrorFeed(Feed):
    """Finds the errors of the exact reconstruction once there is one.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    view : ErrorView
        What shows them.
    parent : QObject, optional
        The owner.
    """

    def __init__(self, session: Session, view: ErrorView, parent: QObject | None = None) -> None:
        super().__init__(session, "errors", parent)
        self._view = view
        self._of: Document | None = None
        """What the view was last cleared for."""

    def refresh(self) -> None:
        """Have the errors found that are not known yet; older ones stay until then."""
        super().refresh()
        if self.active:
            key = self._key(self.session.state)
            self._view.set_updating(key is None or key != self._shown)

    def _key(self, state: SessionState) -> object | None:
        settled = state.settled
        if state.document is None or state.document.image is None or settled is None or state.fit is None:
            return None
        return (state.fit, state.setting, state.frame) if settled.setting == state.setting else None

    def _work(self, state: SessionState) -> Work:
        document, settled, fit = state.document, state.settled, state.fit
        if document is None or document.image is None or settled is None or fit is None:
            raise ValueError("There is nothing to compare.")
        original, pixels, image = document.image.pixels, settled.pixels, ""
        if document.is_stack:
            original, pixels = original[state.frame], pixels[state.frame]
            image = image_words(state.frame, document.frames, labels_of(document))
        peak = fit.preview.header.peak
        return partial(_figures, original, pixels, fit.preview.sample_size, peak, image)

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
        if document is None:
            self._view.say(EMPTY)
        else:
            self._view.say(WAITING if document.image is not None else NO_ORIGINAL)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._view.say(sentence)


def _figures(
    original: Any, reconstruction: Any, block: int, peak: float, image: str, progress: Progress
) -> ErrorFigures:
    errors = ErrorMap.of(original, reconstruction, part(progress, 0.0, 0.4))
    return ErrorFigures.of(errors, block, part(progress, 0.4, 1.0), peak=peak, image=image)
