"""What components leave over, so that every pixel comes back, or is near enough."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Compressed
from pcaimage.codec.methods import Model
from pcaimage.progress import Progress, no_progress, part


def _residual() -> Any:
    from pcaimage.codec.photo import residual  # noqa: PLC0415 - its loops are compiled: loaded where needed

    return residual


def _corrections() -> Any:
    from pcaimage.codec import bands  # noqa: PLC0415 - as above

    return bands


def encode_residual(
    array: NDArray[Any], model: Model, max_error: float = 0.0, progress: Progress = no_progress
) -> bytes:
    """Code what a reconstruction lacks to be exact, or near enough.

    Parameters
    ----------
    array : ndarray
        The original.
    model : Model
        The quantised photo, or one of many bands.
    max_error : float, default 0
        How far values of many bands may be off.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    bytes
        For :func:`exact`.
    """
    shape = model.header.shape
    if model.header.is_bands:
        error = _corrections().unit_error(model.header, max_error)
        return cast("bytes", _corrections().encode_residual(array.reshape(shape), model, error, progress))
    decoded = model.reconstruct(part(progress, 0.0, 0.1)).reshape(shape)
    original = np.ascontiguousarray(array).reshape(shape)
    return cast("bytes", _residual().encode_residual(original, decoded, part(progress, 0.1, 1.0)))


def exact(compressed: Compressed, model: Model, progress: Progress = no_progress) -> NDArray[Any]:
    """Return the original of what was kept without loss, or what is near enough to it.

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
        Every pixel as it was, or near enough.

    Raises
    ------
    FormatError
        If the residual is damaged.
    """
    if compressed.header.is_bands:
        return cast("NDArray[Any]", _corrections().corrected(compressed.residual, model, progress))
    decoded = model.reconstruct(part(progress, 0.0, 0.1)).reshape(compressed.header.shape)
    pixels = _residual().decode_residual(compressed.residual, decoded, part(progress, 0.1, 1.0))
    return cast("NDArray[Any]", pixels.reshape(compressed.header.output_shape))
