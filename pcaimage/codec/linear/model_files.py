"""Model files: those fitted to many images, and the use of their components for another.

A model file is an ordinary compressed image whose mean and components are used by others. If it is fitted to
many images, that image is a gallery of the components: each sample is the mean plus one of them. Parts of one
large image of bands share a model made of their statistics (:class:`Totals`, :func:`shared_model`): each is
coded with it (:func:`compress_with`), and its file may leave the basis out (:func:`without_basis`) and get it
back (:func:`with_basis`).
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Basis
from pcaimage.codec.compressed import Component, Compressed, Header, header_of
from pcaimage.codec.linear.analysis import Analysis
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.linear.coding import pack
from pcaimage.codec.linear.external_basis import ExternalBasis, compatible, copy_basis
from pcaimage.codec.linear.method import LinearMethod
from pcaimage.codec.linear.missing import find_missing
from pcaimage.codec.linear.model import EXACT, MOST_REAL, TOO_SMALL, bounds
from pcaimage.codec.linear.quantize import code_with, quantize
from pcaimage.codec.linear.slices import sliced
from pcaimage.codec.linear.statistics import header_in_range, moments_of
from pcaimage.codec.method import Encoding
from pcaimage.codec.properties import Preparation, preparation_of
from pcaimage.codec.settings import Settings
from pcaimage.codec.step import Step
from pcaimage.errors import DataError, FormatError, SettingsError
from pcaimage.pca import PCA, Moments
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import extremes, white_between
from pcaimage.sampling import Bands, Blocks, Sampling, Stack

REACH = 6.0  # distance of the spectra in a model file from the mean, in standard deviations
_CONTRAST = 0.4  # largest deviation from the mean in the gallery, relative to the largest value


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


def project(
    array: NDArray[Any], model: Compressed, settings: Settings, progress: Progress = no_progress
) -> Analysis:
    """Project an image onto the components of a model.

    The size of the image, or the number of images of a stack, may differ from the model's. The variances of
    the result are mean squares of its scores, in the order of the model. Raises SettingsError if image,
    settings and model do not fit each other.
    """
    basis = ExternalBasis.of(model)
    _check_settings(array, model, settings)
    analysis = _onto(array, basis, settings)
    pca, header = analysis.pca, analysis.header
    sums, total, hidden = np.zeros(pca.n_components_), 0.0, 0.0
    for chunk, scores in analysis.projected(analysis.whole_projection, pca.mean_):
        sums += np.square(scores, dtype=np.float64).sum(axis=1)
        centred = analysis.centred(chunk, pca.mean_)
        total += float(np.square(centred / pca.scale_).sum())
        left_over = centred - scores.T @ analysis.whole_synthesis
        hidden += float(np.square(left_over, dtype=np.float64).sum())
        progress(chunk.stop, header.n_samples)
    divisor = max(pca.n_samples_ - 1, 1)
    pca.explained_variance_ = sums / divisor
    pca.total_variance_ = max(total, float(sums.sum())) / divisor
    pca.explained_variance_ratio_ = pca.explained_variance_ / (pca.total_variance_ or 1.0)
    return replace(analysis, hidden=hidden / pca.n_samples_)


def _onto(array: NDArray[Any], basis: ExternalBasis, settings: Settings) -> Analysis:
    """Return an image with the components of a model, whose variances are not known yet."""
    model, pca = basis.source.header, basis.pca()
    if isinstance(model.sampling, Bands):
        own = BandsAnalysis.fit_bands(array, nodata=settings.nodata, brightest=settings.white)
        # The image's own unit leaves a bit unused.
        if model.value_bits > own.header.value_bits + 1:
            raise SettingsError("The image has larger numbers than the model's unit allows.")
        pca.n_samples_ = own.pca.n_samples_
        header = replace(own.header, mean_bits=model.mean_bits, value_bits=model.value_bits)
        _check_fit(header, model)
        return replace(own, header=header, pca=pca, external_basis=basis)
    header = header_of(array, model.sampling, settings.white)
    header = replace(header, mean_bits=model.mean_bits, scale_bits=model.scale_bits)
    _check_fit(header, model)
    pca.n_samples_ = header.n_samples
    return Analysis(header, model.sampling.to_samples(array), pca, external_basis=basis)


def _check_settings(array: NDArray[Any], compressed: Compressed, settings: Settings) -> None:
    """Raise SettingsError if a model does not fit settings, or the axes of an array."""
    model = compressed.header
    sampling = model.sampling
    if settings.sampling is not None and settings.sampling_for(array.shape) != sampling:
        raise SettingsError(f"The model is one of {_kind(model)}; another method cannot use it.")
    if settings.standardize and preparation_of(compressed) is not Preparation.STANDARDIZED:
        raise SettingsError("The model's features are not standardised, so those of this image cannot be.")
    if settings.mnf:
        raise SettingsError("With a model, the noise of this image is not whitened.")
    if settings.lossless or settings.max_error is not None:
        raise SettingsError("What a model's components leave over cannot be kept, too.")
    if settings.basis is not Basis.AUTO:
        raise SettingsError("With a model, an image has no basis of its own.")
    wanted = 4 if isinstance(sampling, Stack) else 3
    if array.ndim not in {wanted - 1, wanted}:
        what = "stacks" if isinstance(sampling, Stack) else "single images"
        raise SettingsError(f"The model is one of {what}; an array of shape {array.shape} is none.")


def _check_fit(header: Header, model: Header) -> None:
    """Raise SettingsError if a model is of other samples than those of an image."""
    if not compatible(model, header):
        raise SettingsError(
            f"The model is one of {_kind(model)} of type {model.dtype}; this image's samples are "
            f"{_sides(header)} of type {header.dtype}."
        )


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


@dataclass(frozen=True, eq=False)
class Totals:
    """Statistics of the pixels of one or more images; those of parts can be added.

    Only pixels that were measured in all bands count. `low` is inf and `high` -inf if there are none.
    """

    moments: Moments
    low: float
    high: float

    @classmethod
    def of(cls, image: NDArray[Any], nodata: float | None = None) -> Totals:
        """Compute the totals of an image; DataError if it has infinite numbers, or too many bands."""
        header = Header(image.shape, image.dtype.name, Bands(), Step.nearest(1.0))
        missing = find_missing(image, nodata)
        if missing is not None and bool(missing.incomplete.all()):
            return cls(Moments.empty(image.shape[2]), math.inf, -math.inf)
        return cls(*moments_of(image, header, missing, None, no_progress))

    def __add__(self, other: Totals) -> Totals:
        """Return the totals of both together."""
        moments = self.moments + other.moments if self.moments.count else other.moments
        return Totals(moments, min(self.low, other.low), max(self.high, other.high))


def shared_model(
    totals: Totals, dtype: str, *, max_error: float | None, step: float | None = None
) -> Compressed:
    """Return the contents of a model file of many bands.

    Components whose variance is above the water level of the step are kept. The default step makes files with
    corrections small; without an error to keep, it gives about 50 dB. `max_error` is the largest absolute
    error that corrections will leave: 0 for lossless files, None for files without corrections. The model's
    image shows the components: pixel j is the mean plus some standard deviations of component j. DataError is
    raised if no pixel was measured, or real numbers are too large for the error.
    """
    if not totals.moments.count:
        raise DataError("No pixel was measured in all bands, so there are no components.")
    pca = PCA().fit_moments(totals.moments)
    bands = totals.moments.n_features
    plain = Header((1, bands, bands), dtype, Bands(), Step.nearest(1.0))
    header = header_in_range(plain, totals.low, totals.high, max_error, has_axis=True)
    bare = BandsAnalysis(header, np.zeros(header.shape, dtype), pca)
    wanted = bare.default_step(max_error) if step is None else max(step, bare.finest_step)
    k = max(1, bare.k_beside(wanted, max_error))
    deviations = REACH * np.sqrt(np.maximum(pca.explained_variance_, 0))
    spectra = np.tile(pca.mean_, (bands, 1))  # a file has at most as many variances as pixels
    spectra[: len(deviations)] += deviations[:, None] * pca.components_
    low, high = (totals.low, totals.high) if dtype == "float32" else bounds(dtype)
    shown = np.clip(spectra if dtype == "float32" else np.rint(spectra), low, high).astype(dtype)[None]
    analysis = replace(bare, header=replace(header, shape=shown.shape), samples=shown)
    model = quantize(analysis, k, Step.nearest(wanted))
    return pack(model, analysis.variances)


def compress_with(
    model: Compressed, image: NDArray[Any], *, max_error: float | None = None, nodata: float | None = None
) -> Compressed:
    """Compress an image with the mean, the components and the step of a :func:`shared_model`.

    Corrections are added for a `max_error`, 0 for none. The result is like that of any other image of many
    bands. DataError is raised if the image is of another kind than the model, or nothing of it was measured;
    SettingsError if it is out of the range in which the sums are exact.
    """
    kind = model.header
    if (image.dtype.name, image.shape[2:]) != (kind.dtype, kind.shape[2:]):
        raise DataError(
            f"The model is of {kind.shape[2]} bands of type {kind.dtype}; this image has the shape "
            f"{image.shape} and type {image.dtype}."
        )
    missing = find_missing(image, nodata)
    if missing is not None and bool(missing.incomplete.all()):
        raise DataError("No pixel of the image was measured in all bands.")
    header = sliced(replace(kind, shape=image.shape), model.k)
    if header.max_components < model.k:
        raise DataError("The image has fewer pixels than the model has components.")
    low, high = extremes(image, nodata)
    if image.dtype.kind == "f" and max(-low, high) * 2.0**kind.value_bits >= MOST_REAL:
        raise SettingsError("The image has larger numbers than the model's unit allows.")
    if image.dtype == np.uint16:
        header = replace(header, largest=max(kind.peak, white_between("uint16", low, high)))
    basis = ExternalBasis.of(model)
    pca = basis.pca()
    pca.explained_variance_ = model.spectrum
    analysis = BandsAnalysis(header, image, pca, missing=missing)
    coded = code_with(analysis, header, basis.mean, None, basis.entries, basis.precisions)
    if coded.magnitude >= EXACT:
        raise SettingsError(TOO_SMALL)
    done: Compressed = (
        LinearMethod().complete(image, coded, analysis, None, max_error, no_progress).compressed
    )
    return replace(done, spectrum=model.spectrum[: header.max_components])


def without_basis(compressed: Compressed) -> Compressed:
    """Return an image without mean, vectors and variances, which its model has."""
    bare = tuple(Component(0, b"", each.scores) for each in compressed.components)
    return replace(compressed, mean=b"", components=bare, spectrum=np.zeros(0))


def with_basis(model: Compressed, bare: Compressed) -> Compressed:
    """Return an image with its model's mean, vectors and variances; FormatError if they do not match."""
    ours, theirs = bare.header, model.header
    kinds = [
        (each.dtype, each.shape[2:], each.step, each.mean_bits, each.value_bits) for each in (ours, theirs)
    ]
    if bare.k != model.k or kinds[0] != kinds[1]:
        raise FormatError("It belongs to another model than the one that is given.")
    return replace(copy_basis(bare, model), spectrum=model.spectrum[: ours.max_components])
