"""What the package asks of a matrix of samples, and how it walks through one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcaimage.errors import DataError
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from collections.abc import Iterator

Floats = NDArray[np.float64]
"""An array of float64, the type in which everything is accumulated."""

CHUNK_ELEMENTS = 768 * 1024
"""Numbers held at once while a large matrix is walked through: 6 MiB of float64, about a cache."""


def as_samples(samples: ArrayLike, *, least_features: int = 1) -> NDArray[Any]:
    """Check that something is a matrix of real numbers, without copying or converting it.

    Parameters
    ----------
    samples : array_like, shape (n_samples, n_features)
        Integers, booleans or floating-point numbers.
    least_features : int, default 1
        Refuse fewer columns than this.

    Returns
    -------
    ndarray, shape (n_samples, n_features)
        The same numbers in their own dtype.

    Raises
    ------
    DataError
        If it is not two-dimensional, has no features, or holds anything but real numbers.
    """
    try:
        array = np.asarray(samples)
    except ValueError as error:
        raise DataError(f"The samples are not a matrix: {error}.") from error
    if array.dtype.kind not in "biuf":
        raise DataError(f"PCA needs real numbers, but the samples are of type {array.dtype}.")
    if array.ndim != 2:
        raise DataError(
            f"PCA needs a matrix (samples, features), but the array has shape {array.shape}; "
            "reshape it, for example with reshape(1, -1) for a single sample."
        )
    if array.shape[1] < least_features:
        raise DataError("The samples have no features.")
    return array


def slices(total: int, size: int, progress: Progress = no_progress) -> Iterator[slice]:
    """Cut a range into slices and report after each one that was used.

    Parameters
    ----------
    total : int
        Length of the range.
    size : int
        Length of every slice but the last.
    progress : Progress, optional
        Told ``(done, total)`` after each slice.

    Yields
    ------
    slice
        Consecutive parts that cover ``range(total)``.
    """
    for start in range(0, total, size):
        stop = min(start + size, total)
        yield slice(start, stop)
        progress(stop, total)


def rows_per_chunk(n_features: int) -> int:
    """Choose how many samples (or, for a transposed walk, features) fit in one chunk.

    Parameters
    ----------
    n_features : int
        Numbers in each row.

    Returns
    -------
    int
        At least one.
    """
    return max(1, CHUNK_ELEMENTS // n_features)


def require_finite(samples: NDArray[Any], *results: Floats) -> None:
    """Refuse samples whose moments came out as NaN or infinity, and say which number did it.

    Looking at the results instead of at every number makes the check free when all is well.

    Parameters
    ----------
    samples : ndarray, shape (n_samples, n_features)
        The data, searched only if a result is not finite.
    *results : ndarray
        Sums over all samples, to which any NaN or infinity must have spread.

    Raises
    ------
    DataError
        If a result is not finite.
    """
    if all(np.isfinite(result).all() for result in results):
        return
    for rows in slices(len(samples), rows_per_chunk(samples.shape[1])):
        bad = np.argwhere(~np.isfinite(samples[rows]))
        if len(bad):
            row, column = int(bad[0, 0]), int(bad[0, 1])
            value = samples[rows][row, column]
            raise DataError(
                f"PCA is not defined for {value}: sample {rows.start + row}, feature {column} "
                "(counting from 0) is not a finite number."
            )
    raise DataError("The numbers are too large: their products overflow; divide them by a constant first.")
