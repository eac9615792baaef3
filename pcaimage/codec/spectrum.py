"""The spectrum of an image: the variances of its components, and k and Δ derived from them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.pca import cumulative_shares

FINEST_STEP = 0.5
"""In units of a pixel's value: rounding to whole values then hides nearly all of the error."""


class Spectrum(ABC):
    """An analysed image: its components are known, whatever its method."""

    header: Header
    """The image's shape and sampling; its step and denominators are placeholders."""

    reach: float = 1.0
    """Factor of Δ over the step of the water level. Where most of a component's scores are small and a few
    are large, those few are worth coding at steps too coarse for the variance."""

    left_out: frozenset[int] = frozenset()
    """Components, counted from 1, whose scores are taken to be zero."""

    @property
    @abstractmethod
    def variances(self) -> NDArray[np.float64]:
        """Explained variances in the order of the components, shape (n_components,)."""

    @property
    @abstractmethod
    def total_variance(self) -> float:
        """The variance of all features."""

    @property
    @abstractmethod
    def finest_step(self) -> float:
        """The smallest step worth taking, in units of the scores."""

    def default_step(self, max_error: float | None) -> float | None:
        """Return the step from which k follows where settings say neither.

        Parameters
        ----------
        max_error : float or None
            The largest error that a residual will leave, 0 for a lossless file; None for a file without one.

        Returns
        -------
        float or None
            Δ; None where k follows from a share of the variance instead, which is so unless overridden.
        """
        del max_error
        return None

    def step_for_noise(self, times: float) -> Step | None:
        """Return the step at which errors are about as large as the noise.

        Parameters
        ----------
        times : float
            How many times the noise of a band the root mean square of its errors is at most, about.

        Returns
        -------
        Step or None
            No finer than the finest step; None where the noise is not known, which is so unless overridden.
        """
        del times
        return None

    @property
    def n_components(self) -> int:
        """The largest k."""
        return len(self.variances)

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """The largest variance from each component on, which never rises: (n_components,)."""
        largest: NDArray[np.float64] = np.maximum.accumulate(self.variances[::-1])[::-1]
        return largest

    @cached_property
    def ratios(self) -> NDArray[np.float64]:
        """Share of the variance that the first k components explain, at index k: (n_components + 1,)."""
        return cumulative_shares(self.variances, self.total_variance)

    def without(self, left_out: frozenset[int]) -> Self:
        """Return the image without some components.

        Variances, and with them k and Δ, remain those of the whole image.

        Parameters
        ----------
        left_out : frozenset of int
            Their numbers, from 1.

        Returns
        -------
        Spectrum
            Their scores are zero, and so are those that were left out before. It shares all memory.

        Raises
        ------
        SettingsError
            If there is no such component.
        """
        strange = sorted(number for number in left_out if not 1 <= number <= self.n_components)
        if strange:
            raise SettingsError(
                f"The image has {self.n_components} components; component {strange[0]} cannot be left out."
            )
        # Cached results of the whole image are copied, too.
        other = copy(self)
        object.__setattr__(other, "left_out", self.left_out | left_out)
        return other

    def k_for_variance(self, ratio: float) -> int:
        """Return the smallest k that explains a share of the variance.

        Parameters
        ----------
        ratio : float
            In (0, 1].

        Returns
        -------
        int
            From 1 to n_components.
        """
        return min(max(int(np.searchsorted(self.ratios, ratio * (1 - 1e-12))), 1), self.n_components)

    def step_for(self, k: int) -> Step:
        """Return the step that belongs to k by reverse water-filling.

        Each quantised score then has the error θ = Δ²/12, where θ is the first variance left out [1]_.

        Parameters
        ----------
        k : int
            How many components are kept.

        Returns
        -------
        Step
            sqrt(12 θ) times :attr:`reach`, and no finer than :attr:`finest_step`.

        References
        ----------
        .. [1] T. M. Cover and J. A. Thomas, "Elements of Information Theory", 2nd ed., 2006, section 10.3.3.
        """
        level = float(self.levels[k]) if k < self.n_components else 0.0
        return Step.nearest(max(self.reach * math.sqrt(12 * level), self.finest_step))

    def k_for_step(self, step: float) -> int:
        """Return how many components exceed the water level of a step.

        Parameters
        ----------
        step : float
            Δ.

        Returns
        -------
        int
            At least 1.
        """
        level = (step / self.reach) ** 2 / 12
        return max(1, int(np.count_nonzero(self.levels > level)))

    def check_k(self, k: int) -> None:
        """Raise SettingsError for a k that the image does not have.

        Parameters
        ----------
        k : int
            How many components to keep.

        Raises
        ------
        SettingsError
            If it is not from 1 to :attr:`n_components`.
        """
        if not 1 <= k <= self.n_components:
            raise SettingsError(f"The image has {self.n_components} components; k = {k} cannot be kept.")


def indices(numbers: frozenset[int], count: int) -> list[int]:
    """Return the indices of the components that are among the first.

    Parameters
    ----------
    numbers : frozenset of int
        Components, from 1.

    Returns
    -------
    list of int
        From 0, ascending; numbers beyond the count are ignored.
    """
    return sorted(number - 1 for number in numbers if 1 <= number <= count)
