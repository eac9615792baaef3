"""Keeps the block inspector supplied."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.block.page import EMPTY, BlockInspector
from pcaimage.gui.tabs.shared.feed import PointedFeed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.inspection import Inspection, RenderSettings
from pcaimage.insight.sample import SamplePlace, Samples

WAITING = "Blocks can be taken apart as soon as all components are there."


class BlockFeed(PointedFeed):
    """Takes the sample at a pixel apart, with the present setting."""

    empty, waiting = EMPTY, WAITING

    def __init__(self, session: Session, inspector: BlockInspector, parent: QObject | None = None) -> None:
        super().__init__(session, "block", inspector, parent)

    def _sample(self, state: SessionState) -> tuple[Fit, SamplePlace] | None:
        document, fit = state.document, state.fit
        if document is None or fit is None or not fit.whole:
            return None
        return fit, Samples.of(fit.preview.header).at(*self._place(document.size), state.frame)

    def _key(self, state: SessionState) -> object | None:
        found = self._sample(state)
        return None if found is None else (*found, state.setting, state.shown_by)

    def _work(self, state: SessionState) -> Work:
        found, document = self._sample(state), state.document
        if found is None or document is None:
            raise ValueError("There is no sample to take apart.")
        fit, place = found
        original = None if document.image is None else document.image.pixels
        if original is not None and document.is_stack:
            original = original[state.frame]
        return partial(_inspect, document, fit, place, state, original)

    def _show(self, result: Any) -> None:
        self._view.set_sample(result)


def _inspect(
    document: Document, fit: Fit, place: SamplePlace, state: SessionState, original: Any, progress: Any
) -> Inspection:
    setting = state.setting
    step, zone = fit.rounding(setting)
    display = state.shown_by or document.display
    screen = display.screen_of(fit.preview.header.shape[-1])
    view = RenderSettings(setting.k, setting.left_out, step, zone, display.bands, display.white, screen)
    return Inspection.of(fit.preview, place, view, original, progress)


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = BlockInspector()
    page.sampleChanged.connect(lambda region: context.sampleMarked.emit(page, region))
    return Tab(page, (BlockFeed(context.session, page, page),))
