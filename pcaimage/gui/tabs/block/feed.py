"""Supplies the block tab: takes apart the sample at a pixel."""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy.typing import NDArray

from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.feed import Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.block.figures import EMPTY, WAITING
from pcaimage.gui.tabs.block.page import BlockPage
from pcaimage.gui.tabs.shared.feeds import PointedFeed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.inspection import Inspection, RenderSettings, SamplePlace, Samples
from pcaimage.progress import Progress


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
        key = fit, place, state.setting, state.shown_by
        display = state.shown_by or document.display
        return Want(key, partial(_inspect, fit, place, state.setting, display, original))


def _inspect(
    fit: Fit,
    place: SamplePlace,
    setting: Setting,
    display: Display,
    original: NDArray[Any] | None,
    progress: Progress,
) -> Inspection:
    step, zone = fit.rounding(setting)
    screen = display.screen_of(fit.preview.header.shape[-1])
    view = RenderSettings(setting.k, setting.left_out, step, zone, display.bands, display.white, screen)
    return Inspection.of(fit.preview, place, view, original, progress)


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = BlockPage()
    page.sampleChanged.connect(lambda region: context.sampleMarked.emit(page, region))
    return Tab(page, (BlockFeed(context.session, page),))
