"""Projection of samples onto components, and reconstruction from scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from pcaimage.errors import DataError, SettingsError
from pcaimage.pca._samples import Floats, as_samples, require_finite, rows_per_chunk, slices
from pcaimage.progress import Progress, no_progress


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
