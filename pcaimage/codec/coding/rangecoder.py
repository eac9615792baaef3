"""A binary range coder: bits of known probability to bytes, and back, in integer arithmetic.

Models write to a *tape*, bit by bit with its probability; :func:`write` turns a tape into bytes. They read
from the bytes directly. A reader that runs out of bytes goes on with zeros; so a stream may be cut behind
any bit, four bytes after what was certain then. Zeros decode to bits of 0, which are the quickest to decode:
little data cannot keep a reader busy for long.

References
----------
.. [1] G. N. N. Martin, "Range encoding: an algorithm for removing redundancy from a digitised message",
   Video & Data Recording Conference, Southampton, 1979.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.jit import inline, kernel

State = NDArray[np.int64]
Tape = NDArray[np.int32]
Bytes = NDArray[np.uint8]

ONE = 65536
"""Probabilities are whole numbers of 1/65536, neither 0 nor 1."""

BYTES_PER_BIT = 2
"""At most so many bytes does one bit take."""

FINISH_BYTES = 8
"""And so many does the end."""

LOW, RANGE, CACHE, PENDING, PLACE = range(5)
_CODE = LOW
_TOP, _FULL = 1 << 24, (1 << 32) - 1


def writer() -> State:
    """Return the state before anything is written.

    Returns
    -------
    ndarray of int64, shape (5,)
        For :func:`write`. PLACE is the place on the tape while models write.
    """
    return np.array([0, _FULL, 0, 1, 0], np.int64)


@kernel
def write(state: State, tape: Tape, count: int, out: Bytes, place: int) -> int:
    """Write what is on a tape.

    Parameters
    ----------
    state : ndarray of int64, shape (5,)
        From :func:`writer`; changed.
    tape : ndarray of int32
        Probability times two, plus the bit.
    count : int
        How many bits it has.
    out : ndarray of uint8
        Takes the bytes; ``BYTES_PER_BIT * count`` are enough.
    place : int
        Where in it to go on.

    Returns
    -------
    int
        Where in `out` the bytes end that are certain.
    """
    low, width, cache, pending = state[LOW], state[RANGE], state[CACHE], state[PENDING]
    for index in range(count):
        share = (width >> 16) * (tape[index] >> 1)
        if tape[index] & 1:
            low += width - share
            width = share
        else:
            width -= share
        while width < _TOP:
            width <<= 8
            if low < 0xFF000000 or low > _FULL:
                carry = low >> 32
                while pending > 0:
                    out[place] = (cache + carry) & 0xFF
                    place += 1
                    pending -= 1
                    cache = 0xFF
                cache = (low >> 24) & 0xFF
            pending += 1
            low = (low & 0x00FFFFFF) << 8
    state[LOW], state[RANGE], state[CACHE], state[PENDING] = low, width, cache, pending
    return place


@kernel
def finish(state: State, out: Bytes, place: int) -> int:
    """Write what is left.

    Parameters
    ----------
    state : ndarray of int64, shape (5,)
        The state.
    out : ndarray of uint8
        Takes the bytes, :data:`FINISH_BYTES` and those pending.
    place : int
        Where in it to go on.

    Returns
    -------
    int
        Where in `out` the last byte ends that is not zero.
    """
    # The range is at least 2^24, so a multiple of 2^24 lies in it.
    low = ((state[LOW] + 0x00FFFFFF) >> 24) << 24
    carry, byte = low >> 32, state[CACHE]
    for _ in range(state[PENDING]):
        out[place] = (byte + carry) & 0xFF
        place += 1
        byte = 0xFF
    out[place] = (low >> 24) & 0xFF
    place += 1
    while place > 0 and out[place - 1] == 0:
        place -= 1
    return place


@inline
def _next(state: State, data: Bytes) -> int:
    place = state[PLACE]
    state[PLACE] = place + 1
    if place < data.size:
        return int(data[place])
    return 0


@kernel
def reader(data: Bytes) -> State:
    """Return the state before anything is read.

    Parameters
    ----------
    data : ndarray of uint8
        What was written, without the first byte, which is always zero.

    Returns
    -------
    ndarray of int64, shape (5,)
        For :func:`code`.
    """
    state = np.zeros(5, np.int64)
    state[RANGE] = _FULL
    for _ in range(4):
        state[_CODE] = (state[_CODE] << 8) | _next(state, data)
    return state


@inline
def code(state: State, tape: Tape, data: Bytes, probability: int, bit: int, reading: bool) -> int:  # noqa: FBT001
    """Put a bit on the tape, or read one: one function for both, so that models cannot differ.

    Parameters
    ----------
    state : ndarray of int64, shape (5,)
        Of a writer or a reader; changed.
    tape : ndarray of int32
        Takes the bit.
    data : ndarray of uint8
        Has the bit.
    probability : int
        That the bit is 1, in 1/65536.
    bit : int
        What to write; ignored on reading.
    reading : bool
        Which of the two.

    Returns
    -------
    int
        The bit; 0 or 1 whatever the bytes are.
    """
    if not reading:
        tape[state[PLACE]] = (probability << 1) | bit
        state[PLACE] += 1
        return bit
    share = (state[RANGE] >> 16) * probability
    rest = state[RANGE] - share
    if state[_CODE] < rest:
        state[RANGE] = rest
        bit = 0
    else:
        state[_CODE] -= rest
        state[RANGE] = share
        bit = 1
    while state[RANGE] < _TOP:
        state[RANGE] <<= 8
        state[_CODE] = ((state[_CODE] << 8) | _next(state, data)) & _FULL
    return bit
