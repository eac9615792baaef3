"""Coding the scores of a component: each in the light of all that is known around it.

A score that is not zero tells of others: its magnitude, times trained weights, is added at once to what is
expected of all later components of its own block and of the eight around it. So the work grows with the
scores that are not zero, and most are. Where next to nothing is expected, a zero costs one bit of one model;
everywhere else several contexts speak, mixed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.jit import hot, inline
from pcaimage.codec.photo.mixing import (
    LOGIT_LIMIT,
    Mixer,
    Scales,
    Words,
    chance_of,
    correct,
    corrected,
    learn,
    mixed,
    taught,
)
from pcaimage.codec.photo.numbers import digits
from pcaimage.codec.photo.rangecoder import ONE, Bytes, State, Tape, code
from pcaimage.codec.photo.relations import LEVELS, SIGN_TARGETS, Plan

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

QUIET = 4
"""Below this bin next to nothing is expected."""

ESCAPES = 24
LOUDEST = 24
"""Magnitudes count up to here for what is expected of others."""

GROUPS, AROUND = 12, 8
QUIET_LIMIT, SIGN_SPEED = 1000, 2

_NEAR = np.array([0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7], np.int64)
_OFFSETS, _SIGN_OFFSETS = np.array(OFFSETS, np.int64), np.array(SIGN_OFFSETS, np.int64)


class Learned(NamedTuple):
    """What coding a slice's scores learns as it goes on; it begins with what was trained.

    Parameters
    ----------
    mixer : Mixer
        Models of magnitudes.
    by_component, by_place : ndarray of int32, shape (n, KNOTS)
        Curves that correct the mixer.
    signs : Mixer
        Models of signs.
    quiet : ndarray of uint32, shape (n, QUIET)
        Models of scores of which next to nothing is expected.
    escapes : ndarray of uint32, shape (3, ESCAPES)
        Models of the digits of large magnitudes.
    """

    mixer: Mixer
    by_component: NDArray[np.int32]
    by_place: NDArray[np.int32]
    signs: Mixer
    quiet: Words
    escapes: Words


class Expected(NamedTuple):
    """What is expected of a slice's scores, and room to work.

    Parameters
    ----------
    size : ndarray of int16, shape (rows, columns, n_components)
        Magnitudes in 1/256 steps, from all that was coded.
    own : ndarray of int16, shape (rows, columns, n_components)
        From the same block alone.
    value : ndarray of int16, shape (rows, columns, n_components)
        With its sign, from the block above and the block to the left.
    """

    size: NDArray[np.int16]
    own: NDArray[np.int16]
    value: NDArray[np.int16]


class Room(NamedTuple):
    """Room for a score's contexts, so that none need be made for each.

    Parameters
    ----------
    places, inputs : ndarray of int64, shape (INPUTS,)
        Contexts and logits of magnitudes.
    sign_places, sign_inputs : ndarray of int64, shape (SIGN_INPUTS,)
        Contexts and logits of signs.
    near : ndarray of int64, shape (4,)
        Scores of the component in the blocks above, to the left, above left and above right.
    """

    places: NDArray[np.int64]
    inputs: NDArray[np.int64]
    sign_places: NDArray[np.int64]
    sign_inputs: NDArray[np.int64]
    near: NDArray[np.int64]


ABOVE, LEFT, ABOVE_LEFT, ABOVE_RIGHT = range(4)


@inline
def _bin(plan: Plan, size: int) -> int:
    """Return the bin of an expected magnitude."""
    return int(plan.bins[min(max(size >> 2, 0), plan.bins.size - 1)])


@inline
def _look(plane: NDArray[Any], row: int, column: int, near: NDArray[np.int64]) -> None:
    """Find the scores of the blocks around that are coded already."""
    above, right = row > 0, column < plane.shape[1] - 1
    near[ABOVE] = plane[row - 1, column] if above else 0
    near[LEFT] = plane[row, column - 1] if column > 0 else 0
    near[ABOVE_LEFT] = plane[row - 1, column - 1] if above and column > 0 else 0
    near[ABOVE_RIGHT] = plane[row - 1, column + 1] if above and right else 0


@inline
def _size(scores: NDArray[Any], index: int, row: int, column: int) -> int:
    """Return a score's magnitude, 0 where there is no such component or block."""
    if index < 0 or row < 0 or column < 0 or row >= scores.shape[1] or column >= scores.shape[2]:
        return 0
    return abs(int(scores[index, row, column]))


@inline
def _relatives(scores: NDArray[Any], plan: Plan, index: int, row: int, column: int) -> int:
    """Return a context of components close to this one, in the block and around it."""
    channel = plan.channel[index]
    first, second = plan.related[index, 0], plan.related[index, 1]
    parent, uncle = plan.related[index, 2], plan.related[index, 3]
    if channel == 0:
        ahead = _size(scores, first, row, column + 1) + _size(scores, second, row, column + 1)
        ahead += _size(scores, first, row + 1, column) + _size(scores, second, row + 1, column)
        far = min(_size(scores, plan.related[index, 4], row, column), 3) * 4
        far += min(_size(scores, plan.related[index, 5], row, column), 3)
        return far * 6 + min(ahead, 5)
    ahead = _size(scores, parent, row, column + 1) + _size(scores, parent, row, column - 1)
    ahead += _size(scores, parent, row + 1, column) + _size(scores, parent, row - 1, column)
    same = min(_size(scores, parent, row, column), 4) * 4 + min(_size(scores, uncle, row, column), 3)
    return 100 * min(int(channel), 2) + same * 5 + int(_NEAR[min(ahead, 15)]) // 2


@inline
def _magnitude_contexts(
    scores: NDArray[Any],
    plan: Plan,
    expected: Expected,
    index: int,
    row: int,
    column: int,
    causal: int,
    places: NDArray[np.int64],
    busy: int,
) -> int:
    """Find the contexts of a magnitude; return the bin of what the block itself expects."""
    size, own = int(expected.size[row, column, index]), int(expected.own[row, column, index])
    bin_, own_bin = _bin(plan, size + causal), _bin(plan, own)
    group, half = plan.group[index], bin_ >> 1
    first = _size(scores, plan.related[index, 0], row, column)
    second = _size(scores, plan.related[index, 1], row, column)
    parent = _size(scores, plan.related[index, 2], row, column)
    value_bin = _bin(plan, abs(int(expected.value[row, column, index])))
    places[0] = bin_ * GROUPS + group
    places[1] = plan.place[index] * 20 + half
    places[2] = ((min(first, 4) * 5 + min(second, 4)) * 3 + min(parent, 2)) * 20 + half
    places[3] = own_bin * BINS + bin_
    places[4] = (min(busy, 11) * 12 + min(2 * (first + second) + parent, 11)) * GROUPS + group
    around_bin, causal_bin = _bin(plan, size - own), _bin(plan, causal)
    places[5] = ((own_bin >> 1) * 20 + (around_bin >> 1)) * 20 + (causal_bin >> 1)
    places[6] = _relatives(scores, plan, index, row, column) * 20 + half
    places[7] = ((value_bin >> 1) * 20 + half) * 3 + min(int(plan.channel[index]), 2)
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
def _sign_contexts(
    scores: NDArray[Any],
    plan: Plan,
    value: int,
    index: int,
    row: int,
    column: int,
    magnitude: int,
    half: int,
    near: NDArray[np.int64],
    places: NDArray[np.int64],
) -> int:
    """Find the contexts of whether a sign is other than expected; return the set of weights."""
    turned = value < 0
    bin_, place = _bin(plan, abs(value)), plan.place[index]
    parent, uncle = 0, 0
    if plan.channel[index] > 0 and plan.related[index, 2] >= 0:
        parent = _side(int(scores[plan.related[index, 2], row, column]), turned)
    if plan.channel[index] > 0 and plan.related[index, 3] >= 0:
        uncle = _side(int(scores[plan.related[index, 3], row, column]), turned)
    above, left = _side(int(near[ABOVE]), turned), _side(int(near[LEFT]), turned)
    places[0] = bin_ * 4 + min(magnitude, 4) - 1
    places[1] = place * 14 + bin_ // 3
    places[2] = (place * 3 + above) * 3 + left
    places[3] = (bin_ >> 1) * 20 + half
    places[4] = (place * 3 + parent) * 3 + uncle
    for number in range(SIGN_INPUTS):
        places[number] += _SIGN_OFFSETS[number]
    return (bin_ // 3) * 4 + min(magnitude, 4) - 1


@inline
def _spread(plan: Plan, expected: Expected, index: int, row: int, column: int, score: int) -> None:
    """Tell the components still to come of a score."""
    size, own, value = expected.size, expected.own, expected.value
    rows, columns, count = size.shape
    magnitude = np.int16(min(abs(score), LOUDEST))
    for other in range(index + 1, count):
        change = np.int16(magnitude * plan.own[index, other])
        size[row, column, other] += change
        own[row, column, other] += change
    for down in range(-1, 2):
        for right in range(-1, 2):
            y, x = row + down, column + right
            if (down == 0 and right == 0) or y < 0 or x < 0 or y >= rows or x >= columns:
                continue
            weights = plan.corner[index] if down != 0 and right != 0 else plan.side[index]
            for other in range(index + 1, count):
                size[y, x, other] += np.int16(magnitude * weights[other])
    signed = magnitude if score > 0 else -magnitude
    for number in range(SIGN_TARGETS):
        other = plan.sign_target[index, 0, number]
        if 0 <= other < count and column < columns - 1:
            value[row, column + 1, other] += np.int16(signed * plan.sign_weight[index, 0, number])
        other = plan.sign_target[index, 1, number]
        if 0 <= other < count and row < rows - 1:
            value[row + 1, column, other] += np.int16(signed * plan.sign_weight[index, 1, number])


@inline
def _chance(learned: Learned, scales: Scales, logit: int, curve: int, place_curve: int) -> int:
    """Return the probability of a bit: the mixer's, corrected by what came of such before."""
    first = corrected(learned.by_component, curve, logit)
    second = corrected(learned.by_place, place_curve, logit)
    chance = (2 * int(scales.probabilities[logit + LOGIT_LIMIT]) + first + second) >> 2
    return min(max(chance, 1), ONE - 1)


@inline
def _escape(
    rest: int,
    channel: int,
    learned: Learned,
    scales: Scales,
    state: State,
    tape: Tape,
    data: Bytes,
    reading: bool,  # noqa: FBT001
) -> int:
    """Code what a magnitude is above the unary part: the count of its digits, then these."""
    length, found = digits(rest + 1) - 1, 0
    while found < ESCAPES - 1:
        word = learned.escapes[channel, found]
        chance = chance_of(word, 64)
        bit = code(state, tape, data, chance, 1 if length > found else 0, reading)
        learned.escapes[channel, found] = taught(word, bit, scales, 30)
        if bit == 0:
            break
        found += 1
    value = 1
    for place in range(found - 1, -1, -1):
        value = 2 * value + code(state, tape, data, ONE // 2, ((rest + 1) >> place) & 1, reading)
    return value - 1


@inline
def _best(
    size: np.float32,
    start: int,
    sign_bits: float,
    price: float,
    learned: Learned,
    scales: Scales,
    room: Room,
    first: int,
    second: int,
    curve: int,
    place_curve: int,
    bits: NDArray[np.float32],
) -> int:
    """Return the magnitude that costs the least: squared error plus the price of its bits.

    Looked at are the nearest whole number, the next one below, and zero instead of two.
    """
    nearest = int(size + 0.5)
    if nearest <= start:
        return nearest
    best, found, spent = 1e30, nearest, 0.0
    for bit in range(start, min(nearest + 1, UNARY)):
        logit = mixed(learned.mixer, scales, room.places, bit, first + bit, second + bit, room.inputs)
        sort = min(bit, 2)
        chance = _chance(learned, scales, logit, curve + sort, place_curve + sort)
        # This bit ends the number where it is 0.
        if bit >= nearest - 1 or (bit == 0 and nearest == 2):
            middle = bit - (0.04 if bit == 1 else (0.02 if bit > 1 else 0.0))
            cost = spent + bits[ONE - chance] + (sign_bits if bit > 0 else 0.0)
            loss = (size - middle) * (size - middle) + price * cost
            if loss < best:
                best, found = loss, bit
        spent += bits[chance]
    if nearest >= UNARY:
        return nearest
    return found


@hot
def code_scores(
    index: int,
    wanted: NDArray[np.float32],
    scores: NDArray[Any],
    plan: Plan,
    learned: Learned,
    expected: Expected,
    room: Room,
    scales: Scales,
    bits: NDArray[np.float32],
    price: float,
    state: State,
    tape: Tape,
    data: Bytes,
    reading: bool,  # noqa: FBT001
) -> None:
    """Code one component of a slice, or decode it.

    Parameters
    ----------
    index : int
        Which component, counted without the constant ones.
    wanted : ndarray of float32, shape (rows, columns)
        The scores without their prediction, in units of the step; not used on reading.
    scores : ndarray of int16 or int32, shape (n_components, rows, columns)
        The integers of the components before; takes those of this one.
    plan : Plan
        What was trained.
    learned : Learned
        What was learned; changed.
    expected : Expected
        What is expected; changed.
    room : Room
        Room to work.
    scales : Scales
        Tables.
    bits : ndarray of float32, shape (65537,)
        What a bit of each probability costs; used on writing alone.
    price : float
        Squared error, in squared steps, that a bit is worth; used on writing alone.
    state, tape, data, reading
        As for :func:`~pcaimage.codec.photo.rangecoder.code`.
    """
    plane = scores[index]
    largest = 32767 if plane.itemsize == 2 else 1 << 24
    place, group = int(plan.place[index]), int(plan.group[index])
    channel, mixer, near = min(int(plan.channel[index]), 2), learned.mixer, room.near
    sizes, quiet, bins, causals = expected.size, learned.quiet[place], plan.bins, plan.causal[index]
    for row in range(plane.shape[0]):
        for column in range(plane.shape[1]):
            size = abs(wanted[row, column]) if not reading else np.float32(0)
            negative = 1 if not reading and wanted[row, column] < 0 else 0
            _look(plane, row, column, near)
            above, left = abs(near[ABOVE]), abs(near[LEFT])
            before, behind = abs(near[ABOVE_LEFT]), abs(near[ABOVE_RIGHT])
            busy = 2 * above + 2 * left + before + behind
            causal = np.int64(0)
            if busy > 0:
                causal += min(above, LOUDEST) * causals[0]
                causal += min(left, LOUDEST) * causals[1]
                causal += min(before, LOUDEST) * causals[2]
                causal += min(behind, LOUDEST) * causals[3]
            bin_ = int(bins[min(max((sizes[row, column, index] + causal) >> 2, 0), LEVELS - 1)])
            start = 0
            if bin_ < QUIET and busy == 0:
                word = quiet[bin_]
                chance = chance_of(word, 2)
                alive = 0
                if size >= 0.5:
                    rest = size - np.float32(0.96)
                    cost = price * (bits[chance] + 2.0 - bits[ONE - chance])
                    alive = 1 if size >= 1.5 or size * size > rest * rest + cost else 0
                alive = code(state, tape, data, chance, alive, reading)
                quiet[bin_] = taught(word, alive, scales, QUIET_LIMIT)
                if alive == 0:
                    continue
                start = 1
            own_bin = _magnitude_contexts(
                scores, plan, expected, index, row, column, int(causal), room.places, int(busy)
            )
            beside = _NEAR[min(busy, 20)]
            first, second = bin_ * UNARY, (group * AROUND + beside) * UNARY
            curve, place_curve = place * 3, (beside * 20 + (own_bin >> 1)) * 3
            value = int(expected.value[row, column, index])
            magnitude = start
            if not reading:
                magnitude = min(int(size + np.float32(0.5)), largest)
                if magnitude > start:
                    sets = _sign_contexts(
                        scores, plan, value, index, row, column, magnitude, bin_ >> 1, near, room.sign_places
                    )
                    logit = mixed(learned.signs, scales, room.sign_places, 0, sets, 0, room.sign_inputs)
                    chance = int(scales.probabilities[logit + LOGIT_LIMIT])
                    other = negative != (1 if value < 0 else 0)
                    magnitude = _best(
                        size,
                        start,
                        bits[chance] if other else bits[ONE - chance],
                        price,
                        learned,
                        scales,
                        room,
                        first,
                        second,
                        curve,
                        place_curve,
                        bits,
                    )
                magnitude = max(magnitude, start)
            found = start
            while found < UNARY:
                sort = min(found, 2)
                logit = mixed(mixer, scales, room.places, found, first + found, second + found, room.inputs)
                chance = _chance(learned, scales, logit, curve + sort, place_curve + sort)
                bit = code(state, tape, data, chance, 1 if magnitude > found else 0, reading)
                learn(
                    mixer, scales, room.places, found, first + found, second + found, room.inputs, logit, bit
                )
                correct(learned.by_component, curve + sort, logit, bit)
                correct(learned.by_place, place_curve + sort, logit, bit)
                if bit == 0:
                    break
                found += 1
            if found == UNARY:
                found += _escape(magnitude - UNARY, channel, learned, scales, state, tape, data, reading)
                found = min(found, largest)
            if found > 0:
                sets = _sign_contexts(
                    scores, plan, value, index, row, column, found, bin_ >> 1, near, room.sign_places
                )
                logit = mixed(learned.signs, scales, room.sign_places, 0, sets, 0, room.sign_inputs)
                chance = int(scales.probabilities[logit + LOGIT_LIMIT])
                turned = 1 if value < 0 else 0
                bit = code(state, tape, data, chance, negative ^ turned, reading)
                learn(learned.signs, scales, room.sign_places, 0, sets, 0, room.sign_inputs, logit, bit)
                score = -found if bit ^ turned else found
                plane[row, column] = score
                _spread(plan, expected, index, row, column, score)
