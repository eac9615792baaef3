"""Estimates of the size of corrections, and of the error that remains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.estimates import Corrections
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.linear.exact import unit_error
from pcaimage.codec.linear.quantize import PRICE
from pcaimage.codec.linear.slices import BAND_PLANES, PIXEL_PLANES, encode, mask_of
from pcaimage.codec.linear.statistics import spread_runs
from pcaimage.progress import Count, Progress, counted, no_progress

SAMPLE_NUMBERS, LEAST_LINES, MOST_RUNS = 2 << 20, 16, 4
"""Sample coded for an estimate: approximate number of values, least lines of a run, most runs.

The first lines of a run cost more than the others, as models are still learning.
"""


def corrections(
    analysis: BandsAnalysis, k: int, step: float, max_error: float, progress: Progress = no_progress
) -> Corrections:
    """Estimate the corrections that keep values within an error, by coding those of a sample of lines."""
    header = analysis.header
    height, width, bands = header.shape
    width_of_bin = 2 * unit_error(header, max_error) + 1
    runs = spread_runs(header, SAMPLE_NUMBERS, LEAST_LINES, MOST_RUNS)
    tick = counted(progress, len(runs) * (k + bands))
    n_bytes, squares = 0, 0.0
    for start, stop in runs:
        mask = mask_of(header, analysis.missing, start, stop)
        lacking = _lacking(analysis, k, step, (start, stop), mask, tick)
        found = np.empty(lacking.shape, np.int32)
        coded, _ = encode((lacking / width_of_bin).__getitem__, found, mask, BAND_PLANES, 0.0, tick)
        n_bytes += len(coded)
        for band in range(bands):
            left = (lacking[band] - found[band] * width_of_bin)[mask]
            squares += float(np.square(left, dtype=np.float64).sum())
    share = height / sum(stop - start for start, stop in runs)
    mse = share * squares / (height * width * bands) * 4.0**-header.value_bits
    return Corrections(share * n_bytes, mse)


def _lacking(
    analysis: BandsAnalysis,
    k: int,
    step: float,
    lines: tuple[int, int],
    mask: NDArray[np.bool_],
    tick: Count,
) -> NDArray[np.float64]:
    """Return the residual of some lines, in the unit of values, shape (bands, rows, columns)."""
    original = analysis.lines(*lines)
    scores = (analysis.projection[:k] @ original.T).reshape(k, *mask.shape)
    found = np.empty(scores.shape, np.int32)
    encode(lambda plane: scores[plane] / step, found, mask, PIXEL_PLANES, PRICE, tick)
    rounded = found.reshape(k, -1)
    unit = 2.0**analysis.header.value_bits
    lacking = np.rint((original - step * rounded.T @ analysis.synthesis[:k]) * unit)
    return np.ascontiguousarray(lacking.T).reshape(-1, *mask.shape) * mask
