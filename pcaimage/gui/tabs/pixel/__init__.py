"""Supplies the pixel tab: the spectra of a pixel and of regions, before and after, and the scores of all."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.session.choice import FROM_FILE, NoData
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.feed import Feed, Idle, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.pixel.page import EMPTY, PixelFigures, PixelPage
from pcaimage.gui.tabs.shared.pages import PointedFeed
from pcaimage.gui.tabs.shared.stack import exact_pixels
from pcaimage.gui.tabs.shared.tab import tab_of
from pcaimage.insight.bands import PixelSpectrum, UsualSpectrum, reconstruct_pixel
from pcaimage.insight.classes import Agreement
from pcaimage.insight.components import Shares
from pcaimage.insight.regions import Mask, PixelScatter, RegionSpectra
from pcaimage.progress import Progress

WAITING = "The spectrum appears here as soon as the exact reconstruction is ready."


class PixelFeed(PointedFeed[PixelFigures]):
    """Finds the spectrum of a pixel, with the present setting."""

    kind = "pixel"
    empty, waiting = EMPTY, WAITING

    def __init__(self, session: Session, page: PixelPage) -> None:
        super().__init__(session, page)
        self._usual: UsualSpectrum | None = None
        """Mean and deviation of the document's spectra; found once."""
        self._without: NoData = FROM_FILE

    def _want(self, state: SessionState) -> Want[PixelFigures] | None:
        document = state.document
        if document is None or not document.many_bands:
            return None
        exact = exact_pixels(state)
        source = exact if document.image is None else document.image.pixels
        if source is None or (exact is None and state.bounded):
            return None  # without the corrections, errors would be larger than those of the file
        place, nodata = self._place(document.size), state.choice.nodata
        usual = self._usual if nodata == self._without else None
        key = document, state.fit, state.setting, state.frame, place, exact is not None, nodata
        return Want(key, partial(_find, state, document, place, source, exact, usual))

    def _show(self, result: PixelFigures) -> None:
        self._usual, self._without = result.usual, result.without
        super()._show(result)

    def _forget(self, state: SessionState) -> None:
        if state.document is not self._of:
            self._usual = None
        super()._forget(state)


class ScatterFeed(Feed[PixelPage, PixelScatter]):
    """Finds the scores of all pixels on the components that are chosen."""

    kind = "pixel scatter"

    def __init__(self, session: Session, page: PixelPage) -> None:
        super().__init__(session, page)
        self._fit: Fit | None = None
        """The fit whose components are offered."""
        page.axes.changed.connect(self.refresh)
        page.set_scatter(None)

    def _show_state(self, state: SessionState) -> None:
        fit = state.fit if state.fit is not None and state.fit.whole else None
        if fit is not self._fit and fit is not None:
            self._page.axes.set_components(fit.n_components)
        self._fit = fit

    def _want(self, state: SessionState) -> Want[PixelScatter] | None:
        fit, axes = state.fit, self._page.axes.chosen
        if fit is None or not fit.has_score_images:
            return None
        return Want((fit, axes), lambda _: PixelScatter.of(fit.preview, *axes))

    def _show(self, result: PixelScatter) -> None:
        if self._fit is not None:
            shares = Shares.of(self._fit.variances, self._fit.scale, self._fit.total_variance)
            across, up = (f"c{n} · {shares.share(n)}" for n in (result.across, result.up))
            self._page.set_scatter(result, (across, up))

    def _clear(self) -> None:
        self._page.set_scatter(None)


class RegionsFeed(Feed[PixelPage, tuple[RegionSpectra | None, ...]]):
    """Finds the spectra of all regions, before and after."""

    kind = "regions"
    finishes, patient = True, False

    def __init__(self, session: Session, page: PixelPage) -> None:
        super().__init__(session, page)
        self._document: Document | None = None
        page.regionsChanged.connect(self.refresh)

    def _show_state(self, state: SessionState) -> None:
        if state.document is not self._document:
            self._document = state.document
            if state.document is not None:
                self._page.set_image(state.document.size[::-1])

    def _want(self, state: SessionState) -> Want[tuple[RegionSpectra | None, ...]] | None:
        document, exact, masks = state.document, exact_pixels(state), self._page.masks
        pixels = exact if document is None or document.image is None else document.image.pixels
        if document is not self._document or pixels is None or not masks:
            return None
        images = _frame(pixels, state.frame), None if exact is None else _frame(exact, state.frame)
        key = document, state.setting, state.frame, exact is not None, self._page.generation
        return Want(key, partial(_spectra, images, masks, state.nodata))

    def _show(self, result: tuple[RegionSpectra | None, ...]) -> None:
        self._page.set_spectra(result)

    def _clear(self) -> None:
        self._page.set_spectra(())


class ClassesFeed(Feed[PixelPage, Agreement]):
    """Classifies the pixels of the original and of the exact reconstruction."""

    kind = "classes"

    def __init__(self, session: Session, page: PixelPage) -> None:
        super().__init__(session, page)
        page.classesChanged.connect(self.refresh)

    def _want(self, state: SessionState) -> Want[Agreement] | Idle | None:
        document, exact, how = state.document, exact_pixels(state), self._page.classification
        if document is None or document.image is None or how is None:
            return None
        if exact is None:
            return Idle.KEEP
        images = _frame(document.image.pixels, state.frame), _frame(exact, state.frame)
        key = document, state.setting, state.frame, how, state.nodata
        return Want(key, partial(how.compare, *images, state.nodata))

    def _show(self, result: Agreement) -> None:
        self._page.set_agreement(result)

    def _clear(self) -> None:
        self._page.set_agreement(None)


def _spectra(
    images: tuple[Any, Any], masks: tuple[Mask, ...], nodata: float | None, _progress: Progress
) -> tuple[RegionSpectra | None, ...]:
    before, after = images
    return tuple(RegionSpectra.of(before, mask, after, nodata) for mask in masks)


def _find(
    state: SessionState,
    document: Document,
    place: tuple[int, int],
    source: NDArray[Any],
    exact: NDArray[Any] | None,
    usual: UsualSpectrum | None,
    _progress: Progress,
) -> PixelFigures:
    """Find the spectra; `usual` is found of `source` unless it is known."""
    fit, setting, image = state.fit, state.setting, document.image
    usual = usual or UsualSpectrum.of(source, state.nodata)
    before, after = (
        None if each is None else _frame(each, state.frame)[place[1], place[0]].astype(np.float64)
        for each in (None if image is None else image.pixels, exact)
    )
    if after is None and before is not None and fit is not None and fit.whole and not document.is_stack:
        after = reconstruct_pixel(fit.preview, place, before, setting.k, setting.left_out)
    pixel = PixelSpectrum(*place, before, after, exact is not None)
    return PixelFigures(document.bands.names, usual, pixel, state.choice.nodata)


def _frame(pixels: NDArray[Any], frame: int) -> NDArray[Any]:
    """Return an image, or one of a stack."""
    return pixels[frame] if pixels.ndim == 4 else pixels


make = tab_of(PixelPage, PixelFeed, ScatterFeed, RegionsFeed, ClassesFeed)
