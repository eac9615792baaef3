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
from pcaimage.codec.photo.scores.mixing import Mixer, Scales, Words
from pcaimage.core.library import LONG, STRUCT, Array, Held, function_of

Ints = NDArray[np.int32]

BITS = 32
"""Number of bits of the binarisation that have adaptive models."""

BIASES = 3 * 9 * 45
"""Number of contexts of bias correction."""

N_RULES = 6


class Means(NamedTuple):
    """Adaptive state of the coding of constant components."""

    mixer: Mixer  # models of magnitudes
    signs: Words  # models of signs
    errors: Ints  # of each prediction rule in the current plane, shape (N_RULES, rows + 1, columns + 2)
    left: Ints  # prediction errors, shape (n_planes, rows, columns)
    bias: Ints  # sum and count of the prediction errors in each context, shape (2, BIASES)
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
    """Encode or decode the constant component of a channel in a slice.

    `wanted` are unrounded scores in units of the step, ignored when decoding; `plane` receives the integers.
    """
    _CODE[plane.dtype](means, scales, coder, index, wanted, plane, reading)
