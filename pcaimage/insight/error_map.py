"""Error map: where a reconstruction differs from its original, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.reduction import halved
from pcaimage.errors import DataError
from pcaimage.insight.differences import (
    FINEST,
    WORTH,
    ErrorCounts,
    finest_unit,
    full_scale,
    halved_squares,
    in_strips,
    largest_difference,
)
from pcaimage.machine.parallel import in_parallel
from pcaimage.progress import Progress, counted, no_progress
from pcaimage.quality import white_of

Floats = NDArray[np.float32]

_LEAST_UNITS = 16.0


class WorstBlock(NamedTuple):
    """A block of pixels whose errors, in levels, are among the largest."""

    rank: int  # from 1
    left: int
    top: int
    right: int  # excluded, like bottom
    bottom: int
    rms: float
    largest: float  # absolute difference of a value; an int for whole numbers


@dataclass(frozen=True, eq=False)
class ErrorMap:
    """The error of every pixel: the root mean square of its differences over the channels.

    Errors are in levels, the unit of pixel values. The images are not copied and must not change. A map is
    safe to use from several threads.
    """

    original: NDArray[Any] = field(repr=False)
    reconstruction: NDArray[Any] = field(repr=False)
    errors: NDArray[np.uint16] = field(repr=False)  # shape (H, W), in units
    unit: float  # in levels: 1/16, or the finest for which errors fit in 16 bits
    exact_share: float  # of pixels that equal the original in all channels
    _squares: list[Floats] = field(default_factory=list, init=False, repr=False)
    """Mean squares in squared units, for groups of 2 by 2 pixels, of 4 by 4, and so on."""
    _counts: list[ErrorCounts] = field(default_factory=list, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @classmethod
    def of(
        cls, original: NDArray[Any], reconstruction: NDArray[Any], progress: Progress = no_progress
    ) -> ErrorMap:
        """Compare two images, of which two NaN count as equal; DataError if shapes or dtypes differ."""
        shape, types = original.shape, (original.dtype, reconstruction.dtype)
        if shape != reconstruction.shape or types[0] != types[1] or original.ndim != 3:
            raise DataError(
                f"Images of shapes {shape} and {reconstruction.shape}, of {types[0]} and {types[1]}, "
                "cannot be compared pixel by pixel."
            )
        count = counted(progress, shape[0])
        unit = FINEST if original.dtype == np.uint8 else finest_unit(original, reconstruction)
        errors = np.empty(shape[:2], np.uint16)
        different: list[int] = []

        def keep(rows: slice, squares: Floats) -> None:
            different.append(int(np.count_nonzero(squares)))
            squares *= np.float32(1 / unit**2)
            np.sqrt(squares, out=squares)
            squares += np.float32(0.5)
            errors[rows] = squares
            count(len(squares))

        in_strips(original, reconstruction, keep)
        return cls(original, reconstruction, errors, unit, 1 - sum(different) / max(errors.size, 1))

    @cached_property
    def peak(self) -> Any:
        """What errors are relative to, unless the white is given."""
        return white_of(self.original)

    @property
    def exact(self) -> bool:
        """Whether there is no error at all."""
        return self.exact_share == 1

    def histogram(self, progress: Progress = no_progress) -> ErrorCounts:
        """Return the histogram of signed differences, which is computed once."""
        if not self._counts:
            self._counts.append(ErrorCounts.of(self.original, self.reconstruction, progress))
        return self._counts[0]

    @cached_property
    def full_scale(self) -> float:
        """A suitable display scale: 1, 2, 4, 8 … levels, which almost all errors are below.

        For real numbers, which may span less than one level, it may also be 1/2, 1/4 and so on.
        """
        least = 1.0 if self.original.dtype.kind != "f" else _LEAST_UNITS * self.unit
        return full_scale(self.errors, self.unit, least)

    def covered(
        self, left: int, top: int, right: int, bottom: int, scale: float
    ) -> tuple[int, int, int, int]:
        """Return the part that :meth:`region` covers, in whole groups of pixels: left, top, right and bottom.

        It may exceed the right and the lower edge by part of a group.
        """
        side = 1 << self._level(scale)
        height, width = self.errors.shape
        left, top = (max(edge, 0) // side * side for edge in (left, top))
        right, bottom = (
            max(-(-min(edge, most) // side) * side, start)
            for edge, most, start in ((right, width, left), (bottom, height, top))
        )
        return left, top, right, bottom

    def region(self, left: int, top: int, right: int, bottom: int, scale: float) -> Floats:
        """Return the errors, in levels, of a part at about its size on the screen: that of :meth:`covered`.

        The scale is that of screen pixels to the image's. A value that represents several pixels is the root
        mean square of their errors, so that errors keep their weight at any size; of odd last rows and
        columns, some are counted twice.
        """
        level = self._level(scale)
        left, top, right, bottom = self.covered(left, top, right, bottom, scale)
        part = slice(top >> level, bottom >> level), slice(left >> level, right >> level)
        if not level:
            return self.errors[part] * np.float32(self.unit)
        result: Floats = np.sqrt(self._mean_squares(level)[part])
        result *= np.float32(self.unit)
        return result

    def blocks(self, size: int) -> Floats:
        """Return the root mean square of the errors, in levels, of each block of `size` by `size` pixels."""
        height, width = self.errors.shape
        starts, rows = np.arange(0, width, size), -(-height // size)
        result = np.empty((rows, starts.size), np.float32)
        widths = np.diff(starts, append=width)

        def find(first: int, last: int) -> None:
            for row in range(first, last):
                strip = self.errors[row * size : (row + 1) * size]
                columns = np.square(strip, dtype=np.float32).sum(axis=0, dtype=np.float64)
                sums = np.add.reduceat(columns, starts) / (widths * len(strip))
                result[row] = np.sqrt(sums) * self.unit

        in_parallel(find, rows, worth=self.errors.size > WORTH)
        return result

    def worst(self, count: int, size: int) -> list[WorstBlock]:
        """Return at most `count` blocks of `size` pixels with the largest RMS errors, in descending order."""
        blocks = self.blocks(size)
        flat = blocks.reshape(-1)
        few = np.flatnonzero(flat >= np.partition(flat, -count)[-count]) if count < flat.size else None
        candidates = np.arange(flat.size) if few is None else few
        order = candidates[np.argsort(-flat[candidates], kind="stable")][:count]
        found = []
        for rank, place in enumerate(order[flat[order] > 0].tolist(), 1):
            top, left = (index * size for index in divmod(place, blocks.shape[1]))
            bottom, right = min(top + size, len(self.errors)), min(left + size, self.errors.shape[1])
            part = slice(top, bottom), slice(left, right)
            largest = largest_difference(self.original[part], self.reconstruction[part])
            found.append(WorstBlock(rank, left, top, right, bottom, float(flat[place]), largest))
        return found

    def _level(self, scale: float) -> int:
        wanted = math.floor(math.log2(1 / scale)) if scale < 1 else 0
        return min(max(wanted, 0), int(max(*self.errors.shape, 1) - 1).bit_length())

    def _mean_squares(self, level: int) -> Floats:
        with self._lock:
            if not self._squares:
                self._squares.append(halved_squares(self.errors))
            while len(self._squares) < level:
                self._squares.append(halved(self._squares[-1][None])[0])
            return self._squares[level - 1]


# Inferno, by Nathaniel J. Smith and Stéfan van der Walt (CC0), at 33 places; linear between them,
# which is within two levels of the full table.
_PLACES = bytes.fromhex(
    "000004 040312 0b0724 150b37 210c4a 2f0a5b 3d0965 4a0c6b 57106e 64156e 71196e 7d1e6d 8a226a 972766"
    "a32c61 b0315b bc3754 c63d4d d04545 da4e3c e35933 eb6429 f1711f f67e14 f98c0a fb9b06 fcaa0f fbba1f"
    "f9c932 f5d949 f2e865 f3f586 fcffa4"
)


def _table() -> NDArray[np.uint8]:
    colours = np.frombuffer(_PLACES, np.uint8).reshape(-1, 3)
    known = np.round(np.linspace(0, 255, len(colours)))
    steps = np.arange(256)
    table = np.stack([np.interp(steps, known, channel) for channel in colours.T], axis=1)
    result: NDArray[np.uint8] = np.round(table).astype(np.uint8)
    result.flags.writeable = False
    return result


HEAT = _table()  # colour map of 256 perceptually uniform steps, shape (256, 3)


def to_colours(values: NDArray[Any], full_scale: float) -> NDArray[np.uint8]:
    """Map non-negative values to RGB of shape (..., 3); `full_scale` and above are brightest."""
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float32)
    steps = np.multiply(values, values.dtype.type(255 / full_scale))
    np.clip(steps, 0, 255, out=steps)
    result: NDArray[np.uint8] = np.take(HEAT, steps.astype(np.uint8), axis=0, mode="clip")
    return result
