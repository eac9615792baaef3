"""Water levels: k and Δ coupled by reverse water-filling, and estimates along them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pcaimage.codec.estimates import Estimate, Rates, Similarity, SimilarityRates
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step

Choice = tuple[int, Step]

DECIBELS_PER_OCTAVE = 6.02
DISSIMILARITY = 1.3
"""Approximate octaves by which 1 - SSIM grows with an octave of the step."""

TYPICAL_PSNR, TYPICAL_DISSIMILARITY = 38.0, 0.03
_COARSEST = 1e7


@dataclass(frozen=True)
class WaterLevel:
    """Couples k and Δ: at each step, all components are kept whose variances exceed the water level."""

    analysis: Spectrum
    rates: Rates
    carried: int = 0  # bytes in a file besides the image: metadata and opacity

    def at(self, log_step: float, k: int | None = None) -> Choice:
        """Return k and Δ for a log2 of Δ; a given k replaces the one that follows from it."""
        step = Step.nearest(2.0**log_step)
        return self.analysis.k_for_step(float(step)) if k is None else k, step

    @property
    def bounds(self) -> tuple[float, float]:
        """The finest and the coarsest useful step, as log2."""
        finest = math.log2(self.analysis.finest_step)
        largest = float(self.analysis.levels[0]) if self.analysis.n_components else 0.0
        coarsest = math.log2(max(2 * math.sqrt(12 * largest), 2 * self.analysis.finest_step))
        return finest, min(coarsest, math.log2(_COARSEST))

    def where(self, reached: Callable[[float], bool], bounds: tuple[float, float] | None = None) -> float:
        """Return the coarsest step within bounds, as log2, for which a monotone condition holds.

        The condition takes log2 of Δ and holds for all finer steps. If it holds nowhere, the finest step is
        returned.
        """
        low, high = bounds or self.bounds
        if reached(high):
            return high
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (middle, high) if reached(middle) else (low, middle)
        return low

    def rough(self, log_step: float) -> Estimate:
        """Return a rough estimate at a water level, without the file's other contents."""
        k, step = self.at(log_step)
        return self.rates.rough(k, float(step))

    def sampled(self, log_step: float) -> Estimate:
        """Return a better estimate at a water level, without the file's other contents."""
        k, step = self.at(log_step)
        return self.rates.sampled(k, float(step))

    def rough_dissimilarity(self, log_step: float) -> float:
        """Return 1 - SSIM at a water level as predicted from the PSNR."""
        decibels: float = TYPICAL_PSNR - self.rough(log_step).psnr
        return TYPICAL_DISSIMILARITY * math.exp2(decibels / DECIBELS_PER_OCTAVE * DISSIMILARITY)

    def sampled_dissimilarity(self, log_step: float, measure: Similarity) -> float:
        """Return the estimated 1 - SSIM at a water level, or its prediction from the PSNR."""
        if isinstance(self.rates, SimilarityRates):
            return 1 - self.rates.sampled_similarity(float(self.at(log_step)[1]), measure)
        return self.rough_dissimilarity(log_step)
