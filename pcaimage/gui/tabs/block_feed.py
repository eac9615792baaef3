"""Keeps the block inspector supplied."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from pcaimage.codec.coding.rounding import dead_zone
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.job import Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.block import EMPTY, BlockInspector
from pcaimage.gui.tabs.feed import Feed
from pcaimage.insight.inspection import Inspection, View
from pcaimage.insight.sample import Place, Samples

WAITING = "Blocks can be taken apart as soon as all components are there."


class BlockFeed(Feed):
    """Takes the sample at a pixel apart, with the present setting.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    inspector : BlockInspector
        What shows it, and says which pixel.
    parent : QObject, optional
        The owner.
    """

    def __init__(self, session: Session, inspector: BlockInspector, parent: QObject | None = None) -> None:
        super().__init__(session, "block", parent)
        self._inspector = inspector
        self._target: tuple[int, int] | None = None
        self._of: Document | None = None
        """What the target is a pixel of."""
        inspector.targetChanged.connect(self._aim)

    def refresh(self) -> None:
        """Have the sample taken apart that is asked for now, after the one under way.

        Else a hand that never rests would never see one.
        """
        under_way = self._asked is not None and self.session.jobs.busy(self.kind)
        if not under_way or self._key(self.session.state) is None:
            super().refresh()

    def _aim(self, x: int, y: int) -> None:
        self._target = (x, y)
        self.refresh()

    def _place(self, state: SessionState) -> tuple[Fit, Place] | None:
        document, fit = state.document, state.fit
        if document is None or fit is None or not fit.whole:
            return None
        width, height = document.size
        x, y = self._target or (width // 2, height // 2)
        return fit, Samples.of(fit.preview.header).at(x, y, state.frame)

    def _key(self, state: SessionState) -> object | None:
        found = self._place(state)
        return None if found is None else (*found, state.setting, state.shown_by)

    def _work(self, state: SessionState) -> Work:
        found, document = self._place(state), state.document
        if found is None or document is None:
            raise ValueError("There is no sample to take apart.")
        fit, place = found
        original = None if document.image is None else document.image.pixels
        if original is not None and document.is_stack:
            original = original[state.frame]
        return partial(_inspect, document, fit, place, state, original)

    def _show(self, result: Any) -> None:
        self._inspector.set_sample(result)

    def _forget(self, state: SessionState) -> None:
        if state.document is not self._of:
            self._of, self._target = state.document, None
            self._inspector.set_pinned(False)
        super()._forget(state)
        self._clear()

    def _clear(self) -> None:
        self._inspector.say(EMPTY if self.session.state.document is None else WAITING)

    def _say(self, sentence: str) -> None:
        self._shown = None
        self._inspector.say(sentence)


def _inspect(
    document: Document, fit: Fit, place: Place, state: SessionState, original: Any, progress: Any
) -> Inspection:
    setting, step, zone = state.setting, None, 0.0
    if fit.analysis is not None:  # the scores of a file are rounded already
        step = float(fit.step(setting.k, setting.chosen_step))
        zone = dead_zone(step, fit.analysis.finest_step)
    display = state.shown_by or document.display
    screen = display.screen_of(fit.preview.header.shape[-1])
    view = View(setting.k, setting.left_out, step, zone, display.bands, display.white, screen)
    return Inspection.of(fit.preview, place, view, original, progress)
