"""Keeps the gallery supplied with pictures, and the views with where a component is strong."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from pcaimage.codec import Pictures, Preview, Screen
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.requests import Keep, KeepOnly, LeaveOut, Toggle
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.components.figures import EMPTY, wanted
from pcaimage.gui.tabs.components.page import ComponentGallery
from pcaimage.gui.tabs.shared.feed import Feed
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.components import Overlay, Shares, overlay_of, picture_of
from pcaimage.insight.stack import StackPictures
from pcaimage.progress import Progress

PICTURE_SIDE = 256
"""Enough for the largest tiles on a screen of twice the usual resolution."""
MEAN = 0
"""Stands for the mean image of a stack among the numbers of components."""
_MANY, _FEW = 96, 4
"""Pictures to be made at once: of blocks, and where each needs all of the image."""
FITTING = "Finding the components…"
DECODING = "The components are shown once all of them are decoded."
NOT_FITTED = (
    "There are no components yet: fitting was stopped. Choose a method or block size to fit the image."
)


class Found(NamedTuple):
    """Pictures that were made.

    Parameters
    ----------
    preview : Pictures
        What they were made from.
    display : Display
        How the image is shown.
    pictures : dict
        By component, counted from 1.
    """

    preview: Pictures
    display: Display
    pictures: dict[int, NDArray[np.uint8]]


class GalleryFeed(Feed[Any]):
    """Shows the components at hand, and has the pictures made that are seen.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : ComponentGallery
        Where they are shown.
    """

    def __init__(self, session: Session, widget: ComponentGallery) -> None:
        super().__init__(session, "gallery", widget)
        self._widget = widget
        self._fit: Fit | None = None
        self._display: Display | None = None
        self._trouble = ""
        widget.picturesNeeded.connect(lambda *_: self.refresh())
        for changed in (session.jobs.started, session.jobs.finished):
            changed.connect(self._say_why)
        self._show_state(session.state)

    def _follow(self, state: SessionState, before: SessionState) -> None:
        self._show_state(state)
        super()._follow(state, before)

    def _show_state(self, state: SessionState) -> None:
        fit = state.fit if state.fit is not None and state.fit.whole else None
        # Pictures of scores are grey, whatever is shown of the image.
        display = None if fit is None or fit.preview.sample_size == 1 else state.shown_by
        if fit is not self._fit or display is not self._display:
            self._fit, self._shown, self._trouble = fit, None, ""
            self._display = display
            shares = Shares.of([]) if fit is None else Shares.of(fit.variances, fit.scale, fit.total_variance)
            self._widget.set_components(0 if fit is None else fit.n_components, shares)
        self._widget.set_k(state.setting.k)
        self._widget.set_left_out(state.setting.left_out)
        self._say_why()

    def _say_why(self, _: str = "") -> None:
        self._widget.set_message(self._why_empty(self.session.state))

    def _why_empty(self, state: SessionState) -> str:
        if state.document is None:
            return EMPTY
        if state.fit is not None:
            return self._trouble or DECODING
        return FITTING if self.session.jobs.busy("fit") else NOT_FITTED

    def _key(self, state: SessionState) -> object | None:
        numbers = self._wanted(state)
        return (self._fit, self._display, numbers) if numbers else self._shown

    def _wanted(self, state: SessionState) -> tuple[int, ...]:
        fit = self._fit
        if fit is None or fit is not state.fit:
            return ()
        whole_image = fit.preview.sample_size < 2
        first, last = self._widget.seen
        known = self._widget.model.pictures
        return wanted(known, first, last, fit.n_components, _FEW if whole_image else _MANY)

    def _work(self, state: SessionState) -> Work:
        if self._fit is None or state.document is None:
            raise ValueError("Without components there are no pictures.")
        preview, numbers = self._fit.preview, self._wanted(state)
        if preview.sample_size == 0 and self._widget.mean.picture is None:
            numbers = (MEAN, *numbers)
        display = state.shown_by or state.document.display
        return partial(pictures_of, preview, display, numbers)

    def _show(self, result: Any) -> None:
        found: Found = result
        # Those of components before may come late.
        now = None if self._fit is None else self._fit.preview
        if found.preview is now and self._display in (None, found.display):
            for number, picture in found.pictures.items():
                if number == MEAN:
                    self._widget.set_mean(picture)
                else:
                    self._widget.set_pictures(number, [picture])

    def _clear(self) -> None:
        """Leave it to the state, which is shown before."""

    def _say(self, sentence: str) -> None:
        self._trouble = sentence
        self._widget.set_components(0, Shares.of([]))
        self._say_why()


class OverlayFeed(Feed[Any]):
    """Finds where in the image a component is strong.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    parent : QObject, optional
        The owner.
    """

    overlayReady = Signal(object, str)  # noqa: N815
    """An :class:`~pcaimage.insight.components.Overlay` and what it is, or None and nothing."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, "overlay", parent)
        self._number = 0
        self._active = True

    def set_component(self, number: int) -> None:
        """Show another component.

        Parameters
        ----------
        number : int
            Which one, from 1; 0 for none.
        """
        self._number = number
        self.refresh()

    def _key(self, state: SessionState) -> object | None:
        fit = state.fit
        if fit is None or not fit.whole or not 1 <= self._number <= fit.n_components:
            return None
        return fit, self._number, state.frame

    def _work(self, state: SessionState) -> Work:
        if state.fit is None:
            raise ValueError("Without components there are no overlays.")
        return partial(_overlay, state.fit.preview, self._number, state.frame)

    def _show(self, result: Any) -> None:
        overlay: Overlay = result
        self.overlayReady.emit(overlay, overlay.text)

    def _clear(self) -> None:
        self.overlayReady.emit(None, "")

    def _say(self, sentence: str) -> None:  # noqa: ARG002 - the gallery says what is wrong
        self.overlayReady.emit(None, "")


def pictures_of(preview: Pictures, display: Display, numbers: tuple[int, ...], progress: Progress) -> Found:
    """Make pictures of components.

    Parameters
    ----------
    preview : Pictures
        The image's components.
    display : Display
        How the image is shown.
    numbers : tuple of int
        Which ones, from 1; :data:`MEAN` for the mean of a stack's images.
    progress : Progress
        Asked before each, so that it can be stopped.

    Returns
    -------
    Found
        The pictures.
    """
    screen = display.screen_of(preview.header.shape[-1])
    found: dict[int, NDArray[np.uint8]] = {}
    for done, number in enumerate(numbers):
        progress(done, len(numbers))
        if number == MEAN:
            found[number] = _mean_of(preview, display, screen)
        else:
            found[number] = picture_of(preview, number, PICTURE_SIDE, bands=display.bands, screen=screen)
    return Found(preview, display, found)


def _mean_of(preview: Pictures, display: Display, screen: Screen | None) -> NDArray[np.uint8]:
    if not isinstance(preview, Preview):
        raise TypeError("Only stacks have a mean image.")
    return StackPictures(preview, display.bands, display.white, PICTURE_SIDE, screen).mean


def _overlay(preview: Pictures, number: int, frame: int, progress: Progress) -> Overlay:
    progress(0, 1)
    return overlay_of(preview, number, frame)


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page, overlay = ComponentGallery(), OverlayFeed(context.session, context)
    page.componentsCommitted.connect(lambda k: context.request(Keep(k)))
    page.leftOutRequested.connect(lambda number, out: context.request(Toggle(number, out)))
    page.onlyRequested.connect(lambda number: context.request(KeepOnly(number)))
    page.allRequested.connect(lambda: context.request(LeaveOut(frozenset())))
    page.hovered.connect(overlay.set_component)
    overlay.overlayReady.connect(context.overlayReady)
    # The Tab key enters by the gallery's focus proxy, and would pass over what stands before it.
    return Tab(page, (GalleryFeed(context.session, page),), focus_order=(page.view, page.all_button))
