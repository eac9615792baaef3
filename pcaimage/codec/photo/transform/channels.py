"""Channels of an image's own: PCA, turned to where the scores of blocks take the fewest bits.

PCA makes channels uncorrelated on average. Edges between saturated colours, highlights and noise have
directions of their own; where most blocks follow one of them, their scores of the other channels are small.
So the principal components are turned further, until the sum of log(1 + (score / size)²) over all scores but
the constant ones is least, which is about what these cost: independent component analysis with orthonormal
axes, for Cauchy's distribution [1]_. Each round replaces the logarithms by tangents [2]_, as functions
of the square, so that the sum falls in every round.

References
----------
.. [1] A. Hyvärinen and E. Oja, "Independent component analysis: algorithms and applications", Neural
   Networks 13, 2000.
.. [2] D. R. Hunter and K. Lange, "A tutorial on MM algorithms", The American Statistician 58(1), 2004.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.settings import MOST_PHOTO_CHANNELS
from pcaimage.errors import DataError
from pcaimage.sampling.blocks import BLOCK

IntArray = NDArray[np.int64]

ROTATION_BITS = 14
ONE = 1 << ROTATION_BITS

FITTED = 1 << 18  # approximate number of pixels that the channel PCA is fitted to
SAMPLED = 1 << 9  # approximate number of blocks by whose scores channels are turned

SMALL = 3.0
"""Size of scores, on a scale of 255, from which on they cost bits: about a quarter of the default step."""

ROUNDS, SETTLED = 24, 2e-3
"""Largest number of rounds, and change of any entry of the rotation from which on another one is made."""

Floats = NDArray[np.float64]


def checked(array: NDArray[Any]) -> NDArray[Any]:
    """Return an image as a contiguous array of shape (H, W, C), without a copy where possible."""
    if array.dtype not in (np.uint8, np.uint16):
        raise DataError(f"Images are of type uint8 or uint16; this array is {array.dtype}.")
    image = array[..., None] if array.ndim == 2 else array
    if image.ndim != 3 or not image.size or image.shape[2] > MOST_PHOTO_CHANNELS:
        raise DataError(f"Photographs have 1 to {MOST_PHOTO_CHANNELS} channels; this array is {array.shape}.")
    return np.ascontiguousarray(image)


def fitted(image: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return the channels' mean, in whole grey levels, and principal components, in rows and units of 2^-14.

    Components are by descending variance, and each one's sign makes its entry of largest magnitude positive;
    :func:`turned` takes them further. Moments are exact; those of very large images are computed from every
    n-th pixel along both axes.
    """
    step = math.isqrt(max(1, image.shape[0] * image.shape[1] // FITTED))
    pixels = image[step // 2 :: step, step // 2 :: step].reshape(-1, image.shape[2]).astype(np.float64)
    # All sums are whole numbers below 2^53, so that no rounding differs between machines.
    total, n = pixels.sum(axis=0).astype(np.int64), len(pixels)
    mean = (2 * total + n) // (2 * n)
    centred = pixels - mean
    shift = centred.mean(axis=0)
    covariance = centred.T @ centred / n - np.outer(shift, shift)
    return mean, _whole(np.linalg.eigh(covariance)[1].T[::-1])


def turned(
    image: NDArray[Any], rotation: IntArray, vertical: IntArray, horizontal: IntArray, white: float = 255
) -> IntArray:
    """Return channels whose scores cost fewer bits, by descending energy; the given ones if all are small.

    Rotation and bases are in rows and units of 2^-14. Only some blocks are looked at, without lapping.
    Errors are relative to `white`.
    """
    if min(image.shape[:2]) < BLOCK or image.shape[2] == 1:
        return rotation
    scores = _scores(image, vertical, horizontal)
    size = SMALL * white / 255
    scores = scores[np.square(scores).sum(axis=1) > size**2]
    if not len(scores):
        return rotation
    axes = np.linalg.qr((rotation / ONE).T)[0].T
    one, other = np.triu_indices(len(axes))
    products, times = scores[:, one] * scores[:, other], np.where(one == other, 1.0, 2.0)
    moments = np.empty((len(axes),) * 3)
    for _ in range(ROUNDS):
        squares = products @ (times * axes[:, one] * axes[:, other]).T
        moments[:, one, other] = moments[:, other, one] = (1 / (size**2 + squares)).T @ products
        before, axes = axes, _least(axes, moments)
        if np.abs(axes - before).max() < SETTLED:
            break
    return _whole(axes[np.argsort(-np.square(scores @ axes.T).sum(axis=0))])


def _scores(image: NDArray[Any], vertical: IntArray, horizontal: IntArray) -> Floats:
    """Return the scores of some blocks that are not constant, shape (n, C): each channel's as it is."""
    rows, columns = image.shape[0] // BLOCK, image.shape[1] // BLOCK
    step = max(1, math.isqrt(rows * columns // SAMPLED))
    blocks = image[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK, -1)
    down, along = (min(step, rows) - 1) // 2, (min(step, columns) - 1) // 2
    part = blocks[down::step, :, along::step].astype(np.float64)
    scores = np.tensordot(horizontal / ONE, np.tensordot(vertical / ONE, part, (1, 1)), (1, 3))
    return scores.reshape(BLOCK * BLOCK, -1, image.shape[2])[1:].reshape(-1, image.shape[2])


def _least(axes: Floats, moments: Floats) -> Floats:
    """Turn orthonormal axes pair by pair so that the sum of their energies falls, each by its own moments."""
    axes = axes.copy()
    for one in range(len(axes)):
        for other in range(one + 1, len(axes)):
            pair = axes[[one, other]]
            (first, both), (_, second) = pair @ (moments[one] - moments[other]) @ pair.T
            angle = np.arctan2(-both, (second - first) / 2) / 2
            cosine, sine = np.cos(angle), np.sin(angle)
            axes[[one, other]] = np.array([[cosine, sine], [-sine, cosine]]) @ pair
    return axes


def _whole(components: Floats) -> IntArray:
    """Return components in units of 2^-14, each with the sign that makes its largest entry positive."""
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    whole: IntArray = np.rint(components * np.where(largest < 0, -1.0, 1.0) * ONE).astype(np.int64)
    return whole
