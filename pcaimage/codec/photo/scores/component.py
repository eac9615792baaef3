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
from pcaimage.codec.photo.memory import LINE, Memory
from pcaimage.codec.photo.scores.mixing import Mixer, Scales, Words
from pcaimage.codec.photo.scores.relations import SET_WORDS, Plan
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, Held, function_of

EXPECTATION_BYTES = 448
"""Bytes of the core's struct of the expectations of a chunk."""

CHUNK = LINE
"""Number of blocks that the core examines at once: the bytes of a cache line."""


class CodedScores(NamedTuple):
    """The coded scores of a slice, as the context modelling sees them.

    Magnitudes are in half steps, clipped to 31, plus 128 where a score is negative. Each row begins with a
    chunk of zeros, and the last plane, all zeros, stands for missing components. `near` has the bit set of
    the components with nonzero scores in a chunk of blocks or directly beside it.
    """

    scores: NDArray[np.uint8]  # shape (n + 1, rows + 2, pitch)
    near: NDArray[np.uint64]  # shape (rows + 2, chunks + 2, SET_WORDS)
    components: int  # their number n
    rows: int
    columns: int


def nothing_known(count: int, rows: int, columns: int, memory: Memory | None = None) -> CodedScores:
    """Return the initial state of a slice with `count` components that are not constant (no DC)."""
    memory = memory or Memory()
    chunks = -(-columns // CHUNK)
    scores = memory.zeros("known scores", (count + 1, rows + 2, (chunks + 1) * CHUNK), np.uint8)
    near = memory.zeros("near", (rows + 2, chunks + 2, SET_WORDS), np.uint64)
    return CodedScores(scores, near, count, rows, columns)


ESCAPES = 24
"""Number of models of the digits beyond the unary part."""

SIGN_SPEED = 3
"""Learning rate of the weights of signs, in 2^-18."""


class LearnedScores(NamedTuple):
    """Adaptive state of the coding of a slice's scores; starts from the trained one."""

    mixer: Mixer  # models of magnitudes
    by_component: NDArray[np.int32]  # secondary-estimation curves, shape (n, KNOTS)
    by_place: NDArray[np.int32]  # likewise
    signs: Mixer  # models of signs
    quiet: Words  # models of the zero flag where the expected magnitude is near zero
    escapes: Words  # models of the digits of large magnitudes, shape (3, ESCAPES)


class Slice(NamedTuple):
    """Everything but the scores that coding a slice needs; `known` and `learned` are updated in place."""

    plan: Plan
    known: CodedScores
    learned: LearnedScores
    scales: Scales
    bits: NDArray[np.float32]  # cost in bits of a decision of each probability, for the encoder only


_PARAMETERS = STRUCT, STRUCT, LONG, Array(np.float32), Array(np.int32)
_ROOM = Array(np.uint8, writable=True), Array(np.int32, writable=True), Array(np.int16), LONG
_CODE = function_of(
    "pcai_code_scores", lambda kind: (*_PARAMETERS, Array(kind, writable=True), *_ROOM, DOUBLE, LONG)
)


class Trellis(NamedTuple):
    """Room for the search of the cheapest path through the states of dependent quantisation.

    Only the encoder searches. Unless `dependent`, all scores have the first quantiser.
    """

    expected: NDArray[np.uint8]  # for the expectations of a row of blocks
    paths: NDArray[np.int32]  # for the best path to each state, shape (columns, 8)
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
    trellis: Trellis,
    expected: NDArray[np.int16],
) -> None:
    """Encode or decode one component of a slice.

    The index is that among the non-constant components. The encoder alone uses `wanted`, unrounded scores in
    steps, `predicted`, their prediction in 1/256 step, and `price`, the Lagrange multiplier λ in squared
    steps per bit. `expected` is what a network expects, in 1/256 step. `plane`, zeros on entry, receives the
    integers, in half steps.
    """
    room = trellis.expected, trellis.paths, expected, trellis.dependent
    _CODE[plane.dtype](part, coder, index, wanted, predicted, plane, *room, price, reading)
