"""Coding whole numbers that are not negative, bit by bit with mixed contexts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import inline
from pcaimage.codec.coding.rangecoder import ONE, Bytes, State, Tape, code
from pcaimage.codec.photo.mixing import LOGIT_LIMIT, Mixer, Scales, learn, mixed


@inline
def digits(value: int) -> int:
    """Return how many binary digits a number has.

    Parameters
    ----------
    value : int
        Not negative.

    Returns
    -------
    int
        0 for 0.
    """
    count = 0
    while value > 0:
        value >>= 1
        count += 1
    return count


@inline
def level(value: int, most: int) -> int:
    """Return how large a number is, in halves of an octave.

    Parameters
    ----------
    value : int
        Not negative.
    most : int
        The highest level there is.

    Returns
    -------
    int
        The number itself below 3, then two levels for each octave.
    """
    result = value
    if value > 2:
        octave = digits(value) - 1
        result = 2 * octave + ((value >> (octave - 1)) & 1)
    return min(result, most)


@inline
def code_number(
    number: int,
    small: int,
    most: int,
    mixer: Mixer,
    scales: Scales,
    places: NDArray[np.int64],
    first: int,
    second: int,
    inputs: NDArray[np.int64],
    count: int,
    state: State,
    tape: Tape,
    data: Bytes,
    reading: bool,  # noqa: FBT001
) -> int:
    """Code a number, or decode it: in unary first, then the count of its binary digits, then these.

    Parameters
    ----------
    number : int
        What to write; ignored on reading.
    small : int
        Up to here it is unary alone.
    most : int
        The longest unary part.
    mixer : Mixer
        Predicts the unary part; changed.
    scales : Scales
        Tables.
    places : ndarray of int64
        The first model of each input's context.
    first, second : int
        The first of the sets of weights.
    inputs : ndarray of int64
        Room for the inputs.
    count : int
        How many inputs there are.
    state, tape, data, reading
        As for :func:`~pcaimage.codec.coding.rangecoder.code`.

    Returns
    -------
    int
        The number.
    """
    goal = number if number <= small else small + digits(number - small)
    found = 0
    while found < most:
        logit = mixed(mixer, scales, places, found, first + found, second + found, inputs, count)
        chance = int(scales.probabilities[logit + LOGIT_LIMIT])
        bit = code(state, tape, data, chance, 1 if goal > found else 0, reading)
        learn(mixer, scales, places, found, first + found, second + found, inputs, count, logit, bit)
        if bit == 0:
            break
        found += 1
    value = min(found, small)
    if found > small:
        rest = 1
        for place in range(found - small - 2, -1, -1):
            bit = ((number - small) >> place) & 1
            rest = 2 * rest + code(state, tape, data, ONE // 2, bit, reading)
        value += rest
    return value
