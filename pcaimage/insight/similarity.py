"""Images as they are seen on a screen: eight bits, of which structural similarity is estimated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging.types import Pixels

SIMILARITY_PIXELS = 1 << 19
"""About how many pixels of a large image structural similarity is estimated from."""


def to_eight_bits(pixels: Pixels) -> NDArray[np.uint8]:
    """Return pixels of any depth in eight bits.

    Parameters
    ----------
    pixels : ndarray of uint8 or uint16
        Any shape.

    Returns
    -------
    ndarray of uint8
        65535 becomes 255; what has eight bits is returned as it is.
    """
    if pixels.dtype == np.uint8:
        return pixels.astype(np.uint8, copy=False)
    return ((pixels.astype(np.uint32) * 255 + 32767) // 65535).astype(np.uint8)
