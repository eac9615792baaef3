"""Operating points: the pairs of k and Δ that make up an image's rate–distortion curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.spectrum import Spectrum

PER_OCTAVE = 16
"""Density of a photo's steps per octave: adjacent points differ by 2 to 12 % in file size."""

COARSEST = 256.0
"""A photo's coarsest step, on a scale of 255, at which hardly anything is recognisable."""


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
