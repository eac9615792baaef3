"""Keeps the bands tab supplied."""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject

from pcaimage.gui.bands.known import missing_of
from pcaimage.gui.bands.quality_data import QualityFigures
from pcaimage.gui.bands.quality_view import EMPTY, QualityView
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.job import Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.feed import Feed
from pcaimage.insight.bands import BandQuality
from pcaimage.progress import Progress

NO_ORIGINAL = "This file was opened without its original, so the quality of its bands is not known."
WAITING = "The quality of each band appears here as soon as the exact reconstruction is there."


class QualityFeed(Feed):
    """Compares the bands of the exact reconstruction once there is one.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    view : QualityView
        What shows it.
    parent : QObject, optional
        The owner.
    """

    def __init__(self, session: Session, view: QualityView, parent: QObject | None = None) -> None:
        super().__init__(session, "bands", parent)
        self._view = view
        self._of: Document | None = None
        """What the view was last cleared for."""

    def refresh(self) -> None:
        """Have the bands compared that are not yet; older figures stay until then."""
        super().refresh()
        if self.active:
            key = self._key(self.session.state)
            self._view.set_updating(key is None or key != self._shown)

    def _key(self, state: SessionState) -> object | None:
        settled, document = state.settled, state.document
        if document is None or document.image is None or settled is None or not document.many_bands:
            return None
        return (state.fit, state.setting, state.frame) if settled.setting == state.setting else None

    def _work(self, state: SessionState) -> Work:
        document, settled, fit = state.document, state.settled, state.fit
        if document is None or document.image is None or settled is None or fit is None:
            raise ValueError("There is nothing to compare.")
        original, pixels = document.image.pixels, settled.pixels
        if document.is_stack:
            original, pixels = original[state.frame], pixels[state.frame]
        return partial(_figures, document, original, pixels, fit.preview.header.peak, state.nodata)

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
