"""Where each k stands on the slider. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

DULL, FINE = 3.0, 32.0
"""Decibels of signal to error between which differences matter: below nothing is to be recognised, and above
hardly anything is seen. With photographs this is about 22 to 48 dB of PSNR."""
BEYOND = 0.25
"""How much a decibel outside counts."""
FOR_EACH = 0.25
"""The share of the slider that is divided equally, so that every k has its place."""
LARGEST = 8.0
"""One component takes at most so many times the way of the average: nothing can be chosen within it."""
_BEST = 1e-5


@dataclass(frozen=True, eq=False)
class KScale:
    """The places of all k.

    Parameters
    ----------
    places : ndarray of float64, shape (k_max,)
        Rising from 0 to 1.
    """

    places: Floats

    @classmethod
    def even(cls, k_max: int) -> KScale:
        """Return a scale on which equal ways add equally many components.

        Parameters
        ----------
        k_max : int
            How many there are; at least 1.

        Returns
        -------
        KScale
            For photos: their components are in an order in which the next few always change about as much.
        """
        return cls(np.linspace(0.0, 1.0, k_max))

    @classmethod
    def logarithmic(cls, k_max: int) -> KScale:
        """Return a scale on which equal ways multiply k by equal factors.

        Parameters
        ----------
        k_max : int
            How many there are; at least 1.

        Returns
        -------
        KScale
            For images whose variances are not known.
        """
        return cls(np.log(np.arange(1, k_max + 1)) / np.log(max(k_max, 2)))

    @classmethod
    def of_variances(cls, variances: Floats) -> KScale:
        """Return a scale on which equal ways change the quality about equally.

        Parameters
        ----------
        variances : ndarray of float64, shape (k_max,)
            Explained variances.

        Returns
        -------
        KScale
            Finer where differences are seen.
        """
        decibels = signal_to_error(variances)
        rating = np.interp(
            decibels,
            [-100.0, DULL, FINE, 200.0],
            np.cumsum([0.0, (DULL + 100) * BEYOND, FINE - DULL, (200 - FINE) * BEYOND]),
        )
        ways = np.maximum(np.diff(rating), 0.0)
        if not ways.sum() > 0:
            return cls.even(len(variances))
        ways = np.minimum(ways, LARGEST * ways.mean())
        ways = (1 - FOR_EACH) * ways / ways.sum() + FOR_EACH / len(ways)
        places = np.concatenate([[0.0], np.cumsum(ways)])
        return cls(places / places[-1])

    @property
    def k_max(self) -> int:
        """The k at the right end."""
        return len(self.places)

    def k_at(self, fraction: float) -> int:
        """Return the k nearest to a place.

        Parameters
        ----------
        fraction : float
            0 at the left end to 1 at the right end.

        Returns
        -------
        int
            From 1 to k_max.
        """
        between = (self.places[1:] + self.places[:-1]) / 2
        return 1 + int(np.searchsorted(between, fraction))

    def place_of(self, k: int) -> float:
        """Return the place of k.

        Parameters
        ----------
        k : int
            Brought into range.

        Returns
        -------
        float
            From 0 to 1.
        """
        return float(self.places[min(max(k, 1), self.k_max) - 1])


def signal_to_error(variances: Floats) -> Floats:
    """Return about how good the reconstruction from the first k components is, each at its own step.

    By reverse water-filling every component is as wrong as the first that is left out, or as its variance
    if that is less.

    Parameters
    ----------
    variances : ndarray of float64, shape (n,)
        Explained variances, in the order of the components.

    Returns
    -------
    ndarray of float64, shape (n,)
        Decibels of the total variance to that of the error, for k = 1 to n; at most 50.
    """
    total = float(variances.sum())
    if not total > 0:
        return np.zeros(len(variances))
    levels = np.append(np.maximum.accumulate(variances[::-1])[::-1][1:], 0.0)
    ascending = np.sort(variances)
    below = np.concatenate([[0.0], np.cumsum(ascending)])
    smaller = np.searchsorted(ascending, levels)
    errors = below[smaller] + levels * (len(variances) - smaller)
    found: Floats = 10 * np.log10(total / np.maximum(errors, _BEST * total))
    return found
