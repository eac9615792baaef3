"""The least-squares inverse of rounded components, some of which may be left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def pseudoinverse(components: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Moore–Penrose inverse of components, some of which may be zero.

    A row of zeros yields exactly a column of zeros. The numerical inverse of all rows would not: the singular
    values of zero rows come out as some 1e-15, and whether that is below the tolerance of
    :func:`numpy.linalg.pinv` depends on NumPy's linear algebra library.

    Parameters
    ----------
    components : ndarray of float64, shape (k, n_features)
        Linearly independent, except for rows of zeros, which stand for components that are left out.

    Returns
    -------
    ndarray of float64, shape (n_features, k)
        Samples times this are the scores of the least-squares fit.
    """
    kept = components.any(axis=1)
    inverse = np.zeros(components.shape[::-1])
    inverse[:, kept] = np.linalg.pinv(components[kept])
    return inverse
