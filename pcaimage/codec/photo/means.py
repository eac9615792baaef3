"""Coding the constant components: a small picture of the image, number by number.

Each number is predicted from its neighbours by several simple rules, weighted by how wrong each has been
nearby [1]_, [2]_; what is left over is coded with mixed contexts of what was left over around it.

References
----------
.. [1] B. Meyer and P. Tischer, "TMW – a new method for lossless image compression", Picture Coding
   Symposium, Berlin, 1997.
.. [2] G. Deng, "Transform domain LMS-based adaptive prediction for lossless image coding", Signal
   Processing: Image Communication 17, 2002.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import hot, inline
from pcaimage.codec.coding.rangecoder import Bytes, State, Tape, code
from pcaimage.codec.photo.mixing import Mixer, Scales, Words, chance_of, taught
from pcaimage.codec.photo.numbers import code_number, digits, level
from pcaimage.codec.photo.relations import LARGEST

Ints = NDArray[np.int32]

WEST, NORTH, NORTH_WEST, NORTH_EAST, WEST_2, NORTH_2 = range(6)

BITS = 32
"""Bits of a number's binarisation that have models."""

CONTEXTS = 4000
"""Contexts of each input."""

SETS = 60
"""Sets of weights for each bit: three planes, twenty levels of activity."""

SIGNS, BIASES = 3 * 9 * 45 * 8, 3 * 9 * 45
"""Contexts of signs, and of what is known to be left over."""

N_RULES, N_INPUTS = 6, 6
ZONE = 0.06
"""How far what is left over is drawn towards zero before it is rounded, in steps."""

SMALL = 6
"""Numbers up to here are coded in unary, larger ones by their digits."""


class Means(NamedTuple):
    """What coding the constant components learns as it goes on.

    Parameters
    ----------
    mixer : Mixer
        Models of magnitudes.
    signs : ndarray of uint32, shape (SIGNS,)
        Models of signs.
    errors : ndarray of int32, shape (N_RULES, rows + 1, columns + 2)
        How wrong each rule was in the present plane, with a border.
    left : ndarray of int32, shape (n_planes, rows, columns)
        What prediction left over.
    bias : ndarray of int32, shape (2, BIASES)
        Sums and counts of what was left over in each context.
    room : ndarray of int64, shape (4, N_INPUTS)
        Room for a number's contexts, inputs, rules and neighbours.
    """

    mixer: Mixer
    signs: Words
    errors: Ints
    left: Ints
    bias: Ints
    room: NDArray[np.int64]


@inline
def _side(value: int) -> int:
    return 0 if value == 0 else (1 if value > 0 else 2)


@inline
def _at(plane: NDArray[Any], row: int, column: int) -> int:
    """Return a number of a plane, 0 outside of it."""
    if row < 0 or column < 0 or column >= plane.shape[1]:
        return 0
    return int(plane[row, column])


@inline
def _look(plane: NDArray[Any], row: int, column: int, near: NDArray[np.int64]) -> None:
    """Find the neighbours; at the edges the nearest there is."""
    columns = plane.shape[1]
    west = np.int64(plane[row, column - 1]) if column > 0 else np.int64(_at(plane, row - 1, column))
    north = np.int64(plane[row - 1, column]) if row > 0 else west
    near[WEST], near[NORTH] = west, north
    near[NORTH_WEST] = np.int64(plane[row - 1, column - 1]) if row > 0 and column > 0 else north
    near[NORTH_EAST] = np.int64(plane[row - 1, column + 1]) if row > 0 and column < columns - 1 else north
    near[WEST_2] = np.int64(plane[row, column - 2]) if column > 1 else west
    near[NORTH_2] = np.int64(plane[row - 2, column]) if row > 1 else north


@inline
def _blend(near: NDArray[np.int64], errors: Ints, row: int, column: int, rules: NDArray[np.int64]) -> int:
    """Return what the rules expect, each believed as it was right nearby, in eighths."""
    rules[0] = 8 * (near[WEST] + near[NORTH] - near[NORTH_WEST])
    rules[1] = 8 * near[WEST]
    rules[2] = 8 * near[NORTH]
    rules[3] = 8 * (near[WEST] + near[NORTH_EAST] - near[NORTH])
    rules[4] = 8 * (2 * near[WEST] - near[WEST_2])
    rules[5] = 8 * (2 * near[NORTH] - near[NORTH_2])
    total, weight = 0, 0
    for rule in range(N_RULES):
        wrong = np.int64(errors[rule, row, column]) + errors[rule, row, column + 2]
        wrong += 2 * errors[rule, row, column + 1] + 2 * errors[rule, row + 1, column]
        trust = (1 << 24) // ((wrong + 6) * (wrong + 6)) + 1
        total += trust * rules[rule]
        weight += trust
    return total // weight


@inline
def _case(left: Ints, index: int, row: int, column: int) -> int:
    """Return the context of what is known to be left over: its signs around, and in the planes before."""
    first = int(left[0, row, column]) if index > 0 else 0
    second = int(left[1, row, column]) if index > 1 else 0
    plane = left[index]
    around = _side(_at(plane, row, column - 1)) * 3 + _side(_at(plane, row - 1, column))
    case = around * 9 + _side(first) * 3 + _side(second)
    return (case * 5 + min(4, digits(abs(first)))) * 3 + min(index, 2)


@inline
def _choose(
    near: NDArray[np.int64],
    left: Ints,
    index: int,
    row: int,
    column: int,
    fraction: int,
    contexts: NDArray[np.int64],
) -> int:
    """Find the contexts, and return the set of weights."""
    channel, plane = min(index, 2), left[index]
    west, north = abs(_at(plane, row, column - 1)), abs(_at(plane, row - 1, column))
    activity = 2 * west + 2 * north
    activity += abs(_at(plane, row - 1, column - 1)) + abs(_at(plane, row - 1, column + 1))
    slope = abs(near[WEST] - near[NORTH_WEST]) + abs(near[NORTH] - near[NORTH_EAST])
    slope += abs(near[NORTH] - near[NORTH_WEST])
    slope += abs(near[WEST] - near[WEST_2]) + abs(near[NORTH] - near[NORTH_2])
    active, steep = level(activity, 19), level(int(slope), 19)
    first = level(int(abs(left[0, row, column])), 9) if index > 0 else 0
    second = level(int(abs(left[1, row, column])), 9) if index > 1 else 0
    contexts[0] = channel * 20 + active
    contexts[1] = (channel * 20 + steep) * 20 + active
    contexts[2] = (channel * 10 + first) * 20 + active
    contexts[3] = (channel * 13 + level(2 * west, 12)) * 13 + level(2 * north, 12)
    contexts[4] = ((channel * 10 + first) * 10 + second) * 10 + active // 2
    contexts[5] = (channel * 20 + steep) * 8 + fraction
    for number in range(N_INPUTS):
        contexts[number] = (number * CONTEXTS + contexts[number]) * BITS
    return (channel * 20 + active) * BITS


@inline
def _rounded(wanted: np.float32, whole: int, highest: int) -> int:
    """Return what is to be left over: rounded a little towards nothing, which costs fewer bits."""
    rest = min(max(wanted, np.float32(-highest)), np.float32(highest)) - np.float32(whole)
    size = int(abs(rest) + np.float32(0.5 - ZONE))
    return size if rest > 0 else -size


@hot
def code_means(
    index: int,
    wanted: NDArray[np.float32],
    plane: NDArray[Any],
    means: Means,
    scales: Scales,
    state: State,
    tape: Tape,
    data: Bytes,
    reading: bool,  # noqa: FBT001
) -> None:
    """Code one constant component of a slice, or decode it.

    Parameters
    ----------
    index : int
        Which channel.
    wanted : ndarray of float32, shape (rows, columns)
        The scores in units of the step; not used on reading.
    plane : ndarray of int16 or int32, shape (rows, columns)
        Takes the integers.
    means : Means
        What was learned; changed.
    scales : Scales
        Tables.
    state : ndarray of int64
        The range coder's.
    tape : ndarray of int32
        As for :func:`~pcaimage.codec.coding.rangecoder.code`.
    data : ndarray of uint8
        As for :func:`~pcaimage.codec.coding.rangecoder.code`.
    reading : bool
        Whether to decode.
    """
    highest = 32767 if plane.itemsize == 2 else LARGEST
    contexts, logits, rules, near = means.room[0], means.room[1], means.room[2], means.room[3]
    mixer, errors, left, bias = means.mixer, means.errors, means.left, means.bias
    errors[:] = 0
    target = 0
    for row in range(plane.shape[0]):
        for column in range(plane.shape[1]):
            _look(plane, row, column, near)
            case = _case(left, index, row, column)
            expected = _blend(near, errors, row, column, rules) + bias[0, case] // (bias[1, case] + 4)
            whole = min(max((expected + 4) >> 3, -highest), highest)
            fraction = min(max(expected - (whole << 3), -4), 3) + 4
            sets = _choose(near, left, index, row, column, fraction, contexts)
            if not reading:
                target = _rounded(wanted[row, column], whole, highest)
            value = code_number(
                abs(target),
                SMALL,
                BITS - 1,
                mixer,
                scales,
                contexts,
                sets,
                min(index, 2) * BITS,
                logits,
                N_INPUTS,
                state,
                tape,
                data,
                reading,
            )
            if value > 0:
                place = case * 8 + fraction
                chance = chance_of(means.signs[place], 64)
                negative = code(state, tape, data, chance, 1 if target < 0 else 0, reading)
                means.signs[place] = taught(means.signs[place], negative, scales, 30)
                if negative:
                    value = -value
            number = min(max(whole + value, -highest), highest)
            plane[row, column] = number
            left[index, row, column] = number - whole
            bias[0, case] += min(max(number - whole, -4096), 4096) * 8
            bias[1, case] += 1
            if bias[1, case] > 32:
                bias[0, case] //= 2
                bias[1, case] //= 2
            for rule in range(N_RULES):
                errors[rule, row + 1, column + 1] = min(abs(8 * number - rules[rule]) >> 1, 1 << 20)
