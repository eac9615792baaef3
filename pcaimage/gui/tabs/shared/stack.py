"""What the tabs of a stack have in common: pictures and errors of the images of what is open. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Preview
from pcaimage.codec.quantizer import dead_zone
from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Display
from pcaimage.gui.session.document import Document
from pcaimage.gui.session.fit import Fit
from pcaimage.gui.session.state import SessionState
from pcaimage.insight.inspection import View
from pcaimage.insight.stack import StackPictures
from pcaimage.insight.stack_errors import StackErrors, exact_rms
from pcaimage.progress import Progress

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class StackTools:
    """What is asked of a stack's components, whatever the setting.

    Parameters
    ----------
    document : Document
        A stack.
    fit : Fit
        Its components.
    display : Display
        How its images are shown.
    pictures : StackPictures
        Small pictures of its images.
    errors : StackErrors or None
        How wrong they are; None without originals.
    """

    document: Document
    fit: Fit
    display: Display
    pictures: StackPictures
    errors: StackErrors | None

    @classmethod
    def of(cls, document: Document, fit: Fit, display: Display) -> StackTools | None:
        """Return the tools for what is open.

        Parameters
        ----------
        document : Document
            What is open.
        fit : Fit
            Its components.
        display : Display
            How its images are shown.

        Returns
        -------
        StackTools or None
            None for what is no stack.
        """
        preview = fit.preview
        if not document.is_stack or not isinstance(preview, Preview):
            return None
        errors = None if document.image is None else StackErrors(preview, document.image.pixels)
        return cls(document, fit, display, _pictures(preview, display), errors)

    def shown(self, display: Display) -> StackTools:
        """Return the tools for the same images, shown in another way.

        Parameters
        ----------
        display : Display
            How.

        Returns
        -------
        StackTools
            With what is known of errors.
        """
        if display == self.display:
            return self
        pictures = _pictures(self.pictures.preview, display)
        return replace(self, display=display, pictures=pictures)

    @property
    def originals(self) -> NDArray[Any] | None:
        """All images as they were, (N, H, W, C); None for a compressed file."""
        return None if self.document.image is None else self.document.image.pixels

    def view(self, setting: Setting) -> View:
        """Return how images are reconstructed by a setting.

        Parameters
        ----------
        setting : Setting
            k and step.

        Returns
        -------
        View
            Scores of a file are not rounded once more.
        """
        step, zone, display = None, 0.0, self.display
        if self.fit.analysis is not None:
            step = float(self.fit.step(setting.k, setting.chosen_step))
            zone = dead_zone(step, self.fit.analysis.finest_step)
        return View(setting.k, setting.left_out, step, zone, display.bands, display.white)

    def rms(self, setting: Setting, exact: NDArray[Any] | None, progress: Progress) -> Floats | None:
        """Return how wrong each image is.

        Parameters
        ----------
        setting : Setting
            k and step.
        exact : ndarray, shape (N, H, W, C), or None
            The reconstruction, where it is known.
        progress : Progress
            Told of images done.

        Returns
        -------
        ndarray of float32, shape (N,), or None
            In levels; None without originals.
        """
        if self.errors is None:
            return None
        if exact is not None:
            return exact_rms(self.errors.images, exact, progress)
        return self.errors.rms(self.view(setting), progress)

    def rms_of(self, number: int, setting: Setting, exact: NDArray[Any] | None) -> float:
        """Return how wrong one image is.

        Parameters
        ----------
        number : int
            Which one, from 0.
        setting : Setting
            k and step.
        exact : ndarray, shape (N, H, W, C), or None
            The reconstruction, where it is known.

        Returns
        -------
        float
            In levels; 0 without originals.
        """
        if self.errors is None:
            return 0.0
        one = slice(number, number + 1)
        if exact is not None:
            return float(exact_rms(self.errors.images[one], exact[one])[0])
        return float(self.errors.rms(self.view(setting), which=one)[0])

    def reconstructed(self, numbers: list[int], setting: Setting, exact: NDArray[Any] | None) -> Bytes:
        """Return pictures of reconstructed images.

        Parameters
        ----------
        numbers : list of int
            Which images, from 0.
        setting : Setting
            k and step.
        exact : ndarray, shape (N, H, W, C), or None
            The reconstruction, where it is known.

        Returns
        -------
        ndarray of uint8, shape (n, h, w, 1 or 3)
            The pictures.
        """
        if exact is not None:
            return self.pictures.of_pixels(exact, numbers)
        return self.pictures.reconstructed(numbers, self.view(setting))


class Toolbox:
    """Keeps the tools of the components at hand."""

    def __init__(self) -> None:
        self._tools: StackTools | None = None

    def tools(self, state: SessionState) -> StackTools | None:
        """Return the tools for a state.

        Parameters
        ----------
        state : SessionState
            What is open.

        Returns
        -------
        StackTools or None
            None while there are no components, and for what is no stack.
        """
        document, fit = state.document, state.fit
        if document is None or fit is None or not fit.whole:
            self._tools = None
            return None
        display = state.shown_by or document.display
        if self._tools is None or self._tools.fit is not fit:
            self._tools = StackTools.of(document, fit, display)
        elif self._tools.display is not display:
            self._tools = self._tools.shown(display)
        return self._tools


def _pictures(preview: Preview, display: Display) -> StackPictures:
    screen = display.screen_of(preview.header.shape[-1])
    return StackPictures(preview, display.bands, display.white, screen=screen)


def exact_pixels(state: SessionState) -> NDArray[Any] | None:
    """Return the exact reconstruction of all images, where it is known of the present setting.

    Parameters
    ----------
    state : SessionState
        The state.

    Returns
    -------
    ndarray, shape (N, H, W, C), or None
        What a file would decode to.
    """
    settled = state.settled
    return None if settled is None or settled.setting != state.setting else settled.pixels


def labels_of(document: Document | None) -> NDArray[Any] | None:
    """Return what a stack's images are known to show.

    Parameters
    ----------
    document : Document or None
        What is open.

    Returns
    -------
    ndarray, shape (N,), or None
        A label for each image.
    """
    return None if document is None or document.image is None else document.image.labels


def image_words(number: int, count: int, labels: NDArray[Any] | None) -> str:
    """Return which image of a stack is meant.

    Parameters
    ----------
    number : int
        From 0.
    count : int
        How many there are.
    labels : ndarray, shape (N,), or None
        What they show.

    Returns
    -------
    str
        Such as ``image 17 of 10,000 · label 3``.
    """
    words = f"image {number + 1:,} of {count:,}"
    return words if labels is None else f"{words} · label {labels[number]}"
