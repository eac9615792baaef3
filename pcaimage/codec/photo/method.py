"""The compression method for photos.

What decoding does not need is imported by the calls that need it: loading it takes longer than a small image.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.codec.encoding import Encoding
from pcaimage.codec.method import AnalysisOptions, Method, Near, require
from pcaimage.codec.model import Model
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import (
    checked,
    decode_strips,
    holds,
    pack,
    quantize,
    quantize_checked,
    unpack,
)
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.progress import Progress, overlapping, part
from pcaimage.sampling import Sampling

if TYPE_CHECKING:
    from pcaimage.codec.photo.preview import PhotoPreview
    from pcaimage.codec.photo.rates import PhotoRates

RECONSTRUCTION = 0.1
"""The share of the work that reconstructing an image is, beside coding its residual."""

COMPONENTS = 0.3
"""The share that decoding its components and reconstructing it is, likewise."""


class PhotoMethod(Method):
    """Codes scores on the components of a cascade with trained contexts."""

    def analyse(
        self,
        array: NDArray[Any],
        sampling: Sampling,  # noqa: ARG002 - blocks of photos are of one size
        options: AnalysisOptions,
        progress: Progress,
    ) -> PhotoAnalysis:
        """Find an image's scores on trained components, or on its own."""
        from pcaimage.codec.photo.own_bases import analyse

        return analyse(array, options.basis, progress)

    def quantize(self, spectrum: Spectrum, k: int, step: Step, progress: Progress) -> PhotoModel:
        """Round and code the first k components."""
        return quantize(require(spectrum, PhotoAnalysis), k, step, progress)

    def quantize_checked(
        self,
        spectrum: Spectrum,
        k: int,
        step: Step,
        original: NDArray[Any],
        progress: Progress,
        *,
        proven: bool,
    ) -> PhotoModel:
        """Round and code the first k components, and check what was coded."""
        analysis = require(spectrum, PhotoAnalysis)
        return quantize_checked(analysis, k, step, original, progress, proven=proven)

    def quantize_near(
        self,
        spectrum: Spectrum,
        k: int,
        step: Step,
        original: NDArray[Any],
        near: Near,
        progress: Progress,
    ) -> PhotoModel:
        """Round and code the first k components, some of them so that the error is as wanted."""
        from pcaimage.codec.photo.steering import quantize_near

        return quantize_near(require(spectrum, PhotoAnalysis), k, step, original, near, progress)

    def checked(self, model: Model, original: NDArray[Any], progress: Progress) -> PhotoModel:
        """Check what was coded, unless that was done."""
        return checked(require(model, PhotoModel), original, progress)

    def holds(self, compressed: Compressed, model: Model, progress: Progress) -> bool:
        """Return whether a file's components decode to a photo's integers."""
        return holds(compressed, require(model, PhotoModel), progress)

    def pack(
        self,
        model: Model,
        spectrum: Spectrum,  # noqa: ARG002 - files of photos do not hold it
        metadata: Metadata | None,
        progress: Progress,  # noqa: ARG002 - all was coded before
    ) -> Compressed:
        """Put together what :meth:`quantize` coded."""
        return pack(require(model, PhotoModel), metadata)

    def unpack(self, compressed: Compressed, k: int | None, progress: Progress) -> PhotoModel:
        """Decode the first k components, or all, to integers."""
        return unpack(compressed, k, progress)

    def decode_strips(
        self, compressed: Compressed, k: int | None, progress: Progress
    ) -> Generator[NDArray[Any]]:
        """Decode and reconstruct slice by slice, and apply the residual as soon as lines are there."""
        if compressed.residual is None or k not in {None, compressed.k}:
            return decode_strips(compressed, k, progress)
        from pcaimage.codec.photo.residual import decode_residual_strips

        lines, corrections = overlapping(progress, COMPONENTS)
        strips = decode_strips(compressed, k, lines)
        return decode_residual_strips(compressed.residual, compressed.header.shape, strips, corrections)

    def estimates(self, spectrum: Spectrum) -> PhotoRates:
        """Return an estimator of size and quality."""
        from pcaimage.codec.photo.rates import PhotoRates

        return PhotoRates(require(spectrum, PhotoAnalysis))

    def pictures(
        self,
        source: Spectrum | Model,
        progress: Progress,  # noqa: ARG002 - scores are there already
    ) -> PhotoPreview:
        """Return a renderer of an analysed or a decoded image."""
        from pcaimage.codec.photo.preview import PhotoPreview

        return PhotoPreview.of(source if isinstance(source, PhotoAnalysis) else require(source, PhotoModel))

    def complete(
        self,
        array: NDArray[Any],
        model: Model,
        spectrum: Spectrum,  # noqa: ARG002 - files of photos do not hold it
        metadata: Metadata | None,
        max_error: float | None,
        progress: Progress,
    ) -> Encoding:
        """Code an image; what components lack of a lossless one goes into a residual."""
        from pcaimage.codec.photo.residual import encode_residual

        packed = pack(require(model, PhotoModel), metadata)
        if max_error != 0:
            progress(1, 1)
            return Encoding(packed, model)
        original = np.ascontiguousarray(array).reshape(model.header.shape)
        decoded = model.reconstruct(part(progress, 0.0, RECONSTRUCTION)).reshape(original.shape)
        residual = encode_residual(original, decoded, part(progress, RECONSTRUCTION, 1.0))
        return Encoding(replace(packed, residual=residual), model, array)

    def corrected_strips(self, residual: bytes, model: Model, progress: Progress) -> Generator[NDArray[Any]]:
        """Reconstruct every pixel of the original, some lines at a time from the top."""
        from pcaimage.codec.photo.residual import decode_residual_strips

        lines, corrections = overlapping(progress, RECONSTRUCTION)
        return decode_residual_strips(residual, model.header.shape, model.strips(lines), corrections)

    def corrected(self, residual: bytes, model: Model, progress: Progress) -> NDArray[Any]:
        """Reconstruct every pixel of the original."""
        from pcaimage.codec.photo.residual import decode_residual

        decoded = model.reconstruct(part(progress, 0.0, RECONSTRUCTION)).reshape(model.header.shape)
        pixels = decode_residual(residual, decoded, part(progress, RECONSTRUCTION, 1.0))
        return pixels.reshape(model.header.output_shape)
