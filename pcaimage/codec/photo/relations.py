"""How components depend on each other, in the order of the file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SIGN_TARGETS = 8
"""How many components of a neighbour a score tells its sign."""

N_RELATED = 6
LANES = 16
"""So many numbers the processor adds at once."""

LEVELS = 8192
"""Expected magnitudes have bins up to here, in 1/64 of a step."""


LARGEST = 1 << 22
"""No score is above it, so that 256 times a score and what is predicted stay within 32 bits."""


class Plan(NamedTuple):
    """What was trained, for the components of an image that are not constant.

    Parameters
    ----------
    own, side, corner : ndarray of int16, shape (n, m)
        What a score's magnitude adds to what is expected of later components of its own block, of the four
        blocks beside it and of the four at its corners, in 1/256; m is n filled up to a multiple of
        :data:`LANES`.
    last : ndarray of int16, shape (n, 3)
        Where these end, row by row: the multiple of LANES behind the last that is not zero.
    causal : ndarray of int16, shape (n, 4)
        The same for its own component in the blocks that come later.
    level : ndarray of int16, shape (n,)
        What is expected where nothing is known.
    sign_target : ndarray of int16, shape (n, 2, SIGN_TARGETS)
        Components of the block to the right and of the block below that learn of a score with its sign;
        -1 for none.
    sign_weight : ndarray of int16, shape (n, 2, SIGN_TARGETS)
        How much they do, in 1/256.
    related : ndarray of int16, shape (n, N_RELATED)
        Earlier components: next lower vertical frequency, next lower horizontal one, the same of another
        channel (of the first: both lower), the same of a third channel, and two below vertically and
        horizontally; -1 for none.
    channel, group, place : ndarray of int16, shape (n,)
        Channel, group of contexts, and place among the trained components.
    bins : ndarray of int8, shape (LEVELS,)
        Thirds of an octave of expected magnitudes.
    """

    own: NDArray[np.int16]
    side: NDArray[np.int16]
    corner: NDArray[np.int16]
    last: NDArray[np.int16]
    causal: NDArray[np.int16]
    level: NDArray[np.int16]
    sign_target: NDArray[np.int16]
    sign_weight: NDArray[np.int16]
    related: NDArray[np.int16]
    channel: NDArray[np.int16]
    group: NDArray[np.int16]
    place: NDArray[np.int16]
    bins: NDArray[np.int8]
