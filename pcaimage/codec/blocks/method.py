"""The compression method for blocks, channels and stacks.

Modules that decoding does not need are imported by the calls that use them: loading them takes longer than
coding a small image.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.blocks.analysis import Analysis
from pcaimage.codec.blocks.coding import pack, unpack
from pcaimage.codec.blocks.model import IntegerModel
from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.codec.method import AnalysisOptions, Method, require
from pcaimage.codec.model import Encoding, Model
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.progress import Progress
from pcaimage.sampling import Sampling

if TYPE_CHECKING:
    from pcaimage.codec.blocks.preview import Preview
    from pcaimage.codec.blocks.rates import RateModel


class BlocksMethod(Method):
    """Codes the components and scores of an image's own PCA, or its scores on another image's components."""

    def analyse(
        self, array: NDArray[Any], sampling: Sampling, options: AnalysisOptions, progress: Progress
    ) -> Analysis:
        """Fit the components of an image."""
        return Analysis.fit(
            array, sampling, standardize=options.standardize, white=options.white, progress=progress
        )

    def quantize(self, spectrum: Spectrum, k: int, step: Step, progress: Progress) -> IntegerModel:
        """Quantise the first k components and their scores to the integers of a file."""
        from pcaimage.codec.blocks.quantizer import Quantizer

        return Quantizer(require(spectrum, Analysis)).quantize(k, step, progress)

    def pack(
        self, model: Model, spectrum: Spectrum, metadata: Metadata | None, progress: Progress
    ) -> Compressed:
        """Code a quantised image; if its basis is in a model file, the result refers to that."""
        integers, external = require(model, IntegerModel), require(spectrum, Analysis).external_basis
        if external is None:
            return pack(integers, spectrum.variances, metadata, progress)
        packed = pack(integers, np.zeros(0), metadata, progress, external.source)
        return replace(packed, basis=external.basis)

    def unpack(self, compressed: Compressed, k: int | None, progress: Progress) -> IntegerModel:
        """Decode the first k components, or all, to integers."""
        return unpack(compressed, k, progress)

    def estimates(self, spectrum: Spectrum) -> RateModel:
        """Return an estimator of size and quality."""
        from pcaimage.codec.blocks.rates import RateModel

        return RateModel(require(spectrum, Analysis))

    def pictures(self, source: Spectrum | Model, progress: Progress) -> Preview:
        """Return a renderer of an analysed or a decoded image."""
        from pcaimage.codec.blocks.preview import Preview

        if isinstance(source, Analysis):
            return Preview.of_analysis(source, progress)
        return Preview.of_model(require(source, IntegerModel))

    def complete(
        self,
        array: NDArray[Any],
        model: Model,
        spectrum: Spectrum,
        metadata: Metadata | None,
        max_error: float | None,  # noqa: ARG002 - there is no residual
        progress: Progress,
    ) -> Encoding:
        """Code an image with a thumbnail, which adds a small share of the components' bytes."""
        from pcaimage.codec.blocks.thumbnail import SHARE, thumbnail

        packed = self.pack(model, spectrum, metadata, progress)
        vectors = packed.components if packed.basis is None else ()
        stored = sum(len(c.scores) for c in packed.components) + sum(len(c.vector) for c in vectors)
        # The thumbnail shows the image without the components that were left out.
        shown = model.reconstruct() if spectrum.left_out else array
        picture = shown if spectrum.header.has_channel_axis else shown[..., None]
        first, gain = picture[0] if picture.ndim == 4 else picture, 255 / spectrum.header.peak
        preview = thumbnail(first, int(SHARE * stored), gain)
        return Encoding(replace(packed, preview=preview), model)
