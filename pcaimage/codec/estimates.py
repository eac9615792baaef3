"""Estimates of size and quality for every k without encoding.

The cost of coding is measured at a few steps, and interpolated between them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.spectrum import Spectrum
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import psnr_of_mse

Similarity = Callable[[NDArray[Any], NDArray[Any]], float]
"""Returns the similarity of two images with a channel axis, 1 if they are equal."""

STEPS_PER_OCTAVE = 2  # usual density of the steps at which costs are measured

Floats = NDArray[np.float64]
Point = TypeVar("Point")


@dataclass(frozen=True)
class Estimate:
    """An estimate for some k and Δ."""

    k: int
    step: float
    n_bytes: int  # of the file, without metadata and opacity
    mse: float  # of the pixels
    psnr: float  # in decibels


class Corrections(NamedTuple):
    """An estimate of the corrections that keep values within an error bound."""

    n_bytes: float
    mse: float  # of all values after correction


@runtime_checkable
class SimilarityRates(Protocol):
    """Estimates that include structural similarity."""

    def similarity(self, step: float, measure: Similarity) -> float:
        """Estimate the similarity of the reconstruction from all components to the image."""

    def sampled_similarity(self, step: float, measure: Similarity) -> float:
        """Return a single good estimate of the similarity, as accurate as is worthwhile before encoding."""


class Bracket(NamedTuple, Generic[Point]):
    """A step between two measured ones; `share` is its fractional position, in log2 of the step."""

    step: float
    below: Point
    above: Point
    share: float


@dataclass(frozen=True, eq=False)
class ComponentCosts:
    """Costs of the components at one step, and of the rest of the file."""

    score_bytes: Floats
    vector_bytes: Floats
    errors: Floats  # mean squared errors of the scores
    fixed_bytes: float

    def interpolated(self, above: ComponentCosts, share: float, k: int) -> ComponentCosts:
        """Interpolate the costs of the first k components geometrically, and the rest linearly."""

        def between(low: Floats, high: Floats) -> Floats:
            return np.exp((1 - share) * np.log(1e-9 + low[:k]) + share * np.log(1e-9 + high[:k]))

        return ComponentCosts(
            between(1 + self.score_bytes, 1 + above.score_bytes) - 1,
            between(self.vector_bytes, above.vector_bytes),
            between(self.errors, above.errors),
            (1 - share) * self.fixed_bytes + share * above.fixed_bytes,
        )


@dataclass(frozen=True, eq=False)
class Interpolated(ABC, Generic[Point]):
    """Interpolates measurements at a grid of steps, for every k and step. Methods are thread-safe."""

    analysis: Spectrum
    _points: dict[int, Point] = field(default_factory=dict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def estimate(self, k: int, step: float | None = None) -> Estimate:
        """Estimate size and quality at k and Δ, which by default is the one that belongs to k.

        Sizes are accurate to about 3 %, qualities to about 0.1 dB.
        """
        self.analysis.check_k(k)
        step = float(self.analysis.step_for(k)) if step is None else step
        low, high, share = self._around(step)
        n_bytes, mse = self._between(k, Bracket(step, self._point(low), self._point(high), share))
        return Estimate(k, step, round(n_bytes), mse, psnr_of_mse(max(mse, 1e-10), self.analysis.header.peak))

    def rough(self, k: int, step: float) -> Estimate:
        """Return an instant estimate where encoding is slow; otherwise :meth:`estimate`."""
        return self.estimate(k, step)

    def sampled(self, k: int, step: float) -> Estimate:
        """Return a single good estimate, as accurate as is worthwhile before encoding."""
        return self.estimate(k, step)

    def glanced(self, k: int, step: float, progress: Progress = no_progress) -> Estimate:
        """Return an estimate that takes a fraction of a second where :meth:`estimate` takes more."""
        progress(0, 1)
        return self.estimate(k, step)

    def glanced_size(self, k: int, step: float, progress: Progress = no_progress) -> int:
        """Return the size in bytes alone, as :meth:`glanced` estimates it, in half of the time."""
        return self.glanced(k, step, progress).n_bytes

    def knows(self, step: float) -> bool:
        """Return whether the measurements around a step are available."""
        return all(index in self._points for index in self._around(step)[:2])

    def curve(self, progress: Progress = no_progress) -> list[Estimate]:
        """Estimate size and quality at k = 1 to n_components, each at its own step."""
        count, estimates = self.analysis.n_components, list[Estimate]()
        for k in range(count, 0, -1):
            estimates.append(self.estimate(k))
            progress(len(estimates), count)
        return estimates[::-1]

    @property
    def steps_per_octave(self) -> int:
        """Density of the steps at which costs are measured."""
        return STEPS_PER_OCTAVE

    def _around(self, step: float) -> tuple[int, int, float]:
        """Return places on the grid around a step, twice its own if it is on it, and the share between."""
        place = math.log2(step) * self.steps_per_octave
        return math.floor(place), math.ceil(place), place % 1

    def _point(self, index: int) -> Point:
        """Return the measurement at a step of the grid, which is made once."""
        with self._lock:
            if index not in self._points:
                self._points[index] = self._measure(2.0 ** (index / self.steps_per_octave))
            return self._points[index]

    @abstractmethod
    def _measure(self, step: float) -> Point:
        """Measure the cost of coding at a step."""

    @abstractmethod
    def _between(self, k: int, at: Bracket[Point]) -> tuple[float, float]:
        """Return the bytes and the mean squared error at a k."""


Rates = Interpolated[Any]  # estimates of any method


def rounded_mse(mse: float) -> float:
    """Return the mean squared error after rounding to integers, given that of Gaussian errors before.

    It is ``mse + 1/12`` for large errors, and far less where rounding restores the true value.
    """
    if mse > 4:
        return mse + 1 / 12
    sigma = math.sqrt(2 * max(mse, 1e-12))
    # E[round(e)^2] = sum over i >= 1 of (i^2 - (i - 1)^2) P(|e| > i - 1/2)
    return sum((2 * i - 1) * math.erfc((i - 0.5) / sigma) for i in range(1, 20))
