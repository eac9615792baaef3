"""Supplies the error tab: compares the exact reconstruction with the original."""

from __future__ import annotations

from pcaimage.gui.tabs.error.figures import EMPTY, ErrorFigures
from pcaimage.gui.tabs.error.page import ErrorPage
from pcaimage.gui.tabs.shared.pages import ExactFeed, Pair
from pcaimage.gui.tabs.shared.tab import tab_of
from pcaimage.insight.error_map import ErrorMap
from pcaimage.insight.formatting import image_words
from pcaimage.progress import Progress, part

NO_ORIGINAL = "This file was opened without its original, so errors are not known."
WAITING = "The errors appear here as soon as the exact reconstruction is ready."


class ErrorFeed(ExactFeed[ErrorFigures]):
    """Finds the errors of the exact reconstruction."""

    kind = "errors"
    empty, waiting, no_original = EMPTY, WAITING, NO_ORIGINAL

    @staticmethod
    def _compared(pair: Pair, progress: Progress) -> ErrorFigures:
        document, preview = pair.document, pair.fit.preview
        name = image_words(pair.state.frame, document.frames, document.labels) if document.is_stack else ""
        errors = ErrorMap.of(pair.original, pair.reconstruction, part(progress, 0.0, 0.4))
        found, peak = part(progress, 0.4, 1.0), preview.header.peak
        return ErrorFigures.of(errors, preview.sample_size, found, peak=peak, image=name)


make = tab_of(ErrorPage, ErrorFeed)
