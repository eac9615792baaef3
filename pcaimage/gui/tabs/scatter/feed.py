"""Keeps the scatter plot supplied: with points, with pictures at them, and with the image pointed at."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.block.pictures import Titled
from pcaimage.gui.tabs.montage.feed import StackFeed
from pcaimage.gui.tabs.montage.figures import error_words
from pcaimage.gui.tabs.scatter.figures import EMPTY, FITTING, NOT_FITTED, point_words
from pcaimage.gui.tabs.scatter.page import ScatterView
from pcaimage.gui.tabs.shared.stack import StackTools, Toolbox, exact_pixels, image_words, labels_of
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.components import Shares
from pcaimage.insight.scatter import Scatter
from pcaimage.progress import Progress


class ScatterFeed(StackFeed):
    """Takes the scores of the components that are chosen.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : ScatterView
        Where they are shown.
    toolbox : Toolbox
        With what they are found.
    """

    def __init__(self, session: Session, widget: ScatterView, toolbox: Toolbox) -> None:
        super().__init__(session, "scatter", toolbox, widget)
        self._widget = widget
        self._fit: Fit | None = None
        widget.axesRequested.connect(self.refresh)
        self._show_state(session.state)

    def _follow(self, state: SessionState, before: SessionState) -> None:
        self._show_state(state)
        super()._follow(state, before)

    def _show_state(self, state: SessionState) -> None:
        tools = self._toolbox.tools(state)
        fit = None if tools is None else tools.fit
        if fit is not self._fit:
            self._fit, self._shown = fit, None
            self._widget.set_components(0 if fit is None else fit.n_components)
        self._widget.set_frame(state.frame)
        if state.document is None or state.fit is not None:
            self._widget.set_message(EMPTY)
        else:
            self._widget.set_message(FITTING if self.session.jobs.busy("fit") else NOT_FITTED)

    def _key(self, state: SessionState) -> object | None:
        tools = self._toolbox.tools(state)
        return None if tools is None else (tools.fit, self._widget.axes)

    def _work(self, state: SessionState) -> Work:
        return partial(_scatter, self._tools(state), self._widget.axes)

    def _show(self, result: Any) -> None:
        fit, scatter, shares = result
        if fit is self._fit:
            self._widget.set_scatter(scatter, shares)


class ThumbnailsFeed(StackFeed):
    """Has the pictures made that there is room for.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : ScatterView
        Where they are shown.
    toolbox : Toolbox
        With what they are made.
    """

    def __init__(self, session: Session, widget: ScatterView, toolbox: Toolbox) -> None:
        super().__init__(session, "thumbnails", toolbox, widget)
        self._widget = widget
        self._display: Display | None = None
        """How the pictures at hand are shown."""
        self._fresh: set[int] = set()
        """Images whose pictures are shown like this."""
        widget.picturesNeeded.connect(self.refresh)

    def _missing(self, tools: StackTools) -> tuple[int, ...]:
        if tools.display != self._display:
            self._display = tools.display
            self._fresh.clear()
        known = self._fresh & self._widget.pictures.keys()  # those of other components were let go of
        return tuple(number for number in self._widget.wanted if number not in known)

    def _key(self, state: SessionState) -> object | None:
        tools = self._toolbox.tools(state)
        missing = () if tools is None else self._missing(tools)
        return (tools.fit, tools.display, missing) if tools is not None and missing else self._shown

    def _work(self, state: SessionState) -> Work:
        tools = self._tools(state)
        return partial(_thumbnails, tools, list(self._missing(tools)))

    def _show(self, result: Any) -> None:
        tools, pictures = result
        if tools.fit is self.session.state.fit and tools.display == self._display:
            self._fresh.update(pictures)
            self._widget.set_thumbnails(pictures)


class PointedFeed(StackFeed):
    """Shows the image that is pointed at, before and after.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : ScatterView
        Where it is shown.
    toolbox : Toolbox
        With what it is made.
    """

    def __init__(self, session: Session, widget: ScatterView, toolbox: Toolbox) -> None:
        super().__init__(session, "pointed image", toolbox, widget)
        self._widget = widget
        widget.hovered.connect(self.refresh)

    def _key(self, state: SessionState) -> object | None:
        stamp = self._stamp(state)
        return (
            None
            if stamp is None or self._widget.scatter is None
            else (stamp, self._widget.on, self._widget.axes)
        )

    def _work(self, state: SessionState) -> Work:
        tools, number = self._tools(state), self._widget.on
        return partial(_pointed, tools, state.setting, exact_pixels(state), number, self._widget.axes)

    def _show(self, result: Any) -> None:
        fit, words, pictures = result
        if fit is self.session.state.fit:
            self._widget.set_image(words, *pictures)

    def _clear(self) -> None:
        self._widget.set_image("")


def _scatter(tools: StackTools, axes: tuple[int, int], progress: Progress) -> tuple[Fit, Scatter, Shares]:
    progress(0, 1)
    scatter = Scatter.of(tools.fit.preview, *axes, labels_of(tools.document))
    _ = scatter.centres, scatter.places  # found here once, and not by the first who paints
    return tools.fit, scatter, Shares.of(tools.fit.variances)


def _thumbnails(
    tools: StackTools, numbers: list[int], progress: Progress
) -> tuple[StackTools, dict[int, NDArray[np.uint8]]]:
    progress(0, 1)
    if tools.originals is not None:
        made = tools.pictures.of_pixels(tools.originals, numbers)
    else:
        made = tools.reconstructed(numbers, Setting(tools.fit.n_components, None), None)
    return tools, dict(zip(numbers, made, strict=True))


def _pointed(
    tools: StackTools,
    setting: Setting,
    exact: NDArray[Any] | None,
    number: int,
    axes: tuple[int, int],
    progress: Progress,
) -> tuple[Fit, str, list[Titled]]:
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
    image = image_words(number, tools.document.frames, labels_of(tools.document))
    return tools.fit, point_words(image, error, place, axes), pictures


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = ScatterView()
    page.frameRequested.connect(lambda frame: context.request(ShowFrame(frame)))
    feeds = (ScatterFeed, ThumbnailsFeed, PointedFeed)
    return Tab(page, tuple(feed(context.session, page, context.toolbox) for feed in feeds))
