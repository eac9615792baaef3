"""Quantisation to a given quality or size: estimates find the step, trial encodes refine it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import NDArray

from pcaimage.codec import methods
from pcaimage.codec.estimates import Estimate, Similarity
from pcaimage.codec.method import Model, Near, Sized
from pcaimage.codec.search import (
    DECIBELS_PER_OCTAVE,
    DISSIMILARITY,
    SMALL,
    Aim,
    Choice,
    Nearest,
    Trial,
    WaterLevel,
    search,
)
from pcaimage.codec.spectrum import Spectrum
from pcaimage.errors import TargetError
from pcaimage.progress import Progress, Stages
from pcaimage.quality import psnr_of_mse

PSNR_TOLERANCE, PSNR_GRANTED = 0.1, 0.5
"""Decibels above a target at which the search ends, and at which no simpler coding is tried."""

SIZE_TOLERANCE = 0.01  # files smaller than the target by no more than this share are accepted
COSTLY_SIZE_TOLERANCE = 0.03  # the same tolerance where another encode takes long

AIMED = 0.45
"""Deviation from the middle of the accepted sizes, as a share of their range, at which a trial is settled."""

SSIM_TOLERANCE, SSIM_GRANTED, SSIM_SHARE = 0.004, 0.012, 0.2
"""The same two of the SSIM, and the largest share of what the target lacks to 1 by which it is exceeded."""

_LEAST = 1e-6

T = TypeVar("T")


def measured_psnr(array: NDArray[Any], model: Model) -> float:
    """Return the PSNR of a quantised image in decibels; infinite for no error."""
    return psnr_of_mse(model.mean_squared_error(array), model.header.peak)


def reach_psnr(
    array: NDArray[Any],
    level: WaterLevel,
    target: float,
    stages: Stages,
    rest: float = 0.0,
    *,
    nearest: Nearest | None = None,
    proven: bool = False,
) -> Model:
    """Quantise an image to a PSNR, or up to 0.1 dB above it; raise TargetError if it cannot be reached.

    Images whose PSNR goes in larger steps exceed it by more, flat ones by any amount.
    `rest` is the duration of what follows, relative to one quantisation. `nearest` collects all trials with
    its own tolerance, for callers that accept the nearest one even if it misses the target; these trials
    depend on the step alone. Otherwise large photos are steered towards the target while they are coded, and
    slices are `proven` meanwhile if that is wanted.
    """
    found, header = nearest or Nearest(target, PSNR_TOLERANCE), level.analysis.header
    method = methods.method_of(header.sampling)
    near = Near(array, header.peak**2 / 10 ** (found.aim / 10), PSNR_TOLERANCE / 2, proven)

    def value(model: Model) -> float | None:
        psnr = measured_psnr(array, model)
        return None if found.add(psnr, model) else psnr / DECIBELS_PER_OCTAVE

    def trial(choice: Choice, progress: Progress) -> Model:
        if nearest is None:
            return method.steered(level.analysis, *choice, near, progress)
        return method.quantize_checked(level.analysis, *choice, array, progress, proven=False)

    def octaves(estimate: Estimate) -> float:
        return estimate.psnr / DECIBELS_PER_OCTAVE

    aim = Aim.of(level, found.aim / DECIBELS_PER_OCTAVE, octaves)
    search(aim, trial, value, stages, rest)

    def again(simpler: WaterLevel) -> Model:
        return reach_psnr(array, simpler, target, stages, rest, proven=proven)

    return _result(
        found,
        PSNR_GRANTED,
        None if nearest else level,
        again,
        lambda nearest: f"{target:g} dB cannot be reached with this method; the most is {nearest:.2f} dB.",
    )


def reach_ssim(
    array: NDArray[Any],
    level: WaterLevel,
    target: float,
    measure: Similarity,
    stages: Stages,
    rest: float = 0.0,
    *,
    nearest: Nearest | None = None,
) -> Model:
    """Quantise an image to an SSIM, or up to 0.004 above it, otherwise as :func:`reach_psnr` does."""
    found = nearest or Nearest(target, min(SSIM_TOLERANCE, SSIM_SHARE * (1 - target)))
    shape = level.analysis.header.shape

    def octaves(dissimilarity: float) -> float:
        return -math.log2(max(dissimilarity, _LEAST)) / DISSIMILARITY

    def value(model: Model) -> float | None:
        ssim = measure(array.reshape(shape), model.reconstruct().reshape(shape))
        return None if found.add(ssim, model) else octaves(1 - ssim)

    aim = Aim(
        level,
        octaves(1 - found.aim),
        lambda place: octaves(level.rough_dissimilarity(place)),
        lambda place: octaves(level.sampled_dissimilarity(place, measure)),
    )
    search(aim, _plain(level), value, stages, rest)

    def again(simpler: WaterLevel) -> Model:
        return reach_ssim(array, simpler, target, measure, stages, rest)

    return _result(
        found,
        SSIM_GRANTED,
        None if nearest else level,
        again,
        lambda nearest: f"An SSIM of {target:g} cannot be reached; the most is {nearest:.4f}.",
    )


def _result(
    found: Nearest,
    granted: float,
    level: WaterLevel | None,
    again: Callable[[WaterLevel], Model],
    complaint: Callable[[float], str],
) -> Model:
    """Return the model that is least above the target.

    If that is by more than is granted, the image is also coded in a simpler way, and the result is what has
    fewer bytes.
    """
    better = found.better
    settled = better is not None and better[0] <= found.target + granted
    simpler = None if level is None or settled else _simpler(level)
    if level is None or simpler is None:
        return found.result(complaint)
    try:
        plain = again(simpler)
    except TargetError:
        return found.result(complaint)
    if better is None or _n_bytes(plain, simpler.analysis) < _n_bytes(better[1], level.analysis):
        return plain
    return better[1]


def _simpler(level: WaterLevel) -> WaterLevel | None:
    """Return the water levels of the image as it is coded in a simpler way; None if there is none."""
    simpler = level.analysis.simpler
    return None if simpler is None else WaterLevel(simpler, methods.estimates(simpler), level.carried)


def _n_bytes(model: Model, analysis: Spectrum) -> int:
    """Return the size of what is coded of a model."""
    packed = methods.pack(model, analysis)
    return len(packed.tiles or b"") + sum(len(part.scores) for part in packed.components)


def reach_size(
    level: WaterLevel,
    target: int,
    complete: Callable[[Model], T],
    measure: Callable[[T], int],
    stages: Stages,
    rest: float = 0.0,
    *,
    by_step: bool = False,
    proven: bool = False,
) -> T:
    """Return the largest encoding found that has at most `target` bytes.

    `complete` encodes a quantised image, and `measure` returns the size of the result; `rest` is as for
    :func:`reach_psnr`. Large photos are steered towards the size while they are coded, unless trials are to
    depend on the step alone; slices are `proven` meanwhile if that is wanted. Raises TargetError, which
    states the smallest size, if nothing fits.
    """
    best: tuple[int, T] | None = None
    smallest = 0
    header = level.analysis.header
    costly = header.traits.costly_trials and header.n_samples > SMALL
    tolerance = COSTLY_SIZE_TOLERANCE if costly else SIZE_TOLERANCE

    def value(model: Model) -> float | None:
        nonlocal best, smallest
        candidate = complete(model)
        n_bytes = measure(candidate)
        smallest = min(smallest or n_bytes, n_bytes)
        if n_bytes <= target and (best is None or n_bytes > best[0]):
            best = n_bytes, candidate
        if target * (1 - tolerance) <= n_bytes <= target:
            return None
        return math.log2(n_bytes)

    wanted = math.log2(target * (1 - tolerance / 2))  # the middle of the accepted range
    aim = Aim.of(level, wanted, lambda estimate: math.log2(estimate.n_bytes + level.carried))
    sized = Sized(2**wanted - level.carried, AIMED * tolerance, proven)

    def trial(choice: Choice, progress: Progress) -> Model:
        return methods.method_of(header.sampling).steered(level.analysis, *choice, sized, progress)

    search(aim, _plain(level) if by_step else trial, value, stages, rest)
    simpler = _simpler(level) if best is None else None
    if simpler is not None:
        return reach_size(simpler, target, complete, measure, stages, rest, by_step=by_step, proven=proven)
    if best is None:
        raise TargetError(
            f"{target} bytes are too few for this image and method; the smallest file has {smallest} bytes."
        )
    return best[1]


def _plain(level: WaterLevel) -> Trial:
    """Return trials that only quantise."""
    return lambda choice, progress: methods.quantize(level.analysis, *choice, progress)
