"""Timing of functions on a machine that others use as well."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

PATIENCE = 5.0
"""Seconds in all after which a function is not repeated any more."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Timing:
    """The times of repeated runs.

    The best time is the least disturbed by whatever else the machine did, and is what ratios are made of.

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
        """Return the time that some share of the runs did not exceed.

        Parameters
        ----------
        percent : float
            From 0 to 100.

        Returns
        -------
        float
            Seconds.
        """
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
    """Call a function and time it.

    Parameters
    ----------
    function : callable
        Without arguments.

    Returns
    -------
    (float, object)
        Seconds, and what it returned.
    """
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def repeated(function: Callable[[], Result], runs: int) -> tuple[Timing, Result]:
    """Time a function several times, within a limit of total time.

    Parameters
    ----------
    function : callable
        Without arguments.
    runs : int
        How often at most; once in any case.

    Returns
    -------
    (Timing, object)
        The times, and what it returned last.
    """
    seconds, result = once(function)
    taken = [seconds]
    while len(taken) < runs and sum(taken) < PATIENCE:
        seconds, result = once(function)
        taken.append(seconds)
    return Timing(tuple(taken)), result


def alternating(functions: Mapping[str, Callable[[], object]], runs: int) -> dict[str, Timing]:
    """Time several functions in turns, so that a slow minute of the machine affects all of them.

    Parameters
    ----------
    functions : mapping of str to callable
        Each without arguments.
    runs : int
        How many turns; one more, before them, is not counted.

    Returns
    -------
    dict of str to Timing
        By name.
    """
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(runs + 1):
        for name, function in functions.items():
            taken, _ = once(function)
            if turn:
                seconds[name].append(taken)
    return {name: Timing(tuple(taken)) for name, taken in seconds.items()}
