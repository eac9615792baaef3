"""Predicting what a reconstruction lacks from everything around: least squares, fitted anew all the time.

What a pixel lacks is predicted by a weighted sum of what its neighbours lacked, in its own channel and in
those coded before, and of differences in the reconstruction. The weights are those that would have been best
nearby: in the same strip of the lines above, and in those beside it. All arithmetic is in integers: the
normal equations are solved by Gauss and Seidel's iteration, a few steps at a time from the last line's
weights on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import strips

_CAUSAL = ((0, -1), (-1, 0), (-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1), (-2, -1), (-1, 2), (-1, -2))
_BEFORE = ((0, 0), (0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
_AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))


class PixelEquations(NamedTuple):
    """The equations of one channel, and their solutions, as the core's Equations.

    Parameters
    ----------
    places : ndarray of int64, shape (n,)
        Where inputs lie in the planes of :class:`~pcaimage.codec.photo.residual_context.KnownPixels`, counted
        from the pixel.
    own : int
        So many are residuals; from the others the pixel's reconstruction is to be subtracted.
    others : int
        How many others there are.
    inputs : int
        n.
    strips : int
        How many strips there are.
    sums : ndarray of int32, shape (strips, m)
        Sums of products of inputs and, in row n, with the target, for each strip: in blocks of 4 × 4.
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


def fit_of(channel: int, channels: int, area: int, stride: int, columns: int) -> PixelEquations:
    """Return the equations of a channel before anything is known.

    Parameters
    ----------
    channel, channels : int
        Which channel in the order of coding, and of how many.
    area, stride : int
        Numbers in a plane, and in a line of it.
    columns : int
        The image's width.

    Returns
    -------
    PixelEquations
        To be changed by the core.
    """

    def at(plane: int, neighbours: tuple[tuple[int, int], ...]) -> list[int]:
        return [plane * area + down * stride + right for down, right in neighbours]

    places = at(channel, _CAUSAL[:6] if channel else _CAUSAL)
    for before in range(channel - 1, max(channel - 3, -1), -1):
        places += at(before, _BEFORE)
    own = len(places)
    places += at(channels + channel, _AROUND[:4] if channel else _AROUND)
    n, count = len(places), strips.fits(columns)
    return PixelEquations(
        np.array(places, np.int64),
        own,
        n - own,
        n,
        count,
        np.zeros((count, strips.sums(n)), np.int32),
        np.zeros((count, n), np.int32),
    )
