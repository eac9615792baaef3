"""Supplies the scatter plot with points, with pictures at them, and with the image pointed at."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, SignalInstance

from pcaimage.gui.screen.picture import Titled
from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.feed import Idle, Want
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.scatter.figures import EMPTY, point_words
from pcaimage.gui.tabs.shared.stack import StackFeed, StackTools, StackToolsCache, Stamp, exact_pixels
from pcaimage.insight.components import Shares
from pcaimage.insight.formatting import error_words, image_words
from pcaimage.insight.scatter import Scatter
from pcaimage.progress import Progress


class ScatterView(Protocol):
    """The page of this tab, as far as its feeds know it. Images count from 0, components from 1."""

    @property
    def axesChanged(self) -> SignalInstance:
        """Emitted when other components are chosen."""

    @property
    def picturesNeeded(self) -> SignalInstance:
        """Emitted when other images have room for their pictures."""

    @property
    def hovered(self) -> SignalInstance:
        """Emitted when another image is shown in detail."""

    @property
    def axes(self) -> tuple[int, int]:
        """The components that are chosen: across and up."""

    @property
    def on(self) -> int:
        """The image that is shown in detail."""

    @property
    def scatter(self) -> Scatter | None:
        """The points that are shown."""

    @property
    def wanted(self) -> tuple[int, ...]:
        """The images that have room for their pictures."""

    @property
    def pictures(self) -> Container[int]:
        """The images whose pictures are available, in any colours."""

    def set_components(self, count: int) -> None:
        """Offer other components, without points yet."""

    def set_scatter(self, scatter: Scatter, shares: Shares) -> None:
        """Show points, and the shares that their components explain."""

    def set_frame(self, frame: int) -> None:
        """Mark the image that the views show."""

    def set_message(self, sentence: str) -> None:
        """Say why there are no points."""

    def set_thumbnails(self, pictures: Mapping[int, NDArray[np.uint8]]) -> None:
        """Show pictures at points, by image."""

    def set_image(self, words: str, *pictures: Titled) -> None:
        """Show one image in detail."""


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


class ScatterFeed(StackFeed[Scores]):
    """Finds the scores on the components that are chosen."""

    def __init__(
        self, session: Session, view: ScatterView, cache: StackToolsCache, parent: QObject | None = None
    ) -> None:
        super().__init__(session, "scatter", cache, parent)
        self._view = view
        self._fit: Fit | None = None
        """The fit whose components are offered."""
        view.axesChanged.connect(self.refresh)
        self._show_state(session.state)

    def _follow(self, state: SessionState, before: SessionState) -> None:
        self._show_state(state)
        super()._follow(state, before)

    def _show_state(self, state: SessionState) -> None:
        tools = self._cache.get(state)
        fit = None if tools is None else tools.fit
        if fit is not self._fit:
            self._fit, self._shown = fit, None
            self._view.set_components(0 if fit is None else fit.n_components)
        self._view.set_frame(state.frame)
        self._view.set_message(self._why_empty(state, EMPTY))

    def _want(self, state: SessionState) -> Want[Scores] | Idle | None:
        tools, axes = self._cache.get(state), self._view.axes
        return None if tools is None else Want((tools.fit, axes), partial(_scores, tools, axes))

    def _show(self, result: Scores) -> None:
        if result.fit is self._fit:
            self._view.set_scatter(result.scatter, result.shares)


class ThumbnailsFeed(StackFeed[Thumbnails]):
    """Makes pictures of the images that have room for one."""

    def __init__(
        self, session: Session, view: ScatterView, cache: StackToolsCache, parent: QObject | None = None
    ) -> None:
        super().__init__(session, "thumbnails", cache, parent)
        self._view = view
        self._display: Display | None = None
        """The colours of the pictures that are shown."""
        self._fresh: set[int] = set()
        """Images whose pictures have these colours."""
        view.picturesNeeded.connect(self.refresh)

    def _want(self, state: SessionState) -> Want[Thumbnails] | Idle | None:
        tools = self._cache.get(state)
        if tools is None:
            return None
        if tools.display != self._display:
            self._display = tools.display
            self._fresh.clear()
        known = self._view.pictures  # fresh ones of other components were dropped
        missing = tuple(
            number for number in self._view.wanted if number not in self._fresh or number not in known
        )
        if not missing:
            return Idle.KEEP
        return Want((tools.fit, tools.display, missing), partial(_thumbnails, tools, list(missing)))

    def _show(self, result: Thumbnails) -> None:
        if result.fit is self.session.state.fit and result.display == self._display:
            self._fresh.update(result.pictures)
            self._view.set_thumbnails(result.pictures)


class PointedImageFeed(StackFeed[PointedImage]):
    """Shows the image under the mouse, or else that of the views, before and after."""

    def __init__(
        self, session: Session, view: ScatterView, cache: StackToolsCache, parent: QObject | None = None
    ) -> None:
        super().__init__(session, "pointed image", cache, parent)
        self._view = view
        view.hovered.connect(self.refresh)

    def _want(self, state: SessionState) -> Want[PointedImage] | Idle | None:
        tools, number, axes = self._cache.get(state), self._view.on, self._view.axes
        if tools is None or self._view.scatter is None:
            return None
        key = Stamp.of(tools, state), number, axes
        return Want(key, partial(_pointed_image, tools, state.setting, exact_pixels(state), number, axes))

    def _show(self, result: PointedImage) -> None:
        if result.fit is self.session.state.fit:
            self._view.set_image(result.words, *result.pictures)

    def _clear(self) -> None:
        self._view.set_image("")


def _scores(tools: StackTools, axes: tuple[int, int], progress: Progress) -> Scores:
    progress(0, 1)
    scatter = Scatter.of(tools.fit.preview, *axes, tools.labels)
    _ = scatter.centres, scatter.places  # computed here, not on the GUI thread by the first to paint
    return Scores(tools.fit, scatter, Shares.of(tools.fit.variances))


def _thumbnails(tools: StackTools, numbers: list[int], progress: Progress) -> Thumbnails:
    progress(0, 1)
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
    progress: Progress,
) -> PointedImage:
    progress(0, 1)
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
