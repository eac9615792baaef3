"""Keeps the montage supplied: with errors of all images, and with pictures of those that are seen."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.jobs import Work
from pcaimage.gui.session.requests import ShowFrame
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.tabs.montage.figures import EMPTY, FITTING, NOT_FITTED, wanted
from pcaimage.gui.tabs.montage.page import Montage
from pcaimage.gui.tabs.shared.feed import Feed
from pcaimage.gui.tabs.shared.stack import StackTools, Toolbox, exact_pixels, labels_of
from pcaimage.gui.tabs.shared.tab import Tab, TabContext
from pcaimage.insight.stack_errors import Order, ordered
from pcaimage.progress import Progress

_AT_ONCE = 64
"""Pictures to be made at once: a page, in a few hundredths of a second."""


class Stamp(NamedTuple):
    """What pictures of reconstructions depend on.

    Parameters
    ----------
    fit : Fit
        The components.
    setting : Setting
        What is kept.
    exact : bool
        Whether they are of the exact reconstruction.
    display : Display
        How images are shown.
    """

    fit: Fit
    setting: Setting
    exact: bool
    display: Display


class Found(NamedTuple):
    """Pictures that were made.

    Parameters
    ----------
    stamp : Stamp
        What they depend on.
    originals, reconstructions : dict
        By image, from 0.
    """

    stamp: Stamp
    originals: dict[int, NDArray[np.uint8]]
    reconstructions: dict[int, NDArray[np.uint8]]


class StackFeed(Feed[Any]):
    """Supplies a tab of a stack; it lets work that is under way finish.

    Else a hand that never rests would never see anything.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    kind : str
        What the work is called.
    toolbox : Toolbox
        With what it is done.
    parent : QObject, optional
        The owner.
    """

    finishes = True

    def __init__(self, session: Session, kind: str, toolbox: Toolbox, parent: QObject | None = None) -> None:
        super().__init__(session, kind, parent)
        self._toolbox = toolbox

    def _stamp(self, state: SessionState) -> Stamp | None:
        tools = self._toolbox.tools(state)
        return None if tools is None else _stamp_of(tools, state)

    def _tools(self, state: SessionState) -> StackTools:
        tools = self._toolbox.tools(state)
        if tools is None:
            raise ValueError("Without components of a stack there is nothing to find out.")
        return tools

    def _clear(self) -> None:
        """Leave it to the state, which is shown before."""

    def _say(self, sentence: str) -> None:
        """Leave what is shown; the next setting may go better."""


class MontageErrorsFeed(StackFeed):
    """Finds the errors of all images, and puts them in order when the hand rests.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : Montage
        Where they are shown.
    toolbox : Toolbox
        With what they are found.
    """

    def __init__(self, session: Session, widget: Montage, toolbox: Toolbox) -> None:
        super().__init__(session, "image errors", toolbox, widget)
        self._widget = widget
        widget.orderRequested.connect(self.refresh)

    def _key(self, state: SessionState) -> object | None:
        stamp = self._stamp(state)
        return None if stamp is None else (stamp[:3], self._widget.by, state.moving)

    def _work(self, state: SessionState) -> Work:
        by = None if state.moving else self._widget.by
        tools, exact = self._tools(state), exact_pixels(state)
        return partial(_errors_and_order, tools, state.setting, exact, by)

    def _show(self, result: Any) -> None:
        fit: Fit
        fit, errors, order, exact = result
        if fit is self.session.state.fit and len(self._widget.model.order) == fit.preview.header.shape[0]:
            self._widget.set_errors(errors, order, exact=exact)


class MontageFeed(StackFeed):
    """Shows a stack in the montage, and has the pictures made that are seen.

    Parameters
    ----------
    session : Session
        What is open and chosen.
    widget : Montage
        Where they are shown.
    toolbox : Toolbox
        With what they are made.
    """

    def __init__(self, session: Session, widget: Montage, toolbox: Toolbox) -> None:
        super().__init__(session, "montage", toolbox, widget)
        self._widget = widget
        self._listed: Fit | None = None
        self._stamped: Stamp | None = None
        self._fresh: set[int] = set()
        """Images whose pictures are those of the stamp."""
        self._original: tuple[Display | None, set[int]] = None, set()
        """Images whose originals are there, and how these are shown."""
        widget.picturesNeeded.connect(self.refresh)
        self._show_state(session.state)

    def _follow(self, state: SessionState, before: SessionState) -> None:
        self._show_state(state)
        super()._follow(state, before)

    def _show_state(self, state: SessionState) -> None:
        tools = self._toolbox.tools(state)
        fit = None if tools is None else tools.fit
        if fit is not self._listed:
            self._listed, self._stamped = fit, None
            self._fresh.clear()
            self._original = None, set()
            header = None if fit is None else fit.preview.header
            self._widget.set_stack(
                0 if header is None else header.shape[0],
                labels_of(state.document),
                peak=255 if header is None else header.peak,
                paired=state.document is None or state.document.image is not None,
            )
        self._widget.set_frame(state.frame)
        self._widget.set_message(self._why_empty(state))

    def _why_empty(self, state: SessionState) -> str:
        if state.document is None or state.fit is not None:
            return EMPTY
        return FITTING if self.session.jobs.busy("fit") else NOT_FITTED

    def _wanted(self, state: SessionState) -> tuple[int, ...]:
        stamp = self._stamp(state)
        if stamp is None:
            return ()
        if stamp != self._stamped:
            self._stamped = stamp
            self._fresh.clear()
            if stamp.display != self._original[0]:
                self._original = stamp.display, set()
        first, last = self._widget.seen
        return wanted(self._widget.model.order, first, last, self._fresh, _AT_ONCE)

    def _key(self, state: SessionState) -> object | None:
        numbers = self._wanted(state)
        return (self._stamped, numbers) if numbers else self._shown

    def _work(self, state: SessionState) -> Work:
        tools, numbers = self._tools(state), self._wanted(state)
        bare = [number for number in numbers if number not in self._original[1]]
        stamp = _stamp_of(tools, state)
        return partial(_pictures, tools, stamp, list(numbers), bare, exact_pixels(state))

    def _show(self, result: Any) -> None:
        found: Found = result
        if found.stamp.fit is not self._listed:
            return  # those of another stack may come late
        self._widget.set_pictures(found.originals, original=True)
        self._widget.set_pictures(found.reconstructions, original=False)
        if found.stamp.display == self._original[0]:
            self._original[1].update(found.originals)
        if found.stamp == self._stamped:
            self._fresh.update(found.reconstructions)


def _stamp_of(tools: StackTools, state: SessionState) -> Stamp:
    return Stamp(tools.fit, state.setting, exact_pixels(state) is not None, tools.display)


def _errors_and_order(
    tools: StackTools, setting: Setting, exact: NDArray[Any] | None, by: Order | None, progress: Progress
) -> tuple[Fit, NDArray[np.float32] | None, NDArray[np.intp] | None, bool]:
    errors = tools.rms(setting, exact, progress)
    order = None
    if by is not None:
        order = ordered(tools.document.frames, by, errors, labels_of(tools.document))
    return tools.fit, errors, order, exact is not None


def _pictures(
    tools: StackTools,
    stamp: Stamp,
    numbers: list[int],
    bare: list[int],
    exact: NDArray[Any] | None,
    progress: Progress,
) -> Found:
    progress(0, 1)
    originals: dict[int, NDArray[np.uint8]] = {}
    if tools.originals is not None and bare:
        originals = dict(zip(bare, tools.pictures.of_pixels(tools.originals, bare), strict=True))
    made = tools.reconstructed(numbers, stamp.setting, exact)
    return Found(stamp, originals, dict(zip(numbers, made, strict=True)))


def make(context: TabContext) -> Tab:
    """Make the tab."""
    page = Montage()
    page.frameRequested.connect(lambda frame: context.request(ShowFrame(frame)))
    feeds = (MontageErrorsFeed, MontageFeed)
    return Tab(page, tuple(feed(context.session, page, context.toolbox) for feed in feeds))
