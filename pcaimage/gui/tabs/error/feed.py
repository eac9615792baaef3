"""Supplies the error tab: compares the exact reconstruction with the original."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import NDArray

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.error.figures import EMPTY, ErrorFigures
from pcaimage.gui.tabs.error.page import ErrorPage
from pcaimage.gui.tabs.shared.feeds import ExactFeed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.error_map import ErrorMap
from pcaimage.insight.formatting import image_words
from pcaimage.progress import Progress, part

NO_ORIGINAL = "This file was opened without its original, so errors are not known."
WAITING = "The errors appear here as soon as the exact reconstruction is ready."


class ErrorFeed(ExactFeed[ErrorFigures]):
    """Finds the errors of the exact reconstruction."""

    kind = "errors"
    empty, waiting, no_original = EMPTY, WAITING, NO_ORIGINAL

    def _comparison(
        self,
        state: SessionState,
        document: Document,
        fit: Fit,
        original: NDArray[Any],
        reconstruction: NDArray[Any],
    ) -> Callable[[Progress], ErrorFigures]:
        name = image_words(state.frame, document.frames, document.labels) if document.is_stack else ""
        block, peak = fit.preview.sample_size, fit.preview.header.peak
        return partial(_figures, original, reconstruction, block, peak, name)


def _figures(
    original: NDArray[Any],
    reconstruction: NDArray[Any],
    block: int,
    peak: float,
    image: str,
    progress: Progress,
) -> ErrorFigures:
    errors = ErrorMap.of(original, reconstruction, part(progress, 0.0, 0.4))
    return ErrorFigures.of(errors, block, part(progress, 0.4, 1.0), peak=peak, image=image)


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = ErrorPage()
    page.requested.connect(context.request)
    return Tab(page, (ErrorFeed(context.session, page),))
