"""How strongly each channel of a photo is shrunk after decoding: the encoder's choice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import SHRUNK, STRENGTHS
from pcaimage.codec.photo.analysis import UNIT, PhotoAnalysis
from pcaimage.codec.photo.inverse import FRACTION_BITS
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.prediction import FRACTION_BITS as SCORE_BITS
from pcaimage.codec.photo.shrinkage import WHOLE
from pcaimage.codec.photo.tables import Tables
from pcaimage.parallel import side_by_side

MOST = 16
"""The largest strength, in eighths; the smallest is as far below zero."""

STEPS = (1.0, 300.0)
"""Photos are shrunk whose step, on a scale of 255, lies between these."""

_GROUPS, _LARGE = 16, 1 << 21
"""Groups of lines that are looked at together; pixels from which not all are."""


def with_strengths(analysis: PhotoAnalysis, model: PhotoModel) -> PhotoModel:
    """Return a model that is shrunk so that it comes closest to its photo.

    The errors of each channel and its corrections by each of its gains give the best multiples of these by
    least squares; channels are orthogonal, so that each is a problem of its own.

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
    tools, tables = header.tools | SHRUNK, Tables.of(header.tables)
    alone = WHOLE * np.eye(STRENGTHS, dtype=np.int64)
    shrinkages = [
        tables.shrinkage(replace(header, tools=tools, strengths=tuple(each.tolist()) * count))
        for each in alone
    ]
    rows = model.layout.grid[0]
    parts = list(range(0, rows + 1, _GROUPS))
    every = -(-(header.shape[0] * header.shape[1]) // _LARGE)
    dtype, bits = np.dtype(header.dtype), FRACTION_BITS[np.dtype(header.dtype)]
    unit = (header.step.mantissa, header.step.exponent - SCORE_BITS)

    def true(start: int, stop: int) -> NDArray[np.int32]:
        return analysis.planes[:, start:stop].astype(np.int32)

    def products(number: int) -> NDArray[np.float64]:
        groups = parts[number * every], min(parts[number * every] + _GROUPS, rows + 1)
        exponent = round(np.log2(UNIT))
        wanted = analysis.cascade.channel_planes(header.shape, dtype, true, (1, exponent), groups)
        before = model.cascade.channel_planes(header.shape, dtype, model.coefficients, unit, groups)
        known = [wanted - before]
        for shrinkage in shrinkages:
            after = before.copy()
            if shrinkage is not None and after.shape[1]:
                shrinkage.apply(after, 0, after.shape[1], bits)
            known.append(after - before)
        each = np.stack(known, axis=1).reshape(count, len(known), -1)
        return each @ each.swapaxes(1, 2)

    found = np.asarray(sum(side_by_side(products, -(-len(parts) // every))))
    strengths = tuple(value for channel in found for value in _best(channel))
    header = replace(header, tools=tools, strengths=strengths)
    return replace(model, header=header) if any(strengths) else model


def _best(products: NDArray[np.float64]) -> list[int]:
    """Return a channel's strengths, from the products of what is missing, and of all corrections."""
    helped, squares = products[0, 1:], products[1:, 1:]
    ridge = (1e-6 * np.trace(squares) + 1e-9) * np.eye(STRENGTHS)
    best = np.rint(WHOLE * np.linalg.solve(squares + ridge, helped))
    strengths: list[int] = np.clip(best, -MOST, MOST).astype(int).tolist()
    return strengths
