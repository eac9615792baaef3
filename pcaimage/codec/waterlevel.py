"""k and Δ moved together, and where along them the estimates say that something is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from pcaimage.codec.estimates import Rates, Similarity, SimilarityRates
from pcaimage.codec.settings import DEFAULT_STEP
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step

Choice = tuple[int, Step]

DECIBELS_PER_OCTAVE = 6.02
DISSIMILARITY = 1.3
"""About how many octaves 1 - SSIM grows with an octave of the step."""

TYPICAL_PSNR, TYPICAL_DISSIMILARITY = 38.0, 0.03
_COARSEST = 1e7


@dataclass(frozen=True)
class WaterLevel:
    """k and Δ moved together: all components that stand out of a water level, at its step."""

    analysis: Spectrum
    rates: Rates

    def at(self, log_step: float, k: int | None = None) -> Choice:
        """Return k and Δ at a water level.

        Parameters
        ----------
        log_step : float
            log2 of Δ.

        Returns
        -------
        (int, Step)
            The choice.
        """
        step = Step.nearest(2.0**log_step)
        return self.analysis.k_for_step(float(step)) if k is None else k, step

    @property
    def bounds(self) -> tuple[float, float]:
        """The finest and the coarsest step worth trying, as log2."""
        finest = math.log2(self.analysis.finest_step)
        largest = float(self.analysis.levels[0]) if self.analysis.n_components else 0.0
        coarsest = math.log2(max(2 * math.sqrt(12 * largest), 2 * self.analysis.finest_step))
        return finest, min(coarsest, math.log2(_COARSEST))

    def where(self, reached: Callable[[float], bool]) -> float:
        """Return the coarsest step for which something holds that holds for all finer ones.

        Parameters
        ----------
        reached : callable
            Takes log2 of Δ.

        Returns
        -------
        float
            log2 of Δ; the finest, if it holds nowhere.
        """
        low, high = self._bracket(reached) if self.analysis.header.traits.costly_trials else self.bounds
        if reached(high):
            return high
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (middle, high) if reached(middle) else (low, middle)
        return low

    def _bracket(self, reached: Callable[[float], bool]) -> tuple[float, float]:
        """Go outwards from the usual step: estimates of very fine steps take longest."""
        low, high = self.bounds
        start = min(max(math.log2(DEFAULT_STEP * self.analysis.header.peak / 255), low), high)
        width = 1.0
        if reached(start):
            while start < high and reached(min(start + width, high)):
                start, width = min(start + width, high), 2 * width
            return start, min(start + width, high)
        while start > low and not reached(max(start - width, low)):
            start, width = max(start - width, low), 2 * width
        return max(start - width, low), start

    def estimated_psnr(self, log_step: float) -> float:
        """Return the estimate at a water level.

        Parameters
        ----------
        log_step : float
            log2 of Δ.

        Returns
        -------
        float
            Decibels.
        """
        k, step = self.at(log_step)
        return self.rates.estimate(k, float(step)).psnr

    def estimated_dissimilarity(self, log_step: float, measure: Similarity) -> float:
        """Return the estimate of 1 - SSIM at a water level, of photos only.

        Parameters
        ----------
        log_step : float
            log2 of Δ.

        Returns
        -------
        float
            From 0, where pictures are equal; a guess where the estimates do not know pixels.
        """
        if isinstance(self.rates, SimilarityRates):
            return 1 - self.rates.similarity(float(self.at(log_step)[1]), measure)
        decibels: float = TYPICAL_PSNR - self.estimated_psnr(log_step)
        return TYPICAL_DISSIMILARITY * math.exp2(decibels / DECIBELS_PER_OCTAVE * DISSIMILARITY)

    def estimated_bytes(self, log_step: float) -> int:
        """Return the estimate at a water level.

        Parameters
        ----------
        log_step : float
            log2 of Δ.

        Returns
        -------
        int
            Bytes, without metadata and opacity.
        """
        k, step = self.at(log_step)
        return self.rates.estimate(k, float(step)).n_bytes
