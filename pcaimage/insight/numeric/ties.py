"""Runs of equal variances, whose components are arbitrary."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

SAME_VARIANCE = 1e-9
"""Relative difference up to which two variances count as equal."""


def ties(variances: Sequence[float]) -> tuple[range, ...]:
    """Return the runs of two or more components of equal variance, as indices from 0.

    Variances are in descending order, none negative; zeros are equal. Components of a run are arbitrary: any
    orthonormal basis of the space that they span would do.
    """
    equal = [one - other <= SAME_VARIANCE * one for one, other in pairwise(variances)]
    found, first = list[range](), 0
    for index, same in enumerate([*equal, False], start=1):
        if not same:
            if index - first > 1:
                found.append(range(first, index))
            first = index
    return tuple(found)
