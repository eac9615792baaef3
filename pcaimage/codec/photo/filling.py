"""Filling of tiles that are cut out of an image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.tiles import TILE


def filled(image: NDArray[np.uint8], cut: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return an image whose tiles are cut out and filled in smoothly from what is around them.

    Averages of ever larger squares are taken over what is known, and fill smaller squares in which nothing
    is.
    If all is cut out, it is filled with the mean of the image.
    """
    height, width, channels = image.shape
    if cut.all():
        return np.broadcast_to(np.rint(image.mean(axis=(0, 1))).astype(np.uint8), image.shape).copy()
    inside = np.repeat(np.repeat(cut, TILE, axis=0), TILE, axis=1)[:height, :width]
    result = image.copy()
    for channel in range(channels):
        known = np.where(inside, np.float32(0), image[..., channel].astype(np.float32))
        smooth = _pulled(known, (~inside).astype(np.float32))
        result[..., channel][inside] = np.clip(np.rint(smooth[inside]), 0, 255).astype(np.uint8)
    return result


def _pulled(values: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return averages of what is known, with weights of 1, where weights are 0."""
    if min(values.shape) < 2 or weights.all():
        total = weights.sum()
        return values + (1 - weights) * np.float32((values * weights).sum() / max(total, 1e-9))
    padded = [np.pad(part, ((0, part.shape[0] % 2), (0, part.shape[1] % 2))) for part in (values, weights)]
    sums, counts = (part[::2, ::2] + part[1::2, ::2] + part[::2, 1::2] + part[1::2, 1::2] for part in padded)
    coarse = _pulled(sums / np.maximum(counts, 1), (counts > 0).astype(np.float32))
    fine = np.repeat(np.repeat(coarse, 2, axis=0), 2, axis=1)[: values.shape[0], : values.shape[1]]
    around = np.pad(fine, 1, mode="edge")
    smooth = (around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:] + 4 * fine) / 8
    return np.where(weights > 0, values, smooth)
