"""Supplies the tab of the spectrum."""

from __future__ import annotations

from PySide6.QtCore import QObject

from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.gui.tabs.spectrum.figures import SpectrumData
from pcaimage.gui.tabs.spectrum.page import SpectrumPage
from pcaimage.insight.components import ColourAxes


class SpectrumFeed(QObject):
    """Shows the spectrum of the present components, and k, at once: they need no background job."""

    def __init__(self, session: Session, page: SpectrumPage) -> None:
        super().__init__(page)
        self._page = page
        session.afterwards.watch("fit").connect(self._show_spectrum)
        session.afterwards.watch("setting", "moving").connect(self._show_kept)
        self._show_spectrum(session.state)

    def _show_spectrum(self, state: SessionState) -> None:
        fit = state.fit
        if fit is None or not fit.whole:
            self._page.set_spectrum(SpectrumData.of([], 0))
        else:
            axes = ColourAxes.of(fit.preview.header, len(fit.variances))
            groups, names = (None, ()) if axes is None else (axes.groups, axes.names)
            self._page.set_spectrum(
                SpectrumData.of(
                    fit.variances, fit.n_components, groups, names, scale=fit.scale, total=fit.total_variance
                )
            )
        self._show_kept(state)

    def _show_kept(self, state: SessionState) -> None:
        seen = self._page.isVisible() or not state.moving
        if seen and state.setting.k and state.fit is not None:
            # A lossless file also stores the residual.
            self._page.set_k(state.fit.n_components if state.lossless else state.setting.k)
            self._page.set_left_out(state.setting.left_out)


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = SpectrumPage()
    page.requested.connect(context.request)
    SpectrumFeed(context.session, page)
    return Tab(page)
