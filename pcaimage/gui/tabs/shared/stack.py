"""Pictures and errors of a stack's images, their cache, and a base of feeds, for the tabs of stacks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Preview
from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.feed import Feed, P, T
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.session import Session
from pcaimage.gui.session.state import SessionState
from pcaimage.insight.inspection import RenderSettings
from pcaimage.insight.stack import StackErrors, StackPictures, exact_rms
from pcaimage.progress import Progress


@dataclass(frozen=True, eq=False)
class StackTools:
    """Makes pictures of a stack's images and finds their errors, for any setting. Images count from 0.

    Where a method takes the exact reconstruction, of shape (N, H, W, C), None means that it is not known.
    """

    document: Document
    fit: Fit
    display: Display
    pictures: StackPictures
    errors: StackErrors | None  # none without originals

    @classmethod
    def of(cls, document: Document, fit: Fit, display: Display) -> StackTools | None:
        """Return the tools for an image and its fit; None if it is not a stack."""
        preview = fit.preview
        if not document.is_stack or not isinstance(preview, Preview):
            return None
        errors = None if document.image is None else StackErrors(preview, document.image.pixels)
        return cls(document, fit, display, _pictures(preview, display), errors)

    def shown(self, display: Display) -> StackTools:
        """Return the tools for the same images shown in other colours; what is known of errors is kept."""
        if display == self.display:
            return self
        return replace(self, display=display, pictures=_pictures(self.pictures.preview, display))

    @property
    def originals(self) -> NDArray[Any] | None:
        """All original images, (N, H, W, C); None for a compressed file."""
        return None if self.document.image is None else self.document.image.pixels

    @property
    def labels(self) -> NDArray[Any] | None:
        """A label for each image, where they are known."""
        return self.document.labels

    def view(self, setting: Setting) -> RenderSettings:
        """Return how images are reconstructed by a setting; scores of a file are not rounded once more."""
        step, zone = self.fit.rounding(setting)
        return RenderSettings(setting.k, setting.left_out, step, zone, self.display.bands, self.display.white)

    def rms(
        self, setting: Setting, exact: NDArray[Any] | None, progress: Progress
    ) -> NDArray[np.float32] | None:
        """Return the root mean square error of each image, in levels; None without originals."""
        if self.errors is None:
            return None
        if exact is not None:
            return exact_rms(self.errors.images, exact, progress)
        return self.errors.rms(self.view(setting), progress)

    def rms_of(self, number: int, setting: Setting, exact: NDArray[Any] | None) -> float:
        """Return the root mean square error of one image, in levels; 0 without originals."""
        if self.errors is None:
            return 0.0
        one = slice(number, number + 1)
        if exact is not None:
            return float(exact_rms(self.errors.images[one], exact[one])[0])
        return float(self.errors.rms(self.view(setting), which=one)[0])

    def reconstructed(
        self, numbers: list[int], setting: Setting, exact: NDArray[Any] | None
    ) -> NDArray[np.uint8]:
        """Return pictures of reconstructed images, (n, h, w, 1 or 3)."""
        if exact is not None:
            return self.pictures.of_pixels(exact, numbers)
        return self.pictures.reconstructed(numbers, self.view(setting))


def _pictures(preview: Preview, display: Display) -> StackPictures:
    screen = display.screen_of(preview.header.shape[-1])
    return StackPictures(preview, display.bands, display.white, screen=screen)


class StackToolsCache:
    """Caches the tools of the present fit: they are expensive, and all tabs of a stack need the same."""

    def __init__(self) -> None:
        self._tools: StackTools | None = None

    def get(self, state: SessionState) -> StackTools | None:
        """Return the tools for a state; None while there are no components, and for what is no stack."""
        document, fit, display = state.document, state.fit, state.shown_by
        if document is None or display is None or fit is None or not fit.whole:
            self._tools = None
        elif self._tools is None or self._tools.fit is not fit:
            self._tools = StackTools.of(document, fit, display)
        else:
            self._tools = self._tools.shown(display)
        return self._tools


class Stamp(NamedTuple):
    """The inputs of pictures of reconstructions: equal stamps make equal pictures."""

    fit: Fit
    setting: Setting
    exact: bool  # whether they are those of the exact reconstruction
    display: Display

    @classmethod
    def of(cls, tools: StackTools, state: SessionState) -> Stamp:
        """Return the stamp of pictures that are made for a state."""
        return cls(tools.fit, state.setting, exact_pixels(state) is not None, tools.display)


class StackFeed(Feed[P, T]):
    """Supplies a tab of a stack.

    Running work finishes first: else a drag without a pause would never show a result. The page is cleared
    when its state is shown, not by the feed.
    """

    finishes = True

    def __init__(self, session: Session, page: P, cache: StackToolsCache) -> None:
        super().__init__(session, page)
        self._cache = cache

    def _clear(self) -> None:
        """Do nothing: showing the state has cleared the page."""

    def _say(self, sentence: str) -> None:
        """Do nothing: the contents stay, as the next setting may succeed."""


def exact_pixels(state: SessionState) -> NDArray[Any] | None:
    """Return the exact reconstruction of all images, (N, H, W, C); None if it is not known of the setting."""
    settled = state.current(state.settled)
    return None if settled is None else settled.pixels
