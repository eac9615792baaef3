"""Model files of components that were fitted to many images.

A model file is an ordinary compressed image, whose mean and components others use. Here that image is a
gallery of the components: each sample is the mean and one of them.
"""

from __future__ import annotations

import copy
import math

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.blocks.analysis import Analysis
from pcaimage.codec.blocks.method import BlocksMethod
from pcaimage.codec.blocks.quantizer import Quantizer
from pcaimage.codec.compressed import Metadata, header_of
from pcaimage.codec.encoding import Encoding
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.pca import PCA
from pcaimage.progress import no_progress
from pcaimage.sampling import Sampling, Stack

_CONTRAST = 0.4
"""The largest deviation from the mean in the gallery, of the largest value."""


def trained_model(
    pca: PCA,
    sampling: Sampling,
    grid: tuple[int, int, int],
    dtype: str,
    *,
    k: int | None = None,
    variance: float | None = None,
    metadata: Metadata | None = None,
) -> Encoding:
    """Make a model file's contents of components that were fitted to samples of many images.

    Mean and components are as precise as all these samples need it. The step is that of reverse
    water-filling for the first variance that is left out, but no finer than the rounding of pixels.

    Parameters
    ----------
    pca : PCA
        Fitted, with all components.
    sampling : Sampling
        Blocks, channels, or a stack.
    grid : tuple of int
        The shape of a sample: height, width, channels.
    dtype : {"uint8", "uint16"}
        The type of the images.
    k : int, optional
        How many components; all by default.
    variance : float, optional
        Their least share of the variance, instead.
    metadata : Metadata, optional
        Stored unchanged.

    Returns
    -------
    Encoding
        The file's contents.

    Raises
    ------
    SettingsError
        If there are not so many components.
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
    step = Step.nearest(max(math.sqrt(12 * left_out), header.peak / 255, analysis.finest_step))
    model = Quantizer(analysis, int(pca.n_samples_)).quantize(k, step)
    return BlocksMethod().complete(array, model, analysis, metadata, None, no_progress)


def _first(pca: PCA, k: int) -> PCA:
    """Return a model with the first components."""
    kept = copy.copy(pca)
    kept.components_, kept.explained_variance_ = pca.components_[:k], pca.explained_variance_[:k]
    kept.explained_variance_ratio_ = pca.explained_variance_ratio_[:k]
    kept.n_components_, kept.moments_ = k, None
    return kept


def _gallery(pca: PCA, sampling: Sampling, grid: tuple[int, int, int], dtype: str) -> NDArray[np.generic]:
    """Return an image, or a stack, with a sample for each component."""
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
