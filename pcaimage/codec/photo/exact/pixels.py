"""A pixel of the residual: its prediction, what is known around it, and the decisions that make it up.

A pixel's residual is predicted as a weighted sum of its neighbours' residuals, in its own channel and in
those coded before, and of differences in the reconstruction. The weights minimise the squared error over the
causal neighbourhood: the same strip of columns in the lines above, and the strips beside it. The integer
normal equations are solved exactly, by Gaussian elimination.

The prediction error is a series of binary decisions: is the pixel above the prediction? How far, in steps
adapted to the neighbourhood? Where within the last step? Their probabilities are modelled from the errors
around the pixel, in its own channel and in those before it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import deciding, strips
from pcaimage.codec.coding.deciding import DENSITIES, SIZES, STEPS, Learned
from pcaimage.core.library import LONG, STRUCT, Array, function

Ints = NDArray[np.int32]

STRIP = 16
"""Width of a strip."""

_CAUSAL = (
    (0, -1),
    (-1, 0),
    (-1, -1),
    (-1, 1),
    (0, -2),
    (-2, 0),
    (-2, 1),
    (-2, -1),
    (-1, 2),
    (-1, -2),
    (-2, 2),
    (-2, -2),
    (0, -3),
    (-3, 0),
)
_BEFORE = ((0, 0), (0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
_AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Equations(NamedTuple):
    """Normal equations of one channel and their solutions.

    `places` are offsets of the n inputs in the planes of
    :class:`KnownPixels`, relative to the pixel. The first, `own`, are
    residuals, the others differences to the pixel's reconstruction. For each strip there are the sums of
    products of inputs with each other and, in row n, with the target, in 4 × 4 blocks; and the solutions.
    """

    places: NDArray[np.int64]
    own: int
    others: int
    inputs: int
    strips: int
    sums: NDArray[np.int32]  # shape (strips, m)
    weights: NDArray[np.int32]  # shape (strips, n)


def fit_of(channel: int, channels: int, area: int, stride: int, columns: int) -> Equations:
    """Return the initial equations of a channel, counted in coding order, which the core updates in place.

    A plane has `area` values, and a line of it `stride`; `columns` is the image's width.
    """

    def at(plane: int, neighbours: tuple[tuple[int, int], ...]) -> list[int]:
        return [plane * area + down * stride + right for down, right in neighbours]

    places = at(channel, _CAUSAL[:6] if channel else _CAUSAL)
    for before in range(channel - 1, max(channel - 3, -1), -1):
        places += at(before, _BEFORE)
    own = len(places)
    places += at(channels + channel, _AROUND[:4] if channel else _AROUND)
    n, count = len(places), strips.fits(columns, STRIP)
    return Equations(
        np.array(places, np.int64),
        own,
        n - own,
        n,
        count,
        np.zeros((count, strips.sums(n)), np.int32),
        np.zeros((count, n), np.int32),
    )


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


BITS = STEPS + 57
"""Upper bound on the binary decisions of one channel of a pixel."""

_PARAMETERS = (LONG, LONG, LONG, Array(np.int32, writable=True), LONG, STRUCT, STRUCT, STRUCT, STRUCT)

write_strips = function("pcai_residual_write", None, *_PARAMETERS)
"""Code one channel of some strips.

The channel is counted in coding order, and strips in raster order; `values` are the channel's pixels (int32),
and `columns` those of a line. Contexts, equations and models are updated in place.
"""

read_strips = function("pcai_residual_read", None, *_PARAMETERS)
"""Decode what :data:`write_strips` coded; `values` receives the pixels."""
