"""Training of the bases, the order of the components, and the prediction from block means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.layout import PER_CHANNEL
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.photo.transform.channels import fitted
from pcaimage.sampling import Lapped

Floats = NDArray[np.float64]

BLOCK = 8
BASIS_BITS, PREDICTION_BITS = 14, 11
CHANNELS = 3

LEAST_TELLING = 20
"""Weights of a component whose magnitudes add up to less are left out."""


def train_basis(images: Sequence[NDArray[np.uint8]]) -> NDArray[np.int64]:
    """Fit the components of lines of eight lapped pixels, rows and columns together: (8, 8), in 2^-14.

    The first is constant; the others are those of the rest, by descending variance [1]_. A mirrored
    photograph is just as likely, so the covariance is made symmetric under reflection. Images are uint8 of
    shape (H, W, 3).

    References
    ----------
    .. [1] J. Yang, D. Zhang, A. F. Frangi, J.-Y. Yang, "Two-dimensional PCA", IEEE Transactions on Pattern
       Analysis and Machine Intelligence 26(1), 2004.
    """
    moments = np.zeros((BLOCK, BLOCK))
    for image in images:
        blocks = Lapped().to_samples(_first_channel(image)).reshape(-1, BLOCK, BLOCK)
        moments += np.einsum("nij,nkj->ik", blocks, blocks) + np.einsum("nij,nik->jk", blocks, blocks)
    moments = (moments + moments[::-1, ::-1]) / 2
    constant = np.full(BLOCK, BLOCK**-0.5)
    rest = np.eye(BLOCK) - np.outer(constant, constant)
    components = np.linalg.eigh(rest @ moments @ rest)[1][:, ::-1].T[: BLOCK - 1]
    basis = np.vstack([constant, components * np.sign(components[:, :1])])
    result: NDArray[np.int64] = np.rint(np.ldexp(basis, BASIS_BITS)).astype(np.int64)
    return result


def _first_channel(image: NDArray[np.uint8]) -> Floats:
    """Return an image's first principal channel."""
    pixels = image.reshape(-1, image.shape[2]).astype(np.float64)
    pixels -= pixels.mean(axis=0)
    axis = np.linalg.eigh(pixels.T @ pixels)[1][:, -1]
    channel: Floats = (pixels @ axis).reshape(image.shape[:2])
    return channel


def cascade_of(image: NDArray[np.uint8], basis: NDArray[np.int64]) -> Cascade:
    """Return the cascade of an image, uint8 of shape (H, W, 3), with its principal components as channels.

    The encoder turns channels further. The tables that are shipped were trained before it did, and
    the same images shall give the same tables.
    """
    return Cascade(*fitted(image), basis, basis)


def scores_of(image: NDArray[np.uint8], basis: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the scores of an image, uint8 of shape (H, W, 3): (192, rows, columns), in pixel values."""
    planes = cascade_of(image, basis).forward(image, 1 / 8)
    return planes.astype(np.float32) / np.float32(8)


def train_order(planes: Sequence[NDArray[np.float32]]) -> NDArray[np.int64]:
    """Return channel, vertical and horizontal frequency of AC components by descending variance: (189, 3)."""
    variances = sum(np.square(part).mean(axis=(1, 2), dtype=np.float64) for part in planes)
    ranked = np.argsort(-np.asarray(variances), kind="stable")
    kept = ranked[ranked % PER_CHANNEL != 0]
    return np.stack([kept // PER_CHANNEL, kept % PER_CHANNEL // BLOCK, kept % BLOCK], axis=1)


def around(means: NDArray[np.float32]) -> Floats:
    """Return the differences of each mean's eight neighbours in raster order, shape (rows, columns, 8)."""
    rows, columns = means.shape
    padded = np.pad(means.astype(np.float64), 1, mode="edge")
    shifts = [(down, right) for down in range(3) for right in range(3) if (down, right) != (1, 1)]
    return np.stack([padded[d : d + rows, r : r + columns] - means for d, r in shifts], axis=-1)


def train_prediction(planes: Sequence[NDArray[np.float32]]) -> NDArray[np.int64]:
    """Return the least-squares weights of differences of means for each component: (3, 64, 8), in 2^-11.

    The planes are those of :func:`scores_of`. Of most components means tell so little that nothing is
    predicted: decoders skip what is zero.
    """
    weights = np.zeros((CHANNELS, PER_CHANNEL, 8))
    for channel in range(CHANNELS):
        own = slice(channel * PER_CHANNEL, (channel + 1) * PER_CHANNEL)
        gram, right = np.zeros((8, 8)), np.zeros((8, PER_CHANNEL))
        for part in planes:
            known = around(part[channel * PER_CHANNEL]).reshape(-1, 8)
            gram += known.T @ known
            right += known.T @ part[own].reshape(PER_CHANNEL, -1).T.astype(np.float64)
        weights[channel] = np.linalg.solve(gram + 1e-3 * np.trace(gram) / 8 * np.eye(8), right).T
    most = 1 << PREDICTION_BITS
    found: NDArray[np.int64] = np.clip(np.rint(weights * most), -most, most).astype(np.int64)
    return np.where(np.abs(found).sum(axis=2, keepdims=True) >= LEAST_TELLING, found, 0)


def residuals(
    planes: NDArray[np.float32], order: NDArray[np.int64], prediction: NDArray[np.int64], step: float
) -> NDArray[np.float32]:
    """Return the scores minus their prediction from quantised means: (rows, columns, 189), in steps.

    The planes are those of :func:`scores_of`; the components are in the order of the file.
    """
    rest = np.empty((*planes.shape[1:], len(order)), np.float32)
    flat = order[:, 0] * PER_CHANNEL + order[:, 1] * BLOCK + order[:, 2]
    for channel in range(CHANNELS):
        known = around(np.rint(planes[channel * PER_CHANNEL] / np.float32(step)))
        expected = np.ldexp(known @ prediction[channel].T, -PREDICTION_BITS)
        for index in np.flatnonzero(order[:, 0] == channel).tolist():
            component = int(flat[index])
            rest[..., index] = planes[component] / step - expected[..., component % PER_CHANNEL]
    return rest


def rounded(rest: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return scores, in units of the step, rounded approximately as by the encoder."""
    size = np.abs(rest)
    whole: NDArray[np.float32] = np.floor(size + np.where(size < 1, np.float32(0.33), np.float32(0.42)))
    return np.copysign(whole, rest)
