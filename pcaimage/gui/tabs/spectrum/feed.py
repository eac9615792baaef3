"""Shows the spectrum of the components at hand, and k."""

from __future__ import annotations

from pcaimage.gui.session.requests import Keep
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.gui.tabs.spectrum.page import SpectrumPlot
from pcaimage.insight.components import ColourAxes


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page, session = SpectrumPlot(), context.session
    page.componentsRequested.connect(lambda k: context.request(Keep(k, final=False)))
    page.componentsCommitted.connect(lambda k: context.request(Keep(k)))

    def follow(state: SessionState, before: SessionState) -> None:
        if state.fit is not before.fit:
            _show_spectrum(page, state)
        elif state.setting is not before.setting:
            _show_kept(page, state)

    session.afterwards.stateChanged.connect(follow)
    _show_spectrum(page, session.state)
    return Tab(page)


def _show_spectrum(page: SpectrumPlot, state: SessionState) -> None:
    fit = state.fit
    if fit is None or not fit.whole:
        page.set_spectrum([], 0)
    else:
        axes = ColourAxes.of(fit.preview.header, len(fit.variances))
        groups, names = (None, ()) if axes is None else (axes.groups, axes.names)
        page.set_spectrum(fit.variances, fit.n_components, groups, names, fit.scale, total=fit.total_variance)
    _show_kept(page, state)


def _show_kept(page: SpectrumPlot, state: SessionState) -> None:
    if state.setting.k and state.fit is not None:
        page.set_k(state.setting.k)
        page.set_left_out(state.setting.left_out)
