"""What a photo's components leave over, so that every pixel comes back."""

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


def encode_residual(array: NDArray[Any], model: Model, progress: Progress = no_progress) -> bytes:
    """Code what a photo's reconstruction lacks to be exact.

    Parameters
    ----------
    array : ndarray of uint8 or uint16
        The original.
    model : Model
        The quantised photo.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    bytes
        For :func:`exact`.
    """
    shape = model.header.shape
    decoded = model.reconstruct(part(progress, 0.0, 0.1)).reshape(shape)
    original = np.ascontiguousarray(array).reshape(shape)
    return cast("bytes", _residual().encode_residual(original, decoded, part(progress, 0.1, 1.0)))


def exact(compressed: Compressed, model: Model, progress: Progress = no_progress) -> NDArray[Any]:
    """Return the original of a photo that was kept without loss.

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
    ndarray of uint8 or uint16
        Every pixel as it was.

    Raises
    ------
    FormatError
        If the residual is damaged.
    """
    decoded = model.reconstruct(part(progress, 0.0, 0.1)).reshape(compressed.header.shape)
    pixels = _residual().decode_residual(compressed.residual, decoded, part(progress, 0.1, 1.0))
    return cast("NDArray[Any]", pixels.reshape(compressed.header.output_shape))
