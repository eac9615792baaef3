"""A photo's scores, computed once: every k keeps a prefix of them, and every step Δ only rounds them."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Effort
from pcaimage.codec.compressed import DEPENDENT, ORDERED, Header, header_of
from pcaimage.codec.photo.layout import UNIT, PhotoLayout, slice_rows
from pcaimage.codec.photo.planes import Planes
from pcaimage.codec.photo.tables import NEWEST, Tables
from pcaimage.codec.photo.tiles.tiles import TILE, flatness
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.settings import DEFAULT_STEP, LOSSLESS_STEP, MOST_PHOTO_CHANNELS
from pcaimage.codec.spectrum import FINEST_STEP, Spectrum
from pcaimage.errors import DataError
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Lapped

if TYPE_CHECKING:
    from pcaimage.codec.photo.tiles.graphics import Graphic


@dataclass(frozen=True, eq=False)
class PhotoAnalysis(Spectrum):
    """A photo and its scores on the components of the cascade.

    The step of the header is a placeholder. Scores, which may be released and found again, are those of the
    whole image, also if it is a graphic with tiles of flat colours that are coded by prediction among pixels;
    those that are coded are :attr:`rest`'s. Of components left out, by one-based numbers, they are taken to
    be zero.
    """

    header: Header
    cascade: Cascade
    found: Planes = field(repr=False)
    left_out: frozenset[int] = frozenset()
    graphic: Graphic | None = field(default=None, repr=False)

    @property
    def reach(self) -> float:  # noqa: D102 - inherited
        return 3.0

    @classmethod
    def fit(
        cls, array: NDArray[Any], progress: Progress = no_progress, white: float | None = None
    ) -> PhotoAnalysis:
        """Find the scores of an image of at most four channels, uint8 or uint16, with some white."""
        header = header_of(array, Lapped(), white)
        if header.shape[-1] > MOST_PHOTO_CHANNELS:
            raise DataError(
                f"The photo method takes images of one to {MOST_PHOTO_CHANNELS} channels; this one has "
                f"{header.shape[-1]}. PCA over its channels suits it."
            )
        header = replace(header, tables=NEWEST, tools=DEPENDENT)
        header = replace(header, slice_rows=slice_rows(*PhotoLayout(header).grid))
        basis = Tables.of(NEWEST).basis
        cascade = Cascade.of_image(array, basis, basis, header.peak)
        planes, graphic = cascade.forward(array, UNIT, progress), None
        if array.dtype == np.uint8:
            graphic = _graphic(array.reshape(header.shape), planes)
        return cls.of(header, cascade, planes, graphic)

    @classmethod
    def of(
        cls, header: Header, cascade: Cascade, planes: NDArray[Any], graphic: Graphic | None
    ) -> PhotoAnalysis:
        """Return a photo with its scores, which tiles make needless for coding."""
        find = None if graphic is None else partial(cascade.forward, graphic.image, UNIT)
        return cls(header, cascade, Planes(planes, find), graphic=graphic).ordered()

    @property
    def planes(self) -> NDArray[Any]:
        """Scores of all components, left-out ones included: int16 or int32, shape (C * 64, rows, columns).

        They are in units of :data:`UNIT` and in the cascade's order.
        """
        return self.found.array

    def with_effort(self, effort: Effort) -> PhotoAnalysis:
        """Return the photo as an encoder takes it that makes an effort; it shares all memory.

        With the least, scores are quantised one by one.
        """
        tools = self.header.tools & ~DEPENDENT
        if effort != Effort.FAST:
            tools |= DEPENDENT
        found = replace(self, header=replace(self.header, tools=tools))
        object.__setattr__(found, "spread", self.spread)
        return found

    def ordered(self) -> PhotoAnalysis:
        """Return the photo with its components in the order of its own variances.

        It shares all memory. Photos of few blocks stay as they are.
        """
        header, (rows, columns) = self.header, PhotoLayout(self.header).grid
        if rows * columns < LEAST_BLOCKS:
            return self
        slopes = slopes_of(self.spread / header.peak**2)
        found = replace(self, header=replace(header, tools=header.tools | ORDERED, slopes=slopes))
        object.__setattr__(found, "spread", self.spread)
        return found

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The index in the cascade of each component's plane, in the order of the file."""
        return Tables.of(self.header.tables).components(self.header.shape[-1], self.header.slopes).planes

    def tuned(self, *, for_the_eye: bool) -> Self:
        """Return the photo as it is coded for the eye, or for PSNR; it shares all memory."""
        from pcaimage.codec.photo import masking  # noqa: PLC0415 - where it is needed

        # Copying also carries over variances, which are the same for both.
        other = copy(self)
        header = masking.for_the_eye(self.header) if for_the_eye else masking.for_psnr(self.header)
        object.__setattr__(other, "header", header)
        if self.graphic is not None:
            object.__setattr__(other, "graphic", self.graphic.tuned(header, self.planes))
        other.__dict__.pop("waters", None)  # the finest step follows from weights
        return other

    @property
    def simpler(self) -> Self | None:
        """The photo without tiles, some of which are exact at all steps."""
        return None if self.graphic is None else replace(self, graphic=None)

    @property
    def apart(self) -> float:
        """The share of tiles that are coded by prediction among pixels."""
        return 0.0 if self.graphic is None else float(self.graphic.chosen.mean())

    @property
    def rest(self) -> PhotoAnalysis:
        """The photo without its tiles, with its components in the same order; all of it if it has none."""
        if self.graphic is None:
            return self
        return replace(self, found=self.graphic.rest(self.cascade), graphic=None)

    @cached_property
    def local_levels(self) -> NDArray[np.int8]:
        """The level that each block's region is to have if steps differ by region, shape (rows, columns)."""
        from pcaimage.codec.photo import masking  # noqa: PLC0415 - where it is needed

        return masking.levels(self.planes, self.header, UNIT)

    def plane(self, index: int) -> NDArray[Any]:
        """Return the scores of a component, by its index, in :data:`UNIT`; zeros if it is left out."""
        plane: NDArray[Any] = self.planes[self.order[index]]
        return np.zeros_like(plane) if index + 1 in self.left_out else plane

    @cached_property
    def variances(self) -> NDArray[np.float64]:
        """Explained variances of the components in the order of the file, shape (n_components,)."""
        found: NDArray[np.float64] = self.spread[self.order]
        return found

    @cached_property
    def spread(self) -> NDArray[np.float64]:
        """Explained variances of the components in the order of the cascade, shape (n_components,)."""
        found: NDArray[np.float64] = variances(self.planes) * UNIT**2
        return found

    @property
    def total_variance(self) -> float:
        """The sum of the variances of all components."""
        return float(self.variances.sum())

    def default_step(self, max_error: float | None) -> float:
        """Return the default step Δ, which is coarser where a residual follows."""
        step = (DEFAULT_STEP if max_error is None else LOSSLESS_STEP) * self.header.peak / 255
        return max(step, self.finest_step)

    @property
    def finest_step(self) -> float:
        """The smallest useful step: weights make those of most scores larger."""
        return FINEST_STEP * math.exp2(-max(self.header.weights[1:], default=0) / 16)


def _graphic(image: NDArray[np.uint8], planes: NDArray[Any]) -> Graphic | None:
    """Return an image with those of its tiles that are coded by prediction among pixels, if it has such."""
    found = flatness(image)
    if not (found.flat & (found.repeated + TILE < found.sizes)).any():
        return None
    from pcaimage.codec.photo.tiles.graphics import Graphic  # noqa: PLC0415 - photographs do without

    return Graphic.of(image, found, planes)


# An order of a photo's components in which the image's own spectrum falls. Tables have them in the order of
# most photographs, so a single one's spectrum goes up and down. The variances of a channel's components fall
# as powers of their frequencies, or faster. So a few numbers, which the header holds, tell the order of this
# image: that of the variances by a formula in whole numbers. The first k are then nearly the best.
LEAST_BLOCKS = 1 << 10  # number of blocks of an image from which the bytes of its own order do not matter
LARGEST = 127  # bound on scales and slopes, which are bytes
OCTAVES = np.array([0, 16, 25, 32, 37, 41, 45, 48])  # log2(1 + u) of a frequency u from 0 to 7, in 1/16

_SCALE, _LINEAR = 32, 8
"""Scales are in 1/8 octave, slopes in 1/16, the last in 1/32, and the levels that they add up to in 1/256."""

_CONSTANT = 8 * 8
_FAINTEST = 2.0**-20
"""Variance, as a share of the squared peak, below which differences do not matter: less than by rounding."""

Floats = NDArray[np.float64]


def _features() -> NDArray[np.int64]:
    """Return the coefficients of a channel's scale and slopes, shape (64, 5)."""
    down, along = np.indices((8, 8)).reshape(2, -1)
    largest, linear = OCTAVES[np.maximum(down, along)], _LINEAR * (down + along)
    return np.stack([np.full(64, _SCALE), OCTAVES[down], OCTAVES[along], largest, linear], axis=1)


def slopes_of(variances: Floats) -> tuple[int, ...]:
    """Fit scales and slopes to the variances of an image, as shares of the squared peak, by least squares.

    Return the slopes of the first channel, then scale and slopes of each other one: 5 C - 1 numbers.
    """
    levels = np.log2(np.maximum(variances, _FAINTEST)).reshape(-1, _CONSTANT)[:, 1:]
    found = np.linalg.lstsq(_features()[1:] / 256, levels.T, rcond=None)[0].T
    found[:, 0] -= found[0, 0]
    whole = np.clip(np.rint(found), -LARGEST, LARGEST).astype(int)
    return tuple(whole.ravel()[1:].tolist())


def variances(planes: NDArray[Any]) -> Floats:
    """Return the variance of each plane (divisor n − 1), shape (n,)."""
    flat = np.ascontiguousarray(planes).reshape(len(planes), -1)
    count = flat.shape[1]
    room = np.empty(count)  # memory that is new for each would take most of the time
    sums, squares = np.array([_sums(plane, room) for plane in flat]).T
    found: Floats = np.maximum(squares - sums**2 / count, 0.0) / max(count - 1, 1)
    return found


def _sums(plane: NDArray[Any], room: Floats) -> tuple[float, float]:
    """Return the sum of a plane and that of its squares: of numbers of 16 bits exactly, below 2^53."""
    if plane.dtype == np.int16:
        room[:] = plane
        return float(room.sum()), float(np.einsum("i,i", room, room))  # BLAS would start threads
    return float(plane.sum(dtype=np.float64)), float(np.square(plane, dtype=np.float32).sum(dtype=np.float64))
