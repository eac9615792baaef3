"""Model files of components fitted to many images.

A model file is an ordinary compressed image whose mean and components are used by others. Here that image is
a gallery of the components: each sample is the mean plus one of them.
"""

from __future__ import annotations

import copy
import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import header_of
from pcaimage.codec.linear.analysis import Analysis
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.linear.method import LinearMethod
from pcaimage.codec.linear.quantize import quantize
from pcaimage.codec.model import Encoding
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.pca import PCA
from pcaimage.progress import no_progress
from pcaimage.sampling import Bands, Sampling, Stack

_CONTRAST = 0.4
"""Largest deviation from the mean in the gallery, relative to the largest value."""


def trained_model(
    pca: PCA,
    sampling: Sampling,
    grid: tuple[int, int, int],
    dtype: str,
    *,
    k: int | None = None,
    variance: float | None = None,
) -> Encoding:
    """Return the contents of a model file with components fitted to samples of many images.

    Mean and components are as precise as the number of these samples requires. The step follows from reverse
    water-filling at the first variance left out, but is no finer than the rounding of pixels. The model has k
    components, all by default, or as many as explain a share of the `variance`; SettingsError if there are
    not so many. `grid` is the shape (height, width, channels) of a sample.
    """
    found = int(pca.n_components_)
    if variance is not None:
        k = int(np.searchsorted(np.cumsum(pca.explained_variance_ratio_), variance * (1 - 1e-12))) + 1
    k = found if k is None else min(k, found) if variance is not None else k
    if not 1 <= k <= found:
        raise SettingsError(f"k must be from 1 to {found}, the number of components, not {k}.")
    left_out = float(pca.explained_variance_[k]) if k < found else 0.0
    kept = _first(pca, k)
    array = _gallery(kept, sampling, grid, dtype)
    header = header_of(array, sampling)
    analysis = Analysis(header, sampling.to_samples(array), kept)
    if isinstance(sampling, Bands):
        # Files of bands always have a peak.
        analysis = BandsAnalysis(replace(header, largest=header.peak), array, kept)
    rounding = header.peak / 255 / analysis.typical_scale
    step = Step.nearest(max(math.sqrt(12 * left_out), rounding, analysis.finest_step))
    model = quantize(analysis, k, step)
    return LinearMethod().complete(array, model, analysis, None, None, no_progress)


def _first(pca: PCA, k: int) -> PCA:
    """Return a PCA with the first k components."""
    kept = copy.copy(pca)
    kept.components_, kept.explained_variance_ = pca.components_[:k], pca.explained_variance_[:k]
    kept.explained_variance_ratio_ = pca.explained_variance_ratio_[:k]
    kept.n_components_, kept.moments_ = k, None
    return kept


def _gallery(pca: PCA, sampling: Sampling, grid: tuple[int, int, int], dtype: str) -> NDArray[np.generic]:
    """Return an image, or a stack, with one sample for each component."""
    k, (height, width, channels) = int(pca.n_components_), grid
    columns = 1 if isinstance(sampling, Stack) else math.ceil(math.sqrt(k))
    rows = math.ceil(k / columns)
    peak = np.iinfo(dtype).max
    shown = pca.components_ * pca.scale_
    shown *= _CONTRAST * peak / np.maximum(np.abs(shown).max(axis=1, keepdims=True), 1e-300)
    samples = np.repeat(pca.mean_[None], rows * columns, axis=0)
    samples[:k] += shown
    whole = np.clip(np.rint(samples), 0, peak).astype(dtype)
    shape = (rows * height, columns * width, channels)
    return sampling.from_samples(
        whole, (k, height, width, channels) if isinstance(sampling, Stack) else shape
    )
