"""Simple formulas for what quantised scores cost, in bits and in squared error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = 0.6  # magnitude in steps from which a score is mostly quantised to something else than zero

ROUNDED = 0.2
"""Rounding offset, added to magnitudes before rounding down: the encoder prefers smaller integers."""

KEPT_BITS, DOUBLING_BITS = 2.9, 0.92
"""Bits of a nonzero score, and additional bits for each doubling of its magnitude.

Fitted to 14 photographs at six steps: most file sizes are predicted to about 3 %, and so is their slope over
the step.
"""


ERRORS = np.array([(0.3, 0.09), (0.45, 0.13), (0.6, 0.16), (1, 0.107), (1.5, 0.087), (4, 0.076), (16, 0.072)])
"""Mean squared errors of scores of some magnitudes, both in units of the step, averaged over photographs: the
path through the quantisers decides where a single score comes to lie."""

LIVELY = 0.4, 0.85
"""Sizes of scores, in steps, for which the Lagrange multiplier decides whether they become zero."""


def size_bits(sizes: NDArray[Any]) -> NDArray[Any]:
    """Return the approximate bits of scores of some magnitudes, in units of the step."""
    bits: NDArray[Any] = KEPT_BITS * (sizes > KEPT) + DOUBLING_BITS * np.log2(1 + np.floor(sizes + ROUNDED))
    return bits


def square_errors(sizes: NDArray[Any]) -> NDArray[Any]:
    """Return the approximate squared errors of scores of some magnitudes, both in units of the step."""
    typical = np.interp(sizes, *ERRORS.T).astype(sizes.dtype)
    errors: NDArray[Any] = np.minimum(np.square(sizes), typical)
    return errors


def is_lively(sizes: NDArray[Any]) -> NDArray[np.bool_]:
    """Return for which scores, in steps, the multiplier decides whether they become zero."""
    lively: NDArray[np.bool_] = (sizes > LIVELY[0]) & (sizes < LIVELY[1])
    return lively
