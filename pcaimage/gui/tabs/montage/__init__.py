"""Supplies the montage with errors of all images, and with pictures of those that are seen."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.feed import Idle, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.montage.figures import EMPTY, wanted
from pcaimage.gui.tabs.montage.page import MontagePage
from pcaimage.gui.tabs.shared.stack import StackFeed, StackTools, StackToolsCache, Stamp, exact_pixels
from pcaimage.gui.tabs.shared.tab import tab_of
from pcaimage.insight.stack import Order, ordered
from pcaimage.progress import Progress

_AT_ONCE = 64  # pictures to be made at once: a page, in a few hundredths of a second


class ImageErrors(NamedTuple):
    """The error of each image."""

    fit: Fit
    rms: NDArray[np.float32] | None  # RMS errors in levels; None without originals
    order: NDArray[np.intp] | None  # the images in the chosen order; None while k is being dragged
    exact: bool


class MontagePictures(NamedTuple):
    """Pictures that were made, by image."""

    stamp: Stamp
    originals: dict[int, NDArray[np.uint8]]
    reconstructions: dict[int, NDArray[np.uint8]]


class MontageErrorsFeed(StackFeed[MontagePage, ImageErrors]):
    """Finds the errors of all images, and sorts the images once k is no longer being dragged."""

    kind = "image errors"

    def __init__(self, session: Session, page: MontagePage, cache: StackToolsCache) -> None:
        super().__init__(session, page, cache)
        page.orderChanged.connect(self.refresh)

    def _want(self, state: SessionState) -> Want[ImageErrors] | Idle | None:
        tools = self._cache.get(state)
        if tools is None:
            return None
        exact, by = exact_pixels(state), None if state.moving else self._page.by
        key = tools.fit, state.setting, exact is not None, self._page.by, state.moving
        return Want(key, partial(_errors, tools, state.setting, exact, by))

    def _show(self, result: ImageErrors) -> None:
        fit = result.fit
        if fit is self.session.state.fit and len(self._page.model.order) == fit.preview.header.shape[0]:
            self._page.set_errors(result.rms, result.order, exact=result.exact)


class MontageFeed(StackFeed[MontagePage, MontagePictures]):
    """Shows a stack in the montage, and makes the pictures that are seen."""

    kind = "montage"

    def __init__(self, session: Session, page: MontagePage, cache: StackToolsCache) -> None:
        super().__init__(session, page, cache)
        self._listed: Fit | None = None
        """The fit of the stack that is listed."""
        self._stamp: Stamp | None = None
        self._fresh: set[int] = set()
        """Images whose reconstructions are those of the stamp."""
        self._display: Display | None = None
        self._originals: set[int] = set()
        """Images whose originals are there, in the colours of the display."""
        page.picturesNeeded.connect(self.refresh)
        self._show_state(session.state)

    def _show_state(self, state: SessionState) -> None:
        tools, document = self._cache.get(state), state.document
        fit = None if tools is None else tools.fit
        if fit is not self._listed:
            self._listed, self._stamp, self._display = fit, None, None
            self._fresh.clear()
            self._originals.clear()
            header = None if fit is None else fit.preview.header
            self._page.set_stack(
                0 if header is None else header.shape[0],
                None if document is None else document.labels,
                peak=255 if header is None else header.peak,
                paired=document is None or document.image is not None,
            )
        self._page.set_frame(state.frame)
        self._page.set_message(self._why_empty(state, EMPTY, EMPTY))

    def _want(self, state: SessionState) -> Want[MontagePictures] | Idle | None:
        tools = self._cache.get(state)
        if tools is None:
            return None
        stamp = Stamp.of(tools, state)
        if stamp != self._stamp:
            self._stamp = stamp
            self._fresh.clear()
        if stamp.display != self._display:
            self._display = stamp.display
            self._originals.clear()
        numbers = wanted(self._page.model.order, *self._page.view.seen, self._fresh, _AT_ONCE)
        if not numbers:
            return Idle.KEEP
        bare = [number for number in numbers if number not in self._originals]
        work = partial(_pictures, tools, stamp, list(numbers), bare, exact_pixels(state))
        return Want((stamp, numbers), work)

    def _show(self, result: MontagePictures) -> None:
        stamp = result.stamp
        if stamp.fit is not self._listed:
            return  # a stale result: the pictures of another stack
        self._page.set_pictures(result.originals, original=True)
        self._page.set_pictures(result.reconstructions, original=False)
        if stamp.display == self._display:
            self._originals.update(result.originals)
        if stamp == self._stamp:
            self._fresh.update(result.reconstructions)


def _errors(
    tools: StackTools, setting: Setting, exact: NDArray[Any] | None, by: Order | None, progress: Progress
) -> ImageErrors:
    errors = tools.rms(setting, exact, progress)
    order = None if by is None else ordered(tools.document.frames, by, errors, tools.labels)
    return ImageErrors(tools.fit, errors, order, exact is not None)


def _pictures(
    tools: StackTools,
    stamp: Stamp,
    numbers: list[int],
    bare: list[int],
    exact: NDArray[Any] | None,
    _progress: Progress,
) -> MontagePictures:
    """Make pictures of reconstructions, and of the originals that are bare."""
    originals: dict[int, NDArray[np.uint8]] = {}
    if tools.originals is not None and bare:
        originals = dict(zip(bare, tools.pictures.of_pixels(tools.originals, bare), strict=True))
    made = tools.reconstructed(numbers, stamp.setting, exact)
    return MontagePictures(stamp, originals, dict(zip(numbers, made, strict=True)))


make = tab_of(MontagePage, MontageErrorsFeed, MontageFeed, share_tools=True)
