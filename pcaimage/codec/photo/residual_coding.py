"""Coding pixels around what is expected of them, question by question.

Is the pixel above the expected value? How far beyond it, in steps that suit the place? Where in the last
step? The answers' probabilities follow from how wrong expectations were around the pixel, in its own channel
and in those before it.
"""

from __future__ import annotations

import numpy as np

from pcaimage.codec.coding.deciding import STEPS
from pcaimage.core.library import LONG, STRUCT, Array, function

BITS = STEPS + 57
"""At most so many bits does a channel of a pixel take."""

_KINDS = (LONG, LONG, LONG, Array(np.int32, writable=True), LONG, STRUCT, STRUCT, STRUCT, STRUCT)

write_strips = function("pcai_residual_write", None, *_KINDS)
"""Code one channel of some strips.

Parameters
----------
channel : int
    Which channel, in the order of coding.
start, stop : int
    Which strips, in reading order.
values : ndarray of int32, shape (rows * columns,)
    The channel.
columns : int
    Pixels in a line.
known : Held of KnownPixels
    What is known of the slice; changed.
fit : Held of PixelEquations
    Those of the channel; changed.
learned : Held of Learned
    What was learned of the slice; changed.
coder : Held of RangeCoder
    Takes the bits.
"""

read_strips = function("pcai_residual_read", None, *_KINDS)
"""The reverse of :data:`write_strips`: `values` takes what is read."""
