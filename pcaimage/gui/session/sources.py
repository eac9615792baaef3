"""The sources of the pictures in the two views, and pictures of their difference. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Region
from pcaimage.gui.screen.picture import Extent, Picture
from pcaimage.gui.session.choice import Setting
from pcaimage.gui.session.display import Layers, Rendering
from pcaimage.gui.session.state import SessionState
from pcaimage.gui.session.work import Task
from pcaimage.insight.error_map import ErrorMap, to_colours
from pcaimage.progress import Progress

_BRIGHT, _EVERY = 0.995, 4
"""The share of the errors below the brightest, to a power of two; every fourth row and column tells it."""


@dataclass(frozen=True, eq=False)
class Source:
    """The source of a view's pictures: exact pixels where they are known, else components to render from."""

    layers: Layers | None
    task: Task | None = None
    unrounded: bool = False  # whether the scores are not quantised, so that PCA alone causes the loss

    def same_as(self, other: Source | None) -> bool:
        """Return whether another source gives the same pictures."""
        if other is None or self.layers is not other.layers or self.unrounded != other.unrounded:
            return False
        if self.layers is not None or self.task is None or other.task is None:
            return self.layers is not None
        mine, theirs = self.task, other.task
        return (mine.fit, mine.setting, mine.frame, mine.display) == (
            theirs.fit,
            theirs.setting,
            theirs.frame,
            theirs.display,
        )

    @property
    def renderable(self) -> Layers | Rendering:
        """The frozen value that a worker thread renders pictures from."""
        if self.layers is not None:
            return self.layers
        if self.task is None:
            raise ValueError("There is nothing to show.")
        rendering = self.task.rendering
        unrounded = replace(rendering.drawing, step=None, zone=0.0)
        return replace(rendering, drawing=unrounded) if self.unrounded else rendering

    def render(self, region: Region, scale: float) -> Picture:
        """Return a part of the picture at a scale of so many screen pixels per image pixel."""
        return self.renderable.render(region, scale)


def left_of(state: SessionState) -> Source | None:
    """Return the source of the left view; None while there is none."""
    if state.left == "reconstruction":
        return reconstruction_of(state)
    return None if state.original is None else Source(state.original)


def right_of(state: SessionState) -> Source | None:
    """Return the source of the right view: the reconstruction, also until a rival's picture is there."""
    rival, rivalry = state.rival, state.rivalry
    if rival is not None and rivalry is not None and rivalry.rival == rival:
        return Source(rivalry.layers)
    present = reconstruction_of(state)
    if rival is None or state.document is None or state.fit is None:
        return present
    if rival.kind == "unrounded":
        task = Task(state.document, state.fit, state.setting, state.frame, state.display)
        return Source(None, task, unrounded=True)
    if rival.kind != "k":
        return present
    k = min(rival.k, state.fit.n_components)
    return Source(None, Task(state.document, state.fit, Setting(k, None), state.frame, state.display))


ViewName = Literal["reconstruction", "left", "right", "difference"]
"""A picture that can be copied: the reconstruction, what a view shows, or the difference of the views."""


@dataclass(frozen=True, eq=False)
class PictureCopy:
    """The work of rendering a whole picture, an image pixel to a pixel, for the clipboard."""

    name: str  # the picture in a sentence, such as ``"The original"``
    make: Callable[[Progress], Picture]


def copy_of(state: SessionState, view: ViewName, full_scale: float | None = None) -> PictureCopy | None:
    """Return how a picture is copied; None if there is none.

    `full_scale` is the error that a difference shows brightest, in levels of the image; None for automatic.
    """
    left, right = left_of(state), right_of(state)
    document, display = state.document, state.shown_by
    if view == "reconstruction":
        right = reconstruction_of(state)
    if document is None or display is None:
        return None
    region = Region(0, 0, *document.size)
    if view == "difference":
        if left is None or right is None:
            return None
        renderer, white = DifferenceRenderer(), 255 * display.unit
        renderer.full_scale = full_scale

        def make(progress: Progress) -> Picture:
            renderer.learn(left, right, renderer.measure(left, right, progress))
            return renderer.render(left, right, region, 1.0, white)[0]

        return PictureCopy("The difference", make)
    source = left if view == "left" else right
    if source is None:
        return None
    return PictureCopy(_name_of(state, view), lambda _: document.on_screen(source.render(region, 1.0)))


def _name_of(state: SessionState, view: ViewName) -> str:
    if view == "left":
        return f"The {state.left}"
    if view == "right" and state.rival is not None and state.rival.kind == "unrounded":
        return "The unrounded reconstruction"
    if view == "right" and state.rival is not None and state.rivalry is not None:
        return f"The picture “{state.rivalry.lines[0]}”"
    return "The reconstruction"


def reconstruction_of(state: SessionState) -> Source | None:
    """Return the source of the reconstruction by the current components, also while others are computed."""
    if state.document is None or state.fit is None:
        return None
    if state.setting.lossless and state.original is not None:
        return Source(state.original)
    return Source(state.exact, Task(state.document, state.fit, state.setting, state.frame, state.display))


class DifferenceScale(NamedTuple):
    """The scale of the colours of a difference."""

    full: float  # the error that is shown brightest, in levels of the image
    automatic: bool  # whether it follows from the errors
    exact: bool  # whether errors are those of exact pixels, rather than of rendered pictures


@dataclass
class _DifferenceCache:
    """Cached results about the differences of one image."""

    errors: tuple[Source, Source, ErrorMap] | None = None
    left: tuple[Source, Region, float, Picture] | None = None
    full: float = 0.0


class DifferenceRenderer:
    """Renders the difference of two sources, exactly where the pixels of both are known."""

    def __init__(self) -> None:
        self.full_scale: float | None = None
        """The error to be shown brightest, in levels of the image; None to choose it automatically."""
        self._cache = _DifferenceCache()

    def forget(self) -> None:
        """Free the cache, because another image was opened."""
        self._cache = _DifferenceCache()  # jobs that still run keep the former

    def can_measure(self, left: Source, right: Source) -> bool:
        """Return whether exact errors can be measured, and have not been yet."""
        exact = left.layers is not None and right.layers is not None
        return exact and self._errors(left, right) is None

    def measure(self, left: Source, right: Source, progress: Progress) -> ErrorMap | None:
        """Return the exact errors, to be passed to :meth:`learn`; None where pixels are not known."""
        if left.layers is None or right.layers is None:
            return None
        return ErrorMap.of(left.layers.pixels, right.layers.pixels, progress)

    def learn(self, left: Source, right: Source, errors: ErrorMap | None) -> None:
        """Cache exact errors."""
        if errors is not None:
            self._cache.errors = left, right, errors

    def render(
        self, left: Source, right: Source, region: Region, scale: float, white: float
    ) -> tuple[Picture, DifferenceScale]:
        """Return a picture of a part of the difference, and the scale of its colours.

        There are `scale` screen pixels to one of the image; `white` is the value shown as 255.
        """
        extent: Extent
        cache, errors = self._cache, self._errors(left, right)
        if errors is not None:
            cache.full = errors.full_scale
            values, extent = errors.region(*region.edges, scale), errors.covered(*region.edges, scale)
        else:
            shown, before = right.render(region, scale), _left_picture(cache, left, region, scale)
            values, extent = difference(before, shown, white), shown.extent
            if not cache.full:
                some = np.sort(values[::_EVERY, ::_EVERY], axis=None)  # np.percentile imports masks
                bright = max(float(some[int(_BRIGHT * len(some))]), 1.0)
                cache.full = 2.0 ** math.ceil(math.log2(bright))
        full = cache.full if self.full_scale is None else self.full_scale
        found = DifferenceScale(full, self.full_scale is None, errors is not None)
        return Picture(to_colours(values, full), extent), found

    def _errors(self, left: Source, right: Source) -> ErrorMap | None:
        known = self._cache.errors
        if known is not None and known[0].same_as(left) and known[1].same_as(right):
            return known[2]
        return None


def _left_picture(cache: _DifferenceCache, left: Source, region: Region, scale: float) -> Picture:
    """Return a part of the left picture, which stays the same while k moves."""
    known = cache.left
    if known is not None and known[0].same_as(left) and known[1:3] == (region, scale):
        return known[3]
    picture = left.render(region, scale)
    cache.left = left, region, scale, picture
    return picture


def difference(left: Picture, right: Picture, white: float) -> NDArray[np.float32]:
    """Return the errors between two pictures at the pixels of the second, in levels of the image.

    They are root mean squares over the channels. Of reduced pictures this is the difference of averages,
    which is less than the average difference; it is shown until the exact pixels are known. `white` is the
    value shown as 255.
    """
    shown = left.pixels
    if (left.extent, shown.shape[:2]) != (right.extent, right.pixels.shape[:2]):
        rows = _nearest(shown.shape[0], left.extent[1::2], right.pixels.shape[0], right.extent[1::2])
        columns = _nearest(shown.shape[1], left.extent[::2], right.pixels.shape[1], right.extent[::2])
        shown = shown[rows][:, columns]
    channels = min(shown.shape[2], right.pixels.shape[2], 3)
    squares = shown[..., :channels].astype(np.float32)
    squares -= right.pixels[..., :channels]
    np.square(squares, out=squares)
    mean = reduce(np.add, np.moveaxis(squares, 2, 0)) / np.float32(channels)
    result: NDArray[np.float32] = np.sqrt(mean) * np.float32(white / 255)
    return result


def _nearest(count: int, ends: tuple[float, ...], wanted: int, at: tuple[float, ...]) -> NDArray[np.intp]:
    """Return which of evenly spaced pixels are nearest to others along one axis."""
    centres = at[0] + (np.arange(wanted) + 0.5) * (at[1] - at[0]) / wanted
    found = (centres - ends[0]) * count / (ends[1] - ends[0])
    return np.clip(found.astype(np.intp), 0, count - 1)
