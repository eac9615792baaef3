"""Feeds the tab of the spectrum."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from PySide6.QtCore import QObject

from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.spectrum.figures import SpectrumData
from pcaimage.insight.components import ColourAxes


class SpectrumView(Protocol):
    """Shows a spectrum, and which of its components are kept."""

    def set_spectrum(self, data: SpectrumData) -> None:
        """Show another spectrum."""

    def set_k(self, k: int) -> None:
        """Show how many components are kept."""

    def set_left_out(self, left_out: Collection[int]) -> None:
        """Show which components are left out."""


class SpectrumFeed(QObject):
    """Shows the spectrum of the present components, and k, at once: they need no background job."""

    def __init__(self, session: Session, view: SpectrumView, parent: QObject) -> None:
        super().__init__(parent)
        self._view = view
        session.afterwards.watch("fit").connect(self._show_spectrum)
        session.afterwards.watch("setting").connect(self._show_kept)
        self._show_spectrum(session.state)

    def _show_spectrum(self, state: SessionState) -> None:
        fit = state.fit
        if fit is None or not fit.whole:
            self._view.set_spectrum(SpectrumData.of([], 0))
        else:
            axes = ColourAxes.of(fit.preview.header, len(fit.variances))
            groups, names = (None, ()) if axes is None else (axes.groups, axes.names)
            self._view.set_spectrum(
                SpectrumData.of(
                    fit.variances,
                    fit.n_components,
                    groups,
                    names,
                    scale=fit.scale,
                    total=fit.total_variance,
                )
            )
        self._show_kept(state)

    def _show_kept(self, state: SessionState) -> None:
        if state.setting.k and state.fit is not None:
            # A lossless file also stores the residual.
            self._view.set_k(state.fit.n_components if state.lossless else state.setting.k)
            self._view.set_left_out(state.setting.left_out)
