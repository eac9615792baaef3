"""What is known around a score: the sizes of its contexts, and the scores coded before it."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.relations import SET_WORDS

T = TypeVar("T", bound=np.generic)

UNARY = 16
"""Magnitudes up to here are coded in unary; what is above, as an exponential Golomb number."""

INPUTS, SIGN_INPUTS = 8, 5
CONTEXTS = (480, 3780, 1500, 1600, 1728, 8000, 6000, 1200)
"""How many contexts each input has."""

DEPENDENT_INPUTS = 4
"""With dependent quantisation fewer inputs predict as well."""

DEPENDENT_CONTEXTS = (3780, 1500, 8000, 6000)
"""How many contexts each of them has, for each of the two quantisers."""

SIGN_CONTEXTS = (160, 2646, 1701, 400, 1701)

BINS = 40
"""Thirds of an octave of what is expected."""

LOUDEST = 24
"""Magnitudes count up to here for what is expected of others."""

GROUPS, AROUND = 12, 8

EXPECTATION_BYTES = 448
"""What is expected of the scores of a chunk takes so many bytes in the core."""

CHUNK = 64
"""So many blocks of a row the core looks at together: the bytes of a line of the processor's cache."""


class Known(NamedTuple):
    """The scores of a slice that are coded, as contexts see them.

    Parameters
    ----------
    scores : ndarray of uint8, shape (n + 1, rows + 2, pitch)
        Magnitudes up to :data:`LOUDEST`, plus 128 where a score is negative. Rows begin with a chunk of
        zeros; the last plane stands for components that there are not, and zeros follow it.
    near : ndarray of uint64, shape (rows + 2, chunks + 2, SET_WORDS)
        The set of the components with scores other than zero in a chunk of blocks, or right beside it.
    components, rows, columns : int
        n, and the rows and columns of blocks.
    """

    scores: NDArray[np.uint8]
    near: NDArray[np.uint64]
    components: int
    rows: int
    columns: int


def nothing_known(count: int, rows: int, columns: int) -> Known:
    """Return what is known of a slice of which nothing is coded.

    Parameters
    ----------
    components : int
        How many components it has that are not constant.
    rows, columns : int
        Its blocks.
    """
    chunks = -(-columns // CHUNK)
    shape = count + 1, rows + 2, (chunks + 1) * CHUNK
    sets = np.zeros((rows + 2, chunks + 2, SET_WORDS), np.uint64)
    return Known(in_lines(shape, np.uint8), sets, count, rows, columns)


def in_lines(shape: tuple[int, ...], dtype: type[T]) -> NDArray[T]:
    """Return zeros that begin with a line of the processor's cache, a line more than the shape has.

    Parameters
    ----------
    shape : tuple of int
        The shape.
    dtype : type
        Of the elements.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    room = np.zeros(size + 2 * CHUNK, np.uint8)
    start = -room.__array_interface__["data"][0] % CHUNK
    return room[start : start + size].view(dtype).reshape(shape)
