"""Search for the step that reaches a target, by trial encodes.

It goes along water levels, on which k and Δ are coupled by reverse water-filling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from pcaimage.codec.estimates import Estimate, Rates, Similarity, SimilarityRates
from pcaimage.codec.method import Model
from pcaimage.codec.spectrum import Spectrum
from pcaimage.codec.step import Step
from pcaimage.errors import TargetError
from pcaimage.progress import Progress, Stages, constant

Choice = tuple[int, Step]

DECIBELS_PER_OCTAVE = 6.02
DISSIMILARITY = 1.3  # approximate octaves by which 1 - SSIM grows with an octave of the step

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


MAX_TRIES, MAX_COSTLY_TRIES = 12, 6
"""Most trials of the two kinds of search. Costly trials have good estimates, so that two usually suffice."""

SMALL = 1 << 12
"""Largest number of samples at which coding is instant, but size jumps with small changes of the step."""

RESOLUTION, JUMP, MOST_OCTAVES, ASIDE = 2e-4, 0.02, 3.0, 0.004
"""Resolution of a search, width at which k counts as jumping, largest detour then, and distance of further
trials where a search ends without success: in octaves of the step."""

BEYOND = 0.2  # octaves by which an estimated step is passed to have one on its other side

SAMPLES, NEAR = 3, 0.2
"""Most samples coded before the first trial; sampling ends when the step moves by fewer octaves than this."""

SAMPLING, ANOTHER = 0.1, 0.05
"""Duration of a sample relative to a trial, and time reserved for another trial if nothing else follows."""

ESTIMATING, ESTIMATES = 3.0, 15
"""Duration of the estimates relative to all trials that are not costly, and their approximate number."""

Trial = Callable[[Choice, Progress], Model]  # quantises an image at k and Δ


@dataclass(frozen=True)
class Aim:
    """The target of a search, in a measure that falls by about one for each octave of the step.

    Two functions estimate the measure at a log2 of the step: instantly, and as well as is worthwhile before a
    trial.
    """

    level: WaterLevel
    wanted: float
    rough: Callable[[float], float]
    sampled: Callable[[float], float]

    @classmethod
    def of(cls, level: WaterLevel, wanted: float, measure: Callable[[Estimate], float]) -> Aim:
        """Return the aim at a measure of estimates."""
        return cls(
            level,
            wanted,
            lambda place: measure(level.rough(place)),
            lambda place: measure(level.sampled(place)),
        )

    def first(self, progress: Progress) -> float:
        """Return log2 of the first step to try."""
        asked = count()

        def reached(log_step: float) -> bool:
            progress(min(next(asked), ESTIMATES - 1), ESTIMATES)
            return self.rough(log_step) >= self.wanted

        if not self.level.analysis.header.traits.costly_trials:
            return self.level.where(reached, self._around())
        place = self.level.where(reached)
        for _ in range(SAMPLES):
            progress(ESTIMATES, ESTIMATES)
            before, place = place, self.again(place, self.sampled(place))
            if abs(place - before) < NEAR:
                break
        return place

    def _around(self) -> tuple[float, float]:
        """Return steps on both sides of the target, found by few estimates, as they take long."""
        low, high = self.level.bounds
        place = (low + high) / 2
        while low < place < high:
            over = self.rough(place) - self.wanted
            low, high = (place, high) if over >= 0 else (low, place)
            place += over + math.copysign(BEYOND, over)
        return low, high

    def again(self, place: float, value: float) -> float:
        """Return log2 of the step that reaches the target if the rough estimate's error stays the same."""
        rough = self.rough(place)
        return self._place(value - rough if math.isfinite(value) and math.isfinite(rough) else 0.0)

    def corrected(self, place: float, value: float) -> float:
        """Return log2 of the step where a trial is right, judging by another one and by samples at both."""
        guess = self.again(place, value)
        there, here = self.sampled(guess), self.sampled(place)
        expected = value + there - here
        if not math.isfinite(expected) or math.isclose(there, here):
            return guess
        slope = (there - here) / (guess - place)
        return guess + (self.wanted - expected) / slope

    def _place(self, offset: float) -> float:
        return self.level.where(lambda log_step: self.rough(log_step) + offset >= self.wanted)


@dataclass(eq=False)
class Nearest:
    """Collects trials, and keeps the one that is least above a target.

    Trials go on until one is not below the target, nor above it by more than the tolerance. If none is, one
    that is better than asked for is as good: small images have few qualities, and flat ones only one.
    """

    target: float
    tolerance: float
    best: tuple[float, Model] | None = None  # the value nearest to the target so far, and its model
    better: tuple[float, Model] | None = None  # the smallest value from the target on, and its model

    @property
    def aim(self) -> float:
        """The middle of the values at which trials end."""
        return self.target + self.tolerance / 2

    def add(self, value: float, model: Model) -> bool:
        """Add a trial; return whether it is within the tolerance."""
        if self.best is None or abs(value - self.target) < abs(self.best[0] - self.target):
            self.best = value, model
        if value >= self.target and (self.better is None or value <= self.better[0]):
            self.better = value, model
        return 0 <= value - self.target <= self.tolerance

    def result(self, complaint: Callable[[float], str]) -> Model:
        """Return the model that is least above the target; raise TargetError if none reaches it."""
        if self.better is None:
            raise TargetError(complaint(math.nan if self.best is None else self.best[0]))
        return self.better[1]


def search(
    aim: Aim, trial: Trial, value: Callable[[Model], float | None], stages: Stages, rest: float
) -> None:
    """Try steps until one meets the target: first along the water level, then at a fixed k.

    Where k jumps between two water levels, size and quality jump with it; targets within the gap are reached
    with coarser steps at the larger k. `value` measures a trial as :class:`Aim` does, and is None if it meets
    the target. Each trial is a stage; `rest` is the duration of what follows the search, relative to a trial.
    """
    if aim.level.analysis.header.traits.costly_trials:
        _search_by_estimates(aim, trial, value, stages, rest)
        return
    level, place = aim.level, aim.first(stages.next(ESTIMATING, 1.0 + rest))
    (low, high), progress = level.bounds, stages.next(1.0, rest)
    k: int | None = None
    aside = 0
    for attempt in range(2 * MAX_TRIES):
        progress(attempt, 2 * MAX_TRIES)
        found = value(trial(level.at(place, k), constant(progress, attempt, 2 * MAX_TRIES)))
        octaves = 0.0 if found is None else found - aim.wanted
        if found is None or (place in {low, high} and (octaves < 0) == (place == low)):
            return
        if aside:
            aside, place = aside + 1, place + (aside if aside % 2 else -aside) * ASIDE
            continue
        low, high = (place, high) if octaves > 0 else (low, place)
        jump = k is None and level.at(low)[0] != level.at(high)[0]
        if high - low < (JUMP if jump else RESOLUTION) or (jump and attempt == MAX_TRIES - 1):
            if jump:
                k, high = level.at(low)[0], low + MOST_OCTAVES
            else:
                # Small images jump up and down with small changes of the step: one beside it may do.
                aside = 1
        guess = place + octaves
        place = guess if low < guess < high else (low + high) / 2


def _search_by_estimates(
    aim: Aim, trial: Trial, value: Callable[[Model], float | None], stages: Stages, rest: float
) -> None:
    """Try a step, then those where estimates are right if their error is that of the last trial.

    As soon as one trial was too fine and another too coarse, the next is interpolated.
    """
    level, place = aim.level, aim.first(stages.next(SAMPLING, 1.0 + rest))
    low, high = level.bounds
    small = level.analysis.header.n_samples <= SMALL
    sides: dict[bool, tuple[float, float]] = {}
    for _ in range(MAX_TRIES if small else MAX_COSTLY_TRIES):
        chosen = level.at(place)
        model = trial(chosen, stages.next(1.0, max(rest, ANOTHER)))
        if model.header.step != chosen[1]:
            place = math.log2(float(model.header.step))  # the trial has found a better one
        found = value(model)
        octaves = 0.0 if found is None else found - aim.wanted
        if found is None or (place in {low, high} and (octaves < 0) == (place == low)):
            return
        sides[octaves > 0] = place, octaves
        if len(sides) == 2:
            (finer, above), (coarser, below) = sides[True], sides[False]
            share = above / (above - below) if math.isfinite(above) else 0.5
            # Not next to one of them, where a trial would be of little use.
            place = finer + (coarser - finer) * min(max(share, 0.05), 0.95)
            continue
        guess = aim.again(place, found) if small else aim.corrected(place, found)
        place = guess if (guess > place) == (octaves > 0) and guess != place else place + octaves
        place = min(max(place, low), high)
