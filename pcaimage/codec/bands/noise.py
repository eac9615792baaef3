"""Noise of a many-band image, estimated from differences of neighbours, and its whitening."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.pca import Moments

Floats = NDArray[np.float64]

ROUNDING = 1 / 12
"""The variance of what rounding to whole numbers changes: no noise of whole numbers is less."""

FLATTEST = 1e-8
"""Noise in any direction is taken to be at least so many times that in the noisiest one."""


@dataclass(eq=False)
class NoiseSum:
    """Adds up products of differences of neighbours."""

    bands: int
    products: Floats = field(init=False)
    count: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.products = np.zeros((self.bands, self.bands))

    def add(self, lines: NDArray[Any], gone: NDArray[np.bool_] | None) -> None:
        """Add the pairs of neighbours, side by side and one below the other, of some lines.

        Parameters
        ----------
        lines : ndarray, shape (rows, W, C)
            Values.
        gone : ndarray of bool, shape (rows, W), or None
            Where anything was not measured: those pairs do not count.
        """
        for one, other in ((np.s_[:, 1:], np.s_[:, :-1]), (np.s_[1:], np.s_[:-1])):
            pairs = np.subtract(lines[one], lines[other], dtype=np.float64).reshape(-1, self.bands)
            if gone is not None:
                pairs = pairs[~(gone[one] | gone[other]).ravel()]
            self.products += pairs.T @ pairs
            self.count += len(pairs)

    def take(self, other: NoiseSum) -> None:
        """Add what was found of other lines."""
        self.products += other.products
        self.count += other.count

    def whitening(self, *, whole: bool) -> Whitening | None:
        """Return what whitens the noise.

        Returns
        -------
        Whitening or None
            None where there are no neighbours, or they do not differ: nothing is known of the noise.
        """
        if not self.count or not self.products.any():
            return None
        # Two samples have twice the noise of one.
        variances, directions = np.linalg.eigh(self.products / (2 * self.count))
        least = max(FLATTEST * float(variances[-1]), ROUNDING if whole else 0.0)
        return Whitening(np.sqrt(np.maximum(variances, least)), directions)


@dataclass(frozen=True, eq=False)
class Whitening:
    """The square root of a covariance of noise, and its inverse.

    Parameters
    ----------
    deviations : ndarray of float64, shape (C,)
        Of the noise, along each direction.
    directions : ndarray of float64, shape (C, C)
        Orthonormal columns.
    """

    deviations: Floats
    directions: Floats

    @property
    def root(self) -> Floats:
        """The noise's covariance to the power of 1/2, symmetric: (C, C)."""
        found: Floats = (self.directions * self.deviations) @ self.directions.T
        return found

    @property
    def inverse(self) -> Floats:
        """The noise's covariance to the power of −1/2, symmetric: (C, C)."""
        found: Floats = (self.directions / self.deviations) @ self.directions.T
        return found

    @property
    def of_bands(self) -> Floats:
        """Standard deviation of each band's noise: of what the other bands do not predict of it: (C,).

        Neighbours differ by the scene, too, but what they differ by there lies in several bands at once. It
        is the residual of regressing each band on all others (Roger and Arnold 1996,
        doi:10.1080/01431169608949106), 1 / sqrt((Σ⁻¹)_bb) of the covariance Σ of the noise.
        """
        found: Floats = 1 / np.sqrt(np.square(self.inverse).sum(axis=0))
        return found

    def of_moments(self, moments: Moments) -> Moments:
        """Return the moments of whitened samples, around the mean of those that are not."""
        scatter = self.inverse @ moments.scatter @ self.inverse
        return Moments(moments.count, moments.mean, (scatter + scatter.T) / 2)
