"""Shared parts of the estimation of structural similarity, which is computed on eight bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging.image.types import Pixels

SIMILARITY_PIXELS = 1 << 19
"""Approximate number of pixels sampled from a large image to estimate structural similarity."""


def to_eight_bits(pixels: Pixels, white: float) -> NDArray[np.uint8]:
    """Return pixels in eight bits (the white becomes 255); those that are uint8 already are not copied."""
    if pixels.dtype == np.uint8:
        return pixels.astype(np.uint8, copy=False)
    scaled = (pixels.astype(np.uint32) * 255 + int(white) // 2) // int(white)
    return np.minimum(scaled, 255).astype(np.uint8)
