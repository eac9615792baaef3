"""Where a reconstruction differs from its original, and by how much."""

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
from pcaimage.imaging import highest
from pcaimage.insight.differences import (
    FINEST,
    WORTH,
    finest_unit,
    full_scale,
    halved_squares,
    in_strips,
    largest_difference,
)
from pcaimage.insight.error_counts import ErrorCounts
from pcaimage.parallel import in_parallel
from pcaimage.progress import Progress, counted, no_progress

Floats = NDArray[np.float32]

_LEAST_UNITS = 16.0


class WorstBlock(NamedTuple):
    """A block of pixels whose errors are among the largest.

    Parameters
    ----------
    rank : int
        From 1.
    left, top, right, bottom : int
        The block, in pixels; the stop is outside.
    rms : float
        Root mean square of its errors, in levels.
    largest : float
        The largest difference of a value in it, in levels; an int of whole numbers.
    """

    rank: int
    left: int
    top: int
    right: int
    bottom: int
    rms: float
    largest: float


@dataclass(frozen=True, eq=False)
class ErrorMap:
    """The error of every pixel: the root mean square, over its channels, of the differences of its values.

    Errors are in levels, which is what pixel values count. Several threads may use a map.

    Parameters
    ----------
    original, reconstruction : ndarray of uint8, uint16, int16 or float32, shape (H, W, C)
        What was compared; they are not copied and must not change.
    errors : ndarray of uint16, shape (H, W)
        Errors of pixels, in units.
    unit : float
        Levels to a unit: 1/16, and for errors of 4096 and more levels, and of real numbers, as fine as they
        leave room for.
    exact_share : float
        The share of pixels that are the original's in all channels, from 0 to 1.
    """

    original: NDArray[Any] = field(repr=False)
    reconstruction: NDArray[Any] = field(repr=False)
    errors: NDArray[np.uint16] = field(repr=False)
    unit: float
    exact_share: float
    _squares: list[Floats] = field(default_factory=list, init=False, repr=False)
    """Mean squares, in squared units, of groups of 2 by 2 pixels, of 4 by 4, and so on."""
    _counts: list[ErrorCounts] = field(default_factory=list, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @classmethod
    def of(
        cls, original: NDArray[Any], reconstruction: NDArray[Any], progress: Progress = no_progress
    ) -> ErrorMap:
        """Compare two images.

        Parameters
        ----------
        original, reconstruction : ndarray of uint8, uint16, int16 or float32, shape (H, W, C)
            Of one shape and dtype; of a stack, one image. Where nothing was measured, both may be NaN.
        progress : Progress, optional
            Told of the rows that were compared.

        Returns
        -------
        ErrorMap
            Of all pixels.

        Raises
        ------
        DataError
            If they cannot be compared.
        """
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
        """The largest value that a pixel can have, an int; of real numbers, the largest there is."""
        return highest(self.original)

    @property
    def exact(self) -> bool:
        """Whether there is no error at all."""
        return self.exact_share == 1

    def histogram(self, progress: Progress = no_progress) -> ErrorCounts:
        """Count how often every signed difference occurs.

        Parameters
        ----------
        progress : Progress, optional
            Told of the values that were compared.

        Returns
        -------
        ErrorCounts
            The histogram, and the figures that follow from it; found once.
        """
        if not self._counts:
            self._counts.append(ErrorCounts.of(self.original, self.reconstruction, progress))
        return self._counts[0]

    @cached_property
    def full_scale(self) -> float:
        """A scale that suits the map: 1, 2, 4, 8 … levels, which almost all errors lie below.

        Of real numbers, of which one level may be all there is, it may also be 1/2, 1/4 and so on.
        """
        return full_scale(self.errors, self.unit, self.least_scale)

    @property
    def least_scale(self) -> float:
        """The smallest scale that is of use."""
        return 1.0 if self.original.dtype.kind != "f" else _LEAST_UNITS * self.unit

    def covered(
        self, left: int, top: int, right: int, bottom: int, scale: float
    ) -> tuple[int, int, int, int]:
        """Return the part of the image that :meth:`region` gives for a part: in whole groups of pixels.

        Parameters
        ----------
        left, top, right, bottom : int
            The part that is asked for, in pixels.
        scale : float
            Pixels of the screen to a pixel of the image.

        Returns
        -------
        tuple of int
            Left, top, right and bottom; it may reach over the right and the lower edge by part of a group.
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
        """Return the errors of a part at about the size at which it is shown.

        Parameters
        ----------
        left, top, right, bottom : int
            The part, in pixels; what lies outside the image is cut off.
        scale : float
            Pixels of the screen to a pixel of the image.

        Returns
        -------
        ndarray of float32, shape (h, w)
            In levels, of the part that :meth:`covered` tells. Where one stands for several pixels, it is
            the root mean square of their errors, so that errors keep their weight however small they
            are shown; of the image's odd last rows and columns, it counts some twice.
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
        """Return the errors of blocks.

        Parameters
        ----------
        size : int
            Pixels along a block's side.

        Returns
        -------
        ndarray of float32, shape (ceil(H / size), ceil(W / size))
            The root mean square of the errors of the pixels that each block has within the image, in levels.
        """
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
        """Return the blocks with the largest errors.

        Parameters
        ----------
        count : int
            How many blocks at most.
        size : int
            Pixels along a block's side.

        Returns
        -------
        list of WorstBlock
            By their root mean square, the largest first, equals in reading order; none without any error.
        """
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

    @property
    def _levels(self) -> int:
        return int(max(*self.errors.shape, 1) - 1).bit_length()

    def _level(self, scale: float) -> int:
        wanted = math.floor(math.log2(1 / scale)) if scale < 1 else 0
        return min(max(wanted, 0), self._levels)

    def _mean_squares(self, level: int) -> Floats:
        with self._lock:
            if not self._squares:
                self._squares.append(halved_squares(self.errors))
            while len(self._squares) < level:
                self._squares.append(halved(self._squares[-1][None])[0])
            return self._squares[level - 1]
