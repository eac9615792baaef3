"""Bases fitted to an image's own blocks, in place of the trained ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.cascade import Cascade
from pcaimage.codec.photo.channels import ONE
from pcaimage.codec.photo.layout import PER_CHANNEL
from pcaimage.codec.photo.moments import exact_moments
from pcaimage.codec.settings import DEFAULT_STEP, Basis
from pcaimage.progress import Progress, no_progress, part
from pcaimage.sampling.lapped import BLOCK

IntArray = NDArray[np.int64]
Floats = NDArray[np.float64]

BYTES = 256
"""Size of own bases in a file."""

SAMPLED = 1 << 14
"""About how many blocks are examined to estimate what own bases would save."""

CERTAIN = 4
"""Own bases must promise to save so many times their size: a trial would take longer than all else."""

WORTH = 0.4
"""Share of the promised savings that the coder achieves: its contexts already exploit the rest."""


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
    header, before = builtin.header, builtin.cascade
    vertical, horizontal = own_bases(builtin)
    if basis != Basis.OWN and saved(builtin, vertical, horizontal) < CERTAIN * BYTES:
        return builtin
    # What was found is let go before its like takes its place.
    del builtin
    cascade = Cascade(before.mean, before.rotation, vertical, horizontal)
    return PhotoAnalysis(header, cascade, cascade.forward(array, UNIT, part(progress, 0.5, 1.0)))


def own_bases(analysis: PhotoAnalysis) -> tuple[IntArray, IntArray]:
    """Find the components of the columns and of the rows of an image's blocks.

    They are those of the first channel's. The constant component stays, and so does the symmetry of the
    others: components that are even or odd stay so, which is PCA of the blocks and of their mirror images
    together. The scores are an orthonormal transform of the blocks, so that theirs is the covariance needed.

    Returns
    -------
    vertical, horizontal : ndarray of int64, shape (8, 8)
        Rows are components, in 2^-14.
    """
    planes = analysis.planes[:PER_CHANNEL].reshape(BLOCK, BLOCK, -1)
    cascade = analysis.cascade
    # Rounded sums would differ between machines, and components of nearly equal variance turn with them.
    down, along = exact_moments(planes, axis=0), exact_moments(planes, axis=1)
    return _turned(down, cascade.vertical), _turned(along, cascade.horizontal)


def _turned(moments: Floats, basis: IntArray) -> IntArray:
    """Return the components of which scores on other components have these moments."""
    turn = np.eye(BLOCK)
    for parity in (slice(1, None, 2), slice(2, None, 2)):
        axes = np.linalg.eigh(moments[parity, parity])[1][:, ::-1].T
        turn[parity, parity] = axes * np.where(np.diag(axes) < 0, -1.0, 1.0)[:, None]
    # Rounded components are not quite of unit length; the program's own stay as they are.
    exact = np.linalg.qr((basis / ONE).T)[0].T
    exact *= np.sign(np.sum(exact * basis, axis=1))[:, None]
    result: IntArray = np.rint(turn @ exact * ONE).astype(np.int64)
    result[0] = basis[0]
    return result


def saved(analysis: PhotoAnalysis, vertical: IntArray, horizontal: IntArray) -> float:
    """Return about how many bytes other components save at the usual step.

    Parameters
    ----------
    vertical, horizontal : ndarray of int64, shape (8, 8)
        The other components.
    """
    header, cascade = analysis.header, analysis.cascade
    level = (DEFAULT_STEP * header.peak / 255) ** 2 / 12
    flat = analysis.planes.reshape(len(analysis.planes), -1)
    sample = np.ascontiguousarray(flat[:, :: max(1, header.n_samples // SAMPLED)])
    down = vertical @ cascade.vertical.T / ONE**2
    along = horizontal @ cascade.horizontal.T / ONE**2

    def bits(scores: Floats) -> float:
        variances = scores.reshape(BLOCK * BLOCK, -1).var(axis=1) * UNIT**2
        return float(np.log2(np.maximum(variances / level, 1)).sum()) / 2

    promised = 0.0
    for start in range(0, len(sample), BLOCK * BLOCK):  # a channel at a time stays in the cache
        blocks = sample[start : start + BLOCK * BLOCK].astype(np.float64).reshape(BLOCK, BLOCK, -1)
        turned = along @ (down @ blocks.reshape(BLOCK, -1)).reshape(blocks.shape)
        promised += bits(blocks) - bits(turned)
    return WORTH * header.n_samples * promised / 8
