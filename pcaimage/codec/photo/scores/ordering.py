"""An order of a photo's components in which the image's own spectrum falls.

Tables have the components in the order of most photographs, so a single one's spectrum goes up and down. The
variances of a channel's components fall as powers of their frequencies, or faster. So a few numbers, which
the header holds, tell the order of this image: that of the variances by a formula in whole numbers. The first
k components then are nearly the best k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEAST_BLOCKS = 1 << 10  # number of blocks of an image from which the bytes of its own order do not matter
SLOPES = 4  # number of slopes of each channel; each channel but the first has a scale before them
LARGEST = 127  # bound on scales and slopes, which are bytes
OCTAVES = np.array([0, 16, 25, 32, 37, 41, 45, 48])  # log2(1 + u) of a frequency u from 0 to 7, in 1/16

_SCALE, _LINEAR = 32, 8
"""Scales are in 1/8 octave, slopes in 1/16, the last in 1/32, and the levels that they add up to in 1/256."""

_CONSTANT = 8 * 8
_FAINTEST = 2.0**-20
"""Variance, as a share of the squared peak, below which differences do not matter: less than by rounding."""

Floats = NDArray[np.float64]


def _features() -> NDArray[np.int64]:
    """Return the coefficients of a channel's scale and slopes, shape (64, 5)."""
    down, along = np.indices((8, 8)).reshape(2, -1)
    largest, linear = OCTAVES[np.maximum(down, along)], _LINEAR * (down + along)
    return np.stack([np.full(64, _SCALE), OCTAVES[down], OCTAVES[along], largest, linear], axis=1)


def slopes_of(variances: Floats) -> tuple[int, ...]:
    """Fit scales and slopes to the variances of an image, as shares of the squared peak, by least squares.

    Return the slopes of the first channel, then scale and slopes of each other one: 5 C - 1 numbers.
    """
    levels = np.log2(np.maximum(variances, _FAINTEST)).reshape(-1, _CONSTANT)[:, 1:]
    found = np.linalg.lstsq(_features()[1:] / 256, levels.T, rcond=None)[0].T
    found[:, 0] -= found[0, 0]
    whole = np.clip(np.rint(found), -LARGEST, LARGEST).astype(int)
    return tuple(whole.ravel()[1:].tolist())
