"""Keeps the bands tab supplied."""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.known_bands import missing_of
from pcaimage.gui.session.requests import ShowBand
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.bands.figures import QualityFigures
from pcaimage.gui.tabs.bands.page import EMPTY, QualityView
from pcaimage.gui.tabs.shared.feed import ExactFeed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.bands import BandQuality
from pcaimage.progress import Progress

NO_ORIGINAL = "This file was opened without its original, so the quality of its bands is not known."
WAITING = "The quality of each band appears here as soon as the exact reconstruction is there."


class QualityFeed(ExactFeed):
    """Compares the bands of the exact reconstruction."""

    empty, waiting, no_original = EMPTY, WAITING, NO_ORIGINAL

    def __init__(self, session: Session, view: QualityView, parent: QObject | None = None) -> None:
        super().__init__(session, "bands", view, parent)

    def _key(self, state: SessionState) -> object | None:
        many = state.document is not None and state.document.many_bands
        return super()._key(state) if many else None

    def _work(self, state: SessionState) -> Work:
        original, pixels = self._pair(state)
        document, fit = state.document, state.fit
        if document is None or fit is None:
            raise ValueError("There is nothing to compare.")
        return partial(_figures, document, original, pixels, fit.preview.header.peak, state.nodata)


def _figures(
    document: Document,
    original: NDArray[Any],
    reconstruction: NDArray[Any],
    peak: float,
    nodata: float | None,
    progress: Progress,
) -> QualityFigures:
    if document.image is None:
        raise ValueError("There is nothing to compare with.")
    missing = missing_of(original, nodata)
    quality = BandQuality.of(original, reconstruction, peak, missing, progress)
    return QualityFigures(document.bands.names, quality)


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = QualityView()
    page.bandRequested.connect(lambda band: context.request(ShowBand(band)))
    return Tab(page, (QualityFeed(context.session, page, page),))
