"""Compression of an image in one call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import methods
from pcaimage.codec.blocks.projection import project
from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.codec.encoding import Encoding
from pcaimage.codec.estimates import Similarity
from pcaimage.codec.model import Model
from pcaimage.codec.settings import DEFAULT_VARIANCE, Settings
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.codec.targets import reach_psnr, reach_size, reach_ssim
from pcaimage.codec.waterlevel import Choice, WaterLevel
from pcaimage.errors import DataError, SettingsError
from pcaimage.progress import Progress, no_progress, part


def analyse_for(
    array: NDArray[Any],
    settings: Settings,
    progress: Progress = no_progress,
    *,
    model: Compressed | None = None,
) -> Spectrum:
    """Find the components of an image by settings.

    Parameters
    ----------
    array : ndarray
        As for :func:`compress`.
    settings : Settings
        Settings.
    progress : Progress, optional
        Told of the work done.
    model : Compressed, optional
        A model whose components replace the image's own.

    Returns
    -------
    Spectrum
        Without the components that are left out.

    Raises
    ------
    DataError, SettingsError
        If the settings do not fit the image.
    """
    found: Spectrum
    if model is not None:
        found = project(array, model, settings, progress)
    else:
        sampling = settings.sampling_for(array.shape, array.dtype.name)
        if settings.lossless and array.dtype.kind == "f":
            raise SettingsError(
                "Real numbers are not kept without loss; give max_error, how far they may be off."
            )
        found = methods.analyse(
            array,
            sampling,
            standardize=settings.standardize,
            basis=settings.basis,
            nodata=settings.nodata,
            max_error=settings.max_error,
            mnf=settings.mnf,
            progress=progress,
        )
    return found.without(frozenset(settings.leave_out)) if settings.leave_out else found


def resolve(analysis: Spectrum, settings: Settings) -> Choice:
    """Return k and Δ of settings that name them directly.

    Parameters
    ----------
    analysis : Spectrum
        The image.
    settings : Settings
        With k, a share of the variance, or neither. Then k follows from the step of photos, which is
        :data:`~pcaimage.codec.settings.DEFAULT_STEP` of 255 if none is given.

    Returns
    -------
    (int, Step)
        How many components, and the step.

    Raises
    ------
    SettingsError
        If the image has no such k.
    """
    k, step = settings.k, settings.step
    if k is None and settings.variance is None:
        default = analysis.default_step(0.0 if settings.lossless else settings.max_error)
        if default is not None:
            step = default if step is None else step
            k = analysis.k_for_step(step)
    if k is None:
        ratio = DEFAULT_VARIANCE if settings.variance is None else settings.variance
        k = analysis.k_for_variance(ratio)
    analysis.check_k(k)
    return k, analysis.step_for(k) if step is None else Step.nearest(step)


def complete(
    array: NDArray[Any],
    analysis: Spectrum,
    model: Model,
    *,
    alpha: NDArray[Any] | None = None,
    metadata: Metadata | None = None,
    lossless: bool = False,
    max_error: float | None = None,
    progress: Progress = no_progress,
) -> Encoding:
    """Code a quantised image, with everything that its file holds.

    Parameters
    ----------
    array : ndarray
        The original.
    analysis : Spectrum
        Its components.
    model : Model
        From :func:`~pcaimage.codec.methods.quantize`.
    alpha : ndarray, optional
        Opacity of each pixel, of the shape of a channel; kept exactly.
    metadata : Metadata, optional
        Stored unchanged.
    lossless : bool, default False
        Whether to add the residual.
    max_error : float, optional
        The largest error of values of many bands; corrections are added for it.
    progress : Progress, optional
        Told of components done.

    Returns
    -------
    Encoding
        The compressed image, and what it must decode to.

    Raises
    ------
    DataError
        If the opacity does not fit the image.
    """
    if alpha is not None and (alpha.shape != analysis.header.shape[:-1] or alpha.dtype != array.dtype):
        raise DataError(f"Opacity of shape {alpha.shape} does not fit an image of shape {array.shape}.")
    if alpha is not None and alpha.dtype not in {np.dtype(np.uint8), np.dtype(np.uint16)}:
        raise DataError("Opacity is kept beside whole numbers without sign only.")
    bound = 0.0 if lossless else max_error
    method = methods.method_of(model.header.sampling)
    encoding = method.complete(array, model, analysis, metadata, bound, progress)
    return replace(encoding, compressed=replace(encoding.compressed, alpha=alpha))


def compress(
    array: NDArray[Any],
    settings: Settings,
    measure: Callable[[Compressed], int],
    *,
    alpha: NDArray[Any] | None = None,
    metadata: Metadata | None = None,
    similarity: Similarity | None = None,
    model: Compressed | None = None,
    progress: Progress = no_progress,
) -> Encoding:
    """Compress an image.

    Parameters
    ----------
    array : ndarray of uint8 or uint16
        (H, W) or (H, W, C); for a stack (N, H, W) or (N, H, W, C).
    settings : Settings
        Settings.
    measure : callable
        Returns the size of the file in bytes.
    alpha : ndarray, optional
        Opacity of each pixel, of the shape of a channel; kept exactly.
    metadata : Metadata, optional
        Stored unchanged.
    similarity : callable, optional
        Returns the similarity of two images, 1 where they are equal. Only settings with `ssim` need it.
    model : Compressed, optional
        A compressed image whose components replace the image's own. The file names it, and does not hold
        them.
    progress : Progress, optional
        Told of the work done, in thousandths.

    Returns
    -------
    Encoding
        The compressed image, and what it must decode to.

    Raises
    ------
    DataError
        If the array's type or shape is not supported.
    SettingsError, TargetError
        If the settings do not fit the image.
    """
    analysis = analyse_for(array, settings, part(progress, 0.0, 0.2), model=model)

    def finish(quantized: Model, progress: Progress = no_progress) -> Encoding:
        return complete(
            array,
            analysis,
            quantized,
            alpha=alpha,
            metadata=metadata,
            lossless=settings.lossless,
            max_error=settings.max_error,
            progress=progress,
        )

    if settings.size is not None:
        level = WaterLevel(analysis, methods.estimates(analysis))

        def measured(encoding: Encoding) -> int:
            return measure(encoding.compressed)

        return reach_size(level, settings.size, finish, measured, part(progress, 0.2, 1.0))
    quantized = _quantized(array, analysis, settings, similarity, part(progress, 0.2, 0.7))
    return finish(quantized, part(progress, 0.7, 1.0))


def _quantized(
    array: NDArray[Any],
    analysis: Spectrum,
    settings: Settings,
    similarity: Similarity | None,
    progress: Progress,
) -> Model:
    """Return a quantised image of the quality that was chosen."""
    if settings.psnr is not None:
        level = WaterLevel(analysis, methods.estimates(analysis))
        return reach_psnr(array, level, settings.psnr, progress)
    if settings.ssim is not None:
        if similarity is None:
            raise SettingsError("Nothing was given that measures structural similarity.")
        level = WaterLevel(analysis, methods.estimates(analysis))
        return reach_ssim(array, level, settings.ssim, similarity, progress)
    return methods.quantize(analysis, *resolve(analysis, settings), progress=progress)
