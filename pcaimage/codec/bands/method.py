"""The compression method for images of many bands.

Modules that decoding does not need are imported by the calls that use them: loading them takes longer than
coding a small image.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from pcaimage.codec.bands.analysis import BandsAnalysis
from pcaimage.codec.bands.coding import pack, quantize, unpack
from pcaimage.codec.bands.line_buffer import LineBuffer
from pcaimage.codec.bands.model import BandsModel
from pcaimage.codec.bands.residual import corrected, corrected_strips, decodes_to, encode_residual, unit_error
from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.codec.estimates import Corrections
from pcaimage.codec.method import AnalysisOptions, Method, require
from pcaimage.codec.model import Encoding, Model
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.progress import Progress
from pcaimage.sampling import Sampling

if TYPE_CHECKING:
    from pcaimage.codec.bands.rates import BandsRates
    from pcaimage.codec.blocks.preview import Preview


class BandsMethod(Method):
    """Codes planes of scores with context modelling, and corrections that bound the error of the bands."""

    def analyse(
        self, array: NDArray[Any], sampling: Sampling, options: AnalysisOptions, progress: Progress
    ) -> BandsAnalysis:
        """Fit the components of an image, reading it a few lines at a time."""
        return BandsAnalysis.fit_bands(
            array,
            sampling,
            standardize=options.standardize,
            mnf=options.mnf,
            nodata=options.nodata,
            precision=options.max_error,
            brightest=options.white,
            progress=progress,
        )

    def quantize(self, spectrum: Spectrum, k: int, step: Step, progress: Progress) -> BandsModel:
        """Quantise and code the first k components and their scores."""
        return quantize(require(spectrum, BandsAnalysis), k, step, progress)

    def pack(
        self, model: Model, spectrum: Spectrum, metadata: Metadata | None, progress: Progress
    ) -> Compressed:
        """Assemble the file from the planes that :meth:`quantize` coded."""
        progress(1, 1)
        return pack(require(model, BandsModel), spectrum.variances, metadata)

    def unpack(self, compressed: Compressed, k: int | None, progress: Progress) -> BandsModel:
        """Decode the first k components, or all, to integers."""
        return unpack(compressed, k, progress)

    def estimates(self, spectrum: Spectrum) -> BandsRates:
        """Return an estimator of size and quality."""
        from pcaimage.codec.bands.rates import BandsRates

        return BandsRates(require(spectrum, BandsAnalysis))

    def corrections(
        self, spectrum: Spectrum, k: int, step: float, max_error: float, progress: Progress
    ) -> Corrections:
        """Estimate the corrections that keep values within an error."""
        from pcaimage.codec.bands.correction_rates import corrections

        return corrections(require(spectrum, BandsAnalysis), k, step, max_error, progress)

    def pictures(self, source: Spectrum | Model, progress: Progress) -> Preview:
        """Return a renderer of an analysed or a decoded image."""
        from pcaimage.codec.blocks.preview import Preview

        if isinstance(source, BandsAnalysis):
            return Preview.of_analysis(source, progress)
        return Preview.of_model(require(source, BandsModel))

    def complete(
        self,
        array: NDArray[Any],
        model: Model,
        spectrum: Spectrum,
        metadata: Metadata | None,
        max_error: float | None,
        progress: Progress,
    ) -> Encoding:
        """Code an image with the corrections that keep every value within an error."""
        bands, header = require(model, BandsModel), model.header
        packed = pack(bands, spectrum.variances, metadata)
        if max_error is None:
            progress(1, 1)
            return Encoding(packed, model)
        error, image = unit_error(header, max_error), array.reshape(header.shape)
        if max_error < 1 and array.dtype.kind != "f":
            residual = encode_residual(image, bands, error, progress)
            return Encoding(replace(packed, residual=residual), model, array)
        result = LineBuffer(header.shape, header.dtype)
        residual = encode_residual(image, bands, error, progress, result=result)
        corrected_image = result.array().reshape(header.output_shape)
        return Encoding(replace(packed, residual=residual), model, corrected_image)

    def corrected(self, residual: bytes, model: Model, progress: Progress) -> NDArray[Any]:
        """Reconstruct an image within the error of its file."""
        return corrected(residual, require(model, BandsModel), progress)

    def corrected_strips(self, residual: bytes, model: Model, progress: Progress) -> Generator[NDArray[Any]]:
        """Reconstruct as :meth:`corrected` does, some lines at a time from the top."""
        return corrected_strips(residual, require(model, BandsModel), progress)

    def decodes_to(self, array: NDArray[Any], residual: bytes, model: Model, progress: Progress) -> bool:
        """Return whether corrections restore an image, holding only a few slices of it in memory."""
        return decodes_to(residual, require(model, BandsModel), array, progress)
