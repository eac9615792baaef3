"""What is known around a score, and what a score tells of others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import inline
from pcaimage.codec.photo.relations import LANES, LEVELS, SIGN_TARGETS, Plan

Sizes = NDArray[np.int8]
Places = NDArray[np.int64]

UNARY = 16
"""Magnitudes up to here are coded in unary; what is above, as an exponential Golomb number."""

INPUTS, SIGN_INPUTS = 8, 5
CONTEXTS = (480, 3780, 1500, 1600, 1728, 8000, 6000, 1200)
"""How many contexts each input has."""

SIGN_CONTEXTS = (160, 2646, 1701, 400, 1701)
OFFSETS = tuple(sum(CONTEXTS[:index]) for index in range(INPUTS))
SIGN_OFFSETS = tuple(sum(SIGN_CONTEXTS[:index]) for index in range(SIGN_INPUTS))

BINS = 40
"""Thirds of an octave of what is expected."""

LOUDEST = 24
"""Magnitudes count up to here for what is expected of others."""

GROUPS, AROUND = 12, 8
NEAR = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7], np.int64)
_OFFSETS, _SIGN_OFFSETS = np.array(OFFSETS, np.int64), np.array(SIGN_OFFSETS, np.int64)


class Expected(NamedTuple):
    """What is expected of a slice's scores, and what is known of them.

    Parameters
    ----------
    size : ndarray of int16, shape (rows, columns, m)
        Magnitudes in 1/256 steps, from all that was coded.
    own : ndarray of int16, shape (rows, columns, m)
        From the same block alone; m is n filled up to a multiple of :data:`LANES`.
    value : ndarray of int16, shape (rows, columns, n)
        With its sign, from the block above and the block to the left.
    known : ndarray of int8, shape (n + 1, rows + 2, columns + 2)
        The magnitudes that were coded, up to :data:`LOUDEST`, with a border of zeros; the last plane stands
        for components that there are not.
    """

    size: NDArray[np.int16]
    own: NDArray[np.int16]
    value: NDArray[np.int16]
    known: Sizes


class Family(NamedTuple):
    """Magnitudes of the components that are close to the one that is coded, and facts about it.

    Parameters
    ----------
    first, second, parent, uncle, third, fourth : ndarray of int8, shape (rows + 2, columns + 2)
        Planes of ``Plan.related``.
    channel, group, place : int
        As in :class:`~pcaimage.codec.photo.relations.Plan`, the channel at most 2.
    """

    first: Sizes
    second: Sizes
    parent: Sizes
    uncle: Sizes
    third: Sizes
    fourth: Sizes
    channel: int
    group: int
    place: int


@inline
def family(plan: Plan, known: Sizes, index: int) -> Family:
    """Return the components close to one.

    Parameters
    ----------
    plan : Plan
        What was trained.
    known : ndarray of int8
        From :class:`Expected`.
    index : int
        The component.

    Returns
    -------
    Family
        Views of what is known.
    """
    related, none = plan.related[index], known.shape[0] - 1
    return Family(
        known[related[0] if related[0] >= 0 else none],
        known[related[1] if related[1] >= 0 else none],
        known[related[2] if related[2] >= 0 else none],
        known[related[3] if related[3] >= 0 else none],
        known[related[4] if related[4] >= 0 else none],
        known[related[5] if related[5] >= 0 else none],
        min(int(plan.channel[index]), 2),
        int(plan.group[index]),
        int(plan.place[index]),
    )


@inline
def bin_of(bins: NDArray[np.int8], size: int) -> int:
    """Return the bin of an expected magnitude.

    Parameters
    ----------
    bins : ndarray of int8
        Of the plan.
    size : int
        In 1/256 steps.

    Returns
    -------
    int
        From 0 to 39.
    """
    place = size >> 2
    place = max(place, 0)
    place = min(place, LEVELS - 1)
    return int(bins[place])


@inline
def _relatives(kin: Family, y: int, x: int) -> int:
    """Return a context of components close to this one, in the block and around it."""
    if kin.channel == 0:
        ahead = int(kin.first[y, x + 1]) + kin.second[y, x + 1] + kin.first[y + 1, x] + kin.second[y + 1, x]
        far = min(int(kin.third[y, x]), 3) * 4 + min(int(kin.fourth[y, x]), 3)
        return far * 6 + min(int(ahead), 5)
    beside = int(kin.parent[y, x + 1]) + kin.parent[y, x - 1] + kin.parent[y + 1, x] + kin.parent[y - 1, x]
    same = min(int(kin.parent[y, x]), 4) * 4 + min(int(kin.uncle[y, x]), 3)
    return 100 * kin.channel + same * 5 + int(NEAR[min(int(beside), 15)]) // 2


@inline
def size_contexts(
    kin: Family,
    bins: NDArray[np.int8],
    row: int,
    column: int,
    bin_: int,
    size: int,
    own: int,
    value: int,
    causal: int,
    busy: int,
    places: Places,
) -> int:
    """Find the contexts of a magnitude.

    Parameters
    ----------
    kin : Family
        Components close to its own.
    bins : ndarray of int8
        Of the plan.
    row, column : int
        The block.
    bin_ : int
        Of all that is expected.
    size, own, value : int
        What is expected, from :class:`Expected`.
    causal : int
        What the same component of the blocks before adds.
    busy : int
        Magnitudes of the same component in the blocks before, summed up.
    places : ndarray of int64, shape (INPUTS,)
        Takes the contexts.

    Returns
    -------
    int
        The bin of what the block itself expects.
    """
    y, x, half, own_bin = row + 1, column + 1, bin_ >> 1, bin_of(bins, own)
    first, second, parent = int(kin.first[y, x]), int(kin.second[y, x]), int(kin.parent[y, x])
    around_bin, causal_bin = bin_of(bins, size - own), bin_of(bins, causal)
    value_bin = bin_of(bins, abs(value))
    places[0] = bin_ * GROUPS + kin.group
    places[1] = kin.place * 20 + half
    places[2] = ((min(first, 4) * 5 + min(second, 4)) * 3 + min(parent, 2)) * 20 + half
    places[3] = own_bin * BINS + bin_
    places[4] = (min(busy, 11) * 12 + min(2 * (first + second) + parent, 11)) * GROUPS + kin.group
    places[5] = ((own_bin >> 1) * 20 + (around_bin >> 1)) * 20 + (causal_bin >> 1)
    places[6] = _relatives(kin, y, x) * 20 + half
    places[7] = ((value_bin >> 1) * 20 + half) * 3 + kin.channel
    for number in range(INPUTS):
        places[number] = (_OFFSETS[number] + places[number]) * UNARY
    return own_bin


@inline
def _side(score: int, turned: bool) -> int:  # noqa: FBT001
    """Return 0 for zero, 1 for the expected sign, 2 for the other."""
    if score == 0:
        return 0
    return 1 if (score > 0) != turned else 2


@inline
def sign_contexts(
    scores: NDArray[Any],
    plan: Plan,
    value: int,
    index: int,
    row: int,
    column: int,
    magnitude: int,
    half: int,
    places: Places,
) -> int:
    """Find the contexts of whether a sign is other than expected.

    Parameters
    ----------
    scores : ndarray of int16 or int32, shape (n, rows, columns)
        What is coded.
    plan : Plan
        What was trained.
    value : int
        What is expected, from :class:`Expected`.
    index, row, column : int
        The score.
    magnitude : int
        Its magnitude.
    half : int
        Half the bin of what was expected of that.
    places : ndarray of int64, shape (SIGN_INPUTS,)
        Takes the contexts.

    Returns
    -------
    int
        The set of weights.
    """
    turned = value < 0
    bin_, place = bin_of(plan.bins, abs(value)), int(plan.place[index])
    above = _side(int(scores[index, row - 1, column]), turned) if row > 0 else 0
    left = _side(int(scores[index, row, column - 1]), turned) if column > 0 else 0
    parent, uncle = 0, 0
    if plan.channel[index] > 0 and plan.related[index, 2] >= 0:
        parent = _side(int(scores[plan.related[index, 2], row, column]), turned)
    if plan.channel[index] > 0 and plan.related[index, 3] >= 0:
        uncle = _side(int(scores[plan.related[index, 3], row, column]), turned)
    places[0] = bin_ * 4 + min(magnitude, 4) - 1
    places[1] = place * 14 + bin_ // 3
    places[2] = (place * 3 + above) * 3 + left
    places[3] = (bin_ >> 1) * 20 + half
    places[4] = (place * 3 + parent) * 3 + uncle
    for number in range(SIGN_INPUTS):
        places[number] += _SIGN_OFFSETS[number]
    return (bin_ // 3) * 4 + min(magnitude, 4) - 1


@inline
def _add(target: NDArray[np.int16], weights: NDArray[np.int16], factor: np.int16) -> None:
    """Add a multiple of the weights. Counted from 0, or the processor would not do several at once."""
    for place in range(weights.size):
        target[place] += np.int16(factor * weights[place])


@inline
def spread(plan: Plan, expected: Expected, index: int, row: int, column: int, score: int) -> None:
    """Tell the components still to come of a score.

    Parameters
    ----------
    plan : Plan
        What was trained.
    expected : Expected
        Changed.
    index, row, column : int
        Where the score is.
    score : int
        The score; not zero.
    """
    size, value = expected.size, expected.value
    rows, columns, count = value.shape
    magnitude = min(abs(score), LOUDEST)
    expected.known[index, row + 1, column + 1] = magnitude
    factor = np.int16(magnitude)
    # Weights of components that are coded already are zero, and so are those behind the last that is not.
    start = (index + 1) // LANES * LANES
    stop = min(int(plan.last[index, 0]), size.shape[2])
    _add(size[row, column, start:stop], plan.own[index, start:stop], factor)
    _add(expected.own[row, column, start:stop], plan.own[index, start:stop], factor)
    for down in range(-1, 2):
        for right in range(-1, 2):
            y, x = row + down, column + right
            if (down == 0 and right == 0) or y < 0 or x < 0 or y >= rows or x >= columns:
                continue
            if down != 0 and right != 0:
                stop = min(int(plan.last[index, 2]), size.shape[2])
                _add(size[y, x, start:stop], plan.corner[index, start:stop], factor)
            else:
                stop = min(int(plan.last[index, 1]), size.shape[2])
                _add(size[y, x, start:stop], plan.side[index, start:stop], factor)
    signed = magnitude if score > 0 else -magnitude
    for number in range(SIGN_TARGETS):
        other = int(plan.sign_target[index, 0, number])
        if 0 <= other < count and column < columns - 1:
            value[row, column + 1, other] += np.int16(signed * plan.sign_weight[index, 0, number])
        other = int(plan.sign_target[index, 1, number])
        if 0 <= other < count and row < rows - 1:
            value[row + 1, column, other] += np.int16(signed * plan.sign_weight[index, 1, number])
