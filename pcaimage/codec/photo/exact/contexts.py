"""Contexts of the residual coding: the known pixels around each one, and the number of contexts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import deciding
from pcaimage.codec.coding.deciding import DENSITIES, SIZES, Learned

Ints = NDArray[np.int32]

CHANNELS = 4
"""Largest number of channels."""

_KINDS, _VALUES, _TILTS = 17, 512, 3
_WIDTHS, _BIASES, _MODELS = 32 * 24 + 24 * 32 + SIZES, 24 * 9 + 41, DENSITIES * 16 + 2560 + 640
_FIRST_WIDTH = 46 * 64
_PAIRS = 64


class KnownPixels(NamedTuple):
    """The known pixels of a slice, in planes with a border and in coding order.

    Planes are the residual of each channel, as far as it is coded, followed by the reconstruction of each
    channel.
    """

    planes: Ints  # shape (2 * C * area,)
    errors: Ints  # prediction errors, in 1/16, shape (C * area,)
    area: int  # values in a plane
    stride: int  # values in a line
    channels: int  # their number C
    peak: int  # the largest value of a pixel


def nothing_learned() -> Learned:
    """Return the adaptive models at the start of a slice."""
    return deciding.nothing_learned(
        CHANNELS * DENSITIES,
        CHANNELS * _MODELS,
        _TILTS * CHANNELS * _KINDS * _VALUES,
        CHANNELS * _WIDTHS,
        CHANNELS * _BIASES,
        _FIRST_WIDTH,
        CHANNELS * _PAIRS,
    )
