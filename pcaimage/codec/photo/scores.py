"""Coding the scores of a component: each in the light of all that is known around it.

Scores that are not zero tell of others: their magnitudes, times trained weights, make up what is expected of
later components of their own blocks and of the eight around each. Where next to nothing is expected, a zero
costs one bit of one model; everywhere else several contexts speak, mixed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.range_coder import RangeCoder
from pcaimage.codec.photo.contexts import CHUNK, EXPECTATION_BYTES, Known, in_lines
from pcaimage.codec.photo.mixing import Mixer, Scales, Words
from pcaimage.codec.photo.relations import Plan
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, Held, function

QUIET = 4
"""Below this bin next to nothing is expected."""

ESCAPES = 24
"""Models of the digits of what is above the unary part."""

SIGN_SPEED = 2


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


class Slice(NamedTuple):
    """All that coding a slice's scores needs besides the scores.

    Parameters
    ----------
    plan : Plan
        What was trained.
    known : Known
        What is coded; it grows.
    learned : Learned
        What was learned; it changes.
    scales : Scales
        Tables.
    bits : ndarray of float32, shape (65537,)
        What a bit of each probability costs; used on writing alone.
    """

    plan: Plan
    known: Known
    learned: Learned
    scales: Scales
    bits: NDArray[np.float32]


_PARAMETERS = STRUCT, STRUCT, LONG, Array(np.float32), Array(np.int32)
_CODE = {
    np.dtype(kind): function(
        f"pcai_code_scores_{8 * np.dtype(kind).itemsize}",
        None,
        *_PARAMETERS,
        Array(kind, writable=True),
        DOUBLE,
        LONG,
    )
    for kind in (np.int16, np.int32)
}


_CODE_DEPENDENT = {
    np.dtype(kind): function(
        f"pcai_code_dependent_{8 * np.dtype(kind).itemsize}",
        None,
        *_PARAMETERS,
        Array(kind, writable=True),
        Array(np.uint8, writable=True),
        Array(np.int32, writable=True),
        DOUBLE,
        LONG,
    )
    for kind in (np.int16, np.int32)
}


class Trellis(NamedTuple):
    """Room for the search of the cheapest path through the states of dependent quantisation.

    Parameters
    ----------
    expected : ndarray of uint8, shape (chunks * EXPECTATION_BYTES,)
        Takes what is expected of a row of blocks.
    paths : ndarray of int32, shape (columns, 8)
        Takes the best known way to each state.
    """

    expected: NDArray[np.uint8]
    paths: NDArray[np.int32]

    @classmethod
    def of(cls, columns: int) -> Trellis:
        """Return room for so many columns of blocks; for none of them, what decoding needs."""
        chunks = -(-columns // CHUNK)
        return cls(in_lines((chunks * EXPECTATION_BYTES,), np.uint8), np.empty((columns, 8), np.int32))


def code_dependent(
    part: Held[Slice],
    coder: Held[RangeCoder],
    index: int,
    wanted: NDArray[np.float32],
    predicted: NDArray[np.int32],
    plane: NDArray[Any],
    trellis: Trellis,
    price: float,
    reading: bool,  # noqa: FBT001
) -> None:
    """Code one component of a slice with dependent quantisation, or decode it.

    Parameters
    ----------
    plane : ndarray of int16 or int32, shape (rows, columns)
        Zeros; takes the scores in half steps.
    trellis : Trellis
        Room; not used on reading.
    part, coder, index, wanted, predicted, price, reading
        As for :func:`code_scores`.
    """
    _CODE_DEPENDENT[plane.dtype](part, coder, index, wanted, predicted, plane, *trellis, price, reading)


def code_scores(
    part: Held[Slice],
    coder: Held[RangeCoder],
    index: int,
    wanted: NDArray[np.float32],
    predicted: NDArray[np.int32],
    plane: NDArray[Any],
    price: float,
    reading: bool,  # noqa: FBT001
) -> None:
    """Code one component of a slice, or decode it.

    Parameters
    ----------
    part : Slice
        The slice; changed.
    coder : RangeCoder
        Changed.
    index : int
        Which component, counted without the constant ones.
    wanted : ndarray of float32, shape (rows, columns)
        The scores in units of the step; not used on reading.
    predicted : ndarray of int32, shape (rows, columns)
        Their prediction in 1/256 steps; not used on reading.
    plane : ndarray of int16 or int32, shape (rows, columns)
        Zeros; takes the integers.
    price : float
        Squared error, in squared steps, that a bit is worth; used on writing alone.
    reading : bool
        Whether to decode.
    """
    _CODE[plane.dtype](part, coder, index, wanted, predicted, plane, price, reading)
