"""Timing of functions on a shared machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

PATIENCE = 5.0
"""Total seconds after which a function is not repeated any more."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Timing:
    """The times of repeated runs.

    The best time is the one least disturbed by other load, and is the basis of ratios.

    Parameters
    ----------
    seconds : tuple of float
        At least one.
    """

    seconds: tuple[float, ...]

    @property
    def best(self) -> float:
        """The shortest time."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The median time."""
        return self.percentile(50)

    @property
    def worst(self) -> float:
        """The longest time."""
        return max(self.seconds)

    def percentile(self, percent: float) -> float:
        """Return the time in seconds that `percent` of the runs did not exceed."""
        return float(np.percentile(self.seconds, percent))

    def summary(self) -> dict[str, float]:
        """Return a summary in seconds."""
        return {
            "best": self.best,
            "median": self.median,
            "p95": self.percentile(95),
            "worst": self.worst,
            "runs": len(self.seconds),
        }


def once(function: Callable[[], Result]) -> tuple[float, Result]:
    """Call a function; return its duration in seconds, and its result."""
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def repeated(function: Callable[[], Result], runs: int) -> tuple[Timing, Result]:
    """Time a function at most `runs` times, within a limit on total time; return times and last result."""
    seconds, result = once(function)
    taken = [seconds]
    while len(taken) < runs and sum(taken) < PATIENCE:
        seconds, result = once(function)
        taken.append(seconds)
    return Timing(tuple(taken)), result


def alternating(functions: Mapping[str, Callable[[], object]], runs: int) -> dict[str, Timing]:
    """Time functions alternately, so that a slow period of the machine affects all of them.

    A first round is not counted.
    """
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(runs + 1):
        for name, function in functions.items():
            taken, _ = once(function)
            if turn:
                seconds[name].append(taken)
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}
