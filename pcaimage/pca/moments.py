"""Moments of samples (count, mean and scatter) that can be added.

Moments of parts of the data combine exactly, so the parts may be computed one after another, in
several threads, or on several machines [1]_.

References
----------
.. [1] T. F. Chan, G. H. Golub and R. J. LeVeque, "Algorithms for computing the sample variance:
   analysis and recommendations", The American Statistician 37(3), 1983,
   doi:10.1080/00031305.1983.10483115.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcaimage.errors import DataError
from pcaimage.pca._samples import Floats, as_samples, require_finite, rows_per_chunk, slices
from pcaimage.progress import Progress, no_progress

MAX_FEATURES = 16_384
"""Most features for which a scatter matrix is built, of 2 GiB then. Blocks of 64 · 64 · 4 just fit."""

GROUP_ROWS = 65_536
"""Samples that share one shift; between groups Chan's formula keeps rounding from growing with n."""

EXACT_ROWS = 1024
"""Samples in one chunk of 8-bit data: 1024 products of at most 128 · 128 sum to at most 2^24."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Number, mean (n_features,) and scatter, the sum of (x - mean)(x - mean)ᵀ, of a set of samples.

    >>> first, second = Moments.of([[1, 2], [3, 5]]), Moments.of([[8, 2]])
    >>> (first + second).mean
    array([4., 3.])
    """

    count: int
    mean: Floats
    scatter: Floats

    def __post_init__(self) -> None:
        mean, scatter = np.asarray(self.mean, np.float64).view(), np.asarray(self.scatter, np.float64).view()
        if self.count < 0 or mean.ndim != 1 or scatter.shape != (mean.size, mean.size):
            raise DataError(
                f"Moments of {self.count} samples with a mean of shape {mean.shape} "
                f"and a scatter of shape {scatter.shape} do not fit each other."
            )
        mean.flags.writeable = scatter.flags.writeable = False
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "scatter", scatter)

    @classmethod
    def empty(cls, n_features: int) -> Moments:
        """Moments of no samples: adding them changes nothing. DataError if there is no room for a scatter."""
        _require_room(n_features)
        return cls(0, np.zeros(n_features), np.zeros((n_features, n_features)))

    @classmethod
    def of(cls, samples: ArrayLike, *, progress: Progress = no_progress) -> Moments:
        """Accumulate the moments of a matrix in chunks, so that no copy of it is made.

        Everything is summed in float64 after subtracting a nearby sample, which keeps variances accurate when
        the mean is large. 8-bit integers are centred on their range and multiplied in float32 in chunks so
        short that every partial sum is an integer of at most 2^24: that is exact in any order of summation
        and takes half the time. DataError if the samples are not a matrix of finite real numbers, or have too
        many features.
        """
        array = as_samples(samples)
        n_samples, n_features = array.shape
        total = cls.empty(n_features)
        with np.errstate(invalid="ignore", over="ignore"):
            for group in slices(n_samples, GROUP_ROWS):

                def report(done: int, _: int, start: int = group.start) -> None:
                    progress(start + done, n_samples)

                part = _moments_of_group(array[group], report)
                total = total + part if total.count else part
            require_finite(array, total.mean, total.scatter)
        return total

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.mean.size

    def __add__(self, other: object) -> Moments:
        """Moments of the samples of both, by Chan's formula."""
        if not isinstance(other, Moments):
            return NotImplemented
        if self.n_features != other.n_features:
            raise DataError(
                f"Moments of {self.n_features} and of {other.n_features} features cannot be added."
            )
        if not self.count or not other.count:
            return self if self.count else other
        count = self.count + other.count
        difference = other.mean - self.mean
        mean = self.mean + difference * (other.count / count)
        scatter = np.outer(difference, difference)
        scatter *= self.count * (other.count / count)
        scatter += self.scatter
        scatter += other.scatter
        return Moments(count, mean, scatter)

    def covariance(self) -> Floats:
        """Sample covariance, divisor n - 1: (n_features, n_features); DataError without samples.

        One sample varies in nothing, so its covariance is defined as zero: a one-pixel image has a model too.
        """
        if self.count == 0:
            raise DataError("There are no samples, so there is no covariance.")
        return self.scatter / max(self.count - 1, 1)


def moments_of_features(samples: NDArray[Any], progress: Progress = no_progress) -> tuple[Floats, Floats]:
    """Return mean and scatter of each feature alone, for data with too many features for the matrix.

    The scatter is the sum of squared deviations from the mean. There is at least one sample; DataError if a
    number is NaN or infinite, or squares overflow.
    """
    n_samples, n_features = samples.shape
    mean, squares = np.zeros(n_features), np.zeros(n_features)
    tall = min(n_samples, 4096)
    with np.errstate(invalid="ignore", over="ignore"):
        for columns in slices(n_features, rows_per_chunk(tall), progress):
            # Subtracting a sample first makes constant features come out as exactly constant.
            first = samples[0, columns].astype(np.float64)
            sums, products = np.zeros(first.size), np.zeros(first.size)
            for rows in slices(n_samples, tall):
                part = np.subtract(samples[rows, columns], first, dtype=np.float64)
                sums += part.sum(axis=0)
                products += np.einsum("ij,ij->j", part, part)
            mean[columns] = first + sums / n_samples
            squares[columns] = np.maximum(products - sums * sums / n_samples, 0)
        require_finite(samples, mean, squares)
    return mean, squares


def feature_deviations(mean: Floats, squares: Floats, n_samples: int) -> Floats:
    """Return the population standard deviation (divisor n) of each feature, 0 where it is constant.

    `squares` are the sums of squared deviations from the mean. A feature that varies only in the last bits of
    its numbers counts as constant: dividing by such a deviation would make rounding errors as important as
    the data.
    """
    deviations: Floats = np.sqrt(squares / n_samples)
    rounding = 8 * np.finfo(np.float64).eps * np.abs(mean)
    return np.where(deviations > rounding, deviations, 0.0)


def _require_room(n_features: int) -> None:
    if n_features > MAX_FEATURES:
        raise DataError(
            f"{n_features} features are too many for a scatter matrix (at most {MAX_FEATURES}); "
            "use smaller blocks, or the 'gram' or 'randomized' solver."
        )


def _moments_of_group(samples: NDArray[Any], progress: Progress) -> Moments:
    """Moments of rows that share one shift, from sums of products of shifted rows."""
    n_samples, n_features = samples.shape
    shift, chunk = _shift_and_chunk(samples)
    chunk = min(chunk, n_samples)
    buffer = np.empty((chunk, n_features), shift.dtype)
    ones = np.ones(chunk, shift.dtype)
    sums, scatter = np.zeros(n_features), np.zeros((n_features, n_features))
    for rows in slices(n_samples, chunk, progress):
        length = rows.stop - rows.start
        part = np.subtract(samples[rows], shift, out=buffer[:length], casting="same_kind")
        sums += ones[:length] @ part
        scatter += part.T @ part  # one contiguous array with itself: BLAS does half of the products
    correction = np.outer(sums, sums)
    correction /= n_samples
    scatter -= correction
    return Moments(n_samples, shift + sums / n_samples, scatter)


def _shift_and_chunk(samples: NDArray[Any]) -> tuple[NDArray[np.floating[Any]], int]:
    """Choose what to subtract from every row, in the dtype to multiply in, and the rows of a chunk."""
    n_features = samples.shape[1]
    if samples.dtype.itemsize == 1 and n_features >= 8:
        middle = 128 if samples.dtype == np.uint8 else 0
        return np.full(n_features, middle, np.float32), EXACT_ROWS
    # A sample of the group lies at most √n standard deviations from its mean, which bounds the
    # cancellation; and what is constant becomes exactly zero. Short chunks of many features would
    # spend their time on adding the scatter, hence the lower limit.
    return samples[0].astype(np.float64), max(512, rows_per_chunk(n_features))
