"""The least-squares inverse of rounded components, some of which may be left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
    inverse[:, kept] = np.linalg.pinv(components[kept])
    return inverse
