"""A simple formula for the bits of quantised scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = 0.6
"""Magnitude in steps from which a score is mostly quantised to something else than zero."""

ROUNDED = 0.2
"""Rounding offset, added to magnitudes before rounding down: the encoder prefers smaller integers."""

KEPT_BITS, DOUBLING_BITS = 2.9, 0.92
"""Bits of a nonzero score, and additional bits for each doubling of its magnitude.

Fitted to 14 photographs at six steps: most file sizes are predicted to about 3 %, and so is their slope over
the step.
"""


def size_bits(sizes: NDArray[Any]) -> NDArray[Any]:
    """Return the approximate bits of scores of some magnitudes, in units of the step."""
    bits: NDArray[Any] = KEPT_BITS * (sizes > KEPT) + DOUBLING_BITS * np.log2(1 + np.floor(sizes + ROUNDED))
    return bits
