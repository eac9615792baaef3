"""The registry of compression methods, and their work on whatever image or file is given.

Methods are loaded when they are first needed: those for photos and for many bands compile their loops.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from numpy.typing import NDArray

from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.codec.estimates import Corrections, Rates
from pcaimage.codec.method import AnalysisOptions, Method, Near
from pcaimage.codec.model import Model
from pcaimage.codec.pictures import Pictures
from pcaimage.codec.settings import Basis
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling import Bands, Lapped, Sampling


def method_of(sampling: Sampling) -> Method:
    """Return the method that compresses samples of a kind.

    Parameters
    ----------
    sampling : Sampling
        What a sample is.

    Returns
    -------
    Method
        The photo method for lapped blocks, that for many bands for bands, and the general one for all others.
    """
    if isinstance(sampling, Lapped):
        from pcaimage.codec.photo.method import PhotoMethod  # noqa: PLC0415 - loaded when needed

        return PhotoMethod()
    if isinstance(sampling, Bands):
        from pcaimage.codec.bands.method import BandsMethod  # noqa: PLC0415 - loaded when needed

        return BandsMethod()
    from pcaimage.codec.blocks.method import BlocksMethod  # noqa: PLC0415 - as above

    return BlocksMethod()


def analyse(
    array: NDArray[Any],
    sampling: Sampling,
    *,
    standardize: bool = False,
    basis: Basis = Basis.BUILTIN,
    nodata: float | None = None,
    max_error: float | None = None,
    mnf: bool = False,
    progress: Progress = no_progress,
) -> Spectrum:
    """Find the components of an image.

    Parameters
    ----------
    array : ndarray of uint8 or uint16
        (H, W) or (H, W, C); for a stack (N, H, W) or (N, H, W, C). With ``Bands()`` also of int16 or float32.
    sampling : Sampling
        What a sample is.
    standardize : bool, default False
        Whether to divide each feature by its standard deviation.
    basis : Basis, default Basis.BUILTIN
        Whose components a photo's blocks have.
    nodata : float, optional
        The value of missing data; for many bands only.
    max_error : float, optional
        The largest error that real numbers of many bands may have in the end.
    mnf : bool, default False
        Whether to whiten the noise of many bands first.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Spectrum
        An :class:`Analysis`, for lapped blocks a ``PhotoAnalysis``, for many bands a ``BandsAnalysis``.

    Raises
    ------
    DataError
        If the array's type or shape is not supported.
    """
    options = AnalysisOptions(standardize, basis, nodata, max_error, mnf)
    return method_of(sampling).analyse(array, sampling, options, progress)


def quantize(spectrum: Spectrum, k: int, step: Step, progress: Progress = no_progress) -> Model:
    """Round the first k components and their scores to what a file stores.

    Parameters
    ----------
    spectrum : Spectrum
        From :func:`analyse`.
    k : int
        How many components.
    step : Step
        Δ.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Model
        What decoding will give.

    Raises
    ------
    SettingsError
        If k is out of range, or the step too small for the range of the image.
    """
    return method_of(spectrum.header.sampling).quantize(spectrum, k, step, progress)


def quantize_checked(
    spectrum: Spectrum,
    k: int,
    step: Step,
    original: NDArray[Any],
    progress: Progress = no_progress,
    *,
    proven: bool = False,
) -> Model:
    """Quantise as :func:`quantize`, and learn beside it how far the result is from the original.

    Parameters
    ----------
    spectrum : Spectrum
        From :func:`analyse`.
    k : int
        How many components.
    step : Step
        Δ.
    original : ndarray
        What was analysed.
    progress : Progress, optional
        Told of the work done.
    proven : bool, default False
        Whether to decode what is coded, too, so that :func:`holds` need not do so.

    Returns
    -------
    Model
        The same as of :func:`quantize`; it knows its error, if quantising is coding.

    Raises
    ------
    SettingsError
        As of :func:`quantize`.
    """
    method = method_of(spectrum.header.sampling)
    return method.quantize_checked(spectrum, k, step, original, progress, proven=proven)


def quantize_near(
    spectrum: Spectrum,
    k: int,
    step: Step,
    original: NDArray[Any],
    near: Near,
    progress: Progress = no_progress,
) -> Model:
    """Quantise as :func:`quantize_checked`, so that the error is as wanted if the step makes it nearly so.

    Parameters
    ----------
    spectrum : Spectrum
        From :func:`analyse`.
    k : int
        How many components.
    step : Step
        Δ, which large photos may replace.
    original : ndarray
        What was analysed.
    near : Near
        The error that is wanted.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Model
        It knows its error, if quantising is coding.

    Raises
    ------
    SettingsError
        As of :func:`quantize`.
    """
    return method_of(spectrum.header.sampling).quantize_near(spectrum, k, step, original, near, progress)


def checked(model: Model, original: NDArray[Any], progress: Progress = no_progress) -> Model:
    """Do for a quantised image what :func:`quantize_checked` does beside, as far as it was not done.

    Parameters
    ----------
    model : Model
        From :func:`quantize`.
    original : ndarray
        The image.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Model
        The same integers.
    """
    return method_of(model.header.sampling).checked(model, original, progress)


def holds(compressed: Compressed, model: Model, progress: Progress = no_progress) -> bool:
    """Return whether a file's components decode to a quantised image.

    Parameters
    ----------
    compressed : Compressed
        What was read from the file.
    model : Model
        The quantised image.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    bool
        Whether all integers are the same.

    Raises
    ------
    FormatError
        If the coded bytes are damaged.
    """
    return method_of(compressed.header.sampling).holds(compressed, model, progress)


def pack(
    model: Model, spectrum: Spectrum, metadata: Metadata | None = None, progress: Progress = no_progress
) -> Compressed:
    """Code a quantised image.

    Parameters
    ----------
    model : Model
        From :func:`quantize`.
    spectrum : Spectrum
        From :func:`analyse`.
    metadata : Metadata, optional
        Stored unchanged.
    progress : Progress, optional
        Told of components done.

    Returns
    -------
    Compressed
        It decodes to the same integers.

    Raises
    ------
    SettingsError
        If the integers are too large to be summed exactly.
    """
    return method_of(model.header.sampling).pack(model, spectrum, metadata, progress)


def unpack(compressed: Compressed, k: int | None = None, progress: Progress = no_progress) -> Model:
    """Decode a compressed image to its integers.

    Parameters
    ----------
    compressed : Compressed
        The image.
    k : int, optional
        How many components to decode; all of them by default.
    progress : Progress, optional
        Told of components done.

    Returns
    -------
    Model
        It reconstructs the image.

    Raises
    ------
    FormatError
        If the coded bytes are damaged, or decode to integers that no encoder writes.
    ModelError
        If the basis is in a model file, from which it was not attached yet.
    SettingsError
        If there are fewer than k components.
    """
    return method_of(compressed.header.sampling).unpack(compressed, k, progress)


def decode_strips(
    compressed: Compressed, k: int | None = None, progress: Progress = no_progress
) -> Generator[NDArray[Any]]:
    """Decode and reconstruct a compressed image from the top, with its residual if all components are used.

    Parameters
    ----------
    compressed : Compressed
        The image.
    k : int, optional
        How many components to decode; all of them by default.
    progress : Progress, optional
        Told of the work done.

    Yields
    ------
    ndarray
        Some lines of the image, or images of a stack; in all, of the header's shape.

    Raises
    ------
    FormatError, ModelError, SettingsError
        As of :func:`unpack` and :func:`exact`; perhaps after some lines.
    """
    return method_of(compressed.header.sampling).decode_strips(compressed, k, progress)


def estimates(spectrum: Spectrum) -> Rates:
    """Return an estimator of the size and quality of every k.

    Parameters
    ----------
    spectrum : Spectrum
        From :func:`analyse`.

    Returns
    -------
    Rates
        It does its work when it is first asked.
    """
    return method_of(spectrum.header.sampling).estimates(spectrum)


def corrections(
    spectrum: Spectrum, k: int, step: float, max_error: float, progress: Progress = no_progress
) -> Corrections:
    """Estimate the corrections of a file of many bands.

    Parameters
    ----------
    spectrum : Spectrum
        Of an image of many bands.
    k : int
        How many components are kept.
    step : float
        Δ.
    max_error : float
        The largest error of any value.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Corrections
        Their size, and the error that they leave.

    Raises
    ------
    SettingsError
        If files of the method have no corrections, or real numbers would have to be finer than they are
        stored.
    """
    return method_of(spectrum.header.sampling).corrections(spectrum, k, step, max_error, progress)


def pictures(source: Spectrum | Model, progress: Progress = no_progress) -> Pictures:
    """Return a renderer of every k.

    Parameters
    ----------
    source : Spectrum or Model
        An image that was analysed, or a file that was decoded.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    Pictures
        Of the source's scores.
    """
    return method_of(source.header.sampling).pictures(source, progress)


def exact(compressed: Compressed, model: Model, progress: Progress = no_progress) -> NDArray[Any]:
    """Reconstruct an image from components and residual.

    Parameters
    ----------
    compressed : Compressed
        With a residual.
    model : Model
        All its components, decoded.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    ndarray
        Every value as it was, or within :func:`~pcaimage.codec.properties.error_bound` of it.

    Raises
    ------
    FormatError
        If the residual is damaged.
    SettingsError
        If there is no residual.
    """
    residual = _residual(compressed)
    return method_of(compressed.header.sampling).corrected(residual, model, progress)


def gives(
    compressed: Compressed, model: Model, array: NDArray[Any], progress: Progress = no_progress
) -> bool:
    """Return whether components and residual decode to an image.

    Parameters
    ----------
    compressed : Compressed
        With a residual.
    model : Model
        All its components, decoded.
    array : ndarray
        The image that :func:`exact` should return.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    bool
        Whether it does, in every value.

    Raises
    ------
    FormatError
        If the residual is damaged.
    SettingsError
        If there is no residual.
    """
    residual = _residual(compressed)
    return method_of(compressed.header.sampling).decodes_to(array, residual, model, progress)


def _residual(compressed: Compressed) -> bytes:
    if compressed.residual is None:
        raise SettingsError("The file has no residual: its components are all that it holds of the image.")
    return compressed.residual
