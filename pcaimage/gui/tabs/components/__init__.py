"""Supplies the gallery with pictures of components, and the views with where a component is strong."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal

from pcaimage.codec import Pictures, Preview, Screen
from pcaimage.gui.session.display import MANY, Display
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.feed import Feed, Idle, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.components.figures import EMPTY, wanted
from pcaimage.gui.tabs.components.page import ComponentsPage
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.bands import BandNames
from pcaimage.insight.components import Overlay, Shares, overlay_of, picture_of
from pcaimage.insight.stack import StackPictures
from pcaimage.progress import Progress

PICTURE_SIDE = 256
"""Pixels along a side: enough for the largest tiles on a screen of twice the usual resolution."""
MEAN = 0  # stands for the mean image of a stack among the numbers of components
_MANY, _FEW = 96, 4  # pictures to be made at once: of blocks, and where each needs all of the image
_DECODING = "The components are shown once all of them are decoded."


class ComponentPictures(NamedTuple):
    """Pictures of some components by number, :data:`MEAN` included, and what they were made from."""

    fit: Fit
    display: Display | None  # the map from bands to colours; None where pictures are grey
    pictures: dict[int, NDArray[np.uint8]]


class ComponentsFeed(Feed[ComponentsPage, ComponentPictures]):
    """Shows the components of the present fit, and makes the pictures that are seen."""

    kind = "gallery"

    def __init__(self, session: Session, page: ComponentsPage) -> None:
        super().__init__(session, page)
        self._fit: Fit | None = None
        self._display: Display | None = None
        self._failure = ""
        page.picturesNeeded.connect(self.refresh)
        self._show_state(session.state)

    def _show_state(self, state: SessionState) -> None:
        fit = state.fit if state.fit is not None and state.fit.whole else None
        # Pictures of scores are grey, whichever channels are shown.
        display = None if fit is None or fit.preview.sample_size == 1 else state.shown_by
        if fit is not self._fit or display is not self._display:
            self._fit, self._shown, self._failure = fit, None, ""
            self._display = display
            shares = Shares.of([]) if fit is None else Shares.of(fit.variances, fit.scale, fit.total_variance)
            self._page.set_components(0 if fit is None else fit.n_components, shares)
        self._page.scored = fit is not None and fit.has_score_images
        self._page.set_k(state.setting.k)
        self._page.set_left_out(state.setting.left_out)
        self._explain()

    def _explain(self) -> None:
        self._page.set_message(self._why_empty(self.session.state, EMPTY, self._failure or _DECODING))

    def _want(self, state: SessionState) -> Want[ComponentPictures] | Idle | None:
        fit, document, shown = self._fit, state.document, self._display
        if fit is None or document is None or fit is not state.fit:
            return None
        most = _FEW if fit.preview.sample_size < 2 else _MANY
        numbers = wanted(self._page.model.pictures, *self._page.seen, fit.n_components, most)
        if not numbers:
            return Idle.KEEP
        key = fit, shown, numbers
        if fit.preview.sample_size == 0 and self._page.mean.picture is None:
            numbers = (MEAN, *numbers)
        return Want(key, partial(_pictures, fit, shown, document.display, numbers))

    def _show(self, result: ComponentPictures) -> None:
        if result.fit is not self._fit or result.display != self._display:
            return  # a stale result
        for number, picture in result.pictures.items():
            if number == MEAN:
                self._page.mean.set_picture(picture)
            else:
                self._page.set_picture(number, picture)

    def _clear(self) -> None:
        """Do nothing: showing the state has cleared the page."""

    def _say(self, sentence: str) -> None:
        self._failure = sentence
        self._page.set_components(0, Shares.of([]))
        self._explain()


class Strength(NamedTuple):
    """Where in the image a component is strong, and its loadings of each band, shape (C,); none of shapes."""

    number: int
    overlay: Overlay | None
    loadings: NDArray[np.float32]
    names: BandNames


class OverlayFeed(Feed[ComponentsPage, Strength]):
    """Finds where in the image a component is strong, and in which bands."""

    kind = "overlay"
    overlayReady = Signal(object, str)  # noqa: N815
    """An :class:`~pcaimage.insight.components.Overlay` and its caption, or None and nothing."""

    def __init__(self, session: Session, page: ComponentsPage) -> None:
        super().__init__(session, page)
        self._number = 0
        self._laid = False
        self._active = True
        page.hovered.connect(self.set_component)

    def set_component(self, number: int) -> None:
        """Show another component, counted from 1; 0 for none."""
        self._number = number
        if not number:
            self._clear()
        self.refresh()

    def _want(self, state: SessionState) -> Want[Strength] | Idle | None:
        fit, document, number = state.fit, state.document, self._number
        if fit is None or document is None or not fit.whole or number > fit.n_components:
            return None
        if not number and not _has_loadings(fit):
            return None
        return Want((fit, number, state.frame), partial(_strength, fit, document, number, state.frame))

    def _show(self, result: Strength) -> None:
        self._page.show_loading(max(result.number, 1), result.loadings, result.names)
        self._lay(result.overlay)

    def _lay(self, overlay: Overlay | None) -> None:
        """Lay an overlay over the image, or take the own one away; another tab may have laid one since."""
        if overlay is not None or self._laid:
            self._laid = overlay is not None
            self.overlayReady.emit(overlay, "" if overlay is None else overlay.text)

    def _clear(self) -> None:
        self._lay(None)


def _has_loadings(fit: Fit) -> bool:
    """Return whether components are spectra of many bands."""
    return fit.preview.sample_size == 1 and fit.preview.header.shape[-1] >= MANY


def _strength(fit: Fit, document: Document, number: int, frame: int, _progress: Progress) -> Strength:
    """Find where a component, from 1, is strong, and its loadings; of component 1 where it is 0."""
    preview, loadings = fit.preview, np.zeros(0, np.float32)
    if _has_loadings(fit):
        loadings = preview.component_picture(max(number, 1)).reshape(-1)
    overlay = overlay_of(preview, number, frame) if number else None
    return Strength(number, overlay, loadings, document.bands.names)


def _pictures(
    fit: Fit, shown: Display | None, usual: Display, numbers: tuple[int, ...], progress: Progress
) -> ComponentPictures:
    display, preview = shown or usual, fit.preview
    screen = display.screen_of(preview.header.shape[-1])
    found: dict[int, NDArray[np.uint8]] = {}
    for done, number in enumerate(numbers):
        progress(done, len(numbers))
        if number == MEAN:
            found[number] = _mean_of(preview, display, screen)
        else:
            found[number] = picture_of(preview, number, PICTURE_SIDE, bands=display.bands, screen=screen)
    return ComponentPictures(fit, shown, found)


def _mean_of(preview: Pictures, display: Display, screen: Screen | None) -> NDArray[np.uint8]:
    if not isinstance(preview, Preview):
        raise TypeError("Only stacks have a mean image.")
    return StackPictures(preview, display.bands, display.white, PICTURE_SIDE, screen).mean


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = ComponentsPage()
    page.requested.connect(context.request)
    OverlayFeed(context.session, page).overlayReady.connect(context.overlayReady)
    # The Tab key enters at the page's focus proxy, and would skip widgets before it.
    return Tab(page, (ComponentsFeed(context.session, page),), focus_order=(page.view, page.all_button))
