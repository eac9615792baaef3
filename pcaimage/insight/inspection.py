"""A single sample decomposed: its mean, and the contribution of one component after the other."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Drawing, Header, Pictures, Preview, Region, Screen
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Lapped, Stack

FIRST, MOST = 12, 32  # number of components shown in order, and the most shown in all

_AROUND_PIXEL = 16


@dataclass(frozen=True)
class SamplePlace:
    """Position of a sample in the grid of an image; of a stack, row 0 and the number of the image."""

    row: int
    column: int
    region: Region  # its pixels within the image
    around: Region  # the same with its surroundings

    @property
    def centre(self) -> tuple[int, int]:
        """The pixel at its centre."""
        return (self.region.left + self.region.right) // 2, (self.region.top + self.region.bottom) // 2


@dataclass(frozen=True)
class Samples:
    """The division of an image into samples."""

    width: int
    height: int
    size: int  # side of a block; 1 for pixels, 0 for the images of a stack

    @classmethod
    def of(cls, header: Header) -> Samples:
        """Return the samples of an image, by the shape and sampling in its header."""
        height, width = header.shape[-3:-1]
        if isinstance(header.sampling, Stack):
            return cls(width, height, 0)
        return cls(width, height, header.sampling.feature_grid(header.shape)[0])

    def at(self, x: int, y: int, frame: int = 0) -> SamplePlace:
        """Return the sample that contains the pixel nearest to (x, y); of a stack, image `frame`."""
        if not self.size:
            whole = Region(0, 0, self.width, self.height)
            return SamplePlace(0, frame, whole, whole)
        x, y = min(max(x, 0), self.width - 1), min(max(y, 0), self.height - 1)
        row, column = y // self.size, x // self.size
        region = self._inside(column * self.size, row * self.size, self.size, self.size)
        if self.size == 1:
            across, down = min(_AROUND_PIXEL, self.width), min(_AROUND_PIXEL, self.height)
            left = min(max(x - across // 2, 0), self.width - across)
            top = min(max(y - down // 2, 0), self.height - down)
            return SamplePlace(row, column, region, Region(left, top, left + across, top + down))
        left, top = max(column - 1, 0) * self.size, max(row - 1, 0) * self.size
        right, bottom = (column + 2) * self.size, (row + 2) * self.size
        return SamplePlace(row, column, region, self._inside(left, top, right - left, bottom - top))

    def neighbour(self, place: SamplePlace, across: int, down: int) -> SamplePlace:
        """Return the sample some samples to the right and down (negative: left and up), within the image."""
        return self.at(
            place.region.left + across * self.size, place.region.top + down * self.size, place.column
        )

    def _inside(self, left: int, top: int, across: int, down: int) -> Region:
        return Region(left, top, min(left + across, self.width), min(top + down, self.height))


def components_to_show(
    scores: NDArray[np.float32], k: int, left_out: frozenset[int], first: int = FIRST, most: int = MOST
) -> list[int]:
    """Choose at most `most` components, from 1, whose partial sums are worth showing, in ascending order.

    They are the `first` few, those of the others with the largest absolute scores, and the last that is kept,
    so that the sum is complete.
    """
    kept = np.array([n for n in range(1, min(k, scores.size) + 1) if n not in left_out], np.int64)
    if kept.size <= most:
        return [int(n) for n in kept]
    middle = kept[first:-1]
    largest = middle[np.argsort(-np.abs(scores[middle - 1]), kind="stable")[: most - first - 1]]
    return sorted({*kept[:first].tolist(), *largest.tolist(), int(kept[-1])})


Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]

MOST_PIXELS = 160  # largest side in pixels at which samples that are images are shown

_GREY, _SWING = 128, 127


@dataclass(frozen=True, eq=False)
class PartialSum:
    """A sample reconstructed from its first components, with its surroundings.

    Components between this and the previous partial sum, which were `skipped`, were added as well, unless
    they are left out. The part is the contribution of the last about mid grey, with small changes
    exaggerated.
    """

    number: int  # the component added last; 0 for the mean alone
    score: float  # in pixel values
    skipped: int
    picture: Bytes = field(repr=False)
    part: Bytes | None = field(repr=False)  # None for the mean
    rms: float | None  # of the difference from the original, in levels


@dataclass(frozen=True)
class RenderSettings:
    """Settings with which samples are reconstructed and shown, by bands and white or for a screen."""

    k: int
    left_out: frozenset[int]  # of the first k, from 1
    step: float | None  # of the scores; None if they are quantised already
    zone: float  # shift of scores towards zero before rounding, in steps
    bands: tuple[int, ...]
    white: float  # the value shown as 255
    screen: Screen | None = None

    def kept_scores(self, preview: Preview, which: int | slice | NDArray[np.intp]) -> Floats:
        """Return the scores from which some samples are reconstructed, (k, n) in the units of the planes."""
        return preview.kept_scores(self.k, which, self.step, self.zone, self.left_out)


@dataclass(frozen=True, eq=False)
class Inspection:
    """One sample decomposed into its components, from the mean to the sum of everything that is kept."""

    samples: Samples
    place: SamplePlace
    view: RenderSettings
    scores: Floats  # all, in pixel values, not quantised
    stages: tuple[PartialSum, ...]
    original: Bytes | None = field(repr=False)
    inner: tuple[int, int, int, int]  # left, top, right and bottom of the sample in the pictures
    lapped: bool  # whether components of neighbours overlap it

    @classmethod
    def of(
        cls,
        pictures: Pictures,
        place: SamplePlace,
        view: RenderSettings,
        original: NDArray[Any] | None,
        progress: Progress = no_progress,
    ) -> Inspection:
        """Decompose a sample of an original; of a stack, that is the image which is the sample."""
        samples = Samples.of(pictures.header)
        scores = pictures.scores_at(place.row, place.column)
        numbers = [0, *components_to_show(scores, view.k, view.left_out)]
        painter = _Painter(pictures, place, view, original)
        parts = [painter.colours(pictures.component_picture(n)) * scores[n - 1] for n in numbers[1:]]
        drawn: list[Bytes | None] = [None, *_about_grey(parts)]
        stages = []
        for done, (before, number) in enumerate(zip([0, *numbers], numbers, strict=False)):
            progress(done, len(numbers))
            picture, rms = painter.sum(number)
            skipped = max(number - before - 1, 0)
            score = float(scores[number - 1]) if number else 0.0
            stages.append(PartialSum(number, score, skipped, picture, drawn[done], rms))
        shown = None if painter.original is None else painter.shown(painter.original)
        inner, lapped = painter.inner, isinstance(pictures.header.sampling, Lapped)
        return cls(samples, place, view, scores, tuple(stages), shown, inner, lapped)


class _Painter:
    """Renders the pictures of a sample's partial sums."""

    def __init__(
        self, pictures: Pictures, place: SamplePlace, view: RenderSettings, original: NDArray[Any] | None
    ) -> None:
        self._pictures, self._place, self._view = pictures, place, view
        around, region = place.around, place.region
        longest = max(around.right - around.left, around.bottom - around.top)
        stack = pictures.sample_size == 0
        self._every = -(-longest // MOST_PIXELS) if stack else 1
        # Slightly smaller, as rounding must not yield the next larger scale.
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
        self._sums: _PartialSums | None = None
        if isinstance(pictures, Preview) and pictures.sample_size > 0:
            self._sums = _PartialSums(pictures, place, view)

    def colours(self, change: Floats) -> Floats:
        """Return what a change of all channels adds to the displayed colours."""
        screen = self._view.screen
        return change[..., list(self._view.bands)] if screen is None else change @ screen.mix

    def shown(self, pixels: NDArray[Any]) -> Bytes:
        """Return pixels of the image as displayed."""
        screen, values = self._view.screen, self.colours(pixels.astype(np.float32))
        values = values * np.float32(255 / self._view.white) if screen is None else values + screen.offset
        result: Bytes = np.clip(np.nan_to_num(values + np.float32(0.5)), 0, 255).astype(np.uint8, order="C")
        return result

    def sum(self, number: int) -> tuple[Bytes, float | None]:
        """Return the partial sum up to a component as a picture, and its RMS difference from the original."""
        pixels = self._rendered(number, None)
        screen, bands = self._view.screen, list(self._view.bands)
        picture = pixels[..., bands] if screen is None else self._rendered(number, screen)
        return np.ascontiguousarray(picture), self._error(number, pixels)

    def _rendered(self, number: int, screen: Screen | None) -> Bytes:
        view, place = self._view, self._place
        around = place.around
        drawing = Drawing(
            view.step,
            view.zone,
            white=view.white,
            screen=screen,
            frame=place.column if self._pictures.sample_size == 0 else 0,
            # Leaving out the only component leaves the mean.
            left_out=view.left_out if number else frozenset({1}),
        )
        found = self._pictures.render(around, self._scale, max(number, 1), drawing)
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


class _PartialSums:
    """Numeric partial sums of a sample that does not overlap others; must be requested in ascending order."""

    def __init__(self, pictures: Preview, place: SamplePlace, view: RenderSettings) -> None:
        self._pictures, self._done = pictures, 0
        self._shape = pictures.header.sampling.feature_grid(pictures.header.shape)
        self._sum = pictures.mean.astype(np.float64)
        columns = pictures.header.sampling.grid(pictures.header.shape)[1]
        which = place.row * columns + place.column
        self._scores = view.kept_scores(pictures, which).astype(np.float64)

    def of(self, number: int, dtype: np.dtype[Any]) -> NDArray[np.float64]:
        """Return the partial sum up to a component, clipped to the range of the dtype: (h, w, C)."""
        more = slice(self._done, number)
        self._sum += self._scores[more] @ self._pictures.rows[more]
        self._done = number
        values = self._sum.reshape(self._shape)
        if dtype.kind == "f":
            return values
        limits = np.iinfo(dtype)
        return np.clip(np.rint(values), limits.min, limits.max)


def _about_grey(parts: list[Floats]) -> list[Bytes]:
    """Return changes as pictures about mid grey, with a square-root scale that keeps small ones visible."""
    # The largest is usually a change of brightness, which is visible even if clipped.
    largest = sorted(float(np.abs(part).max(initial=0)) for part in parts)
    full = (largest[-2:] or [0.0])[0] or (largest[-1:] or [0.0])[0] or 1.0
    pictures = []
    for part in parts:
        strength = np.sqrt(np.minimum(np.abs(part) / np.float32(full), 1))
        swing = strength * np.sign(part) * np.float32(_SWING)
        pictures.append(np.ascontiguousarray(np.rint(swing + _GREY).astype(np.uint8)))
    return pictures
