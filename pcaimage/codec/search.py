"""Search for the step that reaches a target, by trial encodes."""

from __future__ import annotations

import math
from collections.abc import Callable

from pcaimage.codec.methods import quantize
from pcaimage.codec.model import Model
from pcaimage.codec.waterlevel import WaterLevel
from pcaimage.errors import TargetError
from pcaimage.progress import Progress, part

MAX_TRIES, MAX_COSTLY_TRIES = 12, 3
"""Most trials of the two searches: where trials are costly, estimates are so close that few suffice."""

SMALL = 1 << 12
"""Images of at most so many samples are coded at once, and small changes of the step make larger jumps."""

RESOLUTION, JUMP, MOST_OCTAVES = 2e-4, 0.02, 3.0
"""In octaves of the step: where a search ends, where k counts as jumping, and how far a step may go then."""

Gap = tuple[float, Callable[[], float]] | None


class Nearest:
    """Collects trials, and knows the one nearest to a target."""

    def __init__(self, target: float, tolerance: float) -> None:
        self.target, self.tolerance = target, tolerance
        self._best: tuple[float, Model] | None = None

    @property
    def best(self) -> tuple[float, Model] | None:
        """The value nearest to the target so far, and its model."""
        return self._best

    def add(self, value: float, model: Model) -> float | None:
        """Add a trial; return by how much it exceeds the target, or None if it is within the tolerance."""
        if self._best is None or abs(value - self.target) < abs(self._best[0] - self.target):
            self._best = value, model
        return None if abs(value - self.target) <= self.tolerance else value - self.target

    def result(self, complaint: Callable[[float], str]) -> Model:
        """Return the nearest model; raise TargetError if it is not within the tolerance."""
        if self._best is None or abs(self._best[0] - self.target) > self.tolerance:
            raise TargetError(complaint(math.inf if self._best is None else self._best[0]))
        return self._best[1]


def search(level: WaterLevel, place: float, gap: Callable[[Model, float], Gap], progress: Progress) -> None:
    """Try steps until one is right, first along the water level, then at a fixed k.

    Where k jumps from one level to the next, size and quality jump with it; targets within the gap are
    reached by coarser steps at the larger k.

    Parameters
    ----------
    place : float
        log2 of the step to begin with.
    gap : callable
        Takes a trial and its log2 of the step. Returns by about how many octaves it is too fine (positive) or
        too coarse, and a function that returns where estimates are right if they are as wrong as here; None
        if the trial is right.
    """
    if level.analysis.header.traits.costly_trials:
        _search_by_estimates(level, place, gap, progress)
        return
    low, high = level.bounds
    k: int | None = None
    for attempt in range(2 * MAX_TRIES):
        progress(attempt, 2 * MAX_TRIES)
        found = gap(quantize(level.analysis, *level.at(place, k)), place)
        if found is None or (place in {low, high} and (found[0] < 0) == (place == low)):
            return
        octaves = found[0]
        low, high = (place, high) if octaves > 0 else (low, place)
        jump = k is None and level.at(low)[0] != level.at(high)[0]
        if high - low < (JUMP if jump else RESOLUTION) or (jump and attempt == MAX_TRIES - 1):
            if not jump:
                return
            k, high = level.at(low)[0], low + MOST_OCTAVES
        guess = place + octaves
        place = guess if low < guess < high else (low + high) / 2


def _search_by_estimates(
    level: WaterLevel, place: float, gap: Callable[[Model, float], Gap], progress: Progress
) -> None:
    """Try a step, then those where estimates are right if their error is that of the last trial.

    As soon as one trial was too fine and another too coarse, the next is interpolated.
    """
    low, high = level.bounds
    sides: dict[bool, tuple[float, float]] = {}
    small = level.analysis.header.n_samples <= SMALL
    tries = MAX_TRIES if small else MAX_COSTLY_TRIES
    for attempt in range(tries):
        inside = part(progress, attempt / tries, (attempt + 1) / tries)
        found = gap(quantize(level.analysis, *level.at(place), inside), place)
        if found is None or (place in {low, high} and (found[0] < 0) == (place == low)):
            return
        octaves, again = found
        sides[octaves > 0] = place, octaves
        if len(sides) == 2:
            (finer, above), (coarser, below) = sides[True], sides[False]
            share = above / (above - below) if math.isfinite(above) else 0.5
            # Not next to one of them, where a trial would be of little use.
            place = finer + (coarser - finer) * min(max(share, 0.1), 0.9)
            continue
        guess = again()
        place = guess if (guess > place) == (octaves > 0) and guess != place else place + octaves
        place = min(max(place, low), high)
