"""How strongly each channel of a photo is shrunk after decoding: the encoder's choice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import SHRUNK
from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.inverse import FRACTION_BITS
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.prediction import FRACTION_BITS as SCORE_BITS
from pcaimage.codec.photo.tables import Tables
from pcaimage.parallel import side_by_side

WHOLE, MOST = 8, 16
"""Strengths in eighths: that at which gains are as they were fitted, and the largest."""

STEPS = (1.0, 300.0)
"""Photos are shrunk whose step, on a scale of 255, lies between these."""

_GROUPS, _LARGE = 16, 1 << 21
"""Groups of lines that are looked at together; pixels from which not all are."""


def with_strengths(analysis: PhotoAnalysis, model: PhotoModel) -> PhotoModel:
    """Return a model that is shrunk so that it comes closest to its photo.

    The errors of each channel and its corrections by whole gains give the best multiple of these by least
    squares; channels are orthogonal, so that each is a problem of its own.

    Parameters
    ----------
    analysis : PhotoAnalysis
        The photo.
    model : PhotoModel
        What it was quantised to.

    Returns
    -------
    PhotoModel
        It shares the scores.
    """
    header = model.header
    relative = float(header.step) * 255 / header.peak
    if not STEPS[0] <= relative <= STEPS[1]:
        return model
    count = header.shape[-1]
    tried = replace(header, tools=header.tools | SHRUNK, strengths=(WHOLE,) * count)
    rows = model.layout.grid[0]
    parts = list(range(0, rows + 1, _GROUPS))
    every = -(-(header.shape[0] * header.shape[1]) // _LARGE)
    shrinkage = Tables.of(header.tables).shrinkage(tried, model.block_levels(0, rows))
    dtype, bits = np.dtype(header.dtype), FRACTION_BITS[np.dtype(header.dtype)]
    unit = (header.step.mantissa, header.step.exponent - SCORE_BITS)

    def true(start: int, stop: int) -> NDArray[np.int32]:
        return analysis.planes[:, start:stop].astype(np.int32)

    def products(number: int) -> NDArray[np.float64]:
        groups = parts[number * every], min(parts[number * every] + _GROUPS, rows + 1)
        exponent = round(np.log2(UNIT))
        wanted = analysis.cascade.channel_planes(header.shape, dtype, true, (1, exponent), groups)
        before = model.cascade.channel_planes(header.shape, dtype, model.coefficients, unit, groups)
        after = before.copy()
        if shrinkage is not None and after.shape[1]:
            shrinkage.apply(after, 0, after.shape[1], bits, max(8 * groups[0] - 4, 0))
        change, missing = after - before, wanted - before
        return np.array([np.sum(change * missing, axis=(1, 2)), np.sum(change * change, axis=(1, 2))])

    found = sum(side_by_side(products, -(-len(parts) // every)))
    helped, squares = np.asarray(found)
    best = np.clip(np.rint(WHOLE * helped / np.maximum(squares, 1e-9)), 0, MOST)
    strengths = tuple(int(value) for value in best)
    return replace(model, header=replace(tried, strengths=strengths)) if any(strengths) else model
