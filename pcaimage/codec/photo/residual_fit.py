"""Predicting what a reconstruction lacks from everything around: least squares, fitted anew all the time.

What a pixel lacks is predicted by a weighted sum of what its neighbours lacked, in its own channel and in
those coded before, and of differences in the reconstruction. The weights are those that would have been best
nearby: in the same strip of the lines above, and in those beside it [1]_. All arithmetic is in integers: the
normal equations are solved by Gauss and Seidel's iteration, a few steps at a time from the last line's
weights on.

References
----------
.. [1] X. Wu, E. U. Barthel and W. Zhang, "Piecewise 2D autoregression for predictive image coding", IEEE
   International Conference on Image Processing, 1998.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import hot, inline

Ints = NDArray[np.int32]

BORDER = 2
"""Neighbours are at most so far away."""

STRIP, STRIPS = 32, 1024
"""For so many pixels of a line the weights stay. Beyond so many strips, those far apart share theirs."""

WEIGHT_BITS, HEAVIEST = 16, 1 << 19
"""Weights are in units of 2^-16, and not above 8."""

FORGET = 3
"""A line counts 1/8 less than the one below it."""

SWEEPS = 2
"""Steps of the iteration."""

RIDGE, RIDGE_SHIFT = 4096, 10
"""What is added to the diagonal, and which part of it: 2^-10."""

INVERSE_BITS, LARGEST = 18, 1023
"""Inputs are scaled in units of 2^-18; they count up to the second, so that sums stay below 2^31."""

_FAR = 1 << 30
_CAUSAL = ((0, -1), (-1, 0), (-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1), (-2, -1), (-1, 2), (-1, -2))
_BEFORE = ((0, 0), (0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
_AROUND = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))


class Fit(NamedTuple):
    """The equations of one channel, and their solutions.

    Parameters
    ----------
    places : ndarray of int64, shape (n,)
        Where inputs lie in :class:`~pcaimage.codec.photo.residual_coding.Known`'s planes, from the pixel on.
    own : int
        So many are residuals; from the others the pixel's reconstruction is to be subtracted.
    sums : ndarray of int32, shape (strips, m, m)
        Sums of products of inputs, and in row n with the target, for each strip; below the diagonal. m is
        n + 1, rounded up to a multiple of four.
    weights : ndarray of int32, shape (strips, n)
        The solutions.
    matrix : ndarray of int32, shape (n + 1, n + 1)
        The equations at hand.
    scales : ndarray of int64, shape (n,)
        2^44 divided by its diagonal.
    seen : ndarray of int32, shape (m, STRIP)
        Inputs and, in row n, targets of the strip at hand.
    inverses : ndarray of int32, shape (STRIP,)
        What they are to be multiplied by, in units of 2^-18.
    """

    places: NDArray[np.int64]
    own: int
    sums: Ints
    weights: Ints
    matrix: Ints
    scales: NDArray[np.int64]
    seen: Ints
    inverses: Ints


def fit_of(channel: int, channels: int, area: int, stride: int, columns: int) -> Fit:
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
    Fit
        To be changed by the kernels.
    """

    def at(plane: int, neighbours: tuple[tuple[int, int], ...]) -> list[int]:
        return [plane * area + down * stride + right for down, right in neighbours]

    places = at(channel, _CAUSAL[:6] if channel else _CAUSAL)
    for before in range(channel - 1, max(channel - 3, -1), -1):
        places += at(before, _BEFORE)
    own = len(places)
    places += at(channels + channel, _AROUND[:4] if channel else _AROUND)
    n, strips = len(places), min(-(-columns // STRIP), STRIPS)
    rows = (n + 4) // 4 * 4
    return Fit(
        np.array(places, np.int64),
        own,
        np.zeros((strips, rows, rows), np.int32),
        np.zeros((strips, n), np.int32),
        np.zeros((n + 1, n + 1), np.int32),
        np.zeros(n, np.int64),
        np.zeros((rows, STRIP), np.int32),
        np.zeros(STRIP, np.int32),
    )


@hot
def solve(fit: Fit, strip: int) -> None:
    """Bring the weights of a strip nearer to the best.

    Parameters
    ----------
    fit : Fit
        The channel's; changed.
    strip : int
        Which one.
    """
    matrix, weights, scales, n = fit.matrix, fit.weights, fit.scales, fit.places.size
    _gather(fit, strip)
    for i in range(n):
        matrix[i, i] += (matrix[i, i] >> RIDGE_SHIFT) + RIDGE
        scales[i] = (1 << 44) // np.int64(matrix[i, i])
    for _ in range(SWEEPS):
        for i in range(n):
            total = np.int64(matrix[n, i]) << WEIGHT_BITS
            for j in range(n):
                total -= np.int64(matrix[i, j]) * np.int64(weights[strip, j])
            better = weights[strip, i] + ((min(max(total >> 16, -_FAR), _FAR) * scales[i]) >> 28)
            weights[strip, i] = min(max(better, -HEAVIEST), HEAVIEST)


@inline
def _gather(fit: Fit, strip: int) -> None:
    """Add up the equations of a strip and of those beside it."""
    sums, matrix = fit.sums, fit.matrix
    before, behind = max(strip - 1, 0), min(strip + 1, len(sums) - 1)
    for i in range(fit.places.size + 1):
        for j in range(i + 1):
            matrix[i, j] = sums[before, i, j] + sums[strip, i, j] + sums[behind, i, j]
        for j in range(i):
            matrix[j, i] = matrix[i, j]


@inline
def expected(fit: Fit, column: int, planes: Ints, place: int, base: int) -> int:
    """Gather a pixel's inputs, and return what it is expected to lack.

    Parameters
    ----------
    fit : Fit
        The channel's; its inputs are changed.
    column : int
        The pixel's.
    planes : ndarray of int32
        As in :class:`~pcaimage.codec.photo.residual_coding.Known`.
    place : int
        Where the pixel lies in the first of them.
    base : int
        Its reconstruction.

    Returns
    -------
    int
        In units of 2^-16.
    """
    places, seen, weights, own = fit.places, fit.seen, fit.weights, fit.own
    strip, inside = column // STRIP % STRIPS, column % STRIP
    total = np.int64(0)
    for index in range(own):
        value = planes[place + places[index]]
        seen[index, inside] = value
        total += np.int64(value) * np.int64(weights[strip, index])
    for index in range(own, places.size):
        value = planes[place + places[index]] - base
        seen[index, inside] = value
        total += np.int64(value) * np.int64(weights[strip, index])
    return int(total)


@hot
def accumulate(fit: Fit, strip: int, count: int) -> None:
    """Add what was seen of a strip to its equations.

    Parameters
    ----------
    fit : Fit
        The channel's; changed.
    strip : int
        Which one.
    count : int
        How many pixels it has in this line.
    """
    sums, seen, inverses = fit.sums, fit.seen, fit.inverses
    for column in range(count, STRIP):
        inverses[column] = 0
    for i in range(fit.places.size + 1):
        for column in range(STRIP):
            scaled = int((np.int64(seen[i, column]) * np.int64(inverses[column])) >> INVERSE_BITS)
            seen[i, column] = min(max(scaled, -LARGEST), LARGEST)
    # Four sums at a time: what runs over the columns alone would wait for each of its last sums.
    for i in range(0, len(seen), 4):
        for j in range(i + 4):
            first = second = third = fourth = np.int32(0)
            for column in range(STRIP):
                value = seen[j, column]
                first = np.int32(first + np.int32(value * seen[i, column]))
                second = np.int32(second + np.int32(value * seen[i + 1, column]))
                third = np.int32(third + np.int32(value * seen[i + 2, column]))
                fourth = np.int32(fourth + np.int32(value * seen[i + 3, column]))
            sums[strip, i, j] += first - (sums[strip, i, j] >> FORGET)
            sums[strip, i + 1, j] += second - (sums[strip, i + 1, j] >> FORGET)
            sums[strip, i + 2, j] += third - (sums[strip, i + 2, j] >> FORGET)
            sums[strip, i + 3, j] += fourth - (sums[strip, i + 3, j] >> FORGET)
