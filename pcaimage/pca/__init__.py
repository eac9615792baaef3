"""Principal component analysis of arrays, independent of images.

:class:`PCA` fits, transforms and reconstructs. :class:`Moments` accumulates data in parts that can be added.
The solvers can be called by name, and a few functions compute what follows from the spectrum alone.

Rows are samples, columns are features; variances have the divisor n - 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.pca.identities import *
    from pcaimage.pca.model import *
    from pcaimage.pca.moments import *
    from pcaimage.pca.projection import *
    from pcaimage.pca.solvers import *

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "identities": ("components_by_evidence", "components_for_ratio", "cumulative_shares", "deflation"),
        "model": ("PCA",),
        "moments": ("Moments",),
        "projection": ("project", "reconstruct"),
        "solvers": (
            "Decomposition",
            "Solver",
            "choose_solver",
            "solve_covariance",
            "solve_gram",
            "solve_randomized",
            "solve_svd",
        ),
    },
)
