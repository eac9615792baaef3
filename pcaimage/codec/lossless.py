"""What components leave over, so that every pixel comes back, or is near enough."""

from __future__ import annotations

import struct
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Compressed
from pcaimage.codec.methods import Model
from pcaimage.codec.varint import read_varint
from pcaimage.errors import FormatError
from pcaimage.progress import Progress, no_progress, part

_NODATA = struct.Struct("<xd")


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


def encode_near(
    array: NDArray[Any], model: Model, max_error: float, progress: Progress = no_progress
) -> tuple[bytes, NDArray[Any]]:
    """Code what many bands lack to be near enough, and tell what comes of it.

    Parameters
    ----------
    array : ndarray
        The original.
    model : Model
        The quantised image.
    max_error : float
        How far values may be off.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    (bytes, ndarray)
        For :func:`exact`, and what that will return.
    """
    header, bands = model.header, _corrections()
    near, error = bands.Room(header.shape, header.dtype), bands.unit_error(header, max_error)
    coded: bytes = bands.encode_residual(array.reshape(header.shape), model, error, progress, near=near)
    return coded, near.array().reshape(header.output_shape)


def gives(
    compressed: Compressed, model: Model, array: NDArray[Any], progress: Progress = no_progress
) -> bool:
    """Tell whether what was kept without loss, or near enough, comes back.

    Parameters
    ----------
    compressed : Compressed
        With a residual.
    model : Model
        All its components, decoded.
    array : ndarray
        What :func:`exact` should return.
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
    """
    if compressed.header.is_bands:
        return cast("bool", _corrections().gives(compressed.residual, model, array, progress))
    return np.array_equal(exact(compressed, model, progress), array)


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


def error_bound(compressed: Compressed) -> float | None:
    """Return how far any value of a file can be off.

    Parameters
    ----------
    compressed : Compressed
        The file.

    Returns
    -------
    float or None
        0 where every value comes back; None where nothing is promised.

    Raises
    ------
    FormatError
        If the corrections are damaged.
    """
    header, residual = compressed.header, compressed.residual
    if residual is None:
        return None
    if not header.is_bands:
        return 0.0
    error, _ = read_varint(residual, 0)
    # Real numbers lose half of a unit where they become whole.
    return (error + 0.5) * 2.0**-header.value_bits if header.dtype == "float32" else float(error)


def nodata_of(compressed: Compressed) -> float | None:
    """Return what stands in a file where nothing was measured.

    Parameters
    ----------
    compressed : Compressed
        The file.

    Returns
    -------
    float or None
        None where everything was measured.

    Raises
    ------
    FormatError
        If the mask is damaged.
    """
    if compressed.missing is None:
        return None
    try:
        value: float = _NODATA.unpack_from(compressed.missing)[0]
    except struct.error as error:
        raise FormatError("The mask of what was not measured is damaged.") from error
    return value
