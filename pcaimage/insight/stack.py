"""Stacks of images: the mean image, thumbnails from k components, the errors of each, and their scatter.

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

from pcaimage.codec import Pictures, Preview, Screen
from pcaimage.codec.coding.reduction import reduced
from pcaimage.errors import DataError, SettingsError
from pcaimage.insight.inspection import RenderSettings
from pcaimage.machine.parallel import in_parallel
from pcaimage.progress import Progress, counted, no_progress

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Numbers = NDArray[np.intp]

THUMBNAIL = 96  # longest side of a thumbnail in pixels
_MOST_NUMBERS = 1 << 24  # approximate largest number of values in all averaged components together


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


@dataclass(frozen=True, eq=False)
class Scatter:
    """Images as points: the scores of each, in pixel values, on two components, counted from 1."""

    across: int
    up: int
    points: Floats = field(repr=False)
    labels: NDArray[Any] | None = field(default=None, repr=False)  # class of each image

    @classmethod
    def of(cls, preview: Pictures, across: int, up: int, labels: NDArray[Any] | None = None) -> Scatter:
        """Return the scatter of a stack's scores on two components, from 1, which may be the same.

        Raises SettingsError if there is no such component, or the number of labels is wrong.
        """
        count = preview.header.shape[0]
        if labels is not None and labels.shape != (count,):
            raise SettingsError(f"There are {count} images, but labels of shape {labels.shape}.")
        planes = [preview.score_plane(number, count).reshape(-1) for number in (across, up)]
        return cls(across, up, np.stack(planes, axis=1), labels)

    @cached_property
    def groups(self) -> tuple[tuple[Any, Numbers], ...]:
        """Labels in ascending order, each with its images; without labels all images under None."""
        if self.labels is None:
            return ((None, np.arange(len(self.points))),)
        values, inverse = np.unique(self.labels, return_inverse=True)
        order = np.argsort(inverse, kind="stable")
        starts = np.searchsorted(inverse[order], np.arange(1, len(values)))
        members = np.split(order, starts)
        return tuple(zip(values.tolist(), members, strict=True))

    @cached_property
    def places(self) -> Numbers:
        """Index of each image's group: (N,)."""
        places = np.zeros(len(self.points), np.intp)
        for place, (_, members) in enumerate(self.groups):
            places[members] = place
        return places

    @cached_property
    def centres(self) -> Floats:
        """The median point of each group: (n_groups, 2)."""
        return np.stack([np.median(self.points[members], axis=0) for _, members in self.groups])

    def nearest(self, x: float, y: float, scale: tuple[float, float], reach: float) -> int | None:
        """Return the image, from 0, whose point is nearest to (x, y) in scores; None if none is within reach.

        `scale` is the number of screen pixels in a score of one, across and up; `reach` is in screen pixels.
        """
        if not len(self.points):
            return None
        distances = np.square((self.points[:, 0] - np.float32(x)) * np.float32(scale[0]))
        distances += np.square((self.points[:, 1] - np.float32(y)) * np.float32(scale[1]))
        number = int(np.argmin(distances))
        return number if distances[number] <= reach**2 else None

    def limits(self) -> tuple[float, float, float, float]:
        """Return the left, right, lower and upper bound of all points, never of zero extent."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        room = np.maximum(high - low, 1.0)
        middle = (low + high) / 2
        low, high = middle - room / 2, middle + room / 2
        return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def without_overlap(places: NDArray[Any], side: float, most: int, first: int | None = None) -> Numbers:
    """Choose at most `most` points at which pictures can be drawn without overlap.

    `places`, (n, 2), are their centres in screen pixels; `side` is the width and height of a picture; `first`
    is a point that is always chosen. Of two points that exclude each other the earlier is preferred.
    """
    cells = np.floor(places / side).astype(np.int64)
    if first is not None:
        cells = np.concatenate((cells[first : first + 1], cells))
    order = np.arange(len(places)) if first is None else np.concatenate(([first], np.arange(len(places))))
    # The first point of each picture-sized cell is tried; it can overlap only those of adjacent cells.
    _, tried = np.unique(cells, axis=0, return_index=True)
    taken: dict[tuple[int, int], tuple[float, float]] = {}
    chosen: list[int] = []
    for place in np.sort(tried).tolist():
        if len(chosen) >= most:
            break
        column, row = cells[place].tolist()
        x, y = places[order[place]].tolist()
        around = (taken.get((column + i, row + j)) for i in (-1, 0, 1) for j in (-1, 0, 1))
        if all(other is None or max(abs(other[0] - x), abs(other[1] - y)) >= side for other in around):
            taken[column, row] = x, y
            chosen.append(int(order[place]))
    return np.array(chosen, np.intp)
