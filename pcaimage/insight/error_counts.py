"""Histogram of the differences between an image and its reconstruction."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.differences import STRIP, WORTH
from pcaimage.machine.parallel import in_parallel
from pcaimage.progress import Progress, counted, no_progress, part
from pcaimage.quality import psnr_of_mse

REACH = 1 << 15
"""Largest magnitude of real differences that is counted, in units."""


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
