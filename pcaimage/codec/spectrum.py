"""The spectrum of an image: the variances of its components, and k and Δ derived from them.

The operating points are the pairs of k and Δ that make up an image's rate–distortion curve.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.step import Step
from pcaimage.errors import SettingsError
from pcaimage.pca import cumulative_shares

FINEST_STEP = 0.5
"""Finest useful step in grey levels: rounding to whole values hides nearly all of its quantisation error."""

_TAIL = 8  # number of the last components whose fall of variance tells how it would go on
_FEW, _HARDLY_SEEN = 6, 8.0
"""Number of components, of channels or of a short stack, that tell no such fall; and their step when all are
kept, in finest steps of 8 bits: about 47 dB."""


class Spectrum(ABC):
    """An analysed image with its components, whatever the method."""

    header: Header  # the image's shape and sampling; its step and denominators are placeholders

    left_out: frozenset[int] = frozenset()
    """One-based numbers of the components whose scores are taken to be zero."""

    @property
    def reach(self) -> float:
        """Factor of Δ over the step of the water level.

        If most of a component's scores are small and a few are large, these few are worth coding even at
        steps too coarse for the variance.
        """
        return 1.0

    @property
    def simpler(self) -> Self | None:
        """The image as it is coded if a quality is out of reach otherwise; None if there is no other way."""
        return None

    @property
    def apart(self) -> float:
        """The share of the image's pixels that are coded without components, whatever k is."""
        return 0.0

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
        """The smallest useful step, in units of the scores."""

    def default_step(self, max_error: float | None) -> float | None:
        """Return the step from which k follows if the settings specify neither.

        `max_error` is the error bound of the residual, 0 for a lossless file, None for a file without one. By
        default the result is None: k follows from a share of the variance.
        """
        del max_error
        return None

    def step_for_noise(self, times: float) -> Step | None:
        """Return the step at which errors are about `times` as large as the noise, as RMS of a band.

        It is no finer than the finest step. By default it is None, as the noise is unknown.
        """
        del times
        return None

    @property
    def n_components(self) -> int:
        """The largest k."""
        return len(self.variances)

    @cached_property
    def levels(self) -> NDArray[np.float64]:
        """The largest variance from each component on, a non-increasing sequence, shape (n_components,)."""
        largest: NDArray[np.float64] = np.maximum.accumulate(self.variances[::-1])[::-1]
        return largest

    @cached_property
    def waters(self) -> NDArray[np.float64]:
        """The water level that belongs to each k: the first variance left out, shape (n_components + 1,).

        Where no variance is left, there is one as if the components went on as they end. Otherwise the last
        one would cost several times as much as all others, for its step would be the finest.
        """
        least = (self.finest_step / self.reach) ** 2 / 12
        count = int(np.count_nonzero(self.levels > least))
        waters = np.append(self.levels, 0.0)
        if count > 1:
            first = max(0, count - 1 - _TAIL)
            fall = (self.levels[count - 1] / self.levels[first]) ** (1 / (count - 1 - first))
            waters[count:] = self.levels[count - 1] * fall
        if count <= _FEW:
            seen = least * (_HARDLY_SEEN * self.header.peak / 255) ** 2
            waters[count:] = np.minimum(waters[count:], seen) if count > 1 else seen * min(count, 1)
        return waters

    @cached_property
    def ratios(self) -> NDArray[np.float64]:
        """Share of the variance explained by the first k components, at index k: (n_components + 1,)."""
        return cumulative_shares(self.variances, self.total_variance)

    def without(self, left_out: frozenset[int]) -> Self:
        """Return the image without the components with the given one-based numbers; it shares all memory.

        Their scores become zero, as do those left out before. Variances, and with them k and Δ, remain those
        of the whole image. SettingsError if there is no such component.
        """
        strange = sorted(number for number in left_out if not 1 <= number <= self.n_components)
        if strange:
            raise SettingsError(
                f"The image has {self.n_components} components; component {strange[0]} cannot be left out."
            )
        # Copying also carries over cached results of the whole image.
        other = copy(self)
        object.__setattr__(other, "left_out", self.left_out | left_out)
        return other

    def tuned(self, *, for_the_eye: bool) -> Self:  # noqa: ARG002 - only photos are coded for either
        """Return a photo as it is coded for the eye, or for PSNR; other images are coded the same for both.

        It shares all memory.
        """
        return self

    def k_for_variance(self, ratio: float) -> int:
        """Return the smallest k that explains a share of the variance, in (0, 1]; 1 if nothing varies."""
        if not self.ratios[-1]:
            return 1
        return min(max(int(np.searchsorted(self.ratios, ratio * (1 - 1e-12))), 1), self.n_components)

    def step_for(self, k: int) -> Step:
        """Return the step that belongs to k by reverse water-filling.

        Each quantised score then has the squared error θ = Δ²/12, where θ is the first variance left out (T.
        M. Cover and J. A. Thomas, "Elements of Information Theory", 2nd ed., 2006, section 10.3.3), or what
        would follow the last one (:attr:`waters`). So Δ is sqrt(12 θ), times :attr:`reach`, and no finer than
        :attr:`finest_step`.
        """
        return Step.nearest(max(self.reach * math.sqrt(12 * float(self.waters[k])), self.finest_step))

    def k_for_step(self, step: float) -> int:
        """Return the number of components whose variance exceeds the water level of a step, at least 1."""
        level = (step / self.reach) ** 2 / 12
        return max(1, int(np.count_nonzero(self.levels > level)))

    def k_beside(self, step: float, max_error: float | None) -> int:
        """Return :meth:`k_for_step` of a file whose residual keeps an error, None for one without."""
        del max_error
        return self.k_for_step(step)

    def next_k(self, k: int, by: int) -> int:
        """Return the k `by` places further among those whose last component exceeds its water level.

        Those of others are like the files of smaller k: in the fixed order of a photo's components, some are
        worthless until a later one matters.
        """
        telling = np.flatnonzero(self.variances >= self.waters[1:]) + 1
        start = int(np.searchsorted(telling, k, "right")) - 1 if by > 0 else int(np.searchsorted(telling, k))
        if not telling.size or (by > 0 and start + 1 == len(telling)):
            return k
        return int(telling[min(max(start + by, 0), len(telling) - 1)])

    def check_k(self, k: int) -> None:
        """Raise SettingsError if k is not from 1 to :attr:`n_components`."""
        if not 1 <= k <= self.n_components:
            raise SettingsError(f"The image has {self.n_components} components; k = {k} cannot be kept.")


def indices(numbers: frozenset[int], count: int) -> list[int]:
    """Return the zero-based indices, ascending, of the one-based component numbers up to `count`."""
    return sorted(number - 1 for number in numbers if 1 <= number <= count)


PER_OCTAVE = 16  # density of a photo's steps per octave: adjacent points differ by 2 to 12 % in file size
COARSEST = 256.0  # a photo's coarsest step, on a scale of 255, at which hardly anything is recognisable


@dataclass(frozen=True, eq=False)
class OperatingPoints:
    """Pairs of k and Δ of an image, from the smallest file to the largest.

    Components of most methods are ordered by variance, so each k has a suitable step, and there is a point
    for every k: `steps` is empty. Those of photos have a fixed order, which suits most photographs; in some
    images many successive components are worthless, and the next one matters. So their points are a scale of
    steps, each with the components that the step does not round to zero.
    """

    ks: NDArray[np.intp]
    steps: NDArray[np.float64]

    @classmethod
    def of(cls, spectrum: Spectrum) -> OperatingPoints:
        """Return the points of an image."""
        if not spectrum.header.traits.visual:
            return cls.of_components(spectrum.n_components)
        coarsest, finest = COARSEST * spectrum.header.peak / 255, spectrum.finest_step
        count = math.floor(PER_OCTAVE * math.log2(coarsest / finest)) + 1
        steps = coarsest / 2.0 ** (np.arange(count) / PER_OCTAVE)
        return cls(np.array([spectrum.k_for_step(float(step)) for step in steps], np.intp), steps)

    @classmethod
    def of_components(cls, count: int) -> OperatingPoints:
        """Return a point for every k up to `count`."""
        return cls(np.arange(1, count + 1), np.zeros(0))

    def __len__(self) -> int:
        return len(self.ks)

    @property
    def by_step(self) -> bool:
        """Whether Δ determines k, rather than the other way round."""
        return bool(self.steps.size)

    def step(self, index: int) -> float | None:
        """Return Δ of a point; None if it is the one that belongs to k."""
        return float(self.steps[index]) if self.by_step else None

    def nearest(self, k: int, step: float | None) -> int:
        """Return the index of the point nearest to a k and Δ."""
        if not self.by_step or step is None:
            return int(np.argmin(np.abs(self.ks - k)))
        return int(np.argmin(np.abs(np.log2(self.steps / step))))
