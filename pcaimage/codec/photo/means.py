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

from pcaimage.codec.coding.range_coder import RangeCoder
from pcaimage.codec.photo.mixing import Mixer, Scales, Words
from pcaimage.core.library import LONG, STRUCT, Array, Held, function

Ints = NDArray[np.int32]

BITS = 32
"""Bits of a number's binarisation that have models."""

CONTEXTS = 4000
"""Contexts of each input."""

SETS = 60
"""Sets of weights for each bit: three planes, twenty levels of activity."""

SIGNS, BIASES = 3 * 9 * 45 * 8, 3 * 9 * 45
"""Contexts of signs, and of what is known to be left over."""

N_RULES, N_INPUTS = 6, 6


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
    rows, columns : int
        The blocks.
    """

    mixer: Mixer
    signs: Words
    errors: Ints
    left: Ints
    bias: Ints
    rows: int
    columns: int


_PARAMETERS = STRUCT, STRUCT, STRUCT, LONG, Array(np.float32)
_CODE = {
    np.dtype(kind): function(
        f"pcai_code_means_{8 * np.dtype(kind).itemsize}",
        None,
        *_PARAMETERS,
        Array(kind, writable=True),
        LONG,
    )
    for kind in (np.int16, np.int32)
}


def code_means(
    means: Held[Means],
    scales: Held[Scales],
    coder: Held[RangeCoder],
    index: int,
    wanted: NDArray[np.float32],
    plane: NDArray[Any],
    reading: bool,  # noqa: FBT001
) -> None:
    """Code one constant component of a slice, or decode it.

    Parameters
    ----------
    means : Means
        What was learned; changed.
    scales : Scales
        Tables.
    coder : RangeCoder
        Changed.
    index : int
        Which channel.
    wanted : ndarray of float32, shape (rows, columns)
        The scores in units of the step; not used on reading.
    plane : ndarray of int16 or int32, shape (rows, columns)
        Takes the integers.
    reading : bool
        Whether to decode.
    """
    _CODE[plane.dtype](means, scales, coder, index, wanted, plane, reading)
