"""How components depend on each other, in the order of the file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SIGN_TARGETS = 8
"""How many components of a neighbour a score tells its sign."""

N_RELATED = 6

SET_WORDS = 4
"""A set of components has a bit for each, in so many words."""

LEVELS = 8192
"""Expected magnitudes have bins up to here, in 1/64 of a step."""


LARGEST = 1 << 22
"""No score is above it, so that 256 times a score and what is predicted stay within 32 bits."""


class Plan(NamedTuple):
    """What was trained, for the components of an image that are not constant.

    Parameters
    ----------
    tellers : ndarray of uint64, shape (n, SET_WORDS)
        For each component the set of earlier ones whose magnitudes tell what to expect of it: bit by bit.
    weights : ndarray of int16, shape (n, n, 3)
        For each component, and each earlier one, what a magnitude adds to that: in its own block, in the four
        blocks beside it and in the four at its corners, in 1/256 for each step.
    sign_tellers : ndarray of uint64, shape (n, SET_WORDS)
        The set of earlier ones whose scores tell its sign.
    sign_weights : ndarray of int16, shape (n, n, 2)
        What they add in the block to the left and in the block above, in 1/256.
    own_sign : ndarray of int16, shape (n, 2)
        The same of the component itself.
    causal : ndarray of int16, shape (n, 4)
        What its own magnitudes in the blocks before add: above, left, above left and above right.
    level : ndarray of int16, shape (n,)
        What is expected where nothing is known.
    related : ndarray of int16, shape (n, N_RELATED)
        Earlier components: next lower vertical frequency, next lower horizontal one, the same of another
        channel (of the first: both lower), the same of a third channel, and two below vertically and
        horizontally; -1 for none.
    channel, group, place : ndarray of int16, shape (n,)
        Channel, group of contexts, and place among the trained components.
    bins : ndarray of int8, shape (LEVELS,)
        Thirds of an octave of expected magnitudes.
    components : int
        n.
    """

    tellers: NDArray[np.uint64]
    weights: NDArray[np.int16]
    sign_tellers: NDArray[np.uint64]
    sign_weights: NDArray[np.int16]
    own_sign: NDArray[np.int16]
    causal: NDArray[np.int16]
    level: NDArray[np.int16]
    related: NDArray[np.int16]
    channel: NDArray[np.int16]
    group: NDArray[np.int16]
    place: NDArray[np.int16]
    bins: NDArray[np.int8]
    components: int
