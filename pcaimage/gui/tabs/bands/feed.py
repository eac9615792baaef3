"""Supplies the bands tab: compares each band of the exact reconstruction with the original's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from numpy.typing import NDArray

from pcaimage.gui.session.document import Document, missing_of
from pcaimage.gui.session.feed import Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.bands.figures import EMPTY, BandFigures
from pcaimage.gui.tabs.bands.page import BandsPage
from pcaimage.gui.tabs.shared.feeds import ExactFeed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.bands import BandNames, BandQuality
from pcaimage.progress import Progress

NO_ORIGINAL = "This file was opened without its original, so the quality of its bands is not known."
WAITING = "The quality of each band appears here as soon as the exact reconstruction is ready."


class BandsFeed(ExactFeed[BandFigures]):
    """Finds the quality of each band of the exact reconstruction."""

    kind = "bands"
    empty, waiting, no_original = EMPTY, WAITING, NO_ORIGINAL

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


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = BandsPage()
    page.requested.connect(context.request)
    return Tab(page, (BandsFeed(context.session, page),))
