"""Prediction of a number from its neighbourhood by locally adaptive least squares.

A number's deviation from the mean of its neighbours is predicted as a weighted sum of the deviations of
others around it, and of the deviations of other planes at the same place: planes are uncorrelated over the
whole image, but not within a field or a lake. The weights minimise the squared error over the causal
neighbourhood: the same strip of columns in the lines above, and the strips beside it. The integer normal
equations are solved by a few Gauss–Seidel iterations per line, starting from the last line's weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import strips

_AROUND = ((-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1))


class PlaneEquations(NamedTuple):
    """Normal equations of one plane and their solutions; mirrors the core's Equations.

    `places` are offsets of further neighbours relative to the number, and of the same place in other planes.
    For each strip there are the sums of products of inputs with each other and, in row n, with the target, in
    4 × 4 blocks; and the solutions.
    """

    places: NDArray[np.int64]
    own: int  # number of neighbours
    others: int  # number of other planes
    inputs: int  # their total number n
    strips: int
    sums: NDArray[np.int64]  # shape (strips, m)
    weights: NDArray[np.int32]  # shape (strips, n)


def fit_of(plane: int, first: int, last: int, area: int, stride: int, columns: int) -> PlaneEquations:
    """Return the initial equations of a plane, which the core updates in place.

    Inputs are the `first` planes of all and the `last` directly before it: at most eight, as the core has
    room for 31 inputs. A plane with its border has `area` numbers, and a line of it `stride`.
    """
    around = [down * stride + right for down, right in _AROUND]
    tell = sorted({*range(min(first, plane)), *range(max(plane - last, 0), plane)})
    # Inputs are the difference and the mean of two neighbours, and two numbers of each plane.
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
