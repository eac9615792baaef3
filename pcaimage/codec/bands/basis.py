"""The mean and components of a many-band image as integers, each with the precision that pays off."""

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
    """Return the fractional bits of the entries of each of the first k components.

    Rounding an entry to a step δ costs λ δ²/12 in each of n samples, and one more bit halves δ. A score's bit
    buys the same reduction at δ = Δ / √(n λ), so finer entries would cost more than they are worth.
    """
    count, scale = analysis.pca.n_samples_, analysis.typical_scale
    # Whitened components have very different norms in the bands' space, where an entry's error counts.
    scales = scale if analysis.white is None else np.sqrt(analysis.gains[:k])
    wanted = np.log2(np.sqrt(count * np.maximum(analysis.variances[:k], 1e-30)) / (step * scales))
    least = _least_precision(analysis.header) - math.floor(math.log2(scale))
    least = min(max(least, 0), MAX_PRECISION)
    return tuple(np.clip(np.rint(wanted), least, MAX_PRECISION).astype(int).tolist())


def fixed(analysis: BandsAnalysis, step: Step) -> tuple[Header, NDArray[np.int64]]:
    """Return the parts of a file that do not depend on k: the header, and the mean in its units."""
    pca, source = analysis.pca, analysis.header
    wanted = math.log2(math.sqrt(pca.n_samples_) / (float(step) * analysis.typical_scale))
    # The mean's entries must stay in the range that the coder accepts.
    most = 29 - math.frexp(float(np.abs(pca.mean_).max()))[1]
    bits = max(0, min(math.ceil(wanted), most, MAX_MEAN_BITS))
    header = replace(source, step=step, mean_bits=bits)
    return header, np.rint(np.ldexp(pca.mean_, bits)).astype(np.int64)


def entries(analysis: BandsAnalysis, digits: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the first components as integers: contributions of a unit score to the bands, (k, n_features).

    Component j is in units of 2^-digits[j]; it is zeros if it is left out.
    """
    rows = analysis.synthesis[: len(digits)]
    found: NDArray[np.int64] = np.rint(np.ldexp(rows, np.array(digits, np.int64)[:, None])).astype(np.int64)
    return found
