"""The mean and components of a many-band image as integers, each as precise as pays off."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.bands.analysis import BandsAnalysis
from pcaimage.codec.compressed import MAX_PRECISION, Header
from pcaimage.codec.step import Step

MAX_MEAN_BITS = 40


def _least_precision(header: Header) -> int:
    """Return the precision at which a typical entry has two levels."""
    return math.ceil(math.log2(header.n_features) / 2) + 1


def precisions(analysis: BandsAnalysis, k: int, step: float) -> tuple[int, ...]:
    """Return the binary digits that the first components' entries need.

    An entry that is wrong by δ/√12 costs λ δ²/12 in every one of n samples, and a bit more halves δ; a
    score's bit buys the same at δ = Δ / √(n λ). Finer would cost more than it is worth.
    """
    count, scale = analysis.pca.n_samples_, analysis.typical_scale
    # Whitened components are of very different lengths as bands, and an entry's error is one of bands.
    scales = scale if analysis.white is None else np.sqrt(analysis.gains[:k])
    wanted = np.log2(np.sqrt(count * np.maximum(analysis.variances[:k], 1e-30)) / (step * scales))
    least = _least_precision(analysis.header) - math.floor(math.log2(scale))
    least = min(max(least, 0), MAX_PRECISION)
    return tuple(np.clip(np.rint(wanted), least, MAX_PRECISION).astype(int).tolist())


def fixed(analysis: BandsAnalysis, step: Step) -> tuple[Header, NDArray[np.int64]]:
    """Return what a file holds of an image whatever k is.

    Returns
    -------
    (Header, ndarray of int64, shape (n_features,))
        The header, and in its units the mean.
    """
    pca, source = analysis.pca, analysis.header
    wanted = math.log2(math.sqrt(pca.n_samples_) / (float(step) * analysis.typical_scale))
    # The mean's entries must stay in the range of what is coded.
    most = 29 - math.frexp(float(np.abs(pca.mean_).max()))[1]
    bits = max(0, min(math.ceil(wanted), most, MAX_MEAN_BITS))
    header = replace(source, step=step, mean_bits=bits)
    return header, np.rint(np.ldexp(pca.mean_, bits)).astype(np.int64)


def entries(analysis: BandsAnalysis, digits: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the first components as integers.

    Returns
    -------
    ndarray of int64, shape (k, n_features)
        What a score of one adds to the bands: component j in units of 2^-digits[j]; zeros where it is left
        out.
    """
    rows = analysis.synthesis[: len(digits)]
    found: NDArray[np.int64] = np.rint(np.ldexp(rows, np.array(digits, np.int64)[:, None])).astype(np.int64)
    return found
