"""Context modelling of scores: the numbers of contexts, and the scores coded so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.memory import LINE, Memory
from pcaimage.codec.photo.scores.relations import SET_WORDS

UNARY = 16
"""Largest magnitude coded in unary; the excess is coded as an exponential Golomb number."""

INPUTS, SIGN_INPUTS = 8, 5
CONTEXTS = (480, 3780, 1500, 1600, 1728, 8000, 6000, 1200)
"""Number of contexts of each of the mixer's inputs."""

DEPENDENT_INPUTS = 4
"""Number of inputs with dependent quantisation, where these predict as well as all."""

DEPENDENT_CONTEXTS = (3780, 1500, 8000, 6000)
"""Number of contexts of each of these inputs, for each of the two quantisers."""

TOLD_CONTEXTS, TOLD_SIGN_CONTEXTS = 2400, 320
"""Number of contexts of a further input where networks tell what is expected (for each
of the quantisers), and of a further one of signs."""

SIGN_CONTEXTS = (160, 2646, 1701, 400, 1701)

BINS = 40
"""Number of bins of the expected magnitude, each a third of an octave wide."""

LOUDEST = 24
"""Magnitudes are clipped to this value before they contribute to expected magnitudes."""

GROUPS, AROUND = 12, 8

EXPECTATION_BYTES = 448
"""Bytes of the core's struct of the expectations of a chunk."""

CHUNK = LINE
"""Number of blocks that the core examines at once: the bytes of a cache line."""


class CodedScores(NamedTuple):
    """The coded scores of a slice, as the context modelling sees them.

    Magnitudes are clipped to :data:`LOUDEST`, plus 128 where a score is negative. Each row begins with a
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
