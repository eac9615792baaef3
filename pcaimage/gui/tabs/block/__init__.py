"""Supplies the block tab: takes apart the sample at a pixel."""

from __future__ import annotations

from functools import partial

from pcaimage.gui.session.feed import Want
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.block.figures import EMPTY, WAITING
from pcaimage.gui.tabs.block.page import BlockPage
from pcaimage.gui.tabs.shared.pages import PointedFeed
from pcaimage.gui.tabs.shared.tab import tab_of
from pcaimage.insight.inspection import Inspection, RenderSettings, Samples


class BlockFeed(PointedFeed[Inspection]):
    """Takes apart the sample at a pixel, with the present setting."""

    kind = "block"
    empty, waiting = EMPTY, WAITING

    def _want(self, state: SessionState) -> Want[Inspection] | None:
        document, fit = state.document, state.fit
        if document is None or fit is None or not fit.whole:
            return None
        place = Samples.of(fit.preview.header).at(*self._place(document.size), state.frame)
        original = None if document.image is None else document.image.pixels
        if original is not None and document.is_stack:
            original = original[state.frame]
        display, setting = state.shown_by or document.display, state.setting
        screen = display.screen_of(fit.preview.header.shape[-1])
        kept = setting.k, setting.left_out, *fit.rounding(setting)
        view = RenderSettings(*kept, display.bands, display.white, screen)
        key = fit, place, setting, state.shown_by
        return Want(key, partial(Inspection.of, fit.preview, place, view, original))


make = tab_of(BlockPage, BlockFeed)
