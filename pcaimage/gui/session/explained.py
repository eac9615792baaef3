"""How much of the variance some components explain. No Qt here."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec import Spectrum
from pcaimage.pca import cumulative_shares


class Explained:
    """Components whose variances are known."""

    variances: NDArray[np.float64]
    """All explained variances."""
    n_components: int
    """The largest k."""
    analysis: Spectrum | None
    """Where all of them are; None for a compressed file."""

    @property
    def total_variance(self) -> float:
        """The variance of all features, also where components do not explain all of it."""
        return float(self.variances.sum() if self.analysis is None else self.analysis.total_variance)

    @cached_property
    def ratios(self) -> NDArray[np.float64]:
        """Share of the variance that the first k components explain, at index k."""
        if self.analysis is not None:
            return self.analysis.ratios
        return cumulative_shares(self.variances)

    def ratio(self, k: int, left_out: frozenset[int] = frozenset()) -> float:
        """Return the share of the variance that k components explain.

        Parameters
        ----------
        k : int
            How many components.
        left_out : frozenset of int, optional
            Those of them that do not count, from 1.

        Returns
        -------
        float
            From 0 to 1; 1 of an image without any variance.
        """
        return float(self._explained(left_out)[k]) if self.variances.any() else 1.0

    def k_for_variance(self, ratio: float, left_out: frozenset[int] = frozenset()) -> int:
        """Return the smallest k that explains a share of the variance, or the largest there is.

        Parameters
        ----------
        ratio : float
            From 0 to 1.
        left_out : frozenset of int, optional
            Components that do not count, from 1.

        Returns
        -------
        int
            From 1 to n_components.
        """
        explained = self._explained(left_out)[: self.n_components + 1]
        return min(max(int(np.searchsorted(explained, ratio - 1e-9)), 1), self.n_components)

    def _explained(self, left_out: frozenset[int]) -> NDArray[np.float64]:
        """Return the share that the first k components explain without some of them, at index k."""
        if not left_out:
            return self.ratios
        shares = np.diff(self.ratios, prepend=0.0)
        shares[sorted(left_out)] = 0.0
        explained: NDArray[np.float64] = np.cumsum(shares)
        return explained
