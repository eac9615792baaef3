"""The least-squares inverse of rounded components, some of which may be left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MOST = 1e4  # largest entry of the inverse of the products of rows that are far from being dependent


def pseudoinverse(components: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Moore–Penrose inverse of components, some of which may be zero.

    Samples times this are the scores of the least-squares fit. Components are linearly independent, except
    for rows of zeros, which stand for those that are left out and yield exactly columns of zeros. The
    numerical inverse of all rows would not: the singular values of zero rows come out as some 1e-15, and
    whether that is below the tolerance of :func:`numpy.linalg.pinv` depends on NumPy's linear algebra
    library.
    """
    kept = components.any(axis=1)
    inverse = np.zeros(components.shape[::-1])
    inverse[:, kept] = _inverse(components[kept])
    return inverse


def _inverse(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse of rows that are not zero: by their products, which takes a fraction of the time."""
    lengths = np.linalg.norm(rows, axis=1)
    units = rows / lengths[:, None]
    try:
        products: NDArray[np.float64] = np.linalg.inv(units @ units.T)
    except np.linalg.LinAlgError:
        return _by_values(rows)
    if np.abs(products).max(initial=0.0) > _MOST:
        # Rounding has made some of them nearly dependent.
        return _by_values(rows)
    found: NDArray[np.float64] = units.T @ products / lengths
    return found


def _by_values(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.pinv(rows), np.float64)
