"""Prediction of the residual by locally adaptive least squares.

A pixel's residual is predicted as a weighted sum of its neighbours' residuals, in its own channel and in
those coded before, and of differences in the reconstruction. The weights minimise the squared error over the
causal neighbourhood: the same strip of columns in the lines above, and the strips beside it. The integer
normal equations are solved exactly, by Gaussian elimination.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import strips

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


class PixelEquations(NamedTuple):
    """Normal equations of one channel and their solutions; mirrors the core's Equations.

    `places` are offsets of the n inputs in the planes of
    :class:`~pcaimage.codec.photo.exact.contexts.KnownPixels`, relative to the pixel. The first, `own`, are
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


def fit_of(channel: int, channels: int, area: int, stride: int, columns: int) -> PixelEquations:
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
    return PixelEquations(
        np.array(places, np.int64),
        own,
        n - own,
        n,
        count,
        np.zeros((count, strips.sums(n)), np.int32),
        np.zeros((count, n), np.int32),
    )
