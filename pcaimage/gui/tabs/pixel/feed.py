"""Keeps the pixel tab supplied."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from pcaimage.gui.session.choice import FROM_FILE, NoData
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.pixel.page import EMPTY, PixelView
from pcaimage.gui.tabs.shared.feed import PointedFeed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.pixel_spectrum import PixelSpectrum, UsualSpectrum, reconstruct_pixel
from pcaimage.progress import Progress

WAITING = "The spectrum appears here as soon as the exact reconstruction is there."


class Found(NamedTuple):
    """What is shown of a pixel.

    Parameters
    ----------
    usual : UsualSpectrum
        What the image's spectra are like.
    pixel : PixelSpectrum
        The pixel's.
    """

    usual: UsualSpectrum
    pixel: PixelSpectrum


class PixelFeed(PointedFeed):
    """Finds the spectrum of a pixel, with the present setting."""

    empty, waiting = EMPTY, WAITING

    def __init__(self, session: Session, view: PixelView, parent: QObject | None = None) -> None:
        super().__init__(session, "pixel", view, parent)
        self._usual: UsualSpectrum | None = None
        """Of what is open; found once."""
        self._without: NoData = FROM_FILE
        """What does not count in it."""

    def _key(self, state: SessionState) -> object | None:
        document = state.document
        if document is None or not document.many_bands:
            return None
        settled = _exact_pixels(state)
        if document.image is None and settled is None:
            return None
        place, exact = self._place(document.size), settled is not None
        return document, state.fit, state.setting, state.frame, place, exact, state.choice.nodata

    def _work(self, state: SessionState) -> Work:
        if state.document is None:
            raise ValueError("There is no pixel to look at.")
        if state.choice.nodata != self._without:
            self._without, self._usual = state.choice.nodata, None
        return partial(_find, state, self._place(state.document.size), self._usual)

    def _show(self, result: Any) -> None:
        found: Found = result
        document = self.session.state.document
        if document is not None:
            self._usual = found.usual
            self._view.set_spectra(document.bands.names, found.usual, found.pixel)

    def _forget(self, state: SessionState) -> None:
        if state.document is not self._of:
            self._usual = None
        super()._forget(state)


def _exact_pixels(state: SessionState) -> NDArray[Any] | None:
    settled = state.settled
    return None if settled is None or settled.setting != state.setting else settled.pixels


def _find(state: SessionState, at: tuple[int, int], usual: UsualSpectrum | None, progress: Progress) -> Found:
    progress(0, 1)
    document, settled = state.document, _exact_pixels(state)
    if document is None:
        raise ValueError("There is no pixel to look at.")
    image = document.image
    if usual is None:
        source = settled if image is None else image.pixels
        if source is None:
            raise ValueError("There are no pixels yet.")
        usual = UsualSpectrum.of(source, state.nodata)
    before = None if image is None else _at(image.pixels, at, state.frame)
    after = None if settled is None else _at(settled, at, state.frame)
    exact = after is not None
    fit = state.fit
    if after is None and before is not None and fit is not None and fit.whole and not document.is_stack:
        after = reconstruct_pixel(fit.preview, at, before, state.setting.k, state.setting.left_out)
    return Found(usual, PixelSpectrum(*at, before, after, exact))


def _at(pixels: NDArray[Any], at: tuple[int, int], frame: int) -> NDArray[np.float64]:
    shown = pixels[frame] if pixels.ndim == 4 else pixels
    result: NDArray[np.float64] = shown[at[1], at[0]].astype(np.float64)
    return result


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = PixelView()
    page.sampleChanged.connect(lambda region: context.sampleMarked.emit(page, region))
    return Tab(page, (PixelFeed(context.session, page, page),))
