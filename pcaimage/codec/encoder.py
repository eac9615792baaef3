"""Compressing an image in one call, and decompressing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import methods
from pcaimage.codec.compressed import Compressed, Metadata
from pcaimage.codec.methods import Model
from pcaimage.codec.settings import DEFAULT_VARIANCE, Settings
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.codec.targets import Choice, WaterLevel, reach_psnr, reach_size
from pcaimage.codec.thumbnail import SHARE, thumbnail
from pcaimage.errors import DataError
from pcaimage.progress import Progress, no_progress, part


@dataclass(frozen=True, eq=False)
class Encoding:
    """A compressed image, and the integers that it must decode to.

    Parameters
    ----------
    compressed : Compressed
        What a file holds.
    model : Model
        What was coded.
    """

    compressed: Compressed
    model: Model


def resolve(analysis: Spectrum, settings: Settings) -> Choice:
    """Return k and Δ of settings that name them directly.

    Parameters
    ----------
    analysis : Spectrum
        The image.
    settings : Settings
        With k, a share of the variance, or neither.

    Returns
    -------
    (int, Step)
        How many components, and the step.

    Raises
    ------
    SettingsError
        If the image has no such k.
    """
    k = settings.k
    if k is None and settings.step is not None and settings.variance is None and analysis.header.is_photo:
        k = analysis.k_for_step(settings.step)
    if k is None:
        ratio = DEFAULT_VARIANCE if settings.variance is None else settings.variance
        k = analysis.k_for_variance(ratio)
    analysis.check_k(k)
    return k, analysis.step_for(k) if settings.step is None else Step.nearest(settings.step)


def complete(
    array: NDArray[Any],
    analysis: Spectrum,
    model: Model,
    *,
    alpha: NDArray[Any] | None = None,
    metadata: Metadata | None = None,
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
        What is carried along.
    progress : Progress, optional
        Told of components done.

    Returns
    -------
    Encoding
        What a file holds.

    Raises
    ------
    DataError
        If the opacity does not fit the image.
    """
    if alpha is not None and (alpha.shape != analysis.header.shape[:-1] or alpha.dtype != array.dtype):
        raise DataError(f"Opacity of shape {alpha.shape} does not fit an image of shape {array.shape}.")
    packed = methods.pack(model, analysis, metadata, progress)
    if model.header.is_photo:
        # Its first components are a thumbnail.
        return Encoding(replace(packed, alpha=alpha), model)
    budget = int(SHARE * sum(len(c.scores) + len(c.vector) for c in packed.components))
    picture = array if analysis.header.has_channel_axis else array[..., None]
    preview = thumbnail(picture[0] if picture.ndim == 4 else picture, budget)
    return Encoding(replace(packed, alpha=alpha, preview=preview), model)


def compress(
    array: NDArray[Any],
    settings: Settings,
    measure: Callable[[Compressed], int],
    *,
    alpha: NDArray[Any] | None = None,
    metadata: Metadata | None = None,
    progress: Progress = no_progress,
) -> Encoding:
    """Compress an image.

    Parameters
    ----------
    array : ndarray of uint8 or uint16
        (H, W) or (H, W, C); for a stack (N, H, W) or (N, H, W, C).
    settings : Settings
        How.
    measure : callable
        Tells how many bytes the file will have.
    alpha : ndarray, optional
        Opacity of each pixel, of the shape of a channel; kept exactly.
    metadata : Metadata, optional
        What is carried along.
    progress : Progress, optional
        Told of the work done, in thousandths.

    Returns
    -------
    Encoding
        What a file holds.

    Raises
    ------
    DataError
        If the array's type or shape is not supported.
    SettingsError, TargetError
        If the settings do not fit the image.
    """
    analysis = methods.analyse(
        array, settings.sampling, standardize=settings.standardize, progress=part(progress, 0.0, 0.3)
    )

    def finish(model: Model, progress: Progress = no_progress) -> Encoding:
        return complete(array, analysis, model, alpha=alpha, metadata=metadata, progress=progress)

    if settings.size is not None:
        level = WaterLevel(analysis, methods.estimates(analysis))

        def measured(encoding: Encoding) -> int:
            return measure(encoding.compressed)

        return reach_size(level, settings.size, finish, measured, part(progress, 0.3, 1.0))
    if settings.psnr is not None:
        level = WaterLevel(analysis, methods.estimates(analysis))
        model = reach_psnr(array, level, settings.psnr, part(progress, 0.3, 0.6))
    else:
        model = methods.quantize(analysis, *resolve(analysis, settings), progress=part(progress, 0.3, 0.6))
    return finish(model, part(progress, 0.6, 1.0))


def decompress(
    compressed: Compressed, k: int | None = None, progress: Progress = no_progress
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Reconstruct a compressed image.

    Parameters
    ----------
    compressed : Compressed
        The image.
    k : int, optional
        How many components to use; all of them by default.
    progress : Progress, optional
        Told of the work done, in thousandths.

    Returns
    -------
    ndarray of uint8 or uint16
        Of the shape that was compressed; the opacity is in ``compressed.alpha``.

    Raises
    ------
    FormatError
        If the coded bytes are damaged.
    SettingsError
        If there are fewer than k components.
    """
    model = methods.unpack(compressed, k, part(progress, 0.0, 0.7))
    result: NDArray[np.uint8] | NDArray[np.uint16] = model.reconstruct(part(progress, 0.7, 1.0))
    return result
