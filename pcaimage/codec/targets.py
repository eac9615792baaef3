"""Reaching a quality or a size: estimates find where it is, real encodes settle it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.typing import NDArray

from pcaimage.codec.methods import Model, Rates, quantize
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.errors import TargetError
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import mean_squared_error, psnr_of_mse

PSNR_TOLERANCE = 0.04
"""Decibels; half of what is left to 0.05 is for a step's own rounding."""

SIZE_TOLERANCE = 0.01
"""A file this much below the size asked for is as good as it gets."""

MAX_TRIES = 12
"""For each of the two ways of trying."""

RESOLUTION, JUMP, MOST_OCTAVES = 2e-4, 0.02, 3.0
"""Octaves of the step: where a search ends, where k is taken to jump, and how far a step may then go."""

DECIBELS_PER_OCTAVE = 6.02
_COARSEST = 1e7

Choice = tuple[int, Step]
T = TypeVar("T")


@dataclass(frozen=True)
class WaterLevel:
    """k and Δ moved together: all components that stand out of a water level, at its step.

    Parameters
    ----------
    analysis : Spectrum
        The image.
    rates : Rates
        Its estimates.
    """

    analysis: Spectrum
    rates: Rates

    def at(self, log_step: float, k: int | None = None) -> Choice:
        """Return k and Δ at a water level.

        Parameters
        ----------
        log_step : float
            log2 of Δ.
        k : int, optional
            How many components, where they should not follow from Δ.

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
        low, high = self.bounds
        if reached(high):
            return high
        while high - low > 1e-3:
            middle = (low + high) / 2
            low, high = (middle, high) if reached(middle) else (low, middle)
        return low

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


def measured_psnr(array: NDArray[Any], model: Model) -> float:
    """Return the quality of a quantised image.

    Parameters
    ----------
    array : ndarray
        The original.
    model : Model
        Its quantised model.

    Returns
    -------
    float
        Peak signal-to-noise ratio in decibels, infinite for no error.
    """
    mse = mean_squared_error(array, model.reconstruct())
    return psnr_of_mse(mse, model.header.peak)


def reach_psnr(
    array: NDArray[Any], level: WaterLevel, target: float, progress: Progress = no_progress
) -> Model:
    """Quantise an image to a given quality.

    Parameters
    ----------
    array : ndarray
        The image.
    level : WaterLevel
        Its analysis and estimates.
    target : float
        Peak signal-to-noise ratio in decibels.
    progress : Progress, optional
        Told of tries.

    Returns
    -------
    Model
        Within 0.05 dB of the target.

    Raises
    ------
    TargetError
        If the quality is out of reach; the message tells the nearest.
    """
    best: tuple[float, Model] | None = None

    def gap(model: Model) -> float | None:
        nonlocal best
        psnr = measured_psnr(array, model)
        if best is None or abs(psnr - target) < abs(best[0] - target):
            best = psnr, model
        return None if abs(psnr - target) <= PSNR_TOLERANCE else (psnr - target) / DECIBELS_PER_OCTAVE

    place = level.where(lambda log_step: level.estimated_psnr(log_step) >= target)
    _search(level, place, gap, progress)
    if best is None or abs(best[0] - target) > PSNR_TOLERANCE:
        nearest = math.inf if best is None else best[0]
        raise TargetError(
            f"{target:g} dB cannot be reached with this method; the nearest is {nearest:.2f} dB."
            if math.isfinite(nearest)
            else f"{target:g} dB cannot be reached: the image is reproduced without any error."
        )
    return best[1]


def reach_size(
    level: WaterLevel,
    target: int,
    complete: Callable[[Model], T],
    measure: Callable[[T], int],
    progress: Progress = no_progress,
) -> T:
    """Encode an image into a given number of bytes.

    Parameters
    ----------
    level : WaterLevel
        The image's analysis and estimates.
    target : int
        Bytes that must not be exceeded.
    complete : callable
        Codes a quantised image, with all that its file holds.
    measure : callable
        Tells the size of the file.
    progress : Progress, optional
        Told of tries.

    Returns
    -------
    T
        The largest that was found of what `complete` returned and fits.

    Raises
    ------
    TargetError
        If nothing fits; the message tells the smallest size.
    """
    best: tuple[int, T] | None = None
    smallest = 0

    def gap(model: Model) -> float | None:
        nonlocal best, smallest
        candidate = complete(model)
        n_bytes = measure(candidate)
        smallest = min(smallest or n_bytes, n_bytes)
        if n_bytes <= target and (best is None or n_bytes > best[0]):
            best = n_bytes, candidate
        if target * (1 - SIZE_TOLERANCE) <= n_bytes <= target:
            return None
        return math.log2(n_bytes / (target * (1 - SIZE_TOLERANCE / 2)))

    place = level.where(lambda log_step: level.estimated_bytes(log_step) > target)
    _search(level, place, gap, progress)
    if best is None:
        raise TargetError(
            f"{target} bytes are too few for this image and method; the smallest file has {smallest} bytes."
        )
    return best[1]


def _search(
    level: WaterLevel, place: float, gap: Callable[[Model], float | None], progress: Progress
) -> None:
    """Try steps until one is right, first along the water level, then at a k of its own.

    `gap` says by about how many octaves a try is too fine (positive) or too coarse, None if it is right.
    Where k jumps from one level to the next, size and quality jump with it; what lies in the gap is reached
    by coarser steps at the larger k.
    """
    low, high = level.bounds
    k: int | None = None
    for attempt in range(2 * MAX_TRIES):
        progress(attempt, 2 * MAX_TRIES)
        octaves = gap(quantize(level.analysis, *level.at(place, k)))
        if octaves is None or (place in {low, high} and (octaves < 0) == (place == low)):
            return
        low, high = (place, high) if octaves > 0 else (low, place)
        jump = k is None and level.at(low)[0] != level.at(high)[0]
        if high - low < (JUMP if jump else RESOLUTION) or (jump and attempt == MAX_TRIES - 1):
            if not jump:
                return
            k, high = level.at(low)[0], low + MOST_OCTAVES
        guess = place + octaves
        place = guess if low < guess < high else (low + high) / 2
