"""Supplies the bands tab: compares each band of the exact reconstruction with the original's."""

from __future__ import annotations

from pcaimage.gui.session.document import missing_of
from pcaimage.gui.session.feed import Want
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.bands.figures import EMPTY, BandFigures
from pcaimage.gui.tabs.bands.page import BandsPage
from pcaimage.gui.tabs.shared.pages import ExactFeed, Pair
from pcaimage.gui.tabs.shared.tab import tab_of
from pcaimage.insight.bands import BandQuality
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

    @staticmethod
    def _compared(pair: Pair, progress: Progress) -> BandFigures:
        missing, peak = missing_of(pair.original, pair.state.nodata), pair.fit.preview.header.peak
        quality = BandQuality.of(pair.original, pair.reconstruction, peak, missing, progress)
        return BandFigures(pair.document.bands.names, quality)


make = tab_of(BandsPage, BandsFeed)
