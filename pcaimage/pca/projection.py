"""Projection of samples onto components, and reconstruction from scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pcaimage.errors import DataError, SettingsError
from pcaimage.pca._samples import Floats, as_samples, require_finite, rows_per_chunk, slices
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


def project(
    samples: ArrayLike,
    components: Floats,
    mean: Floats,
    scale: Floats,
    *,
    dtype: DTypeLike = np.float64,
    progress: Progress = no_progress,
) -> NDArray[Any]:
    """Return the scores of samples, ((x - mean) / scale) · componentsᵀ, computed in chunks.

    Parameters
    ----------
    samples : array_like, shape (n_samples, n_features)
        Any number of samples, including none.
    components : ndarray of float64, shape (k, n_features)
        Orthonormal rows.
    mean, scale : ndarray of float64, shape (n_features,)
        The mean is subtracted from each sample, which is then divided by the scale.
    dtype : {float64, float32}, default float64
        Dtype of the scores. float32 takes half the time and memory; the mean is subtracted in float64 first.
    progress : Progress, optional
        Called with ``(samples done, n_samples)``.

    Returns
    -------
    ndarray, shape (n_samples, k)
        The scores.

    Raises
    ------
    DataError
        If the samples are not a matrix of finite real numbers with n_features columns.
    SettingsError
        If the dtype is neither of the two.
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

    Parameters
    ----------
    scores : array_like, shape (n_samples, k)
        Scores on the first k components; k = 0 yields the mean.
    components, mean, scale, dtype, progress
        As for :func:`project`; at least k components.

    Returns
    -------
    ndarray, shape (n_samples, n_features)
        The reconstruction.

    Raises
    ------
    DataError
        If the scores are not a matrix of real numbers with at most as many columns as there are components.
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
