"""The feed of the table of components."""

from __future__ import annotations

import math
from functools import partial

from pcaimage.codec import Compressed, Preparation
from pcaimage.gui.session.feed import FITTING, Feed, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.tab import tab_of
from pcaimage.gui.tabs.table.page import TablePage
from pcaimage.insight.component_table import ComponentRows, channel_axes, component_rows
from pcaimage.insight.size_breakdown import breakdown_of
from pcaimage.progress import Progress

EMPTY = "Every component is listed here once the components of an image are found."
DECODING = "The components are listed once all of them are decoded."


class TableFeed(Feed[TablePage, ComponentRows]):
    """Finds the figures of every component, and shows which are kept."""

    kind = "table"

    def __init__(self, session: Session, page: TablePage) -> None:
        super().__init__(session, page)
        self._show_state(session.state)

    def _show_state(self, state: SessionState) -> None:
        self._page.set_k(state.setting.k, state.setting.left_out)
        whole = state.fit is not None and state.fit.whole
        self._page.set_message(self._why_empty(state, EMPTY, FITTING if whole else DECODING))

    def _want(self, state: SessionState) -> Want[ComponentRows] | None:
        if state.fit is None or not state.fit.whole:
            return None
        measured = state.current(state.measured)
        compressed = None if measured is None else measured.compressed
        return Want((state.fit, compressed), partial(rows_of, state.fit, compressed))

    def _show(self, result: ComponentRows) -> None:
        setting, fit = self.session.state.setting, self.session.state.fit
        present = None if fit is None else fit.n_components
        self._page.set_rows(result.kept(setting.k, setting.left_out), present)

    def _clear(self) -> None:
        self._page.set_rows(None)

    def _say(self, sentence: str) -> None:
        self._page.set_rows(None)
        self._page.set_message(sentence)


def rows_of(fit: Fit, compressed: Compressed | None, progress: Progress) -> ComponentRows:
    """Find the figures of every component.

    Without a compressed file, the bytes of components are not known; of a file without its original, the
    quality is known where the file tells enough.
    """
    progress(0, 1)  # lets the work be stopped before it begins
    header, total = fit.preview.header, None
    axes = channel_axes(header)
    if fit.file is not None:
        compressed = fit.file.compressed
        plain = fit.choice.prepared is Preparation.NONE
        whole = compressed.spectrum.size >= fit.n_components and plain
        total = None if whole else math.nan
    return component_rows(
        fit.variances if fit.analysis is None else fit.analysis,
        header,
        total=total,
        axes=None if axes is None else axes[: len(fit.variances)],
        of_components=None if compressed is None else breakdown_of(compressed).of_components,
        prepared=fit.choice.prepared,
    )


make = tab_of(TablePage, TableFeed)
