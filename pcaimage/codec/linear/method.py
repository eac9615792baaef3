"""The compression method for blocks, pixels of any number of bands, and stacks.

Modules that decoding does not need are imported by the calls that use them: loading them takes longer than
coding a small image.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Effort
from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.codec.estimates import Corrections
from pcaimage.codec.linear.analysis import Analysis
from pcaimage.codec.linear.coding import framed, pack, unpack
from pcaimage.codec.linear.exact import encode_residual, unit_error
from pcaimage.codec.linear.line_buffer import LineBuffer
from pcaimage.codec.linear.model import IntegerModel
from pcaimage.codec.method import AnalysisOptions, Encoding, Method, Model, require
from pcaimage.codec.photo.tiles.tiles import encode_frames
from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress
from pcaimage.sampling import Bands, Sampling, Stack

if TYPE_CHECKING:
    from pcaimage.codec.linear.preview import Preview
    from pcaimage.codec.linear.rates import RateModel


class LinearMethod(Method):
    """Codes the components of an image's own PCA and its scores, or its scores on a model's components."""

    def analyse(
        self, array: NDArray[Any], sampling: Sampling, options: AnalysisOptions, progress: Progress
    ) -> Analysis:
        """Fit the components of an image; one of bands is read a few lines at a time."""
        if not isinstance(sampling, Bands):
            return Analysis.fit(
                array, sampling, standardize=options.standardize, white=options.white, progress=progress
            )
        from pcaimage.codec.linear.bands import BandsAnalysis

        return BandsAnalysis.fit_bands(
            array,
            standardize=options.standardize,
            mnf=options.mnf,
            nodata=options.nodata,
            precision=options.max_error,
            brightest=options.white,
            sampled=options.effort == Effort.FAST,
            progress=progress,
        )

    def quantize(self, spectrum: Spectrum, k: int, step: Step, progress: Progress) -> IntegerModel:
        """Quantise and code the first k components and their scores."""
        from pcaimage.codec.linear.quantize import quantize

        return quantize(require(spectrum, Analysis), k, step, progress)

    def pack(
        self, model: Model, spectrum: Spectrum, metadata: Metadata | None, progress: Progress
    ) -> Compressed:
        """Assemble a file; if its basis is in a model file, the result refers to that."""
        integers, external = require(model, IntegerModel), require(spectrum, Analysis).external_basis
        progress(1, 1)
        if external is None:
            return pack(integers, spectrum.variances, metadata)
        return replace(pack(integers, np.zeros(0), metadata, external.source), basis=external.basis)

    def unpack(self, compressed: Compressed, k: int | None, progress: Progress) -> IntegerModel:
        """Decode the first k components, or all, to integers."""
        return unpack(compressed, k, progress)

    def estimates(self, spectrum: Spectrum) -> RateModel:
        """Return an estimator of size and quality."""
        from pcaimage.codec.linear.rates import RateModel

        return RateModel(require(spectrum, Analysis))

    def corrections(
        self, spectrum: Spectrum, k: int, step: float, max_error: float, progress: Progress
    ) -> Corrections:
        """Estimate the corrections that keep values within an error."""
        from pcaimage.codec.linear.bands import BandsAnalysis
        from pcaimage.codec.linear.exact import corrections

        if not isinstance(spectrum, BandsAnalysis):
            return super().corrections(spectrum, k, step, max_error, progress)
        return corrections(spectrum, k, step, max_error, progress)

    def pictures(self, source: Spectrum | Model, progress: Progress) -> Preview:
        """Return a renderer of an analysed or a decoded image."""
        from pcaimage.codec.linear.preview import Preview

        if isinstance(source, Analysis):
            return Preview.of_analysis(source, progress)
        return Preview.of_model(require(source, IntegerModel))

    def complete(
        self,
        array: NDArray[Any],
        model: Model,
        spectrum: Spectrum,
        metadata: Metadata | None,
        max_error: float | None,
        progress: Progress,
    ) -> Encoding:
        """Code an image with a thumbnail, or with the corrections that keep every value within an error."""
        integers, header = require(model, IntegerModel), model.header
        if max_error == 0 and isinstance(header.sampling, Stack):
            if header.dtype != "uint8" or header.shape[-1] > MOST_PHOTO_CHANNELS:
                raise SettingsError("Only stacks of 8 bits, and of up to 4 channels, are kept without loss.")
            images = array.reshape(header.shape)
            exact, tiles = framed(header, images), encode_frames(images)
            progress(1, 1)
            return Encoding(replace(pack(exact, np.zeros(0), metadata), tiles=tiles), exact)
        packed = self.pack(model, spectrum, metadata, progress)
        if require(spectrum, Analysis).has_thumbnail:
            packed = replace(packed, preview=_preview(array, packed, integers, spectrum))
        if max_error is None or not header.traits.bounds_errors:
            return Encoding(packed, model)
        error, image = unit_error(header, max_error), array.reshape(header.shape)
        if max_error < 1 and array.dtype.kind != "f":
            residual = encode_residual(image, integers, error, progress)
            return Encoding(replace(packed, residual=residual), model, array)
        result = LineBuffer(header.shape, header.dtype)
        residual = encode_residual(image, integers, error, progress, result=result)
        corrected_image = result.array().reshape(header.output_shape)
        return Encoding(replace(packed, residual=residual), model, corrected_image)


def _preview(
    array: NDArray[Any], packed: Compressed, model: IntegerModel, spectrum: Spectrum
) -> NDArray[np.uint8] | None:
    """Return a thumbnail that adds a small share of the components' bytes."""
    from pcaimage.codec.linear.thumbnail import SHARE, thumbnail

    vectors = packed.components if packed.basis is None else ()
    stored = sum(len(c.scores) for c in packed.components) + sum(len(c.vector) for c in vectors)
    # It shows the image without the components that were left out.
    shown = model.reconstruct() if spectrum.left_out else array
    picture = shown if spectrum.header.has_channel_axis else shown[..., None]
    first, gain = picture[0] if picture.ndim == 4 else picture, 255 / spectrum.header.peak
    return thumbnail(first, int(SHARE * stored), gain)
