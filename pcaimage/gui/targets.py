"""From what the user wants of the file to k: estimates find the place, real results settle it. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from pcaimage.gui.panel_view import decibels, file_size
from pcaimage.gui.state import Setting
from pcaimage.gui.work import Task
from pcaimage.progress import Progress

TRIES = 6
"""How often an estimate is corrected at most; they are within 3 % and 0.1 dB."""


@dataclass(frozen=True)
class Target:
    """The k that a target leads to.

    Parameters
    ----------
    k : int
        How many components.
    hint : str
        What to say if the target is out of reach.
    """

    k: int
    hint: str = ""


def find_psnr(task: Task, psnr: float, progress: Progress) -> Target:
    """Find the smallest k that reaches a quality.

    Parameters
    ----------
    task : Task
        Document and components; its k does not matter.
    psnr : float
        Decibels.
    progress : Progress
        Told of the values of k tried.

    Returns
    -------
    Target
        The k, or the nearest.
    """
    most = task.fit.n_components

    def estimated(k: int) -> float:
        found = _at(task, k).estimate(progress)
        return 0.0 if found is None else found.estimate.psnr

    def real(k: int) -> float:
        return _at(task, k).settle(progress).psnr or 0.0

    k = most if estimated(most) < psnr else _smallest(most, lambda k: estimated(k) >= psnr)
    for tries in range(TRIES):
        reached = real(k)
        if reached >= psnr:
            return Target(k)
        if k == most:
            return Target(k, f"{decibels(psnr)} cannot be reached; {decibels(reached)} is the most.")
        k = most if tries == TRIES - 2 else min(most, max(k + 1, math.ceil(k * 1.02**tries)))
    return Target(most)


def find_size(task: Task, n_bytes: int, progress: Progress) -> Target:
    """Find the largest k whose file does not exceed a size.

    Parameters
    ----------
    task : Task
        Document and components; its k does not matter.
    n_bytes : int
        The size.
    progress : Progress
        Told of the values of k tried.

    Returns
    -------
    Target
        The k, or the nearest.
    """
    most = task.fit.n_components

    def estimated(k: int) -> int:
        known = task.fit.file_size(k)
        if known is not None:
            return known
        found = _at(task, k).estimate(progress)
        return 0 if found is None else found.estimate.n_bytes

    def real(k: int) -> int:
        known = task.fit.file_size(k)
        return known if known is not None else _at(task, k).measure(progress).n_bytes

    k = most if estimated(most) <= n_bytes else max(1, _smallest(most, lambda k: estimated(k) > n_bytes) - 1)
    for tries in range(TRIES):
        size = real(k)
        if size <= n_bytes:
            return Target(k)
        if k == 1:
            return Target(1, f"{file_size(n_bytes)} cannot be reached; {file_size(size)} is the least.")
        k = 1 if tries == TRIES - 2 else max(1, min(k - 1, math.floor(k * 0.98 * n_bytes / size)))
    return Target(1)


def _at(task: Task, k: int) -> Task:
    return replace(task, setting=Setting(k, task.setting.step))


def _smallest(most: int, holds: Callable[[int], bool]) -> int:
    """Return the smallest k for which something holds that holds for all larger ones, and for `most`."""
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
