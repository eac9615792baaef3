"""Components of an image's own blocks, in place of the trained ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.cascade import Cascade
from pcaimage.codec.photo.channels import ONE
from pcaimage.codec.photo.layout import PER_CHANNEL
from pcaimage.codec.photo.rates import PhotoRates
from pcaimage.codec.settings import DEFAULT_STEP, Basis
from pcaimage.progress import Progress, no_progress, part
from pcaimage.sampling.lapped import BLOCK

IntArray = NDArray[np.int64]
Floats = NDArray[np.float64]

BYTES = 256
"""What own bases take in a file."""

LARGE = 1 << 14
"""From so many blocks on both are tried; for less, trying would take longer than all the rest."""

CERTAIN = 4
"""How many times its bytes a basis must promise to save where it is not tried."""

WORTH = 0.4
"""How much of what variances promise the coder makes true: its contexts know much of it already."""


def analyse(array: NDArray[Any], basis: Basis, progress: Progress = no_progress) -> PhotoAnalysis:
    """Find an image's scores on trained components, or on its own.

    Parameters
    ----------
    array : ndarray of uint8 or uint16, shape (H, W) or (H, W, C)
        The image, of at most four channels.
    basis : Basis
        Whose components; its own where the file is expected to be smaller, if that is asked for.
    progress : Progress, optional
        Told of the work done.

    Returns
    -------
    PhotoAnalysis
        With 64 components for every channel.

    Raises
    ------
    DataError
        If the array's type or shape is not supported.
    """
    if basis == Basis.BUILTIN:
        return PhotoAnalysis.fit(array, progress)
    builtin = PhotoAnalysis.fit(array, part(progress, 0.0, 0.5))
    vertical, horizontal = own_bases(builtin)
    before = builtin.cascade
    cascade = Cascade(before.mean, before.rotation, vertical, horizontal)
    planes = cascade.forward(array, UNIT, part(progress, 0.5, 1.0))
    own = PhotoAnalysis(builtin.header, cascade, planes)
    return own if basis == Basis.OWN or _pays(builtin, own) else builtin


def _pays(builtin: PhotoAnalysis, own: PhotoAnalysis) -> bool:
    """Return whether own components are worth their bytes: tried on a sample of what is large."""
    if builtin.header.n_samples < LARGE:
        return gain(builtin, own) > CERTAIN * BYTES
    step = DEFAULT_STEP * builtin.header.peak / 255
    rates = PhotoRates(builtin)
    before, coarser = (rates.estimate(builtin.k_for_step(at), at) for at in (step, 2**0.5 * step))
    after = PhotoRates(own).estimate(own.k_for_step(step), step)
    # What the trained components would take for the same quality.
    slope = math.log(before.n_bytes / coarser.n_bytes) / max(before.psnr - coarser.psnr, 0.1)
    return after.n_bytes + BYTES < before.n_bytes * math.exp(slope * (after.psnr - before.psnr))


def own_bases(analysis: PhotoAnalysis) -> tuple[IntArray, IntArray]:
    """Find the components of the columns and of the rows of an image's blocks.

    They are those of the first channel's. The constant component stays, and so does the symmetry of the
    others: components that are even or odd stay so, which is PCA of the blocks and of their mirror images
    together. The scores are an orthonormal transform of the blocks, so that theirs is the covariance needed.

    Parameters
    ----------
    analysis : PhotoAnalysis
        The image, on any components.

    Returns
    -------
    vertical, horizontal : ndarray of int64, shape (8, 8)
        Rows are components, in 2^-14.
    """
    planes = analysis.planes[:PER_CHANNEL].reshape(BLOCK, BLOCK, -1).astype(np.float32)
    down = planes.reshape(BLOCK, -1)
    along = planes.transpose(1, 0, 2).reshape(BLOCK, -1)
    cascade = analysis.cascade
    return _turned(down @ down.T, cascade.vertical), _turned(along @ along.T, cascade.horizontal)


def _turned(moments: NDArray[np.float32], basis: IntArray) -> IntArray:
    """Return the components of which scores on other components have these moments."""
    turn = np.eye(BLOCK)
    for parity in (slice(1, None, 2), slice(2, None, 2)):
        axes = np.linalg.eigh(moments[parity, parity].astype(np.float64))[1][:, ::-1].T
        turn[parity, parity] = axes * np.where(np.diag(axes) < 0, -1.0, 1.0)[:, None]
    # Rounded components are not quite of unit length; the program's own stay as they are.
    exact = np.linalg.qr((basis / ONE).T)[0].T
    exact *= np.sign(np.sum(exact * basis, axis=1))[:, None]
    result: IntArray = np.rint(turn @ exact * ONE).astype(np.int64)
    result[0] = basis[0]
    return result


def gain(builtin: PhotoAnalysis, own: PhotoAnalysis) -> float:
    """Return about how many bytes other components save at the usual step.

    Parameters
    ----------
    builtin, own : PhotoAnalysis
        The same image on both components.

    Returns
    -------
    float
        From the logarithms of the variances that are above the water level.
    """
    header = builtin.header
    level = (DEFAULT_STEP * header.peak / 255) ** 2 / 12

    def bits(analysis: PhotoAnalysis) -> float:
        return float(np.log2(np.maximum(analysis.variances / level, 1)).sum()) / 2

    return WORTH * header.n_samples * (bits(builtin) - bits(own)) / 8
