"""The interface of renderers: any part of a reconstruction for any k, and single components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.errors import SettingsError


class Cells(NamedTuple):
    """A range of rows and columns of a grid; bottom and right are exclusive."""

    top: int
    bottom: int
    left: int
    right: int


@dataclass(frozen=True)
class Region:
    """A rectangle of whole pixels; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether it contains no pixel."""
        return self.right <= self.left or self.bottom <= self.top

    @property
    def edges(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom."""
        return self.left, self.top, self.right, self.bottom

    def united(self, other: Region) -> Region:
        """Return the bounding box of this region and another; an empty region is ignored."""
        if self.empty or other.empty:
            return other if self.empty else self
        return Region(
            min(self.left, other.left),
            min(self.top, other.top),
            max(self.right, other.right),
            max(self.bottom, other.bottom),
        )

    def cells(self, side: int, grid: tuple[int, int]) -> Cells:
        """Return the cells of a side that the region covers in a grid of rows and columns; at least one."""
        top, left = min(max(self.top // side, 0), grid[0] - 1), min(max(self.left // side, 0), grid[1] - 1)
        bottom, right = min(-(-self.bottom // side), grid[0]), min(-(-self.right // side), grid[1])
        return Cells(top, max(bottom, top + 1), left, max(right, left + 1))


@dataclass(frozen=True, eq=False)
class Screen:
    """An affine map from the values of an image's channels to screen colours."""

    mix: NDArray[np.float32]
    """Contribution of a channel's unit value to each colour, shape (C, n); white is 255."""
    offset: NDArray[np.float32]  # the colours of a pixel whose values are all zero, shape (n,)


@dataclass(frozen=True, eq=False)
class View:
    """A picture of part of an image, each of whose pixels is the average of a cell of the image's."""

    pixels: NDArray[np.uint8]  # shape (h, w, n)
    left: int  # the part that it shows, in pixels of the image; it may extend beyond the image
    top: int
    right: int
    bottom: int


MOST_PICTURE, MOST_PLANE = 128, 1024
"""Default limits on the sides in pixels of a component's picture, and of a score plane's."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """How a part of an image is drawn."""

    step: float | None = None  # with which scores are quantised, if the view is small enough for that
    zone: float = 0.0  # steps by which they are shifted towards zero before that: see :func:`dead_zone`
    bands: tuple[int, ...] | None = None  # the channels that are shown, all by default
    white: float | None = None  # what is shown as 255, by default the largest value of the type
    screen: Screen | None = None  # makes the colours instead of both, except for photos
    frame: int = 0  # the image of a stack
    left_out: frozenset[int] = frozenset()  # components whose scores are zero, from 1


PLAIN = Drawing()


class Pictures(Protocol):
    """Renders parts of an image from its first k components. Methods are thread-safe."""

    @property
    def header(self) -> Header:
        """The image's shape and step."""

    @property
    def variances(self) -> NDArray[np.float64]:
        """Mean squares of the scores, in squared units of the stored planes, shape (n_components,)."""

    def render(self, region: Region, scale: float, k: int, drawing: Drawing = PLAIN) -> View:
        """Render part of the reconstruction from k components, which the view covers in whole cells.

        The view has about `scale` screen pixels per image pixel, never more than the image's.
        """

    @property
    def sample_size(self) -> int:
        """Pixels along a block's side; 1 where pixels are samples, 0 where images of a stack are."""

    def component_picture(self, number: int, most: int = MOST_PICTURE) -> NDArray[np.float32]:
        """Return a component, from 1, as a picture: what a unit score adds to the pixels, shape (h, w, C).

        Pixels are averaged to keep within `most` a side. SettingsError if there is no such component.
        """

    def score_plane(self, number: int, most: int = MOST_PLANE) -> NDArray[np.float32]:
        """Return the scores of a component, from 1, as a picture in grey levels; (1, n_images) for a stack.

        Scores are averaged to keep within `most` a side. SettingsError if there is no such component.
        """

    def scores_at(self, row: int, column: int) -> NDArray[np.float32]:
        """Return all scores of a sample in grey levels, shape (n_components,).

        The place counts from zero; for a stack it is 0 and the index of the image. SettingsError if there is
        no such sample.
        """


def check_number(number: int, count: int) -> None:
    """Raise SettingsError if a one-based component number exceeds `count`."""
    if not 1 <= number <= count:
        raise SettingsError(f"The image has {count} components; there is no component {number}.")


def check_place(row: int, column: int, grid: tuple[int, int]) -> None:
    """Raise SettingsError if a zero-based sample position is outside a grid of rows and columns."""
    if not (0 <= row < grid[0] and 0 <= column < grid[1]):
        raise SettingsError(
            f"The image has {grid[0]} × {grid[1]} samples; there is none in row {row}, column {column}."
        )
