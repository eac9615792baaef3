"""Lossless coding of opacity: differences between neighbours, deflated."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import FormatError

_NONE, _LEFT, _UP = range(3)


def encode_alpha(alpha: NDArray[Any]) -> bytes:
    """Encode the opacity, (H, W) or (N, H, W): the shortest of three kinds of differences, deflated.

    All low bytes come before all high bytes.
    """
    wrapped = alpha.astype(alpha.dtype.newbyteorder("<"), copy=False)
    zero = alpha.dtype.type(0)
    kinds = {
        _NONE: wrapped,
        _LEFT: np.diff(wrapped, axis=-1, prepend=zero),
        _UP: np.diff(wrapped, axis=-2, prepend=zero),
    }

    def deflated(plane: NDArray[Any]) -> bytes:
        parts = np.ascontiguousarray(plane).view(np.uint8).reshape(-1, alpha.itemsize)
        return zlib.compress(parts.T.tobytes(), 9)

    return min((bytes([kind]) + deflated(plane) for kind, plane in kinds.items()), key=len)


def inflate(data: bytes, limit: int, *, exact: bool = False) -> bytes:
    """Decompress a zlib stream of at most, or exactly, `limit` bytes, without ever allocating more."""
    inflater = zlib.decompressobj()
    try:
        result = inflater.decompress(data, limit + 1)
    except zlib.error as error:
        raise FormatError("Deflated data is damaged.") from error
    if len(result) > limit or not inflater.eof or (exact and len(result) != limit):
        raise FormatError(f"Deflated data does not give the {limit} bytes it should.")
    return result
