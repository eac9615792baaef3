"""Thumbnails for a quick look at a file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST, SMALLEST = 96, 8

SHARE = 1 / 128  # largest share of the file that a thumbnail takes


def thumbnail(array: NDArray[Any], budget: int, gain: float = 1.0) -> NDArray[np.uint8] | None:
    """Reduce an image of shape (H, W, C) to a thumbnail of at most `budget` values, times `gain`.

    It is at most 96 pixels wide and high; images with other than three channels become grey. None if it would
    have to be smaller than 8 pixels.
    """
    height, width, channels = array.shape
    size = size_within(height, width, 3 if channels == 3 else 1, budget)
    if not size[0]:
        return None
    shown = size[2]
    rows, columns = (np.linspace(0, array.shape[axis], size[axis] + 1).astype(int) for axis in (0, 1))
    reduced = np.empty(size, np.uint8)
    for i in range(size[0]):
        strip = array[rows[i] : max(rows[i + 1], rows[i] + 1)]
        sums = np.add.reduceat(strip.sum(axis=0, dtype=np.float64), columns[:-1], axis=0)
        means = sums / (len(strip) * np.maximum(np.diff(columns), 1))[:, None]
        if shown == 1:
            means = means.mean(axis=1, keepdims=True)
        reduced[i] = np.minimum(np.rint(means * gain), 255)
    return reduced


def size_within(height: int, width: int, shown: int, budget: int) -> tuple[int, int, int]:
    """Return the height, width and channels of a thumbnail of at most `budget` values; zeros for none."""
    scale = min(LARGEST / max(height, width), (budget / (shown * height * width)) ** 0.5, 1.0)
    size = (max(1, int(height * scale)), max(1, int(width * scale)), shown)
    return size if max(size[:2]) >= SMALLEST else (0, 0, 0)
