"""Quantisation to a given quality or size: estimates find the step, trial encodes settle it."""

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
"""In decibels; the rest to 0.05 allows for the rounding of steps."""

SIZE_TOLERANCE = 0.01
"""Files that are smaller than the target by no more than this share are accepted."""

SSIM_TOLERANCE = 0.0015

_LEAST = 1e-6

T = TypeVar("T")


def measured_psnr(array: NDArray[Any], model: Model) -> float:
    """Return the PSNR of a quantised image in decibels; infinite for no error."""
    return psnr_of_mse(model.mean_squared_error(array), model.header.peak)


def reach_psnr(
    array: NDArray[Any],
    level: WaterLevel,
    target: float,
    progress: Progress = no_progress,
    *,
    nearest: Nearest | None = None,
) -> Model:
    """Quantise an image to within 0.05 dB of a PSNR; raise TargetError if it is out of reach.

    `nearest` collects all trials, for callers that accept the nearest although it is too far away; it has a
    tolerance of its own.
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
    """Quantise an image to within 0.002 of an SSIM, as :func:`reach_psnr`."""
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
    """Return the largest encoding of at most `target` bytes that was found.

    `complete` encodes a quantised image, and `measure` returns the size of the result. Raises TargetError,
    which names the smallest size, if nothing fits.
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
