"""Tokenisation of magnitudes: small ones directly, large ones as an exponent, one bit, and raw bits.

A magnitude m below 16 is the token m. Above, with e = floor(log2 m), the token is 16 + 2 (e - 4) + (the bit
below the leading one), and the remaining e - 1 bits are raw. So an alphabet of 72 symbols covers magnitudes
below 2^32, and the raw bits are nearly uniform.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

DIRECT = 16
ALPHABET = 72
MAX_MAGNITUDE = (1 << 31) - 1

_exponents = 4 + (np.arange(ALPHABET) - DIRECT) // 2
EXTRA_BITS: IntArray = np.where(np.arange(ALPHABET) < DIRECT, 0, _exponents - 1).astype(np.int64)
"""Number of raw bits that follow each token."""
LOWEST: IntArray = np.where(
    np.arange(ALPHABET) < DIRECT, np.arange(ALPHABET), (2 + np.arange(ALPHABET) % 2) << EXTRA_BITS
).astype(np.int64)
"""The smallest magnitude of each token."""


def to_tokens(magnitudes: IntArray) -> IntArray:
    """Return the token, from 0 to 71, of each magnitude from 0 to 2^31 - 1.

    The raw bits are ``magnitudes - LOWEST[tokens]``.
    """
    if magnitudes.size == 0 or int(magnitudes.max()) < DIRECT:
        return magnitudes
    return np.searchsorted(LOWEST, magnitudes, side="right") - 1
