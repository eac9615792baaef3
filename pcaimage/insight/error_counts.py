"""How often every difference between an image and its reconstruction occurs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.insight.differences import STRIP, WORTH
from pcaimage.parallel import in_parallel
from pcaimage.progress import Progress, counted, no_progress
from pcaimage.quality import psnr_of_mse


@dataclass(frozen=True, eq=False)
class ErrorCounts:
    """The histogram of signed differences, reconstruction minus original, of all values of all channels.

    Parameters
    ----------
    lowest : int
        The difference that the first count is of; no larger than 0.
    counts : ndarray of int64
        How many values differ by `lowest`, by one more, and so on; reaches at least to 0.
    """

    lowest: int
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls, original: NDArray[Any], reconstruction: NDArray[Any], progress: Progress = no_progress
    ) -> ErrorCounts:
        """Count the differences of two images.

        Parameters
        ----------
        original, reconstruction : ndarray of uint8 or uint16
            Of one shape.
        progress : Progress, optional
            Told of the values that were compared.

        Returns
        -------
        ErrorCounts
            Exact.
        """
        one, two = original.reshape(-1), reconstruction.reshape(-1)
        peak = int(np.iinfo(one.dtype).max)
        total = np.zeros(2 * peak + 1, np.int64)
        lock, count = Lock(), counted(progress, one.size)

        def add(first: int, last: int) -> None:
            mine = np.zeros_like(total)
            for start in range(first, last, STRIP):
                stop = min(start + STRIP, last)
                difference = np.subtract(two[start:stop], one[start:stop], dtype=np.int64)
                difference += peak
                mine += np.bincount(difference, minlength=total.size)
                count(stop - start)
            with lock:
                np.add(total, mine, out=total)

        in_parallel(add, one.size, worth=one.size > WORTH)
        found = np.flatnonzero(total)
        lowest = min(int(found[0]), peak) if found.size else peak
        highest = max(int(found[-1]), peak) if found.size else peak
        return cls(lowest - peak, total[lowest : highest + 1])

    @property
    def values(self) -> NDArray[np.int64]:
        """The differences that the counts are of."""
        return np.arange(self.counts.size) + self.lowest

    @cached_property
    def n_values(self) -> int:
        """How many values were compared."""
        return int(self.counts.sum())

    @property
    def exact_share(self) -> float:
        """The share of values that are the original's, from 0 to 1."""
        return int(self.counts[-self.lowest]) / max(self.n_values, 1)

    @property
    def largest(self) -> int:
        """The largest difference, whatever its sign."""
        return max(-self.lowest, self.lowest + self.counts.size - 1)

    @cached_property
    def mean(self) -> float:
        """The mean difference; positive where the reconstruction is brighter."""
        return float(self.counts @ self.values) / max(self.n_values, 1)

    @cached_property
    def rms(self) -> float:
        """The root mean squared difference, in levels."""
        return math.sqrt(float(self.counts @ self.values**2) / max(self.n_values, 1))

    def psnr(self, peak: int) -> float:
        """Return the peak signal-to-noise ratio.

        Parameters
        ----------
        peak : int
            The largest value that a pixel can have.

        Returns
        -------
        float
            Decibels; infinite for no error.
        """
        return psnr_of_mse(self.rms**2, peak)

    def within(self, share: float) -> int:
        """Return the difference that a share of all values does not exceed.

        Parameters
        ----------
        share : float
            From 0 to 1; 0.95 for the 95th percentile.

        Returns
        -------
        int
            The smallest such difference, whatever its sign.
        """
        folded = np.zeros(self.largest + 1, np.int64)
        np.add.at(folded, np.abs(self.values), self.counts)
        reached = np.cumsum(folded) >= share * self.n_values * (1 - 1e-12)
        return int(np.argmax(reached))
