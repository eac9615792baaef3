"""Search for the step that reaches a target, by trial encodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from pcaimage.codec.model import Model
from pcaimage.codec.waterlevel import Choice, WaterLevel
from pcaimage.errors import TargetError
from pcaimage.progress import Progress, Stages

MAX_TRIES, MAX_COSTLY_TRIES = 12, 6
"""Most trials of the two kinds of search. Costly trials have good estimates, so that two usually suffice."""

SMALL = 1 << 12
"""Largest number of samples at which coding is instant, but size jumps with small changes of the step."""

RESOLUTION, JUMP, MOST_OCTAVES, ASIDE = 2e-4, 0.02, 3.0, 0.004
"""Resolution of a search, width at which k counts as jumping, largest detour then, and distance of further
trials where a search ends without success: in octaves of the step."""

BEYOND = 0.2
"""Octaves by which an estimated step is passed to have one on its other side."""

SAMPLES, NEAR = 3, 0.2
"""Most samples coded before the first trial; sampling ends when the step moves by fewer octaves than this."""

SAMPLING, ANOTHER = 0.1, 0.05
"""Duration of a sample relative to a trial, and time reserved for another trial if nothing else follows."""

ESTIMATING, ESTIMATES = 3.0, 15
"""Duration of the estimates relative to all trials that are not costly, and their approximate number."""

Trial = Callable[[Choice, Progress], Model]
"""Quantises an image at k and Δ."""


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


class Nearest:
    """Collects trials, and keeps the one that is least above a target.

    Trials go on until one is not below the target, nor above it by more than the tolerance. If none is, one
    that is better than asked for is as good: small images have few qualities, and flat ones only one.
    """

    def __init__(self, target: float, tolerance: float) -> None:
        self.target, self.tolerance = target, tolerance
        self._best: tuple[float, Model] | None = None
        self._better: tuple[float, Model] | None = None

    @property
    def aim(self) -> float:
        """The middle of the values at which trials end."""
        return self.target + self.tolerance / 2

    @property
    def best(self) -> tuple[float, Model] | None:
        """The value nearest to the target so far, and its model."""
        return self._best

    @property
    def better(self) -> tuple[float, Model] | None:
        """The smallest value so far that is not below the target, and its model."""
        return self._better

    def add(self, value: float, model: Model) -> bool:
        """Add a trial; return whether it is within the tolerance."""
        if self._best is None or abs(value - self.target) < abs(self._best[0] - self.target):
            self._best = value, model
        if value >= self.target and (self._better is None or value <= self._better[0]):
            self._better = value, model
        return 0 <= value - self.target <= self.tolerance

    def result(self, complaint: Callable[[float], str]) -> Model:
        """Return the model that is least above the target; raise TargetError if none reaches it."""
        if self._better is None:
            raise TargetError(complaint(math.nan if self._best is None else self._best[0]))
        return self._better[1]


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
        found = value(trial(level.at(place, k), _cancelling(progress, attempt)))
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


def _cancelling(progress: Progress, attempt: int) -> Progress:
    """Return a progress callback that can cancel a trial, but does not report its progress."""
    return lambda _done, _total: progress(attempt, 2 * MAX_TRIES)


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
