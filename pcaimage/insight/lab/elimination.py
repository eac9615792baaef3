"""Eigenvalues and eigenvectors by hand: characteristic polynomial and row reduction."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pcaimage.errors import SettingsError
from pcaimage.insight.lab.data import Floats

MOST_BY_HAND = 6
"""Most features of a matrix that is worked through by hand."""


def characteristic(matrix: Floats) -> Floats:
    """Return the coefficients of det(λI − C), the highest power first.

    They are found from traces of powers (Faddeev and Le Verrier), as one would by hand; the eigenvalues are
    the roots.

    Returns
    -------
    ndarray of float64, shape (n_features + 1,)
        The first is 1, the second minus the trace, the last ± the determinant.
    """
    size = len(matrix)
    if size > MOST_BY_HAND:
        raise SettingsError(f"A matrix of {size} features is too large to be worked through by hand.")
    found, auxiliary = [1.0], np.zeros_like(matrix)
    for power in range(1, size + 1):
        auxiliary = matrix @ auxiliary + found[-1] * np.eye(size)
        found.append(-float(np.trace(matrix @ auxiliary)) / power)
    return np.array(found)


@dataclass(frozen=True, eq=False)
class Reduced:
    """A row reduction.

    Parameters
    ----------
    stages : tuple of ndarray of float64, shape (n, n)
        The matrix, and the matrix after each pivot was cleared from all other rows.
    free : tuple of int
        Columns without a pivot, whose unknowns may be chosen.
    solutions : ndarray of float64, shape (len(free), n)
        A solution for each free unknown, which is 1 while the others are 0. They span the solutions, and need
        be neither orthogonal nor of length 1.
    """

    stages: tuple[Floats, ...] = field(repr=False)
    free: tuple[int, ...]
    solutions: Floats = field(repr=False)


def reduced(matrix: Floats, eigenvalue: float) -> Reduced:
    """Solve (C − λI) v = 0 by elimination with row exchange.

    If λ is no eigenvalue, there is no solution but zero. At most :data:`MOST_BY_HAND` features.
    """
    size = len(matrix)
    if size > MOST_BY_HAND:
        raise SettingsError(f"A matrix of {size} features is too large to be worked through by hand.")
    left = matrix - eigenvalue * np.eye(size)
    nothing = 1e-10 * max(float(np.abs(matrix).max()), abs(eigenvalue))
    stages, pivots, row = [left.copy()], list[int](), 0
    for column in range(size):
        largest = row + int(np.abs(left[row:, column]).argmax()) if row < size else row
        if row == size or abs(left[largest, column]) <= nothing:
            continue
        left[[row, largest]] = left[[largest, row]]
        left[row] /= left[row, column]
        others = [index for index in range(size) if index != row]
        left[others] -= np.outer(left[others, column], left[row])
        left[np.abs(left) <= 1e-12] = 0.0
        stages.append(left.copy())
        pivots.append(column)
        row += 1
    free = tuple(column for column in range(size) if column not in pivots)
    solutions = np.zeros((len(free), size))
    for index, column in enumerate(free):
        solutions[index, column] = 1.0
        solutions[index, pivots] = -left[: len(pivots), column]
    return Reduced(tuple(stages), free, solutions + 0.0)
