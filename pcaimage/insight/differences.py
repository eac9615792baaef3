"""Differences of two images, found strip by strip without converted copies of them, and their histogram."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.reduction import halved
from pcaimage.machine.parallel import in_parallel
from pcaimage.progress import Progress, counted, no_progress, part
from pcaimage.quality import psnr_of_mse

Floats = NDArray[np.float32]

FINEST = 1 / 16  # unit of stored errors in levels, unless they are too large for it
STRIP = 1 << 18  # approximate number of values processed at a time, which fit into the processor's cache
WORTH = 1 << 20  # number of values from which all cores are used

_MANY = 8
_SHOWN_IN_FULL = 0.995  # share of pixels whose errors an automatic scale shows without clipping

_SAMPLE = 1 << 18


def in_strips(
    original: NDArray[Any], reconstruction: NDArray[Any], use: Callable[[slice, Floats], None]
) -> None:
    """Call `use` with the rows of each strip and the mean squared differences of its pixels, on all cores.

    The images are of shape (H, W, C); two NaN (missing values) count as equal. `use` is called from several
    threads with an ndarray of float32 of shape (h, W), the means over channels, which it may overwrite.
    """
    height, width, channels = original.shape
    high = max(1, STRIP // (width * channels))

    def find(first: int, last: int) -> None:
        for start in range(first, last, high):
            rows = slice(start, min(start + high, last))
            use(rows, _mean_squares(original[rows], reconstruction[rows]))

    in_parallel(find, height, worth=original.size > WORTH)


def halved_squares(errors: NDArray[np.uint16]) -> Floats:
    """Return mean squares of 2 by 2 errors; an odd last row or column counts by itself."""
    height, width = errors.shape
    result = np.empty(((height + 1) // 2, (width + 1) // 2), np.float32)
    rows = max(1, STRIP // (2 * width))

    def find(first: int, last: int) -> None:
        for start in range(first, last, rows):
            stop = min(start + rows, last)
            squares = np.square(errors[2 * start : 2 * stop], dtype=np.float32)
            result[start:stop] = halved(squares[None])[0]

    in_parallel(find, len(result), worth=errors.size > WORTH)
    return result


def full_scale(errors: NDArray[Any], unit: float = 1.0, least: float = 1.0) -> float:
    """Return a suitable display scale for errors: 1, 2, 4, 8 … levels, which almost all errors are below.

    `unit` is the number of levels in a unit of the errors; `least` is the smallest scale, a power of two
    below 1 for real numbers.
    """
    flat = errors.reshape(-1)
    # An odd step does not sample the same columns of blocks again and again.
    sample = flat[:: max(1, flat.size // _SAMPLE) | 1]
    if not sample.size:
        return least
    place = min(int(_SHOWN_IN_FULL * sample.size), sample.size - 1)
    reached = float(np.partition(sample, place)[place]) * unit
    return float(2.0 ** math.ceil(math.log2(max(reached, least))))


def largest_difference(original: NDArray[Any], reconstruction: NDArray[Any]) -> float:
    """Return the largest absolute difference: an int for whole numbers, four digits of real ones."""
    if original.dtype.kind != "f":
        return int(np.abs(np.subtract(reconstruction, original, dtype=np.int32)).max())
    difference = np.nan_to_num(np.subtract(reconstruction, original, dtype=np.float64))
    return float(f"{np.abs(difference).max():.4g}")


def finest_unit(original: NDArray[Any], reconstruction: NDArray[Any]) -> float:
    """Return the finest unit, a power of two, in which the errors of pixels fit in 16 bits."""
    peaks = [0.0]
    in_strips(original, reconstruction, lambda _, squares: peaks.append(float(squares.max())))
    largest, room = math.sqrt(max(peaks)), np.iinfo(np.uint16).max
    if largest == 0:
        return FINEST
    unit = 2.0 ** math.ceil(math.log2(largest / room))
    return unit if original.dtype.kind == "f" else max(unit, FINEST)


def _mean_squares(original: NDArray[Any], reconstruction: NDArray[Any]) -> Floats:
    channels = original.shape[-1]
    difference = np.subtract(reconstruction, original, dtype=np.float32)
    if original.dtype.kind == "f":
        difference[np.isnan(difference)] = 0
    squares: Floats
    if channels > _MANY:
        squares = np.einsum("ijk,ijk->ij", difference, difference)
    else:  # A loop over three adjacent values is too short to be fast.
        squares = np.square(difference[..., 0])
        for channel in range(1, channels):
            squares += np.square(difference[..., channel])
    if channels > 1:
        squares /= np.float32(channels)
    return squares


REACH = 1 << 15  # largest magnitude of real differences that is counted, in units


@dataclass(frozen=True, eq=False)
class ErrorCounts:
    """Histogram of signed differences, reconstruction minus original, of all values of all channels.

    The unit of differences is 1 for whole numbers; for real ones the largest is some ten thousand units. If
    the count at 0 includes near misses, `n_exact` is the number of values that equal the original.
    """

    lowest: int  # the difference of the first count; at most 0
    counts: NDArray[np.int64]  # extends at least to the difference 0
    unit: float = 1.0
    n_exact: int | None = None

    @classmethod
    def of(
        cls, original: NDArray[Any], reconstruction: NDArray[Any], progress: Progress = no_progress
    ) -> ErrorCounts:
        """Count the differences of two images, exactly if they are whole numbers; two NaN count as equal."""
        if original.dtype.kind == "f":
            return cls._of_real(original, reconstruction, progress)
        info = np.iinfo(original.dtype)
        return cls._counted(original, reconstruction, int(info.max) - int(info.min), 1.0, progress)

    @classmethod
    def _of_real(
        cls, original: NDArray[Any], reconstruction: NDArray[Any], progress: Progress
    ) -> ErrorCounts:
        largest, exact, lock = 0.0, 0, Lock()

        def look(difference: NDArray[Any]) -> None:
            nonlocal largest, exact
            most, same = float(np.abs(difference).max()), int(np.count_nonzero(difference == 0))
            with lock:
                largest, exact = max(largest, most), exact + same

        _in_runs(original, reconstruction, look, part(progress, 0.0, 0.5))
        unit = 2.0 ** math.ceil(math.log2(largest / REACH)) if largest > 0 else 1.0
        counted = cls._counted(original, reconstruction, REACH, unit, part(progress, 0.5, 1.0))
        return replace(counted, n_exact=exact)

    @classmethod
    def _counted(
        cls, original: NDArray[Any], reconstruction: NDArray[Any], reach: int, unit: float, progress: Progress
    ) -> ErrorCounts:
        total, lock = np.zeros(2 * reach + 1, np.int64), Lock()

        def add(difference: NDArray[Any]) -> None:
            places = np.rint(difference / unit).astype(np.int64) if unit != 1 else difference.astype(np.int64)
            mine = np.bincount(places + reach, minlength=total.size)
            with lock:
                np.add(total, mine, out=total)

        _in_runs(original, reconstruction, add, progress)
        found = np.flatnonzero(total)
        lowest = min(int(found[0]), reach) if found.size else reach
        highest = max(int(found[-1]), reach) if found.size else reach
        return cls(lowest - reach, total[lowest : highest + 1], unit)

    @property
    def values(self) -> NDArray[Any]:
        """The difference of each count; whole numbers if the unit is 1."""
        places = np.arange(self.counts.size) + self.lowest
        return places if self.unit == 1 else places * self.unit

    @cached_property
    def n_values(self) -> int:
        """Number of values compared."""
        return int(self.counts.sum())

    @property
    def exact_share(self) -> float:
        """Share of values that equal the original, from 0 to 1."""
        exact = int(self.counts[-self.lowest]) if self.n_exact is None else self.n_exact
        return exact / max(self.n_values, 1)

    @property
    def largest(self) -> int | Any:
        """Largest absolute difference; an int if the unit is 1."""
        return self._levels(self._furthest)

    @cached_property
    def mean(self) -> float:
        """Mean difference; positive if the reconstruction is brighter."""
        return float(self.counts @ self.values) / max(self.n_values, 1)

    @cached_property
    def rms(self) -> float:
        """Root mean squared difference, in levels."""
        return math.sqrt(float(self.counts @ self.values**2) / max(self.n_values, 1))

    def psnr(self, peak: float) -> float:
        """Return the PSNR in decibels, infinite without errors; `peak` is the largest possible value."""
        return psnr_of_mse(self.rms**2, peak)

    def within(self, share: float) -> int | Any:
        """Return the smallest absolute difference that a share (0 to 1) of all values does not exceed."""
        folded = np.zeros(self._furthest + 1, np.int64)
        np.add.at(folded, np.abs(np.arange(self.counts.size) + self.lowest), self.counts)
        reached = np.cumsum(folded) >= share * self.n_values * (1 - 1e-12)
        return self._levels(int(np.argmax(reached)))

    @property
    def _furthest(self) -> int:
        return max(-self.lowest, self.lowest + self.counts.size - 1)

    def _levels(self, place: int) -> int | Any:
        return place if self.unit == 1 else float(f"{place * self.unit:.4g}")


def _in_runs(
    original: NDArray[Any],
    reconstruction: NDArray[Any],
    use: Callable[[NDArray[Any]], None],
    progress: Progress,
) -> None:
    """Call `use` with runs of differences, on all cores; mapped images are read a few lines at a time."""
    size, each = original.size, max(1, original.size // max(1, len(original)))
    count, lines = counted(progress, size), max(1, STRIP // each)
    kind = np.float64 if original.dtype.kind == "f" else np.int64

    def find(first: int, last: int) -> None:
        for start in range(first, last, lines):
            stop = min(start + lines, last)
            one, two = original[start:stop].reshape(-1), reconstruction[start:stop].reshape(-1)
            for place in range(0, one.size, STRIP):
                run = slice(place, place + STRIP)
                difference: NDArray[Any] = np.subtract(two[run], one[run], dtype=kind)
                if kind is np.float64:
                    difference[np.isnan(difference)] = 0
                use(difference)
                count(difference.size)

    in_parallel(find, len(original), worth=size > WORTH)
