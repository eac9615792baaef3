"""Sample matrices: their validation, chunks, projection onto components, and reconstruction from scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pcaimage.errors import DataError, NumberError, SettingsError
from pcaimage.progress import Progress, no_progress

Floats = NDArray[np.float64]  # array of float64, the dtype in which everything is accumulated

CHUNK_ELEMENTS = 768 * 1024
"""Numbers in one chunk of a large matrix: 6 MiB of float64, about the size of a cache."""


def as_samples(samples: ArrayLike, *, least_features: int = 1) -> NDArray[Any]:
    """Return the samples as a matrix of real numbers in their own dtype, without copying or converting.

    DataError if it is not two-dimensional, has fewer than `least_features` columns, or is not of real
    numbers.
    """
    if hasattr(samples, "toarray"):
        raise DataError("PCA needs a dense matrix, but the samples are sparse; convert them with toarray().")
    try:
        array = np.asarray(samples)
    except ValueError as error:
        raise DataError(f"The samples are not a matrix: {error}.") from error
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise NumberError(f"PCA needs real numbers: {error}.") from error
    if array.dtype.kind == "c":
        raise DataError(f"Complex data not supported: PCA needs real numbers, not {array.dtype}.")
    if array.dtype.kind not in "biuf":
        raise DataError(f"PCA needs real numbers, but the samples are of type {array.dtype}.")
    if array.ndim != 2:
        raise DataError(
            f"PCA needs a matrix (samples, features), but the array has shape {array.shape}. "
            "Reshape your data, for example with reshape(1, -1) for a single sample."
        )
    if array.shape[1] < least_features:
        raise DataError(
            f"The samples have no features: 0 feature(s) (shape={array.shape}) while a minimum of "
            f"{least_features} is required."
        )
    return array


def slices(total: int, size: int, progress: Progress = no_progress) -> Iterator[slice]:
    """Yield consecutive slices of `size` that cover ``range(total)``, reporting progress after each one."""
    for start in range(0, total, size):
        stop = min(start + size, total)
        yield slice(start, stop)
        progress(stop, total)


def rows_per_chunk(n_features: int) -> int:
    """Return how many samples (or features, if iterating over columns) fit in one chunk; at least one."""
    return max(1, CHUNK_ELEMENTS // n_features)


def require_finite(samples: NDArray[Any], *results: Floats) -> None:
    """Raise a DataError that locates the first NaN or infinity if a result is not finite.

    The results are sums over all samples, to which any NaN or infinity must have spread. Checking them
    instead of every number costs nothing in the normal case.
    """
    if all(np.isfinite(result).all() for result in results):
        return
    for rows in slices(len(samples), rows_per_chunk(samples.shape[1])):
        bad = np.argwhere(~np.isfinite(samples[rows]))
        if len(bad):
            row, column = int(bad[0, 0]), int(bad[0, 1])
            value = samples[rows][row, column]
            raise DataError(
                f"PCA is not defined for NaN or infinity; found {value}: sample {rows.start + row}, "
                f"feature {column} (counting from 0)."
            )
    raise DataError("The numbers are too large: their products overflow; divide them by a constant first.")


def project(
    samples: ArrayLike,
    components: Floats,
    mean: Floats,
    scale: Floats,
    *,
    dtype: DTypeLike = np.float64,
    progress: Progress = no_progress,
) -> NDArray[Any]:
    """Return the scores of samples, ((x - mean) / scale) · componentsᵀ, (n_samples, k), computed in chunks.

    Parameters and errors are those of :meth:`pcaimage.pca.PCA.transform`.
    """
    array = as_samples(samples)
    n_features = mean.size
    if array.shape[1] != n_features:
        raise DataError(f"The samples have {array.shape[1]} features, but the components have {n_features}.")
    scores = np.empty((len(array), len(components)), _floating(dtype))
    axes = (components / scale).T.astype(scores.dtype)
    with np.errstate(invalid="ignore", over="ignore"):
        for rows in slices(len(array), rows_per_chunk(n_features), progress):
            centred = np.subtract(array[rows], mean, dtype=np.float64)
            np.matmul(centred.astype(scores.dtype, copy=False), axes, out=scores[rows])
            require_finite(array, scores[rows])
    return scores


def reconstruct(
    scores: ArrayLike,
    components: Floats,
    mean: Floats,
    scale: Floats,
    *,
    dtype: DTypeLike = np.float64,
    progress: Progress = no_progress,
) -> NDArray[Any]:
    """Reconstruct samples, mean + scale · (scores · components), from the first k scores of each.

    Parameters and errors are those of :meth:`pcaimage.pca.PCA.inverse_transform`.
    """
    array = as_samples(scores, least_features=0)
    k = array.shape[1]
    if k > len(components):
        raise DataError(f"The scores have {k} columns, but there are {len(components)} components.")
    samples = np.empty((len(array), mean.size), _floating(dtype))
    axes = (components[:k] * scale).astype(samples.dtype)
    for rows in slices(len(array), rows_per_chunk(mean.size), progress):
        np.matmul(array[rows].astype(samples.dtype, copy=False), axes, out=samples[rows])
        samples[rows] += mean
    return samples


def _floating(dtype: DTypeLike) -> np.dtype[Any]:
    result = np.dtype(dtype)
    if result not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise SettingsError(f"Scores and samples are computed in float64 or float32, not in {result}.")
    return result
