"""The compression method for photos.

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
from pcaimage.codec.method import AnalysisOptions, Encoding, Method, Model, Near, Sized, require
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import checked, holds, pack, quantize, quantize_checked, unpack
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.progress import Progress, part
from pcaimage.sampling import Sampling

if TYPE_CHECKING:
    from pcaimage.codec.photo.aims.rates import PhotoRates
    from pcaimage.codec.photo.screen.preview import PhotoPreview

EXACT_TILES = 0.45
"""Share of finding and coding its exact tiles in the work of adding to an image what makes it lossless."""

RECONSTRUCTION = 0.1  # share of reconstruction in the work of coding an image with its residual


class PhotoMethod(Method):
    """Codes scores on the components of a cascade with trained contexts."""

    def analyse(
        self,
        array: NDArray[Any],
        sampling: Sampling,  # noqa: ARG002 - blocks of photos are of one size
        options: AnalysisOptions,
        progress: Progress,
    ) -> PhotoAnalysis:
        """Compute an image's scores on the trained components or on its own."""
        from pcaimage.codec.photo.own_bases import analyse

        found = analyse(array, options.basis, progress, options.effort, options.white)
        # Drawing takes twice as long, and lossless files do without.
        if options.effort != Effort.FAST and options.max_error is None:
            from pcaimage.codec.photo.drawing import with_drawing

            found = with_drawing(found, array, options.effort)
        return found.tuned(for_the_eye=True) if options.for_the_eye else found

    def quantize(self, spectrum: Spectrum, k: int, step: Step, progress: Progress) -> PhotoModel:
        """Quantise and code the first k components."""
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
        """Quantise and code the first k components, and check the result."""
        analysis = require(spectrum, PhotoAnalysis)
        return quantize_checked(analysis, k, step, original, progress, proven=proven)

    def steered(
        self, spectrum: Spectrum, k: int, step: Step, goal: Near | Sized, progress: Progress
    ) -> PhotoModel:
        """Quantise and code the first k components, some slices so that error or size are as wanted."""
        analysis = require(spectrum, PhotoAnalysis)
        if isinstance(goal, Near):
            from pcaimage.codec.photo.aims.steering import quantize_near

            return quantize_near(analysis, k, step, goal, progress)
        from pcaimage.codec.photo.aims.steering import quantize_sized

        return quantize_sized(analysis, k, step, goal, progress)

    def checked(self, model: Model, original: NDArray[Any], progress: Progress) -> PhotoModel:
        """Check the coded slices, unless that has been done."""
        return checked(require(model, PhotoModel), original, progress)

    def holds(self, compressed: Compressed, model: Model, progress: Progress) -> bool:
        """Return whether a file decodes to a photo's integers."""
        return holds(compressed, require(model, PhotoModel), progress)

    def pack(
        self,
        model: Model,
        spectrum: Spectrum,  # noqa: ARG002 - files of photos do not hold it
        metadata: Metadata | None,
        progress: Progress,  # noqa: ARG002 - all was coded before
    ) -> Compressed:
        """Assemble the file from the slices that :meth:`quantize` coded."""
        return pack(require(model, PhotoModel), metadata)

    def unpack(self, compressed: Compressed, k: int | None, progress: Progress) -> PhotoModel:
        """Decode the first k components, or all, to integers."""
        return unpack(compressed, k, progress)

    def estimates(self, spectrum: Spectrum) -> PhotoRates:
        """Return an estimator of size and quality."""
        from pcaimage.codec.photo.aims.rates import PhotoRates

        return PhotoRates(require(spectrum, PhotoAnalysis))

    def pictures(
        self,
        source: Spectrum | Model,
        progress: Progress,  # noqa: ARG002 - scores are there already
    ) -> PhotoPreview:
        """Return a renderer of an analysed or a decoded image."""
        from pcaimage.codec.photo.screen.preview import PhotoPreview

        return PhotoPreview.of(source if isinstance(source, PhotoAnalysis) else require(source, PhotoModel))

    def complete(
        self,
        array: NDArray[Any],
        model: Model,
        spectrum: Spectrum,
        metadata: Metadata | None,
        max_error: float | None,
        progress: Progress,
    ) -> Encoding:
        """Code an image, and as a residual the difference to the original if it is to be lossless."""
        photo = require(model, PhotoModel)
        if max_error != 0:
            progress(1, 1)
            return Encoding(pack(photo, metadata), photo)
        from pcaimage.codec.photo.exact.residual import encode_residual

        analysis = require(spectrum, PhotoAnalysis)
        if analysis.graphic is not None:
            from pcaimage.codec.photo.tiled import exact_tiles

            photo = exact_tiles(quantize, analysis, photo, part(progress, 0.0, EXACT_TILES))
            progress = part(progress, EXACT_TILES, 1.0)
        # The residual's contexts do better without shrinkage: files are 0.3 % smaller.
        photo = photo.unshrunk
        if photo.tiles is not None and photo.tiles.whole:
            progress(1, 1)
            return Encoding(replace(pack(photo, metadata), residual=b""), photo, array)
        packed = pack(photo, metadata)
        original = np.ascontiguousarray(array).reshape(photo.header.shape)
        decoded = photo.reconstruct(part(progress, 0.0, RECONSTRUCTION)).reshape(original.shape)
        corrections = part(progress, RECONSTRUCTION, 1.0)
        residual = encode_residual(original, decoded, corrections)
        from pcaimage.codec.photo.tiled import whole_tiles

        size = sum(map(len, [residual, packed.tiles or b"", *(each.scores for each in packed.components)]))
        whole = whole_tiles(quantize, analysis, photo, original, size)
        if whole is not None:
            return Encoding(replace(pack(whole, metadata), residual=b""), whole, array)
        return Encoding(replace(packed, residual=residual), photo, array)
