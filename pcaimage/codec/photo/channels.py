"""PCA of an image's channels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.errors import DataError

IntArray = NDArray[np.int64]

ROTATION_BITS = 14
ONE = 1 << ROTATION_BITS

FITTED = 1 << 18
"""Approximate number of pixels that the channel PCA is fitted to."""


def checked(array: NDArray[Any]) -> NDArray[Any]:
    """Return an image as a contiguous array of shape (H, W, C), without a copy where possible."""
    if array.dtype not in (np.uint8, np.uint16):
        raise DataError(f"Images are of type uint8 or uint16; this array is {array.dtype}.")
    image = array[..., None] if array.ndim == 2 else array
    if image.ndim != 3 or not image.size or image.shape[2] > MOST_PHOTO_CHANNELS:
        raise DataError(f"Photographs have 1 to {MOST_PHOTO_CHANNELS} channels; this array is {array.shape}.")
    return np.ascontiguousarray(image)


def fitted(image: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the channels' mean and principal components.

    Each component's sign makes its entry of largest magnitude positive. Moments are exact; those of very
    large images are computed from every n-th pixel along both axes.

    Returns
    -------
    mean : ndarray of int64, shape (C,)
        Rounded to whole grey levels.
    rotation : ndarray of int64, shape (C, C)
        Components in rows, by descending variance, in units of 2^-14.
    """
    step = math.isqrt(max(1, image.shape[0] * image.shape[1] // FITTED))
    pixels = image[step // 2 :: step, step // 2 :: step].reshape(-1, image.shape[2]).astype(np.int64)
    total, n = pixels.sum(axis=0), len(pixels)
    mean = (2 * total + n) // (2 * n)
    centred = (pixels - mean).astype(np.float64)
    shift = centred.mean(axis=0)
    covariance = centred.T @ centred / n - np.outer(shift, shift)
    components = np.linalg.eigh(covariance)[1].T[::-1]
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    rotation = np.rint(components * np.where(largest < 0, -1.0, 1.0) * ONE).astype(np.int64)
    return mean, rotation
