"""The integers of a photo, and their reconstruction, which is exact on every machine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memories
from pcaimage.codec.compressed import SHRUNK, Header
from pcaimage.codec.method import Model
from pcaimage.codec.photo.layout import PhotoLayout
from pcaimage.codec.photo.masking import of_blocks, regions
from pcaimage.codec.photo.picture import Picture
from pcaimage.codec.photo.tiles.tiles import Tiles
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress


class Measured(NamedTuple):
    """The sum of squared differences between a reconstruction and the original."""

    original: NDArray[Any]
    squares: int | float


@dataclass(frozen=True, eq=False)
class PhotoModel(Model):
    """A quantised photo: the integers that a file decodes to.

    Scores and levels are an array for each slice: (k, rows, columns), in the order of the file and in units
    of the step, and (rows, columns), none if steps do not differ by region. `proven` are for each slice the
    coded bytes that were decoded to exactly these scores, or empty.
    """

    header: Header
    cascade: Cascade
    scores: tuple[NDArray[Any], ...] = field(repr=False)
    segments: tuple[bytes, ...] = field(repr=False)  # of each component
    tiles: Tiles | None = field(default=None, repr=False)  # shown instead of the reconstruction, for every k
    proven: tuple[bytes, ...] = field(default=(), repr=False)
    measured: Measured | None = field(default=None, repr=False)
    levels: tuple[NDArray[np.int8], ...] = field(default=(), repr=False)
    memories: Memories | None = field(default=None, repr=False)  # kept from one slice or strip to the next

    @property
    def k(self) -> int:
        """Number of components."""
        return len(self.segments)

    @classmethod
    def empty(cls, header: Header, cascade: Cascade, segments: tuple[bytes, ...]) -> PhotoModel:
        """Return a model without scores, with room for the levels of its regions."""
        layout = PhotoLayout(header)
        slices, columns = layout.slices, layout.grid[1]
        nothing = np.zeros((len(segments), 0, columns), layout.dtype)
        levels = tuple[NDArray[np.int8], ...]()
        if header.levels or header.weights:
            sizes = (regions(rows.stop - rows.start, columns) for rows in slices)
            levels = tuple(np.zeros(size, np.int8) for size in sizes)
        return cls(header, cascade, (nothing,) * len(slices), segments, levels=levels)

    @cached_property
    def layout(self) -> PhotoLayout:
        """The layout of the scores in the file."""
        return PhotoLayout(self.header)

    def trimmed(self, k: int) -> PhotoModel:
        """Return the model of the first k components, which shares memory with this one."""
        if not 0 <= k <= self.k:
            raise SettingsError(f"The image has {self.k} components; {k} cannot be taken from it.")
        scores = tuple(part[:k] for part in self.scores)
        return replace(self, scores=scores, segments=self.segments[:k], proven=(), measured=None)

    @property
    def unshrunk(self) -> PhotoModel:
        """The model without shrinkage after decoding, which shares memory with this one."""
        header = replace(self.header, tools=self.header.tools & ~SHRUNK, strengths=())
        return replace(self, header=header, measured=None)

    def same_as(self, other: object) -> bool:
        """Return whether another model has the same integers."""
        return (
            isinstance(other, PhotoModel)
            and self.same_outside_scores(other)
            and all(map(np.array_equal, self.scores, other.scores))
            and all(map(np.array_equal, self.levels, other.levels))
        )

    def same_outside_scores(self, other: PhotoModel) -> bool:
        """Return whether another model has the same header, coded bytes, channels, bases and tiles."""
        if (self.tiles is None) != (other.tiles is None):
            return False
        if self.tiles is not None and other.tiles is not None and not self.tiles.same_as(other.tiles):
            return False
        return (self.header, self.segments) == (other.header, other.segments) and all(
            map(np.array_equal, self.cascade.arrays, other.cascade.arrays)
        )

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Return the mean squared error of the reconstruction, which is measured only once."""
        if self.measured is None or self.measured.original is not array:
            return super().mean_squared_error(array, progress)
        progress(1, 1)
        return self.measured.squares / array.size

    def block_levels(self, start: int, stop: int) -> NDArray[np.int8]:
        """Return the levels of the steps in some rows of blocks, shape (stop - start, columns)."""
        columns, parts = self.layout.grid[1], list[NDArray[np.int8]]()
        if not self.levels:
            return np.zeros((stop - start, columns), np.int8)
        for rows, levels in zip(self.layout.slices, self.levels, strict=True):
            inside = slice(max(start - rows.start, 0), max(stop - rows.start, 0))
            parts.append(of_blocks(levels, rows.stop - rows.start, columns)[inside])
        return np.concatenate(parts)

    @cached_property
    def picture(self) -> Picture:
        """The photo as the core takes it."""
        levels = self.block_levels(0, self.layout.grid[0])
        return Picture(self.header, self.cascade, self.scores, levels)

    def lines(self, start: int, stop: int, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the lines of pixels from start to stop, identical to those of :meth:`reconstruct`.

        The scores of the blocks that contain these lines, and of the blocks above and below them, must be
        decoded.
        """
        if self.tiles is not None and self.tiles.whole:
            return self.tiles.image[start:stop].copy()
        lines = self.picture.some(start, stop, progress, self.memories)
        if self.tiles is not None:
            self.tiles.paint(lines, start)
        return lines

    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the image, in the header's output shape."""
        return self.lines(0, self.header.shape[0], progress).reshape(self.header.output_shape)
