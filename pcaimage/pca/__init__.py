"""Principal component analysis of arrays, independent of images.

:class:`PCA` fits, transforms and reconstructs. :class:`Moments` accumulates data in parts that can be added.
A few functions compute what follows from the spectrum alone; :mod:`pcaimage.pca.solvers` has the algorithms.

Rows are samples, columns are features; variances have the divisor n - 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pcaimage.lazy import importing

if TYPE_CHECKING:
    from pcaimage.pca.identities import *
    from pcaimage.pca.model import *
    from pcaimage.pca.moments import *
    from pcaimage.pca.solvers import *

__getattr__, __dir__, __all__ = importing(
    __name__,
    {
        "identities": "components_by_evidence components_for_ratio cumulative_shares deflation",
        "model": "PCA",
        "moments": "Moments",
        "solvers": "Decomposition choose_solver",
    },
)
