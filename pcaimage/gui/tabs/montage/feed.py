"""Supplies the montage with errors of all images, and with pictures of those that are seen."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, SignalInstance

from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.feed import Idle, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.montage.figures import EMPTY, wanted
from pcaimage.gui.tabs.shared.stack import StackFeed, StackTools, StackToolsCache, Stamp, exact_pixels
from pcaimage.insight.stack_errors import Order, ordered
from pcaimage.progress import Progress

_AT_ONCE = 64
"""Pictures to be made at once: a page, in a few hundredths of a second."""


class MontageView(Protocol):
    """The page of this tab, as far as its feeds know it. Images count from 0."""

    @property
    def orderChanged(self) -> SignalInstance:
        """Emitted when another order is chosen."""

    @property
    def picturesNeeded(self) -> SignalInstance:
        """Emitted when other images are seen."""

    @property
    def by(self) -> Order:
        """The order that is chosen."""

    @property
    def order(self) -> NDArray[np.intp]:
        """The images in the order in which they are shown."""

    @property
    def seen(self) -> tuple[int, int]:
        """The first and the last row that are seen; the last is smaller where there are none."""

    def set_stack(self, count: int, labels: NDArray[Any] | None, *, peak: float, paired: bool) -> None:
        """Show another stack, without errors and pictures yet."""

    def set_frame(self, frame: int) -> None:
        """Mark the image that the views show."""

    def set_message(self, sentence: str) -> None:
        """Say why there are no images."""

    def set_errors(
        self, errors: NDArray[np.float32] | None, order: NDArray[np.intp] | None, *, exact: bool
    ) -> None:
        """Show errors, and the order that follows from them."""

    def set_pictures(self, pictures: dict[int, NDArray[np.uint8]], *, original: bool) -> None:
        """Show pictures of some images."""


class ImageErrors(NamedTuple):
    """The error of each image."""

    fit: Fit
    rms: NDArray[np.float32] | None
    """RMS errors in levels; None without originals."""
    order: NDArray[np.intp] | None
    """The images in the chosen order; None while k is being dragged."""
    exact: bool


class MontagePictures(NamedTuple):
    """Pictures that were made, by image."""

    stamp: Stamp
    originals: dict[int, NDArray[np.uint8]]
    reconstructions: dict[int, NDArray[np.uint8]]


class MontageErrorsFeed(StackFeed[ImageErrors]):
    """Finds the errors of all images, and sorts the images once k is no longer being dragged."""

    def __init__(
        self, session: Session, view: MontageView, cache: StackToolsCache, parent: QObject | None = None
    ) -> None:
        super().__init__(session, "image errors", cache, parent)
        self._view = view
        view.orderChanged.connect(self.refresh)

    def _want(self, state: SessionState) -> Want[ImageErrors] | Idle | None:
        tools = self._cache.get(state)
        if tools is None:
            return None
        exact, by = exact_pixels(state), None if state.moving else self._view.by
        key = tools.fit, state.setting, exact is not None, self._view.by, state.moving
        return Want(key, partial(_errors, tools, state.setting, exact, by))

    def _show(self, result: ImageErrors) -> None:
        fit = result.fit
        if fit is self.session.state.fit and len(self._view.order) == fit.preview.header.shape[0]:
            self._view.set_errors(result.rms, result.order, exact=result.exact)


class MontageFeed(StackFeed[MontagePictures]):
    """Shows a stack in the montage, and makes the pictures that are seen."""

    def __init__(
        self, session: Session, view: MontageView, cache: StackToolsCache, parent: QObject | None = None
    ) -> None:
        super().__init__(session, "montage", cache, parent)
        self._view = view
        self._listed: Fit | None = None
        """The fit of the stack that is listed."""
        self._stamp: Stamp | None = None
        self._fresh: set[int] = set()
        """Images whose reconstructions are those of the stamp."""
        self._display: Display | None = None
        self._originals: set[int] = set()
        """Images whose originals are there, in the colours of the display."""
        view.picturesNeeded.connect(self.refresh)
        self._show_state(session.state)

    def _follow(self, state: SessionState, before: SessionState) -> None:
        self._show_state(state)
        super()._follow(state, before)

    def _show_state(self, state: SessionState) -> None:
        tools, document = self._cache.get(state), state.document
        fit = None if tools is None else tools.fit
        if fit is not self._listed:
            self._listed, self._stamp, self._display = fit, None, None
            self._fresh.clear()
            self._originals.clear()
            header = None if fit is None else fit.preview.header
            self._view.set_stack(
                0 if header is None else header.shape[0],
                None if document is None else document.labels,
                peak=255 if header is None else header.peak,
                paired=document is None or document.image is not None,
            )
        self._view.set_frame(state.frame)
        self._view.set_message(self._why_empty(state, EMPTY))

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
        numbers = wanted(self._view.order, *self._view.seen, self._fresh, _AT_ONCE)
        if not numbers:
            return Idle.KEEP
        bare = [number for number in numbers if number not in self._originals]
        work = partial(_pictures, tools, stamp, list(numbers), bare, exact_pixels(state))
        return Want((stamp, numbers), work)

    def _show(self, result: MontagePictures) -> None:
        stamp = result.stamp
        if stamp.fit is not self._listed:
            return  # a stale result: the pictures of another stack
        self._view.set_pictures(result.originals, original=True)
        self._view.set_pictures(result.reconstructions, original=False)
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
    progress: Progress,
) -> MontagePictures:
    """Make pictures of reconstructions, and of the originals that are bare."""
    progress(0, 1)
    originals: dict[int, NDArray[np.uint8]] = {}
    if tools.originals is not None and bare:
        originals = dict(zip(bare, tools.pictures.of_pixels(tools.originals, bare), strict=True))
    made = tools.reconstructed(numbers, stamp.setting, exact)
    return MontagePictures(stamp, originals, dict(zip(numbers, made, strict=True)))
