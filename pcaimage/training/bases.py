"""The bases: components of lines of lapped pixels, their order, and what means tell of the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.cascade import Cascade
from pcaimage.codec.photo.layout import PER_CHANNEL
from pcaimage.sampling import Lapped

Floats = NDArray[np.float64]

BLOCK = 8
BASIS_BITS, PREDICTION_BITS = 14, 11
CHANNELS = 3


def train_basis(images: Sequence[NDArray[np.uint8]]) -> NDArray[np.int64]:
    """Fit the components of lines of eight lapped pixels, rows and columns together.

    The first is constant; the others are those of the rest, by descending variance [1]_. Photographs are as
    likely mirrored, so the covariance is made symmetric to that.

    Parameters
    ----------
    images : sequence of ndarray of uint8, shape (H, W, 3)
        Photographs.

    Returns
    -------
    ndarray of int64, shape (8, 8)
        Rows are components, in 2^-14.

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


def scores_of(image: NDArray[np.uint8], basis: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return an image's scores on the components of the cascade.

    Parameters
    ----------
    image : ndarray of uint8, shape (H, W, 3)
        The image.
    basis : ndarray of int64, shape (8, 8)
        From :func:`train_basis`.

    Returns
    -------
    ndarray of float32, shape (192, rows, columns)
        In pixel units.
    """
    planes = Cascade.of_image(image, basis, basis).forward(image, 1 / 8)
    return planes.astype(np.float32) / np.float32(8)


def train_order(planes: Sequence[NDArray[np.float32]]) -> NDArray[np.int64]:
    """Return the components that are not constant by descending variance.

    Parameters
    ----------
    planes : sequence of ndarray of float32, shape (192, rows, columns)
        From :func:`scores_of`.

    Returns
    -------
    ndarray of int64, shape (189, 3)
        Channel, vertical and horizontal frequency of each.
    """
    variances = sum(np.square(part).mean(axis=(1, 2), dtype=np.float64) for part in planes)
    ranked = np.argsort(-np.asarray(variances), kind="stable")
    kept = ranked[ranked % PER_CHANNEL != 0]
    return np.stack([kept // PER_CHANNEL, kept % PER_CHANNEL // BLOCK, kept % BLOCK], axis=1)


def around(means: NDArray[np.float32]) -> Floats:
    """Return the differences of the eight neighbours to each number, (rows, columns, 8).

    Parameters
    ----------
    means : ndarray of float32, shape (rows, columns)
        A plane.

    Returns
    -------
    ndarray of float64, shape (rows, columns, 8)
        In reading order; the edges are continued.
    """
    rows, columns = means.shape
    padded = np.pad(means.astype(np.float64), 1, mode="edge")
    shifts = [(down, right) for down in range(3) for right in range(3) if (down, right) != (1, 1)]
    return np.stack([padded[d : d + rows, r : r + columns] - means for d, r in shifts], axis=-1)


def train_prediction(planes: Sequence[NDArray[np.float32]]) -> NDArray[np.int64]:
    """Return what differences of means tell of a block, by least squares.

    Parameters
    ----------
    planes : sequence of ndarray of float32, shape (192, rows, columns)
        From :func:`scores_of`.

    Returns
    -------
    ndarray of int64, shape (3, 64, 8)
        For each channel and component, in 2^-11.
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
    return found


def residuals(
    planes: NDArray[np.float32], order: NDArray[np.int64], prediction: NDArray[np.int64], step: float
) -> NDArray[np.float32]:
    """Return what remains of an image's scores once its quantised means are known.

    Parameters
    ----------
    planes : ndarray of float32, shape (192, rows, columns)
        From :func:`scores_of`.
    order : ndarray of int64, shape (189, 3)
        From :func:`train_order`.
    prediction : ndarray of int64, shape (3, 64, 8)
        From :func:`train_prediction`.
    step : float
        Δ.

    Returns
    -------
    ndarray of float32, shape (rows, columns, 189)
        In units of the step, in the order of the file.
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
    """Return scores rounded about as the encoder does it.

    Parameters
    ----------
    rest : ndarray of float32
        In units of the step.

    Returns
    -------
    ndarray of float32
        Whole numbers.
    """
    size = np.abs(rest)
    whole: NDArray[np.float32] = np.floor(size + np.where(size < 1, np.float32(0.33), np.float32(0.42)))
    return np.copysign(whole, rest)
