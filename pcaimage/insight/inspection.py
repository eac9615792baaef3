"""One sample taken apart: its mean, and what one component after the other adds to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Pictures, Preview, Region, Screen
from pcaimage.codec.coding.rounding import rounded
from pcaimage.codec.spectrum import indices
from pcaimage.insight.sample import Place, Samples, chosen_stages
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Lapped

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

MOST_PIXELS = 160
"""Samples that are images are shown with at most so many pixels a side."""

_GREY, _SWING = 128, 127


@dataclass(frozen=True, eq=False)
class Stage:
    """A sample after some of its components were summed up.

    Parameters
    ----------
    number : int
        The component that was added last, from 1; 0 for the mean alone.
    score : float
        The sample's score on it, in units of a pixel's value.
    skipped : int
        How many components lie between it and that of the stage before; they were added as well, unless they
        are left out.
    picture : ndarray of uint8, shape (h, w, 1 or 3)
        The sum so far, with the surroundings.
    part : ndarray of uint8, shape (h, w, 1 or 3), or None
        What the component adds, about mid grey; small changes are shown stronger than they are. None for the
        mean.
    rms : float or None
        Root mean square of what the sum lacks of the original, in levels; None without an original.
    """

    number: int
    score: float
    skipped: int
    picture: Bytes = field(repr=False)
    part: Bytes | None = field(repr=False)
    rms: float | None


@dataclass(frozen=True)
class View:
    """How a sample is looked at.

    Parameters
    ----------
    k : int
        How many components are kept.
    left_out : frozenset of int
        Components, from 1, that are not.
    step : float or None
        What scores are rounded to multiples of; None where they are rounded already.
    zone : float
        How far they are drawn towards zero before.
    bands : tuple of int
        The channels that are shown.
    white : float
        The value that is shown as 255.
    screen : Screen or None
        How values become those of the screen, instead of `bands` and `white`.
    """

    k: int
    left_out: frozenset[int]
    step: float | None
    zone: float
    bands: tuple[int, ...]
    white: float
    screen: Screen | None = None


@dataclass(frozen=True, eq=False)
class Inspection:
    """One sample taken apart.

    Parameters
    ----------
    samples : Samples
        How its image was cut.
    place : Place
        Which sample it is.
    view : View
        How it is looked at.
    scores : ndarray of float32, shape (n_components,)
        All its scores, in units of a pixel's value, not rounded.
    stages : tuple of Stage
        From the mean to all that is kept.
    original : ndarray of uint8, shape (h, w, 1 or 3), or None
        What it was, with the surroundings.
    inner : tuple of int
        Left, top, right and bottom of the sample in the pictures.
    lapped : bool
        Whether neighbours' components reach in.
    """

    samples: Samples
    place: Place
    view: View
    scores: Floats
    stages: tuple[Stage, ...]
    original: Bytes | None = field(repr=False)
    inner: tuple[int, int, int, int]
    lapped: bool

    @classmethod
    def of(
        cls,
        pictures: Pictures,
        place: Place,
        view: View,
        original: NDArray[Any] | None,
        progress: Progress = no_progress,
    ) -> Inspection:
        """Take a sample apart.

        Parameters
        ----------
        pictures : Pictures
            The image's components.
        place : Place
            The sample.
        view : View
            How it is looked at.
        original : ndarray of uint8 or uint16, shape (H, W, C), or None
            The image; of a stack, the one that the sample is.
        progress : Progress, optional
            Told of the stages.

        Returns
        -------
        Inspection
            The sample in pictures.
        """
        samples = Samples.of(pictures.header)
        scores = pictures.scores_at(place.row, place.column)
        numbers = [0, *chosen_stages(scores, view.k, view.left_out)]
        painter = _Painter(pictures, place, view, original)
        parts = [painter.colours(pictures.component_picture(n)) * scores[n - 1] for n in numbers[1:]]
        drawn: list[Bytes | None] = [None, *_about_grey(parts)]
        stages = []
        for done, (before, number) in enumerate(zip([0, *numbers], numbers, strict=False)):
            progress(done, len(numbers))
            picture, rms = painter.sum(number)
            skipped = max(number - before - 1, 0)
            score = float(scores[number - 1]) if number else 0.0
            stages.append(Stage(number, score, skipped, picture, drawn[done], rms))
        lapped = isinstance(pictures.header.sampling, Lapped)
        shown = None if painter.original is None else painter.shown(painter.original)
        return cls(samples, place, view, scores, tuple(stages), shown, painter.inner, lapped)


class _Painter:
    """Makes the pictures of a sample's stages."""

    def __init__(self, pictures: Pictures, place: Place, view: View, original: NDArray[Any] | None) -> None:
        self._pictures, self._place, self._view = pictures, place, view
        around, region = place.around, place.region
        longest = max(around.right - around.left, around.bottom - around.top)
        stack = pictures.sample_size == 0
        self._every = -(-longest // MOST_PIXELS) if stack else 1
        # A little smaller, for rounding must not make it the next larger.
        self._scale = 1 / (self._every + 0.25) if stack else 1.0
        self.original: NDArray[Any] | None = None
        if original is not None:
            part = original[around.top : around.bottom, around.left : around.right]
            self.original = part[:: self._every, :: self._every]
        edges = (
            region.left - around.left,
            region.top - around.top,
            region.right - around.left,
            region.bottom - around.top,
        )
        left, top, right, bottom = (-(-edge // self._every) for edge in edges)
        self.inner = left, top, right, bottom
        whole = isinstance(pictures, Preview) and pictures.sample_size > 0
        self._sums = _Sums(pictures, place, view) if whole and isinstance(pictures, Preview) else None

    def colours(self, change: Floats) -> Floats:
        """Return what a change of all channels adds to the colours that are shown."""
        screen = self._view.screen
        added: Floats = change[..., list(self._view.bands)] if screen is None else change @ screen.mix
        return added

    def shown(self, pixels: NDArray[Any]) -> Bytes:
        """Return pixels of the image as the screen shows them."""
        screen, values = self._view.screen, self.colours(pixels.astype(np.float32))
        values = values * np.float32(255 / self._view.white) if screen is None else values + screen.offset
        result: Bytes = np.clip(np.nan_to_num(values + np.float32(0.5)), 0, 255).astype(np.uint8, order="C")
        return result

    def sum(self, number: int) -> tuple[Bytes, float | None]:
        """Return the sum up to a component as a picture, and what it lacks of the original."""
        pixels = self._rendered(number, None)
        screen, bands = self._view.screen, list(self._view.bands)
        picture = pixels[..., bands] if screen is None else self._rendered(number, screen)
        return np.ascontiguousarray(picture), self._error(number, pixels)

    def _rendered(self, number: int, screen: Screen | None) -> Bytes:
        view, place = self._view, self._place
        around = place.around
        found = self._pictures.render(
            Region(around.left, around.top, around.right, around.bottom),
            self._scale,
            max(number, 1),
            step=view.step,
            zone=view.zone,
            white=view.white,
            screen=screen,
            frame=place.column if self._pictures.sample_size == 0 else 0,
            # The mean is what is left when the only component is left out.
            left_out=view.left_out if number else frozenset({1}),
        )
        top, left = around.top - found.top, around.left - found.left
        rows, columns = (
            -(-count // self._every) for count in (around.bottom - around.top, around.right - around.left)
        )
        return found.pixels[top : top + rows, left : left + columns]

    def _error(self, number: int, pixels: Bytes) -> float | None:
        if self.original is None:
            return None
        left, top, right, bottom = self.inner
        original = self.original[top:bottom, left:right]
        if self._sums is None:
            levels = pixels[top:bottom, left:right] * np.float32(self._view.white / 255)
        else:
            levels = self._sums.of(number, original.dtype)[: bottom - top, : right - left]
        return math.sqrt(float(np.square(levels - original).mean()))


class _Sums:
    """The numbers of a sample's sums, for samples that do not overlap; to be asked for in ascending order."""

    def __init__(self, pictures: Preview, place: Place, view: View) -> None:
        self._pictures, self._done = pictures, 0
        self._shape = pictures.header.sampling.feature_grid(pictures.header.shape)
        self._sum = pictures.mean.astype(np.float64)
        scores = pictures.scores_at(place.row, place.column).astype(np.float64)
        self._scores = scores if view.step is None else rounded(scores / view.step, view.zone) * view.step
        self._scores[indices(view.left_out, len(scores))] = 0

    def of(self, number: int, dtype: np.dtype[Any]) -> NDArray[np.float64]:
        """Return the sum up to a component, as values that pixels can have: (h, w, C)."""
        more = slice(self._done, number)
        self._sum += self._scores[more] @ self._pictures.rows[more] / self._pictures.unit
        self._done = number
        values = self._sum.reshape(self._shape)
        if dtype.kind == "f":
            return values
        limits = np.iinfo(dtype)
        return np.clip(np.rint(values), limits.min, limits.max)


def _about_grey(parts: list[Floats]) -> list[Bytes]:
    """Return changes as pictures; square roots, for else all but the largest would look like nothing."""
    # The largest is mostly a change of brightness, as which it is seen even beyond the scale.
    largest = sorted(float(np.abs(part).max(initial=0)) for part in parts)
    full = (largest[-2:] or [0.0])[0] or (largest[-1:] or [0.0])[0] or 1.0
    pictures = []
    for part in parts:
        strength = np.sqrt(np.minimum(np.abs(part) / np.float32(full), 1))
        swing = strength * np.sign(part) * np.float32(_SWING)
        pictures.append(np.ascontiguousarray(np.rint(swing + _GREY).astype(np.uint8)))
    return pictures
