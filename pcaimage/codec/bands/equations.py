"""Predicting a number from everything around it: least squares, fitted anew all the time.

How far a number of a plane is from the middle of its neighbours is predicted by a weighted sum of how
far others are around it, and of how far other planes are from theirs at its place: planes are
uncorrelated over the whole image, but not over a field or a lake. The weights are those that would have
been best nearby: in the same strip of the lines above, and in those beside it [1]_. All arithmetic is in
integers: the normal equations are solved by Gauss and Seidel's iteration, a few steps at a time from the
last line's weights on.

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
Longs = NDArray[np.int64]

BORDER = 2
"""Neighbours are at most so far away."""

STRIP, STRIPS = 32, 1024
"""For so many numbers of a line the weights stay. Beyond so many strips, those far apart share theirs."""

WEIGHT_BITS, HEAVIEST = 16, 1 << 19
"""Weights are in units of 2^-16, and not above 8."""

FORGET = 4
"""A line counts 1/16 less than the one below it."""

SWEEPS = 2
"""Steps of the iteration."""

RIDGE, RIDGE_SHIFT = 4096, 10
"""What is added to the diagonal, and which part of it: 2^-10."""

INVERSE_BITS, LARGEST = 16, 4095
"""Inputs are scaled in units of 2^-16, to 64 times their number of widths; they count up to 64 widths, so
that the sums of a strip stay below 2^31."""

SMALL = 8
"""How far what is between the two nearest neighbours is an input itself: beyond, its sign is all it says."""

_AROUND = ((-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1))
OWN = 2 + len(_AROUND)


class Fit(NamedTuple):
    """The equations of one plane, and their solutions.

    Parameters
    ----------
    around : ndarray of int64, shape (5,)
        Where further neighbours lie, counted from the number itself.
    others : ndarray of int64, shape (n_others,)
        Where other planes have the same place.
    stride : int
        Numbers in a line of a plane.
    sums : ndarray of int64, shape (strips, m, m)
        Sums of products of inputs, and in row n with what is to be predicted, for each strip; below the
        diagonal. m is n + 1, rounded up to a multiple of four.
    weights : ndarray of int64, shape (strips, n)
        The solutions.
    matrix : ndarray of int64, shape (n + 1, n + 1)
        The equations at hand.
    seen : ndarray of int32, shape (m, STRIP)
        Inputs and, in row n, what was to be predicted of the strip at hand.
    inverses : ndarray of int64, shape (STRIP,)
        What they are to be multiplied by, in units of 2^-16; 0 where nothing was coded.
    """

    around: Longs
    others: Longs
    stride: int
    sums: Longs
    weights: Longs
    matrix: Longs
    seen: Ints
    inverses: Longs


def fit_of(plane: int, first: int, last: int, area: int, stride: int, columns: int) -> Fit:
    """Return the equations of a plane before anything is known.

    Parameters
    ----------
    plane : int
        Which plane, from 0.
    first, last : int
        How many of the first planes tell something of it, and how many of those just before.
    area, stride : int
        Numbers in a plane with its border, and in a line of it.
    columns : int
        The plane's width.

    Returns
    -------
    Fit
        To be changed by the kernels.
    """
    around = [down * stride + right for down, right in _AROUND]
    tell = sorted({*range(min(first, plane)), *range(max(plane - last, 0), plane)})
    n, strips = OWN + 2 * len(tell), min(-(-columns // STRIP), STRIPS)
    rows = (n + 4) // 4 * 4
    return Fit(
        np.array(around, np.int64),
        np.array([(index - plane) * area for index in tell], np.int64),
        stride,
        np.zeros((strips, rows, rows), np.int64),
        np.zeros((strips, n), np.int64),
        np.zeros((n + 1, n + 1), np.int64),
        np.zeros((rows, STRIP), np.int32),
        np.zeros(STRIP, np.int64),
    )


@hot
def solve(fit: Fit, strip: int) -> None:
    """Bring the weights of a strip nearer to the best.

    Parameters
    ----------
    fit : Fit
        The plane's; changed.
    strip : int
        Which one.
    """
    matrix, weights, n = fit.matrix, fit.weights, fit.weights.shape[1]
    if not _gather(fit, strip):
        return
    for i in range(n):
        matrix[i, i] += (matrix[i, i] >> RIDGE_SHIFT) + RIDGE
    for _ in range(SWEEPS):
        for i in range(n):
            total = matrix[n, i] << WEIGHT_BITS
            for j in range(n):
                total -= matrix[i, j] * weights[strip, j]
            better = weights[strip, i] + total // matrix[i, i]
            weights[strip, i] = min(max(better, -HEAVIEST), HEAVIEST)


@inline
def _gather(fit: Fit, strip: int) -> bool:
    """Add up the equations of a strip and of those beside it; say whether there are any."""
    sums, matrix, n = fit.sums, fit.matrix, fit.weights.shape[1]
    before, behind = max(strip - 1, 0), min(strip + 1, len(sums) - 1)
    known = 0
    for i in range(n + 1):
        for j in range(i + 1):
            matrix[i, j] = sums[before, i, j] + sums[strip, i, j] + sums[behind, i, j]
        for j in range(i):
            matrix[j, i] = matrix[i, j]
        known += matrix[i, i]
    return known > 0


@inline
def middle(planes: Ints, here: int, stride: int) -> int:
    """Return what lies between the neighbours on the left and above.

    Parameters
    ----------
    planes : ndarray of int32
        All planes.
    here : int
        Where the number lies among them.
    stride : int
        Numbers in a line of a plane.

    Returns
    -------
    int
        Rounded down.
    """
    return (int(planes[here - 1]) + int(planes[here - stride])) >> 1


@inline
def expected(fit: Fit, column: int, planes: Ints, here: int, base: int) -> int:
    """Gather a number's inputs, and return how far from the middle of its neighbours it is expected.

    Parameters
    ----------
    fit : Fit
        The plane's; its inputs are changed.
    column : int
        The number's.
    planes : ndarray of int32
        All planes.
    here : int
        Where the number lies among them.
    base : int
        The :func:`middle`.

    Returns
    -------
    int
        In units of 2^-16.
    """
    around, others, seen, stride = fit.around, fit.others, fit.seen, fit.stride
    strip, inside = column // STRIP % STRIPS, column % STRIP
    seen[0, inside] = planes[here - 1] - planes[here - stride]
    seen[1, inside] = min(max(base, -SMALL), SMALL)
    for index in range(around.size):
        seen[2 + index, inside] = planes[here + around[index]] - base
    for index in range(others.size):
        there = here + others[index]
        seen[OWN + 2 * index, inside] = planes[there] - middle(planes, there, stride)
        seen[OWN + 2 * index + 1, inside] = planes[there - 1] - planes[there - stride]
    total, weights = np.int64(0), fit.weights
    for index in range(weights.shape[1]):
        total += np.int64(seen[index, inside]) * weights[strip, index]
    return int(total)


@hot
def accumulate(fit: Fit, strip: int, count: int) -> None:
    """Add what was seen of a strip to its equations.

    Parameters
    ----------
    fit : Fit
        The plane's; changed.
    strip : int
        Which one.
    count : int
        How many numbers it has in this line.
    """
    sums, seen, inverses = fit.sums, fit.seen, fit.inverses
    for column in range(count, STRIP):
        inverses[column] = 0
    for column in range(count):
        largest = 0
        for i in range(fit.weights.shape[1] + 1):
            largest = max(largest, abs(seen[i, column]))
        # What is far away counts less as a whole: what its parts are to each other remains.
        if largest * inverses[column] > LARGEST << INVERSE_BITS:
            inverses[column] = (LARGEST << INVERSE_BITS) // largest
    for i in range(fit.weights.shape[1] + 1):
        for column in range(STRIP):
            seen[i, column] = (np.int64(seen[i, column]) * inverses[column]) >> INVERSE_BITS
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
