"""Coding of the constant (DC) components, a small picture of the image, in raster order.

Each number is predicted from its neighbours by several simple rules, which are weighted by their errors
nearby [1]_, [2]_. The prediction error is coded by context mixing, with contexts formed from earlier errors
around it.

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
from pcaimage.core.library import LONG, STRUCT, Array, Held, function_of

Ints = NDArray[np.int32]

BITS = 32
"""Number of bits of the binarisation that have adaptive models."""

CONTEXTS = 4000
"""Number of contexts of each input."""

SETS = 60
"""Number of weight sets for each bit: three planes times twenty levels of activity."""

SIGNS, BIASES = 3 * 9 * 45 * 8, 3 * 9 * 45
"""Numbers of contexts of signs, and of bias correction."""

N_RULES, N_INPUTS = 6, 6


class Means(NamedTuple):
    """Adaptive state of the coding of constant components.

    Parameters
    ----------
    mixer : Mixer
        Models of magnitudes.
    signs : ndarray of uint32, shape (SIGNS,)
        Models of signs.
    errors : ndarray of int32, shape (N_RULES, rows + 1, columns + 2)
        Errors of each prediction rule in the current plane, with a border.
    left : ndarray of int32, shape (n_planes, rows, columns)
        Prediction errors.
    bias : ndarray of int32, shape (2, BIASES)
        Sum and count of the prediction errors in each context.
    rows, columns : int
        Rows and columns of blocks.
    """

    mixer: Mixer
    signs: Words
    errors: Ints
    left: Ints
    bias: Ints
    rows: int
    columns: int


_PARAMETERS = STRUCT, STRUCT, STRUCT, LONG, Array(np.float32)
_CODE = function_of("pcai_code_means", lambda kind: (*_PARAMETERS, Array(kind, writable=True), LONG))


def code_means(
    means: Held[Means],
    scales: Held[Scales],
    coder: Held[RangeCoder],
    index: int,
    wanted: NDArray[np.float32],
    plane: NDArray[Any],
    reading: bool,  # noqa: FBT001
) -> None:
    """Encode or decode one constant component of a slice.

    Parameters
    ----------
    means : Means
        Adaptive state; updated in place.
    scales : Scales
        Constant tables.
    coder : RangeCoder
        Updated in place.
    index : int
        Zero-based index of the channel.
    wanted : ndarray of float32, shape (rows, columns)
        Unrounded scores in units of the step; ignored when decoding.
    plane : ndarray of int16 or int32, shape (rows, columns)
        Receives the integers.
    reading : bool
        Whether to decode.
    """
    _CODE[plane.dtype](means, scales, coder, index, wanted, plane, reading)
