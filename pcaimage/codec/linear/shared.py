"""A basis that many images of the same bands share: found from all of them, and used for each.

Statistics of parts of the data are added (:class:`Totals`). A model file made of them (:func:`shared_model`)
has the mean, the components and the step. Each image is coded with these (:func:`compress_with`), and its
file may leave them out (:func:`without_basis`) and get them back (:func:`with_basis`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Component, Compressed, Header
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.linear.coding import pack
from pcaimage.codec.linear.external_basis import ExternalBasis, copy_basis
from pcaimage.codec.linear.method import LinearMethod
from pcaimage.codec.linear.missing import find_missing
from pcaimage.codec.linear.model import EXACT, MOST_REAL, TOO_SMALL, bounds
from pcaimage.codec.linear.quantize import code_with, quantize
from pcaimage.codec.linear.slices import slice_rows
from pcaimage.codec.linear.statistics import header_in_range, moments_of
from pcaimage.codec.step import Step
from pcaimage.errors import DataError, FormatError, SettingsError
from pcaimage.pca import PCA, Moments
from pcaimage.progress import no_progress
from pcaimage.quality import extremes, white_between
from pcaimage.sampling import Bands

REACH = 6.0
"""Distance of the spectra in a model file from the mean, in standard deviations."""


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
    k = max(1, bare.k_for_step(wanted))
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
    header = replace(kind, shape=image.shape)
    header = replace(header, slice_rows=slice_rows(header, model.k))
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
