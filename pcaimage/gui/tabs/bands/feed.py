"""The feed of the bands tab: compares each band of the exact reconstruction with the original's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject

from pcaimage.gui.session.document import Document, missing_of
from pcaimage.gui.session.feed import ExactFeed, ExactPage, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.bands.figures import EMPTY, BandFigures
from pcaimage.insight.band_names import BandNames
from pcaimage.insight.bands import BandQuality
from pcaimage.progress import Progress

NO_ORIGINAL = "This file was opened without its original, so the quality of its bands is not known."
WAITING = "The quality of each band appears here as soon as the exact reconstruction is ready."


class BandsFeed(ExactFeed[BandFigures]):
    """Finds the quality of each band of the exact reconstruction."""

    empty, waiting, no_original = EMPTY, WAITING, NO_ORIGINAL

    def __init__(self, session: Session, page: ExactPage[BandFigures], parent: QObject | None = None) -> None:
        super().__init__(session, "bands", page, parent)

    def _want(self, state: SessionState) -> Want[BandFigures] | None:
        many = state.document is not None and state.document.many_bands
        return super()._want(state) if many else None

    def _comparison(
        self,
        state: SessionState,
        document: Document,
        fit: Fit,
        original: NDArray[Any],
        reconstruction: NDArray[Any],
    ) -> Callable[[Progress], BandFigures]:
        names, peak = document.bands.names, fit.preview.header.peak
        return partial(_figures, names, original, reconstruction, peak, state.nodata)


def _figures(
    names: BandNames,
    original: NDArray[Any],
    reconstruction: NDArray[Any],
    peak: float,
    nodata: float | None,
    progress: Progress,
) -> BandFigures:
    missing = missing_of(original, nodata)
    return BandFigures(names, BandQuality.of(original, reconstruction, peak, missing, progress))
