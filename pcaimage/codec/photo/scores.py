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

from pcaimage.codec.coding.jit import hot, inline
from pcaimage.codec.coding.rangecoder import ONE, Bytes, State, Tape, code
from pcaimage.codec.photo.contexts import (
    AROUND,
    INPUTS,
    NEAR,
    SIGN_INPUTS,
    UNARY,
    Expected,
    bin_of,
    family,
    sign_contexts,
    size_contexts,
    spread,
)
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
from pcaimage.codec.photo.relations import LARGEST, Plan

QUIET = 4
"""Below this bin next to nothing is expected."""

ESCAPES = 24
"""Models of the digits of what is above the unary part."""

QUIET_LIMIT, SIGN_SPEED = 1000, 2


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


class Coder(NamedTuple):
    """All that coding a slice's scores needs besides the scores.

    Parameters
    ----------
    learned : Learned
        What was learned.
    scales : Scales
        Tables.
    contexts, inputs : ndarray of int64, shape (INPUTS,)
        Room for a magnitude's contexts and their logits.
    sign_contexts, sign_inputs : ndarray of int64, shape (SIGN_INPUTS,)
        Room for a sign's.
    bits : ndarray of float32, shape (65537,)
        What a bit of each probability costs; used on writing alone.
    state, tape, data
        The range coder's.
    """

    learned: Learned
    scales: Scales
    contexts: NDArray[np.int64]
    inputs: NDArray[np.int64]
    sign_contexts: NDArray[np.int64]
    sign_inputs: NDArray[np.int64]
    bits: NDArray[np.float32]
    state: State
    tape: Tape
    data: Bytes


class Sets(NamedTuple):
    """Which weights and curves are for a magnitude.

    Parameters
    ----------
    first, second : int
        The first of the sets of weights.
    curve, place_curve : int
        The first of the curves.
    """

    first: int
    second: int
    curve: int
    place_curve: int


@inline
def _chance(coder: Coder, logit: int, sets: Sets, bit: int) -> int:
    """Return the probability of a bit: the mixer's, corrected by what came of such before."""
    sort = min(bit, 2)
    first = corrected(coder.learned.by_component, sets.curve + sort, logit)
    second = corrected(coder.learned.by_place, sets.place_curve + sort, logit)
    chance = (2 * int(coder.scales.probabilities[logit + LOGIT_LIMIT]) + first + second) >> 2
    return min(max(chance, 1), ONE - 1)


@inline
def _escape(rest: int, channel: int, coder: Coder, reading: bool) -> int:  # noqa: FBT001
    """Code what a magnitude is above the unary part: the count of its digits, then these."""
    length, found = digits(rest + 1) - 1, 0
    while found < ESCAPES - 1:
        word = coder.learned.escapes[channel, found]
        chance = chance_of(word, 64)
        bit = code(coder.state, coder.tape, coder.data, chance, 1 if length > found else 0, reading)
        coder.learned.escapes[channel, found] = taught(word, bit, coder.scales, 30)
        if bit == 0:
            break
        found += 1
    value = 1
    for place in range(found - 1, -1, -1):
        bit = ((rest + 1) >> place) & 1
        value = 2 * value + code(coder.state, coder.tape, coder.data, ONE // 2, bit, reading)
    return value - 1


@inline
def _best(size: np.float32, start: int, sign_bits: float, price: float, coder: Coder, sets: Sets) -> int:
    """Return the magnitude that costs the least: squared error plus the price of its bits.

    Looked at are the nearest whole number, the next one below, and zero instead of two.
    """
    nearest = int(size + 0.5)
    if nearest <= start or nearest >= UNARY:
        return nearest
    best, found, spent = 1e30, nearest, 0.0
    for bit in range(start, nearest + 1):
        logit = mixed(
            coder.learned.mixer,
            coder.scales,
            coder.contexts,
            bit,
            sets.first + bit,
            sets.second + bit,
            coder.inputs,
            INPUTS,
        )
        chance = _chance(coder, logit, sets, bit)
        # This bit ends the number where it is 0.
        if bit >= nearest - 1 or (bit == 0 and nearest == 2):
            middle = bit - (0.04 if bit == 1 else (0.02 if bit > 1 else 0.0))
            cost = spent + coder.bits[ONE - chance] + (sign_bits if bit > 0 else 0.0)
            loss = (size - middle) * (size - middle) + price * cost
            if loss < best:
                best, found = loss, bit
        spent += coder.bits[chance]
    return found


@inline
def _magnitude(start: int, wanted: int, channel: int, coder: Coder, sets: Sets, reading: bool) -> int:  # noqa: FBT001
    """Code a magnitude that is known to be at least `start`."""
    mixer, learned, found = coder.learned.mixer, coder.learned, start
    while found < UNARY:
        first, second, sort = sets.first + found, sets.second + found, min(found, 2)
        logit = mixed(mixer, coder.scales, coder.contexts, found, first, second, coder.inputs, INPUTS)
        chance = _chance(coder, logit, sets, found)
        bit = code(coder.state, coder.tape, coder.data, chance, 1 if wanted > found else 0, reading)
        learn(mixer, coder.scales, coder.contexts, found, first, second, coder.inputs, INPUTS, logit, bit)
        correct(learned.by_component, sets.curve + sort, logit, bit)
        correct(learned.by_place, sets.place_curve + sort, logit, bit)
        if bit == 0:
            return found
        found += 1
    return found + _escape(wanted - UNARY, channel, coder, reading)


@inline
def _alive(size: np.float32, word: int, price: float, coder: Coder, reading: bool) -> int:  # noqa: FBT001
    """Code whether a score of which next to nothing is expected is not zero."""
    chance, alive = chance_of(word, 2), 0
    if size >= 0.5:
        rest = size - np.float32(0.96)
        cost = price * (coder.bits[chance] + 2.0 - coder.bits[ONE - chance])
        alive = 1 if size >= 1.5 or size * size > rest * rest + cost else 0
    return code(coder.state, coder.tape, coder.data, chance, alive, reading)


@inline
def _sign_chance(
    scores: NDArray[Any],
    plan: Plan,
    value: int,
    index: int,
    row: int,
    column: int,
    magnitude: int,
    half: int,
    coder: Coder,
) -> tuple[int, int, int]:
    """Return the probability that a sign is other than expected, its logit, and the set of weights."""
    sets = sign_contexts(scores, plan, value, index, row, column, magnitude, half, coder.sign_contexts)
    signs = coder.learned.signs
    logit = mixed(signs, coder.scales, coder.sign_contexts, 0, sets, 0, coder.sign_inputs, SIGN_INPUTS)
    return int(coder.scales.probabilities[logit + LOGIT_LIMIT]), logit, sets


@inline
def _signed(
    scores: NDArray[Any],
    plan: Plan,
    value: int,
    index: int,
    row: int,
    column: int,
    magnitude: int,
    half: int,
    negative: int,
    coder: Coder,
    reading: bool,  # noqa: FBT001
) -> int:
    """Code a sign; return the score."""
    chance, logit, sets = _sign_chance(scores, plan, value, index, row, column, magnitude, half, coder)
    turned = 1 if value < 0 else 0
    bit = code(coder.state, coder.tape, coder.data, chance, negative ^ turned, reading)
    signs, contexts = coder.learned.signs, coder.sign_contexts
    learn(signs, coder.scales, contexts, 0, sets, 0, coder.sign_inputs, SIGN_INPUTS, logit, bit)
    return -magnitude if bit ^ turned else magnitude


@hot
def code_scores(
    index: int,
    wanted: NDArray[np.float32],
    scores: NDArray[Any],
    plan: Plan,
    expected: Expected,
    coder: Coder,
    price: float,
    reading: bool,  # noqa: FBT001
) -> None:
    """Code one component of a slice, or decode it.

    Parameters
    ----------
    index : int
        Which component, counted without the constant ones.
    wanted : ndarray of float32, shape (rows, columns)
        The scores without their prediction, in units of the step; not used on reading.
    scores : ndarray of int16 or int32, shape (n, rows, columns)
        The integers of the components before; takes those of this one.
    plan : Plan
        What was trained.
    expected : Expected
        What is expected; changed.
    coder : Coder
        Changed.
    price : float
        Squared error, in squared steps, that a bit is worth; used on writing alone.
    reading : bool
        Whether to decode.
    """
    plane, known, causals = scores[index], expected.known[index], plan.causal[index]
    largest = 32767 if plane.itemsize == 2 else LARGEST
    kin = family(plan, expected.known, index)
    quiet, bins = coder.learned.quiet[kin.place], plan.bins
    size, negative = np.float32(0), 0
    for row in range(plane.shape[0]):
        for column in range(plane.shape[1]):
            if not reading:
                size = abs(wanted[row, column])
                negative = 1 if wanted[row, column] < 0 else 0
            above, left = int(known[row, column + 1]), int(known[row + 1, column])
            before, behind = int(known[row, column]), int(known[row, column + 2])
            busy = 2 * above + 2 * left + before + behind
            causal = above * causals[0] + left * causals[1] + before * causals[2] + behind * causals[3]
            hoped = int(expected.size[row, column, index]) + causal
            bin_, start = bin_of(bins, hoped), 0
            if bin_ < QUIET and busy == 0:
                word = quiet[bin_]
                start = _alive(size, word, price, coder, reading)
                quiet[bin_] = taught(word, start, coder.scales, QUIET_LIMIT)
                if start == 0:
                    continue
            own = int(expected.own[row, column, index])
            value = int(expected.value[row, column, index])
            own_bin = size_contexts(
                kin, bins, row, column, bin_, hoped - causal, own, value, causal, busy, coder.contexts
            )
            beside = int(NEAR[min(busy, 20)])
            sets = Sets(
                bin_ * UNARY,
                (kin.group * AROUND + beside) * UNARY,
                kin.place * 3,
                (beside * 20 + (own_bin >> 1)) * 3,
            )
            target = 0
            if not reading:
                target = min(int(size + np.float32(0.5)), largest)
                if target > start:
                    half = bin_ >> 1
                    chance = _sign_chance(scores, plan, value, index, row, column, target, half, coder)[0]
                    other = negative != (1 if value < 0 else 0)
                    sign_bits = coder.bits[chance] if other else coder.bits[ONE - chance]
                    target = min(_best(size, start, sign_bits, price, coder, sets), largest)
                target = max(target, start)
            found = min(_magnitude(start, target, kin.channel, coder, sets, reading), largest)
            if found > 0:
                score = _signed(
                    scores, plan, value, index, row, column, found, bin_ >> 1, negative, coder, reading
                )
                plane[row, column] = score
                spread(plan, expected, index, row, column, score)
