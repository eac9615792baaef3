"""The integers of a many-band image, and their reconstruction, which is exact on every machine."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands.line_buffer import LineBuffer
from pcaimage.codec.bands.missing import Missing
from pcaimage.codec.blocks.model import IntegerModel
from pcaimage.codec.compressed import Header
from pcaimage.machine.mapped import Footprint
from pcaimage.machine.parallel import in_order
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import squared_error, total_error

Ints = NDArray[np.int32]

MOST_REAL = 1 << 24
"""Exclusive bound on real values in their unit, so that float32 represents them exactly."""

CHUNK = 1 << 20


def bounds(dtype: str) -> tuple[int, int]:
    """Return the smallest and the largest integer of a type; for real numbers in their unit."""
    if dtype == "float32":
        return -MOST_REAL, MOST_REAL
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def line_strips(header: Header) -> list[tuple[int, int]]:
    """Return the bounds of strips of lines of about a million numbers; stops are exclusive."""
    height, width, bands = header.shape
    rows = max(1, CHUNK // (width * bands))
    return [(start, min(start + rows, height)) for start in range(0, height, rows)]


@dataclass(frozen=True, eq=False)
class BandsModel(IntegerModel):
    """A quantised many-band image; features are never standardised."""

    segments: tuple[bytes, ...] = ()  # of each component's scores
    missing: Missing | None = None

    def trimmed(self, k: int) -> BandsModel:
        """Return the model of the first k components, which shares memory with this one."""
        return replace(
            self,
            entries=self.entries[:k],
            precisions=self.precisions[:k],
            scores=self.scores[:k],
            segments=self.segments[:k],
        )

    def same_as(self, other: object) -> bool:
        """Return whether another model has the same integers."""
        return (
            isinstance(other, BandsModel)
            and super().same_as(other)
            and self.segments == other.segments
            and (other.missing is None if self.missing is None else self.missing.same_as(other.missing))
        )

    @cached_property
    def fraction_bits(self) -> int:
        """F: every term is an integer multiple of 2^-F, and so is half a unit of the values."""
        bits = (-exponent for exponent in self._exponents)
        return max(1, self.header.value_bits + 1, self.header.mean_bits, *bits, 0)

    def whole(self, start: int, stop: int) -> Ints:
        """Reconstruct some lines as integers, a row for each pixel, ignoring missing data.

        Values are in units of 2^-value_bits, rounded half up and clipped to the image's type.
        """
        header, width = self.header, self.header.shape[1]
        bias = np.ldexp(self.mean.astype(np.float64), self.fraction_bits - header.mean_bits)
        bias += 2.0 ** (self.fraction_bits - 1 - header.value_bits)
        found = np.empty(((stop - start) * width, header.n_features), np.int32)
        run = max(1, CHUNK // header.n_features)
        for first in range(0, len(found), run):
            part = found[first : first + run]
            where = slice(start * width + first, start * width + first + len(part))
            sums = self.scores[:, where].T.astype(np.float64, order="C") @ self.weights
            sums += bias
            sums *= 2.0 ** (header.value_bits - self.fraction_bits)
            np.floor(sums, out=sums)
            part[...] = np.clip(sums, *bounds(header.dtype), out=sums)
        return found

    def values(self, whole: Ints, start: int, stop: int) -> NDArray[Any]:
        """Convert integers from :meth:`whole` to the image's type, and put in the value of missing data."""
        values: NDArray[Any] = whole.astype(self.header.dtype)
        if self.header.dtype == "float32":
            values = np.ldexp(values, -self.header.value_bits)
        if self.missing is not None:
            gone = np.broadcast_to(self.missing.of_rows(start, stop), values.shape)
            values[gone] = np.array(self.missing.value).astype(values.dtype)
        return values

    def samples(self, where: slice | NDArray[np.intp]) -> NDArray[Any]:
        """Reconstruct some samples in the image's type, shape (n, n_features)."""
        numbers = np.arange(self.header.n_samples)[where]
        width = self.header.shape[1]
        found = np.empty((len(numbers), self.header.n_features), self.header.dtype)
        for row in np.unique(numbers // width).tolist():
            line = self.values(self.whole(row, row + 1), row, row + 1)
            chosen = numbers // width == row
            found[chosen] = line[numbers[chosen] % width]
        return found

    def reconstruct(self, progress: Progress = no_progress) -> NDArray[Any]:
        """Reconstruct the image; a large one is mapped from a temporary file."""
        header = self.header
        buffer = LineBuffer(header.shape, header.dtype)
        for (start, _), lines in self._line_strips(progress):
            buffer.put(start, lines)
        return buffer.array().reshape(header.output_shape)

    def strips(self, progress: Progress = no_progress) -> Generator[NDArray[Any]]:
        """Reconstruct the image from the top, a few lines at a time."""
        with closing(self._line_strips(progress)) as strips:
            for _, lines in strips:
                yield lines.reshape(-1, *self.header.shape[1:])

    def _line_strips(self, progress: Progress) -> Generator[tuple[tuple[int, int], NDArray[Any]]]:
        """Reconstruct the image in strips from the top; yield their bounds and values (n, n_features)."""
        parts = line_strips(self.header)

        def make(number: int) -> NDArray[Any]:
            start, stop = parts[number]
            return self.values(self.whole(start, stop), start, stop)

        for where, lines in zip(parts, in_order(make, len(parts)), strict=True):
            progress(where[1], self.header.shape[0])
            yield where, lines

    def mean_squared_error(self, array: NDArray[Any], progress: Progress = no_progress) -> float:
        """Compare the reconstruction with an image, holding only a few lines of either in memory."""
        image, footprint = array.reshape(self.header.shape), Footprint(array)
        errors = []
        for (start, stop), lines in self._line_strips(progress):
            original = image[start:stop].reshape(lines.shape)
            errors.append(squared_error(original, lines))
            footprint.walked(original.nbytes)
        footprint.let_go()
        return total_error(errors) / image.size
