"""Binarisation of a number as a series of binary decisions about its prediction error.

Is the number above the prediction? How far, in steps adapted to the neighbourhood? Where within the last
step? The probabilities are modelled from the prediction errors around it, in its own plane and in those
before.
"""

from __future__ import annotations

import numpy as np

from pcaimage.codec.coding.deciding import STEPS
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, function

BITS = STEPS + 90
"""Upper bound on the binary decisions of a number."""

LARGEST = 1 << 25
"""Exclusive bound on the magnitude of numbers."""

_STRUCTS = (STRUCT, STRUCT, STRUCT)

write_strips = function(
    "pcai_bands_write",
    None,
    *(LONG, LONG, LONG, Array(np.float64), Array(np.uint8), LONG, *_STRUCTS, DOUBLE, STRUCT),
)
"""Code some strips of a plane.

Parameters
----------
plane : int
    Zero-based index of the plane.
start, stop : int
    Range of strips in raster order.
wanted : ndarray of float64, shape (rows, columns)
    Unrounded numbers.
mask : ndarray of uint8, shape (rows, columns)
    1 where there is a number.
columns : int
    Numbers in a line.
known : Held of KnownPlanes
    Receives the integers.
fit : Held of PlaneEquations
    Prediction equations of the plane; updated in place.
learned : Held of Learned
    Adaptive models of the slice; updated in place.
price : float
    Lagrange multiplier λ: squared error per bit.
coder : Held of RangeCoder
    Receives the bits.
"""

read_strips = function("pcai_bands_read", None, LONG, LONG, LONG, Array(np.uint8), LONG, *_STRUCTS, STRUCT)
"""Decode what :data:`write_strips` coded; takes neither `wanted` nor `price`."""
