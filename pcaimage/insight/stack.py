"""Stacks of images: the mean image, thumbnails of many images from k components, and the errors of each.

Each image of a stack is a sample, so components are images themselves (of faces 'eigenfaces' [1]_ [2]_), and
an image is the mean image plus its scores times them. They are orthonormal, so the error of an image is its
part outside of the space of the kept components (the 'distance from face space' [2]_), whose square is a sum
of squares of scores.

References
----------
.. [1] L. Sirovich and M. Kirby, "Low-dimensional procedure for the characterization of human faces", Journal
   of the Optical Society of America A 4(3), 1987, doi:10.1364/JOSAA.4.000519.
.. [2] M. Turk and A. Pentland, "Eigenfaces for recognition", Journal of Cognitive Neuroscience 3(1), 1991,
   doi:10.1162/jocn.1991.3.1.71.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Preview, Screen
from pcaimage.codec.coding.reduction import reduced
from pcaimage.errors import DataError
from pcaimage.insight.inspection import RenderSettings
from pcaimage.machine.parallel import in_parallel
from pcaimage.progress import Progress, counted, no_progress

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

THUMBNAIL = 96
"""Longest side of a thumbnail in pixels."""

_MOST_NUMBERS = 1 << 24
"""Approximate largest number of values in all averaged components together."""


@dataclass(frozen=True, eq=False)
class StackPictures:
    """Thumbnails of a stack's images, by bands and white or for a screen; safe to use from threads."""

    preview: Preview
    bands: tuple[int, ...]
    white: float  # the value shown as 255
    most: int = THUMBNAIL  # longest side in pixels; larger images are averaged
    screen: Screen | None = None

    @property
    def mean(self) -> Bytes:
        """The mean of all images, which is the picture from no component: (h, w, 1 or 3)."""
        picture: Bytes = self._to_bytes(self._mean[None])[0]
        return picture

    def of_pixels(self, images: NDArray[Any], numbers: Sequence[int] | Numbers) -> Bytes:
        """Return thumbnails, (n, h, w, 1 or 3), of some images of (N, H, W, C), such as the originals."""
        height, width, count = self._shape
        small = np.empty((len(numbers), height, width, count), np.float32)
        for place, number in enumerate(numbers):
            small[place] = reduced(self._coloured(images[number]), self._side)
        return self._to_bytes(small.reshape(len(small), -1))

    def reconstructed(self, numbers: Sequence[int] | Numbers, view: RenderSettings) -> Bytes:
        """Return thumbnails of reconstructions, the mean plus quantised scores times components.

        They have the shape (n, h, w, 1 or 3); the bands of `view` are ignored.
        """
        scores = view.kept_scores(self.preview, np.asarray(numbers, np.intp))
        return self._to_bytes(scores.T @ self._rows[: len(scores)] + self._mean)

    @cached_property
    def _side(self) -> int:
        """Longest side of a thumbnail for which all averaged components together are not too large."""
        height, width, _ = self._grid
        fair = math.isqrt(max(1, _MOST_NUMBERS // (len(self.preview.rows) * self._colours)))
        return min(self.most, max(height, width)) if fair >= self.most else max(8, fair)

    @cached_property
    def _grid(self) -> tuple[int, int, int]:
        return self.preview.header.sampling.feature_grid(self.preview.header.shape)

    @cached_property
    def _shape(self) -> tuple[int, int, int]:
        height, width, _ = self._grid
        every = -(-max(height, width) // self._side)
        return -(-height // every), -(-width // every), self._colours

    @property
    def _colours(self) -> int:
        return len(self.bands) if self.screen is None else self.screen.mix.shape[1]

    def _coloured(self, pixels: NDArray[Any]) -> NDArray[Any]:
        """Return pixels in the displayed channels or colours, without the black level: (h, w, 1 or 3)."""
        if self.screen is None:
            return pixels[..., list(self.bands)]
        values = pixels.astype(np.float32) @ self.screen.mix
        return np.nan_to_num(values, copy=False) if pixels.dtype.kind == "f" else values

    @cached_property
    def _rows(self) -> Floats:
        """The components of averaged pixels, in the units of the planes."""
        rows = self.preview.rows
        plain = self.screen is None and self.bands == tuple(range(self._grid[2]))
        if plain and self._shape == self._grid:
            return rows
        small = np.empty((len(rows), math.prod(self._shape)), np.float32)
        for place, row in enumerate(rows):
            small[place] = self._small(row)
        return small

    @cached_property
    def _mean(self) -> Floats:
        return self._small(self.preview.mean)

    def _small(self, values: Floats) -> Floats:
        return reduced(self._coloured(values.reshape(self._grid)), self._side).reshape(-1)

    def _to_bytes(self, values: Floats) -> Bytes:
        values = values.reshape(len(values), *self._shape)
        if self.screen is None:
            values = values * np.float32(255 / self.white) + np.float32(0.5)
        else:
            values = values + (self.screen.offset + np.float32(0.5))
        return np.clip(values, 0, 255, out=values).astype(np.uint8)


Order: TypeAlias = Literal["number", "worst", "best", "label"]

_CHUNK = 1 << 18
_WORTH = 1 << 20
_UNIT_LENGTH = 0.02


@dataclass(frozen=True, eq=False)
class StackErrors:
    """The error of every image for every k, without reconstructing any.

    The squared error of an image is the sum of the squares of its dropped scores, of the rounding errors of
    those that are kept, and of its part outside the space of all components. Rounding and clipping of pixel
    values are ignored. Components of standardised features are not orthogonal as pixels; for them the images
    are reconstructed.
    """

    preview: Preview
    images: NDArray[Any] = field(repr=False)

    def rms(
        self, view: RenderSettings, progress: Progress = no_progress, *, which: slice = slice(None)
    ) -> Floats:
        """Return the root mean square of the errors of each image's values, in levels, for some k."""
        planes, size = self.preview.planes, self.preview.rows.shape[1]
        begin, end, _ = which.indices(planes.shape[1])
        squares = np.empty(max(end - begin, 0), np.float32)
        outside = self._outside if self._orthonormal else None

        def find(chunk: slice) -> None:
            there = slice(chunk.start - begin, chunk.stop - begin)
            if outside is None:
                squares[there] = self._direct(chunk, view)
                return
            unit = np.float32(self.preview.unit)
            wrong = planes[:, chunk] * unit
            wrong[: view.k] -= view.kept_scores(self.preview, chunk) * unit
            squares[there] = np.einsum("ij,ij->j", wrong, wrong) + outside[chunk]

        _in_chunks(find, begin, end, len(planes) if outside is not None else size, progress)
        result: Floats = np.sqrt(squares / np.float32(size))
        return result

    @cached_property
    def _orthonormal(self) -> bool:
        lengths = np.einsum("ij,ij->i", self.preview.rows, self.preview.rows) / self.preview.unit**2
        return bool(np.all(np.abs(lengths - 1) < _UNIT_LENGTH))

    @cached_property
    def _outside(self) -> Floats:
        """The squared length of each image's part outside the space of the components."""
        planes = self.preview.planes
        outside = np.zeros(planes.shape[1], np.float32)
        if len(planes) >= min(self.preview.rows.shape[1], planes.shape[1] - 1):
            return outside  # they span all images, so that only rounding would remain

        def find(chunk: slice) -> None:
            centred = self.images[chunk].reshape(len(outside[chunk]), -1) - self.preview.mean
            scores = planes[:, chunk] * np.float32(self.preview.unit)
            along = np.einsum("ij,ij->j", scores, scores)
            outside[chunk] = np.maximum(np.einsum("ij,ij->i", centred, centred) - along, 0)

        _in_chunks(find, 0, planes.shape[1], self.preview.rows.shape[1], no_progress)
        return outside

    def _direct(self, chunk: slice, view: RenderSettings) -> Floats:
        scores = view.kept_scores(self.preview, chunk)
        images = self.images[chunk].reshape(scores.shape[1], -1)
        wrong = scores.T @ self.preview.rows[: view.k] + self.preview.mean - images
        squares: Floats = np.einsum("ij,ij->i", wrong, wrong)
        return squares


def _in_chunks(find: Callable[[slice], None], begin: int, end: int, numbers: int, progress: Progress) -> None:
    """Call `find` with chunks of a run of images, on all cores."""
    length, report = max(1, _CHUNK // numbers), counted(progress, end - begin)

    def work(first: int, last: int) -> None:
        for start in range(begin + first, begin + last, length):
            chunk = slice(start, min(start + length, begin + last))
            find(chunk)
            report(chunk.stop - chunk.start)

    in_parallel(work, end - begin, worth=(end - begin) * numbers > _WORTH)


def exact_rms(images: NDArray[Any], reconstruction: NDArray[Any], progress: Progress = no_progress) -> Floats:
    """Return the root mean square of the errors of each image's values, in levels, from the decoded file."""
    if images.shape != reconstruction.shape or images.ndim != 4:
        raise DataError(f"Stacks of shapes {images.shape} and {reconstruction.shape} cannot be compared.")
    size = math.prod(images.shape[1:])
    squares = np.empty(len(images), np.float32)

    def find(chunk: slice) -> None:
        wrong = np.subtract(reconstruction[chunk], images[chunk], dtype=np.float32)
        flat = wrong.reshape(len(wrong), -1)
        squares[chunk] = np.einsum("ij,ij->i", flat, flat)

    _in_chunks(find, 0, len(images), size, progress)
    result: Floats = np.sqrt(squares / np.float32(size))
    return result


def ordered(
    count: int, by: Order, errors: Floats | None = None, labels: NDArray[Any] | None = None
) -> Numbers:
    """Return the numbers of a stack's images, from 0, in some order; ties stay in the order of their numbers.

    ``"worst"`` and ``"best"`` are by error; within a ``"label"``, the largest error comes first. Without the
    errors or labels that it needs, the order is that of the numbers.
    """
    keys: list[NDArray[Any]] = []
    if errors is not None and by != "number":
        keys.append(errors if by == "best" else -errors)
    if by == "label" and labels is not None:
        keys.append(labels)
    if not keys or (by == "label" and labels is None):
        return np.arange(count)
    return np.lexsort(keys)
