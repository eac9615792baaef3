"""What is known around a pixel, and how many contexts there are for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import deciding
from pcaimage.codec.coding.deciding import DENSITIES, SIZES, Learned

Ints = NDArray[np.int32]

CHANNELS = 4
"""The most channels there are."""

_KINDS, _VALUES, _TILTS = 17, 512, 3
_WIDTHS, _BIASES, _MODELS = 32 * 24 + 24 * 32 + SIZES, 24 * 9 + 41, DENSITIES * 16 + 2560 + 640
_FIRST_WIDTH = 46 * 64


class KnownPixels(NamedTuple):
    """What is known of a slice, in planes with a border, in the order of coding.

    Parameters
    ----------
    planes : ndarray of int32, shape (2 * C * area,)
        What each channel lacks, as far as it is known, and then their reconstructions.
    errors : ndarray of int32, shape (C * area,)
        How wrong the expectations were, in 1/16.
    area, stride : int
        Numbers in a plane, and in a line of it.
    channels, peak : int
        C, and the largest value of a pixel.
    """

    planes: Ints
    errors: Ints
    area: int
    stride: int
    channels: int
    peak: int


def nothing_learned() -> Learned:
    """Return what is known before a slice begins."""
    return deciding.nothing_learned(
        CHANNELS * DENSITIES,
        CHANNELS * _MODELS,
        _TILTS * CHANNELS * _KINDS * _VALUES,
        CHANNELS * _WIDTHS,
        CHANNELS * _BIASES,
        _FIRST_WIDTH,
    )
