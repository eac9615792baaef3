"""The registry of compression methods, and dispatch to the method of an image or file.

Methods are loaded when they are first needed.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Basis, Effort
from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.codec.estimates import Corrections, Rates
from pcaimage.codec.method import AnalysisOptions, Method, Model
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.codec.view import Pictures
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Lapped, Sampling, Stack


def method_of(sampling: Sampling) -> Method:
    """Return the method for a kind of samples.

    Lapped blocks have the photo method, and all others the linear one.
    """
    if isinstance(sampling, Lapped):
        from pcaimage.codec.photo.method import PhotoMethod  # noqa: PLC0415 - loaded when needed

        return PhotoMethod()
    from pcaimage.codec.linear.method import LinearMethod  # noqa: PLC0415 - as above

    return LinearMethod()


def analyse(
    array: NDArray[Any],
    sampling: Sampling,
    *,
    standardize: bool = False,
    basis: Basis = Basis.BUILTIN,
    nodata: float | None = None,
    max_error: float | None = None,
    mnf: bool = False,
    for_the_eye: bool = False,
    effort: Effort = Effort.STANDARD,
    white: float | None = None,
    progress: Progress = no_progress,
) -> Spectrum:
    """Compute the components of an image of shape (H, W) or (H, W, C), for a stack with N before them.

    Values are uint8 or uint16, with ``Bands()`` also int16 or float32. `nodata`, `max_error` and `mnf` are
    for many bands, `basis`, `for_the_eye` and `effort` for photos, and `white` is that of
    :func:`pcaimage.quality.white_of`. The result is an :class:`Analysis`, a ``PhotoAnalysis`` or a
    ``BandsAnalysis``. DataError if the array's type or shape is not supported.
    """
    options = AnalysisOptions(standardize, basis, nodata, max_error, mnf, for_the_eye, effort, white)
    return method_of(sampling).analyse(array, sampling, options, progress)


def quantize(spectrum: Spectrum, k: int, step: Step, progress: Progress = no_progress) -> Model:
    """Quantise the first k components and their scores to the integers of a file.

    SettingsError if k is out of range, or the step too small for the range of the image.
    """
    return method_of(spectrum.header.sampling).quantize(spectrum, k, step, progress)


def holds(compressed: Compressed, model: Model, progress: Progress = no_progress) -> bool:
    """Return whether a file's components decode to exactly a quantised image.

    FormatError if the coded bytes are damaged.
    """
    return method_of(compressed.header.sampling).holds(compressed, model, progress)


def pack(
    model: Model, spectrum: Spectrum, metadata: Metadata | None = None, progress: Progress = no_progress
) -> Compressed:
    """Code a quantised image.

    SettingsError if the integers are too large to be summed exactly.
    """
    return method_of(model.header.sampling).pack(model, spectrum, metadata, progress)


def unpack(compressed: Compressed, k: int | None = None, progress: Progress = no_progress) -> Model:
    """Decode the first k components of a compressed image, or all, to integers.

    FormatError if the coded bytes are damaged, or decode to integers that no encoder writes; ModelError if
    the basis is in a model file, and has not been attached; SettingsError if there are fewer than k
    components.
    """
    return method_of(compressed.header.sampling).unpack(compressed, k, progress)


def decompress(
    compressed: Compressed, k: int | None = None, progress: Progress = no_progress
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reconstruct a compressed image from its first k components, or all.

    The shape is that of the array that was compressed; the opacity is in ``compressed.alpha``. FormatError if
    the coded bytes are damaged; SettingsError if there are fewer than k components.
    """
    from pcaimage.codec.decoding import decode_strips as strips_of  # noqa: PLC0415 - loaded when needed
    from pcaimage.codec.linear.line_buffer import LineBuffer  # noqa: PLC0415 - as above

    buffer, done = LineBuffer(compressed.header.shape, compressed.header.dtype), 0
    for strip in strips_of(compressed, k, progress, buffer.lines):
        if buffer.lines is None:
            buffer.put(done, strip)
        done += len(strip)
    return buffer.array().reshape(compressed.header.output_shape)


def decompress_frame(
    compressed: Compressed, index: int, k: int | None = None, progress: Progress = no_progress
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reconstruct one image of a stack, by its zero-based index, from the first k components, or all.

    Errors are those of :func:`decompress`; SettingsError also if it is no stack, or has no such image.
    """
    header = compressed.header
    if not isinstance(header.sampling, Stack):
        raise SettingsError("Only a stack has images to choose from.")
    if not 0 <= index < header.n_samples:
        raise SettingsError(f"The stack has {header.n_samples} images; there is no image {index + 1}.")
    from pcaimage.codec.decoding import Decoding  # noqa: PLC0415 - loaded when needed

    with Decoding(compressed, k) as decoding:
        return decoding.frame(index, progress)


def decode_strips(
    compressed: Compressed, k: int | None = None, progress: Progress = no_progress
) -> Generator[NDArray[Any]]:
    """Decode and reconstruct a compressed image from the top, in strips of lines, or of a stack's images.

    The residual is applied if all components are used. Errors are those of :func:`unpack` and :func:`exact`,
    possibly after some lines.
    """
    from pcaimage.codec import decoding  # noqa: PLC0415 - loaded when needed

    return decoding.decode_strips(compressed, k, progress)


def estimates(spectrum: Spectrum) -> Rates:
    """Return an estimator of size and quality for every k, which measures when it is first asked."""
    return method_of(spectrum.header.sampling).estimates(spectrum)


def corrections(
    spectrum: Spectrum, k: int, step: float, max_error: float, progress: Progress = no_progress
) -> Corrections:
    """Estimate the size of the corrections of a file of many bands, and the error that remains.

    SettingsError if files of the method have no corrections, or real numbers would have to be finer than they
    are stored.
    """
    return method_of(spectrum.header.sampling).corrections(spectrum, k, step, max_error, progress)


def pictures(source: Spectrum | Model, progress: Progress = no_progress) -> Pictures:
    """Return a renderer of an analysed or a decoded image."""
    return method_of(source.header.sampling).pictures(source, progress)


def gives(compressed: Compressed, array: NDArray[Any], progress: Progress = no_progress) -> bool:
    """Return whether a file decodes to every value of an image; FormatError if it is damaged."""
    from pcaimage.machine.mapped import Footprint  # noqa: PLC0415 - loaded when needed

    image, footprint, done = array.reshape(compressed.header.shape), Footprint(array), 0
    for strip in decode_strips(compressed, None, progress):
        part = image[done : done + len(strip)]
        # Missing data may be NaN in both.
        if not np.array_equal(part, strip, equal_nan=strip.dtype.kind == "f"):
            return False
        done += len(strip)
        footprint.walked(part.nbytes)
    return True
