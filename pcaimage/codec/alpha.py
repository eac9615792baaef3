"""Lossless coding of opacity: differences between neighbours, deflated."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
