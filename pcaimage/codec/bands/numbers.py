"""Coding numbers around what is expected of them, question by question.

Is the number above the expected value? How far beyond it, in steps that suit the place? Where in the last
step? The answers' probabilities follow from how wrong expectations were around it, in its own plane and in
those before.
"""

from __future__ import annotations

import numpy as np

from pcaimage.codec.coding.deciding import STEPS
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, function

BITS = STEPS + 90
"""At most so many bits does a number take."""

LARGEST = 1 << 25
"""Numbers are bounded by it."""

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
    Which plane, from 0.
start, stop : int
    Which strips, in reading order.
wanted : ndarray of float64, shape (rows, columns)
    What the numbers would best be.
mask : ndarray of uint8, shape (rows, columns)
    1 where there is a number.
columns : int
    Numbers in a line.
known : Held of KnownPlanes
    Takes the numbers.
fit : Held of PlaneEquations
    Those of the plane; changed.
learned : Held of Learned
    What was learned of the slice; changed.
price : float
    Squared error that a bit is worth.
coder : Held of RangeCoder
    Takes the bits.
"""

read_strips = function("pcai_bands_read", None, LONG, LONG, LONG, Array(np.uint8), LONG, *_STRUCTS, STRUCT)
"""The reverse of :data:`write_strips`: without what is wanted, and without a price."""
