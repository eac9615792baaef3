"""Supplies the scatter plot with points, with pictures at them, and with the image pointed at."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.screen.picture import Titled
from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.feed import Idle, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.scatter.figures import EMPTY, point_words
from pcaimage.gui.tabs.scatter.page import ScatterPage
from pcaimage.gui.tabs.shared.stack import StackFeed, StackTools, StackToolsCache, Stamp, exact_pixels
from pcaimage.gui.tabs.shared.tab import tab_of
from pcaimage.insight.components import Shares
from pcaimage.insight.formatting import error_words, image_words
from pcaimage.insight.stack import Scatter
from pcaimage.progress import Progress


class Scores(NamedTuple):
    """The points of a stack, and the shares that their components explain."""

    fit: Fit
    scatter: Scatter
    shares: Shares


class Thumbnails(NamedTuple):
    """Pictures at points, by image."""

    fit: Fit
    display: Display
    pictures: dict[int, NDArray[np.uint8]]


class PointedImage(NamedTuple):
    """An image before and after compression, and its caption."""

    fit: Fit
    words: str
    pictures: list[Titled]


class ScatterFeed(StackFeed[ScatterPage, Scores]):
    """Finds the scores on the components that are chosen."""

    kind = "scatter"

    def __init__(self, session: Session, page: ScatterPage, cache: StackToolsCache) -> None:
        super().__init__(session, page, cache)
        self._fit: Fit | None = None
        """The fit whose components are offered."""
        page.axesChanged.connect(self.refresh)
        self._show_state(session.state)

    def _show_state(self, state: SessionState) -> None:
        tools = self._cache.get(state)
        fit = None if tools is None else tools.fit
        if fit is not self._fit:
            self._fit, self._shown = fit, None
            self._page.set_components(0 if fit is None else fit.n_components)
        self._page.set_frame(state.frame)
        self._page.set_message(self._why_empty(state, EMPTY, EMPTY))

    def _want(self, state: SessionState) -> Want[Scores] | Idle | None:
        tools, axes = self._cache.get(state), self._page.axes
        return None if tools is None else Want((tools.fit, axes), partial(_scores, tools, axes))

    def _show(self, result: Scores) -> None:
        if result.fit is self._fit:
            self._page.set_scatter(result.scatter, result.shares)


class ThumbnailsFeed(StackFeed[ScatterPage, Thumbnails]):
    """Makes pictures of the images that have room for one."""

    kind = "thumbnails"

    def __init__(self, session: Session, page: ScatterPage, cache: StackToolsCache) -> None:
        super().__init__(session, page, cache)
        self._display: Display | None = None
        """The colours of the pictures that are shown."""
        self._fresh: set[int] = set()
        """Images whose pictures have these colours."""
        page.picturesNeeded.connect(self.refresh)

    def _want(self, state: SessionState) -> Want[Thumbnails] | Idle | None:
        tools = self._cache.get(state)
        if tools is None:
            return None
        if tools.display != self._display:
            self._display = tools.display
            self._fresh.clear()
        known = self._page.pictures  # fresh ones of other components were dropped
        missing = tuple(
            number for number in self._page.wanted if number not in self._fresh or number not in known
        )
        if not missing:
            return Idle.KEEP
        return Want((tools.fit, tools.display, missing), partial(_thumbnails, tools, list(missing)))

    def _show(self, result: Thumbnails) -> None:
        if result.fit is self.session.state.fit and result.display == self._display:
            self._fresh.update(result.pictures)
            self._page.set_thumbnails(result.pictures)


class PointedImageFeed(StackFeed[ScatterPage, PointedImage]):
    """Shows the image under the mouse, or else that of the views, before and after."""

    kind = "pointed image"

    def __init__(self, session: Session, page: ScatterPage, cache: StackToolsCache) -> None:
        super().__init__(session, page, cache)
        page.hovered.connect(self.refresh)

    def _want(self, state: SessionState) -> Want[PointedImage] | Idle | None:
        tools, number, axes = self._cache.get(state), self._page.on, self._page.axes
        if tools is None or self._page.scatter is None:
            return None
        key = Stamp.of(tools, state), number, axes
        return Want(key, partial(_pointed_image, tools, state.setting, exact_pixels(state), number, axes))

    def _show(self, result: PointedImage) -> None:
        if result.fit is self.session.state.fit:
            self._page.set_image(result.words, *result.pictures)

    def _clear(self) -> None:
        self._page.set_image("")


def _scores(tools: StackTools, axes: tuple[int, int], _progress: Progress) -> Scores:
    scatter = Scatter.of(tools.fit.preview, *axes, tools.labels)
    _ = scatter.centres, scatter.places  # computed here, not on the GUI thread by the first to paint
    return Scores(tools.fit, scatter, Shares.of(tools.fit.variances))


def _thumbnails(tools: StackTools, numbers: list[int], _progress: Progress) -> Thumbnails:
    if tools.originals is not None:
        made = tools.pictures.of_pixels(tools.originals, numbers)
    else:
        made = tools.reconstructed(numbers, Setting(tools.fit.n_components, None), None)
    return Thumbnails(tools.fit, tools.display, dict(zip(numbers, made, strict=True)))


def _pointed_image(
    tools: StackTools,
    setting: Setting,
    exact: NDArray[Any] | None,
    number: int,
    axes: tuple[int, int],
    _progress: Progress,
) -> PointedImage:
    error, pictures = "", list[Titled]()
    after = tools.reconstructed([number], setting, exact)[0]
    if tools.originals is not None:
        before = tools.pictures.of_pixels(tools.originals, [number])[0]
        pictures.append(Titled("Original", before))
        rms = tools.rms_of(number, setting, exact)
        error = error_words(rms, tools.fit.preview.header.peak, as_psnr=False)
    pictures.append(Titled(f"k = {setting.k}", after))
    scores = tools.fit.preview.scores_at(0, number)
    place = float(scores[axes[0] - 1]), float(scores[axes[1] - 1])
    image = image_words(number, tools.document.frames, tools.labels)
    return PointedImage(tools.fit, point_words(image, error, place, axes), pictures)


make = tab_of(ScatterPage, ScatterFeed, ThumbnailsFeed, PointedImageFeed, share_tools=True)
