"""Bases fitted to an image's own blocks, in place of the trained ones."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.choices import Basis, Effort
from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.coding import quantize
from pcaimage.codec.photo.layout import PER_CHANNEL, UNIT
from pcaimage.codec.photo.slices import DEPENDENT_PRICE
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.photo.transform.channels import ONE
from pcaimage.codec.settings import DEFAULT_STEP
from pcaimage.codec.step import Step
from pcaimage.progress import Progress, no_progress, part
from pcaimage.quality import squared_error
from pcaimage.sampling.blocks import BLOCK

IntArray = NDArray[np.int64]
Floats = NDArray[np.float64]

BYTES = 256  # size of the image's own bases in a file
FITTED = 1 << 16  # approximate number of blocks that own bases are fitted to
SAMPLED = 1 << 13  # approximate number of blocks sampled to estimate the savings of the image's own bases

CERTAIN, LIKELY = 4, 1
"""Own bases are used if their estimated savings are the first times their size; with the most effort, they
are tried if these are the second times it."""

WORTH = 0.4  # share of the estimated savings that is realised: the coder's contexts already exploit the rest

EXACT = 1 << 53  # integers up to this bound are exact in float64
STRIP = 1 << 12  # number of blocks whose moments are accumulated at once: too few for BLAS to start threads


def analyse(
    array: NDArray[Any],
    basis: Basis,
    progress: Progress = no_progress,
    effort: Effort = Effort.STANDARD,
    white: float | None = None,
) -> PhotoAnalysis:
    """Compute an image's scores on the trained components or on its own.

    `basis` says which, or whichever is expected to give the smaller file: with the least effort that is never
    the image's own; with the most, files of both are made where that is likely to tell. DataError if the
    array's type or shape is not supported.
    """
    if basis == Basis.BUILTIN or (basis == Basis.AUTO and effort == Effort.FAST):
        return PhotoAnalysis.fit(array, progress, white=white).with_effort(effort)
    builtin = PhotoAnalysis.fit(array, part(progress, 0.0, 0.5), white=white)
    header, before, graphic = builtin.header, builtin.cascade, builtin.graphic
    vertical, horizontal = own_bases(builtin)
    tried = basis == Basis.AUTO and effort == Effort.BEST
    if basis == Basis.AUTO and saved(builtin, vertical, horizontal) < (LIKELY if tried else CERTAIN) * BYTES:
        return builtin.with_effort(effort)
    cost = loss(builtin, array) if tried else math.inf
    # The first scores are released before the next ones are allocated.
    del builtin
    cascade = Cascade(before.mean, before.rotation, vertical, horizontal)
    planes = cascade.forward(array, UNIT, part(progress, 0.5, 1.0))
    own = PhotoAnalysis.of(header, cascade, planes, graphic)
    del planes
    if tried and loss(own, array) + BYTES * worth(own) >= cost:
        del own
        return PhotoAnalysis.fit(array, white=white).with_effort(effort)
    return own.with_effort(effort)


def worth(analysis: PhotoAnalysis) -> float:
    """Return the squared error that a byte is worth at the default step."""
    return 8 * DEPENDENT_PRICE * analysis.default_step(None) ** 2


def loss(analysis: PhotoAnalysis, array: NDArray[Any]) -> float:
    """Return the squared error of a photo at the default step, plus what its bytes are worth: D + λR."""
    step = Step.nearest(analysis.default_step(None))
    plain = replace(analysis, graphic=None)
    model = quantize(plain, plain.k_for_step(float(step)), step)
    size = sum(map(len, model.segments))
    return squared_error(array, model.reconstruct()) + size * worth(analysis)


def own_bases(analysis: PhotoAnalysis) -> tuple[IntArray, IntArray]:
    """Fit vertical and horizontal bases, in rows, in 2^-14, to the columns and rows of an image's blocks.

    They are the PCA of the first channel. The constant component is kept, and so is the even or odd symmetry
    of the others, which makes this the PCA of the blocks together with their mirror images. As the scores are
    an orthonormal transform of the blocks, the scores' covariance suffices.
    """
    planes = _some(analysis.planes[:PER_CHANNEL], FITTED).reshape(BLOCK, BLOCK, -1)
    cascade = analysis.cascade
    # Rounded sums would differ between machines, and could rotate components of nearly equal variance.
    down, along = exact_moments(planes, axis=0), exact_moments(planes, axis=1)
    return _turned(down, cascade.vertical), _turned(along, cascade.horizontal)


def _turned(moments: Floats, basis: IntArray) -> IntArray:
    """Return the principal components, given the second moments of scores on `basis`."""
    turn = np.eye(BLOCK)
    for parity in (slice(1, None, 2), slice(2, None, 2)):
        axes = np.linalg.eigh(moments[parity, parity])[1][:, ::-1].T
        turn[parity, parity] = axes * np.where(np.diag(axes) < 0, -1.0, 1.0)[:, None]
    # The rounded basis is not exactly orthonormal, so its QR factor is rotated instead.
    exact = np.linalg.qr((basis / ONE).T)[0].T
    exact *= np.sign(np.sum(exact * basis, axis=1))[:, None]
    result: IntArray = np.rint(turn @ exact * ONE).astype(np.int64)
    result[0] = basis[0]
    return result


def saved(analysis: PhotoAnalysis, vertical: IntArray, horizontal: IntArray) -> float:
    """Estimate the number of bytes that other bases save at the default step."""
    header, cascade = analysis.header, analysis.cascade
    level = (DEFAULT_STEP * header.peak / 255) ** 2 / 12
    sample = _some(analysis.planes, SAMPLED)
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


def _some(planes: NDArray[Any], count: int) -> NDArray[Any]:
    """Return about so many blocks' scores, of rows that are spread over the image."""
    every = max(1, planes[0].size // count)
    return np.ascontiguousarray(planes[:, every // 2 :: every]).reshape(len(planes), -1)


def exact_moments(planes: NDArray[Any], axis: int = 0) -> Floats:
    """Return the second moments of vertical (axis 0) or horizontal (axis 1) components, summed over blocks.

    The planes are scores by vertical and horizontal component, of shape (8, 8, n). The moments of the
    constant component, the first, are zero.
    """
    varying = planes.swapaxes(0, axis)[1:]
    peak = max(1, int(varying.max()), -int(varying.min()))
    strip = min(STRIP, max(1, EXACT // peak**2))
    fits = peak**2 * varying[0].size < 1 << 63
    total = np.zeros((BLOCK, BLOCK), np.int64 if fits else object)
    for line in range(varying.shape[1]):
        for start in range(0, varying.shape[2], strip):
            # Sums of whole numbers below 2^53 are exact, in whatever order a BLAS adds them.
            piece = varying[:, line, start : start + strip].astype(np.float64)
            total[1:, 1:] += (piece @ piece.T).astype(np.int64)
    result: Floats = total.astype(np.float64)
    return result
