"""Keeps the table of components supplied."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from pcaimage.codec import Compressed, Preparation
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.requests import ExportTable, Keep
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.feed import Feed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.gui.tabs.table.page import EMPTY, ComponentTable
from pcaimage.insight.component_table import ComponentRows, channel_axes, component_rows
from pcaimage.insight.size_breakdown import breakdown_of
from pcaimage.progress import Progress

FITTING = "Finding the components…"
DECODING = "The components are listed once all of them are decoded."
NOT_FITTED = (
    "There are no components yet: fitting was stopped. Choose a method or block size to fit the image."
)


class TableFeed(Feed[Any]):
    """Finds the table's figures.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : ComponentTable
        Where they are shown.
    """

    def __init__(self, session: Session, widget: ComponentTable) -> None:
        super().__init__(session, "table", widget)
        self._widget = widget
        self._show_setting(session.state)

    def _follow(self, state: SessionState, before: SessionState) -> None:
        super()._follow(state, before)
        self._show_setting(state)

    def _show_setting(self, state: SessionState) -> None:
        self._widget.set_k(state.setting.k, state.setting.left_out)
        self._widget.set_message(self._why_empty(state))

    def _why_empty(self, state: SessionState) -> str:
        if state.document is None:
            return EMPTY
        if state.fit is not None and not state.fit.whole:
            return DECODING
        return FITTING if state.fit is not None or self.session.jobs.busy("fit") else NOT_FITTED

    def _key(self, state: SessionState) -> object | None:
        if state.fit is None or not state.fit.whole:
            return None
        return state.fit, _measured(state)

    def _work(self, state: SessionState) -> Work:
        if state.fit is None:
            raise ValueError("Without components there is no table.")
        return partial(rows_of, state.fit, _measured(state))

    def _show(self, result: Any) -> None:
        rows: ComponentRows = result
        setting, fit = self.session.state.setting, self.session.state.fit
        present = None if fit is None else fit.n_components
        self._widget.set_rows(rows.kept(setting.k, setting.left_out), present)

    def _clear(self) -> None:
        self._widget.set_rows(None)

    def _say(self, sentence: str) -> None:
        self._widget.set_rows(None)
        self._widget.set_message(sentence)


def _measured(state: SessionState) -> Compressed | None:
    """Return the file of the present setting, where it was made."""
    measured = state.measured
    return measured.compressed if measured is not None and measured.setting == state.setting else None


def rows_of(fit: Fit, compressed: Compressed | None, progress: Progress) -> ComponentRows:
    """Find the figures of every component.

    Parameters
    ----------
    fit : Fit
        The components, all of them.
    compressed : Compressed or None
        The file, where it is known.
    progress : Progress
        Asked before the work, so that it can be stopped.

    Returns
    -------
    ComponentRows
        Of a file without its original, quality where the file tells enough.
    """
    progress(0, 1)
    header, total = fit.preview.header, None
    axes = channel_axes(header)
    if fit.file is not None:
        compressed = fit.file.compressed
        plain = fit.choice.prepared is Preparation.NONE
        whole = compressed.spectrum.size >= fit.n_components and plain
        total = None if whole else math.nan
    measured = None if compressed is None else breakdown_of(compressed).of_components
    return component_rows(
        fit.variances if fit.analysis is None else fit.analysis,
        header,
        total=total,
        axes=None if axes is None else axes[: len(fit.variances)],
        of_components=measured,
        prepared=fit.choice.prepared,
    )


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = ComponentTable()
    page.componentsCommitted.connect(lambda k: context.request(Keep(k)))
    page.exportRequested.connect(lambda: context.request(ExportTable()))
    return Tab(page, (TableFeed(context.session, page),))
