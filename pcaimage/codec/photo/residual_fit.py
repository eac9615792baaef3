"""Prediction of the residual by locally adaptive least squares.

A pixel's residual is predicted as a weighted sum of its neighbours' residuals, in its own channel and in
those coded before, and of differences in the reconstruction. The weights minimise the squared error over the
causal neighbourhood: the same strip of columns in the lines above, and the strips beside it. The integer
normal equations are solved by a few Gauss–Seidel iterations per line, starting from the last line's weights,
or exactly, by Gaussian elimination, in narrower strips with more inputs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import strips

_CAUSAL = ((0, -1), (-1, 0), (-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1), (-2, -1), (-1, 2), (-1, -2))
_FURTHER = ((-2, 2), (-2, -2), (0, -3), (-3, 0))
_NARROW = 16
_BEFORE = ((0, 0), (0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
_AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))


class PixelEquations(NamedTuple):
    """Normal equations of one channel and their solutions; mirrors the core's Equations.

    Parameters
    ----------
    places : ndarray of int64, shape (n,)
        Offsets of the inputs in the planes of :class:`~pcaimage.codec.photo.residual_context.KnownPixels`,
        relative to the pixel.
    own : int
        Number of inputs that are residuals; the others are differences to the pixel's reconstruction.
    others : int
        Number of other inputs.
    inputs : int
        Number n of inputs.
    strips : int
        Number of strips.
    sums : ndarray of int32, shape (strips, m)
        For each strip the sums of products of inputs with each other and, in row n, with the target: in 4 × 4
        blocks.
    weights : ndarray of int32, shape (strips, n)
        The solutions.
    """

    places: NDArray[np.int64]
    own: int
    others: int
    inputs: int
    strips: int
    sums: NDArray[np.int32]
    weights: NDArray[np.int32]


def strip_width(*, solved: bool) -> int:
    """Return the width of strips whose equations are solved exactly, or else improved step by step."""
    return _NARROW if solved else strips.STRIP


def fit_of(
    channel: int, channels: int, area: int, stride: int, columns: int, *, solved: bool = False
) -> PixelEquations:
    """Return the initial equations of a channel, which the core updates in place.

    Parameters
    ----------
    channel, channels : int
        Zero-based index of the channel in coding order, and number of channels.
    area, stride : int
        Values in a plane, and in a line of it.
    columns : int
        The image's width.
    solved : bool, default False
        Whether equations are solved exactly.
    """

    def at(plane: int, neighbours: tuple[tuple[int, int], ...]) -> list[int]:
        return [plane * area + down * stride + right for down, right in neighbours]

    furthest = _FURTHER if solved else ()
    places = at(channel, _CAUSAL[:6] if channel else _CAUSAL + furthest)
    for before in range(channel - 1, max(channel - 3, -1), -1):
        places += at(before, _BEFORE)
    own = len(places)
    places += at(channels + channel, _AROUND[:4] if channel else _AROUND)
    n, count = len(places), strips.fits(columns, strip_width(solved=solved))
    return PixelEquations(
        np.array(places, np.int64),
        own,
        n - own,
        n,
        count,
        np.zeros((count, strips.sums(n)), np.int32),
        np.zeros((count, n), np.int32),
    )
