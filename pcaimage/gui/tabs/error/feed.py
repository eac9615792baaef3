"""Keeps the error tab supplied."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.requests import ShowPlace, ShowRegion
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.error.figures import ErrorFigures
from pcaimage.gui.tabs.error.page import EMPTY, ErrorView
from pcaimage.gui.tabs.shared.feed import ExactFeed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.error_map import ErrorMap
from pcaimage.insight.formatting import image_words
from pcaimage.progress import Progress, part

NO_ORIGINAL = "This file was opened without its original, so errors are not known."
WAITING = "The errors appear here as soon as the exact reconstruction is there."


class ErrorFeed(ExactFeed):
    """Finds the errors of the exact reconstruction."""

    empty, waiting, no_original = EMPTY, WAITING, NO_ORIGINAL

    def __init__(self, session: Session, view: ErrorView, parent: QObject | None = None) -> None:
        super().__init__(session, "errors", view, parent)

    def _work(self, state: SessionState) -> Work:
        original, pixels = self._pair(state)
        document, fit, image = state.document, state.fit, ""
        if document is None or fit is None:
            raise ValueError("There is nothing to compare.")
        if document.is_stack:
            image = image_words(state.frame, document.frames, document.labels)
        peak = fit.preview.header.peak
        return partial(_figures, original, pixels, fit.preview.sample_size, peak, image)


def _figures(
    original: Any, reconstruction: Any, block: int, peak: float, image: str, progress: Progress
) -> ErrorFigures:
    errors = ErrorMap.of(original, reconstruction, part(progress, 0.0, 0.4))
    return ErrorFigures.of(errors, block, part(progress, 0.4, 1.0), peak=peak, image=image)


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = ErrorView()
    page.placeRequested.connect(lambda x, y: context.request(ShowPlace(x, y)))
    page.regionRequested.connect(lambda region: context.request(ShowRegion(region)))
    return Tab(page, (ErrorFeed(context.session, page, page),))
