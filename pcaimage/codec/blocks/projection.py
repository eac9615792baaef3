"""Projection of an image onto the components of a model file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Basis
from pcaimage.codec.blocks.analysis import Analysis
from pcaimage.codec.blocks.external_basis import ExternalBasis, compatible
from pcaimage.codec.blocks.model import as_reals
from pcaimage.codec.compressed import Compressed, Header, header_of
from pcaimage.codec.settings import Settings
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.pca import PCA
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Blocks, Stack


@dataclass(frozen=True, eq=False)
class Projection(Analysis):
    """An image as scores on the components of a model.

    `hidden` is the mean squared error, in squared grey levels, that remains with all components.
    """

    hidden: float = 0.0

    def step_for(self, k: int) -> Step:
        """Return the step that belongs to k; with all components the model's own, unless it is too fine."""
        if self.external_basis is None or k < self.n_components:
            return super().step_for(k)
        return max(Step.nearest(self.finest_step), self.external_basis.source.header.step, key=float)


def project(
    array: NDArray[Any], model: Compressed, settings: Settings, progress: Progress = no_progress
) -> Projection:
    """Project an image onto the components of a model in blocks, channels or a stack.

    The size of the image, or the number of images of a stack, may differ from the model's. The variances of
    the result are mean squares of its scores, in the order of the model. Raises SettingsError if image,
    settings and model do not fit each other.
    """
    basis = ExternalBasis.of(model)
    header = _fitting(array, model.header, settings)
    samples = header.sampling.to_samples(array)
    pca = _pca_of(basis)
    analysis = Analysis(header, samples, pca, external_basis=basis)
    width = pca.scale_ if pca.standardize else None
    sums, total, hidden = np.zeros(pca.n_components_), 0.0, 0.0
    for chunk, scores in analysis.projected(pca.components_, pca.mean_, width):
        sums += np.square(scores, dtype=np.float64).sum(axis=1)
        centred = (samples[chunk] - pca.mean_) / pca.scale_
        total += float(np.square(centred).sum())
        hidden += float(np.square((centred - scores.T @ pca.components_) * pca.scale_).sum())
        progress(chunk.stop, header.n_samples)
    divisor = max(header.n_samples - 1, 1)
    pca.explained_variance_ = sums / divisor
    pca.total_variance_ = max(total, float(sums.sum())) / divisor
    pca.explained_variance_ratio_ = pca.explained_variance_ / (pca.total_variance_ or 1.0)
    pca.n_samples_ = header.n_samples
    return Projection(header, samples, pca, external_basis=basis, hidden=hidden / header.n_samples)


def _pca_of(basis: ExternalBasis) -> PCA:
    """Return the PCA of the model, up to rounding."""
    header = basis.source.header
    pca = PCA(len(basis.precisions), standardize=basis.scale is not None)
    pca.components_ = as_reals(basis.entries, basis.precisions)
    pca.mean_ = np.ldexp(basis.mean.astype(np.float64), -header.mean_bits)
    pca.scale_ = np.ones_like(pca.mean_)
    if basis.scale is not None and header.scale_bits is not None:
        pca.scale_ = np.ldexp(basis.scale.astype(np.float64), -header.scale_bits)
    pca.n_components_, pca.n_features_ = pca.components_.shape
    pca.moments_ = None
    return pca


def _fitting(array: NDArray[Any], model: Header, settings: Settings) -> Header:
    """Return the header of an array; raise SettingsError if a model does not fit it."""
    sampling = model.sampling
    if settings.sampling is not None and settings.sampling != sampling:
        raise SettingsError(f"The model is one of {_kind(model)}; another method cannot use it.")
    if settings.standardize and model.scale_bits is None:
        raise SettingsError("The model's features are not standardised, so those of this image cannot be.")
    if settings.lossless or settings.max_error is not None:
        raise SettingsError("What a model's components leave over cannot be kept, too.")
    if settings.basis is not Basis.AUTO:
        raise SettingsError("With a model, an image has no basis of its own.")
    wanted = 4 if isinstance(sampling, Stack) else 3
    if array.ndim not in {wanted - 1, wanted}:
        what = "stacks" if isinstance(sampling, Stack) else "single images"
        raise SettingsError(f"The model is one of {what}; an array of shape {array.shape} is none.")
    header = header_of(array, sampling, settings.white)
    header = replace(header, mean_bits=model.mean_bits, scale_bits=model.scale_bits)
    if not compatible(model, header):
        raise SettingsError(
            f"The model is one of {_kind(model)} of type {model.dtype}; this image's samples are "
            f"{_sides(header)} of type {header.dtype}."
        )
    return header


def _kind(header: Header) -> str:
    if isinstance(header.sampling, Stack):
        return f"images of {_sides(header)}"
    return (
        f"blocks of {_sides(header)}"
        if isinstance(header.sampling, Blocks)
        else f"pixels of {_sides(header)}"
    )


def _sides(header: Header) -> str:
    return " × ".join(map(str, header.sampling.feature_grid(header.shape)))
