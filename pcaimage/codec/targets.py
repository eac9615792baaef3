"""Reaching a quality or a size: estimates find where it is, real encodes settle it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import NDArray

from pcaimage.codec.estimates import Similarity
from pcaimage.codec.model import Model
from pcaimage.codec.search import Gap, Nearest, search
from pcaimage.codec.waterlevel import DECIBELS_PER_OCTAVE, DISSIMILARITY, WaterLevel
from pcaimage.errors import TargetError
from pcaimage.progress import Progress, no_progress
from pcaimage.quality import psnr_of_mse

PSNR_TOLERANCE = 0.04
"""Decibels; half of what is left to 0.05 is for a step's own rounding."""

SIZE_TOLERANCE = 0.01
"""A file this much below the size asked for is as good as it gets."""

SSIM_TOLERANCE = 0.0015

_LEAST = 1e-6

T = TypeVar("T")


def measured_psnr(array: NDArray[Any], model: Model) -> float:
    """Return the quality of a quantised image.

    Returns
    -------
    float
        Peak signal-to-noise ratio in decibels, infinite for no error.
    """
    return psnr_of_mse(model.mean_squared_error(array), model.header.peak)


def reach_psnr(
    array: NDArray[Any],
    level: WaterLevel,
    target: float,
    progress: Progress = no_progress,
    *,
    nearest: Nearest | None = None,
) -> Model:
    """Quantise an image to a given quality.

    Parameters
    ----------
    target : float
        Peak signal-to-noise ratio in decibels.
    """
    found = nearest or Nearest(target, PSNR_TOLERANCE)

    def gap(model: Model, place: float) -> Gap:
        psnr = measured_psnr(array, model)
        far = found.add(psnr, model)
        offset = psnr - level.estimated_psnr(place) if math.isfinite(psnr) else 0.0

        def again() -> float:
            return level.where(lambda log_step: level.estimated_psnr(log_step) + offset >= target)

        return None if far is None else (far / DECIBELS_PER_OCTAVE, again)

    place = level.where(lambda log_step: level.estimated_psnr(log_step) >= target)
    search(level, place, gap, progress)
    return found.result(
        lambda nearest: (
            f"{target:g} dB cannot be reached with this method; the nearest is {nearest:.2f} dB."
            if math.isfinite(nearest)
            else f"{target:g} dB cannot be reached: the image is reproduced without any error."
        )
    )


def reach_ssim(
    array: NDArray[Any],
    level: WaterLevel,
    target: float,
    measure: Similarity,
    progress: Progress = no_progress,
    *,
    nearest: Nearest | None = None,
) -> Model:
    """Quantise an image to a given similarity."""
    found = nearest or Nearest(target, SSIM_TOLERANCE)
    shape = level.analysis.header.shape

    def gap(model: Model, place: float) -> Gap:
        ssim = measure(array.reshape(shape), model.reconstruct().reshape(shape))
        if found.add(ssim, model) is None:
            return None
        ratio = max(1 - ssim, _LEAST) / max(level.estimated_dissimilarity(place, measure), _LEAST)

        def again() -> float:
            return level.where(lambda at: level.estimated_dissimilarity(at, measure) * ratio <= 1 - target)

        return math.log2((1 - target) / max(1 - ssim, _LEAST)) / DISSIMILARITY, again

    place = level.where(lambda at: level.estimated_dissimilarity(at, measure) <= 1 - target)
    search(level, place, gap, progress)
    return found.result(
        lambda nearest: f"An SSIM of {target:g} cannot be reached; the nearest is {nearest:.4f}."
    )


def reach_size(
    level: WaterLevel,
    target: int,
    complete: Callable[[Model], T],
    measure: Callable[[T], int],
    progress: Progress = no_progress,
) -> T:
    """Encode an image into a given number of bytes.

    Returns
    -------
    T
        The largest that was found of what `complete` returned and fits.
    """
    best: tuple[int, T] | None = None
    smallest = 0

    def gap(model: Model, place: float) -> Gap:
        nonlocal best, smallest
        candidate = complete(model)
        n_bytes = measure(candidate)
        smallest = min(smallest or n_bytes, n_bytes)
        if n_bytes <= target and (best is None or n_bytes > best[0]):
            best = n_bytes, candidate
        if target * (1 - SIZE_TOLERANCE) <= n_bytes <= target:
            return None
        aim = target * (1 - SIZE_TOLERANCE / 2)
        more = n_bytes - level.estimated_bytes(place)

        def again() -> float:
            return level.where(lambda log_step: level.estimated_bytes(log_step) + more > aim)

        return math.log2(n_bytes / aim), again

    place = level.where(lambda log_step: level.estimated_bytes(log_step) > target * (1 - SIZE_TOLERANCE / 2))
    search(level, place, gap, progress)
    if best is None:
        raise TargetError(
            f"{target} bytes are too few for this image and method; the smallest file has {smallest} bytes."
        )
    return best[1]
