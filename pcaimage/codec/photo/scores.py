"""Coding of the scores of a component by context mixing.

Nonzero scores raise what is expected of later components in the same block and in the eight around it: their
magnitudes are summed with trained weights. Where the expected magnitude is near zero, a single adaptive model
codes whether the score is zero; elsewhere several context models are mixed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.range_coder import RangeCoder
from pcaimage.codec.photo.contexts import CHUNK, EXPECTATION_BYTES, CodedScores
from pcaimage.codec.photo.memory import Memory
from pcaimage.codec.photo.mixing import Mixer, Scales, Words
from pcaimage.codec.photo.relations import Plan
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, Held, function_of

QUIET = 4
"""Bin of the expected magnitude below which one model codes the zero flag."""

ESCAPES = 24
"""Number of models of the digits beyond the unary part."""

SIGN_SPEED, DEPENDENT_SIGN_SPEED = 2, 3
"""Learning rates of the weights of signs, in 2^-18, without and with dependent quantisation."""


class Learned(NamedTuple):
    """Adaptive state of the coding of a slice's scores; starts from the trained one.

    Parameters
    ----------
    mixer : Mixer
        Models of magnitudes.
    by_component, by_place : ndarray of int32, shape (n, KNOTS)
        Secondary-estimation curves.
    signs : Mixer
        Models of signs.
    quiet : ndarray of uint32, shape (n, QUIET)
        Models of the zero flag where the expected magnitude is near zero.
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
    """Everything but the scores that coding a slice needs.

    Parameters
    ----------
    plan : Plan
        Trained parameters.
    known : CodedScores
        Scores coded so far; updated in place.
    learned : Learned
        Adaptive models; updated in place.
    scales : Scales
        Constant tables.
    bits : ndarray of float32, shape (65537,)
        Cost in bits of a decision of each probability; used by the encoder only.
    """

    plan: Plan
    known: CodedScores
    learned: Learned
    scales: Scales
    bits: NDArray[np.float32]


_PARAMETERS = STRUCT, STRUCT, LONG, Array(np.float32), Array(np.int32)
_CODE = function_of("pcai_code_scores", lambda kind: (*_PARAMETERS, Array(kind, writable=True), DOUBLE, LONG))
_ROOM = Array(np.uint8, writable=True), Array(np.int32, writable=True), Array(np.int16), LONG, LONG
_CODE_HALVES = function_of(
    "pcai_code_dependent", lambda kind: (*_PARAMETERS, Array(kind, writable=True), *_ROOM, DOUBLE, LONG)
)


_NOT_TOLD = np.zeros((1, 1), np.int16)


class Trellis(NamedTuple):
    """Room for the search of the cheapest path through the states of dependent quantisation.

    Only scores in half steps are searched, and only by the encoder.

    Parameters
    ----------
    expected : ndarray of uint8, shape (chunks * EXPECTATION_BYTES,)
        Buffer for the expectations of a row of blocks.
    paths : ndarray of int32, shape (columns, 8)
        Buffer for the best path to each state.
    dependent : bool
        Whether the quantiser of a score depends on those before; else all have the first.
    """

    expected: NDArray[np.uint8]
    paths: NDArray[np.int32]
    dependent: bool

    @classmethod
    def of(cls, columns: int, *, dependent: bool) -> Trellis:
        """Return buffers for a number of columns of blocks; decoding needs none, so 0 will do."""
        chunks = -(-columns // CHUNK)
        expected = Memory().zeros("expected", (chunks * EXPECTATION_BYTES,), np.uint8)
        return cls(expected, np.empty((columns, 8), np.int32), dependent)


def code_scores(
    part: Held[Slice],
    coder: Held[RangeCoder],
    index: int,
    wanted: NDArray[np.float32],
    predicted: NDArray[np.int32],
    plane: NDArray[Any],
    price: float,
    reading: bool,  # noqa: FBT001
    trellis: Trellis | None = None,
    told: NDArray[np.int16] | None = None,
) -> None:
    """Encode or decode one component of a slice.

    Parameters
    ----------
    part : Slice
        Updated in place.
    coder : RangeCoder
        Updated in place.
    index : int
        Zero-based index of the component among the non-constant ones.
    wanted : ndarray of float32, shape (rows, columns)
        Unrounded scores in units of the step; ignored when decoding.
    predicted : ndarray of int32, shape (rows, columns)
        Their prediction in 1/256 step; ignored when decoding.
    plane : ndarray of int16 or int32, shape (rows, columns)
        Zeros on entry; receives the integers, in half steps if there is a trellis.
    price : float
        Lagrange multiplier λ, in squared steps per bit; ignored when decoding.
    reading : bool
        Whether to decode.
    trellis : Trellis, optional
        For scores in half steps; they are in steps by default.
    told : ndarray of int16, shape (rows, columns), optional
        What a network expects of these, in 1/256 step.
    """
    if trellis is None:
        _CODE[plane.dtype](part, coder, index, wanted, predicted, plane, price, reading)
        return
    known, telling = (_NOT_TOLD, False) if told is None else (told, True)
    room = trellis.expected, trellis.paths, known, telling, trellis.dependent
    _CODE_HALVES[plane.dtype](part, coder, index, wanted, predicted, plane, *room, price, reading)
