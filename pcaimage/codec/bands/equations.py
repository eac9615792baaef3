"""Predicting a number from everything around it: least squares, fitted anew all the time.

How far a number of a plane is from the middle of its neighbours is predicted by a weighted sum of how
far others are around it, and of how far other planes are from theirs at its place: planes are
uncorrelated over the whole image, but not over a field or a lake. The weights are those that would have
been best nearby: in the same strip of the lines above, and in those beside it. All arithmetic is in
integers: the normal equations are solved by Gauss and Seidel's iteration, a few steps at a time from the
last line's weights on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import strips

_AROUND = ((-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1))


class PlaneEquations(NamedTuple):
    """The equations of one plane, and their solutions, as the core's Equations.

    Parameters
    ----------
    places : ndarray of int64, shape (own + others,)
        Where further neighbours lie, counted from the number itself, and where other planes have its place.
    own, others : int
        How many there are of each.
    inputs : int
        How many inputs that makes: n.
    strips : int
        How many strips there are.
    sums : ndarray of int64, shape (strips, m)
        Sums of products of inputs and, in row n, with what is to be predicted, for each strip: in blocks of
        4 × 4.
    weights : ndarray of int32, shape (strips, n)
        The solutions.
    """

    places: NDArray[np.int64]
    own: int
    others: int
    inputs: int
    strips: int
    sums: NDArray[np.int64]
    weights: NDArray[np.int32]


def fit_of(plane: int, first: int, last: int, area: int, stride: int, columns: int) -> PlaneEquations:
    """Return the equations of a plane before anything is known.

    Parameters
    ----------
    plane : int
        Which plane, from 0.
    first, last : int
        How many of the first planes tell something of it, and how many of those just before: at most eight in
        all, for the core has room for 31 inputs.
    area, stride : int
        Numbers in a plane with its border, and in a line of it.
    columns : int
        The plane's width.

    Returns
    -------
    PlaneEquations
        To be changed by the core.
    """
    around = [down * stride + right for down, right in _AROUND]
    tell = sorted({*range(min(first, plane)), *range(max(plane - last, 0), plane)})
    # Two neighbours' difference, and their middle; of each plane two numbers.
    n, count = 2 + len(around) + 2 * len(tell), strips.fits(columns)
    return PlaneEquations(
        np.array([*around, *((index - plane) * area for index in tell)], np.int64),
        len(around),
        len(tell),
        n,
        count,
        np.zeros((count, strips.sums(n)), np.int64),
        np.zeros((count, n), np.int32),
    )
