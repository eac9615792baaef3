"""Binarisation of the residual: each pixel as a series of binary decisions about its prediction error.

Is the pixel above the prediction? How far, in steps adapted to the neighbourhood? Where within the last step?
The probabilities are modelled from the prediction errors around the pixel, in its own channel and in those
before it.
"""

from __future__ import annotations

import numpy as np

from pcaimage.codec.coding.deciding import STEPS
from pcaimage.core.library import LONG, STRUCT, Array, function

BITS = STEPS + 57
"""Upper bound on the binary decisions of one channel of a pixel."""

_KINDS = (LONG, LONG, LONG, Array(np.int32, writable=True), LONG, STRUCT, STRUCT, STRUCT, STRUCT)

write_strips = function("pcai_residual_write", None, *_KINDS)
"""Code one channel of some strips.

Parameters
----------
channel : int
    Zero-based index of the channel in coding order.
start, stop : int
    Range of strips in raster order.
values : ndarray of int32, shape (rows * columns,)
    The channel's pixels.
columns : int
    Pixels in a line.
known : Held of KnownPixels
    Contexts of the slice; updated in place.
fit : Held of PixelEquations
    Prediction equations of the channel; updated in place.
learned : Held of Learned
    Adaptive models of the slice; updated in place.
coder : Held of RangeCoder
    Receives the bits.
"""

read_strips = function("pcai_residual_read", None, *_KINDS)
"""Decode what :data:`write_strips` coded; `values` receives the pixels."""
