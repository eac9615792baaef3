"""Corrections: the coded residual, which keeps every value within an error bound, or exact; and estimates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.estimates import Corrections
from pcaimage.codec.linear.bands import BandsAnalysis
from pcaimage.codec.linear.line_buffer import LineBuffer
from pcaimage.codec.linear.model import IntegerModel, bounds, value_bounds
from pcaimage.codec.linear.quantize import PRICE
from pcaimage.codec.linear.slices import BAND_PLANES, PIXEL_PLANES, Tile, encode, mask_of, slices_of
from pcaimage.codec.linear.statistics import spread_runs
from pcaimage.errors import SettingsError
from pcaimage.machine.mapped import Footprint
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Count, Progress, counted, no_progress
from pcaimage.varint import write_varint

Ints = NDArray[np.int32]

MAX_ERROR = 1 << 16  # largest error bound, in units of the values


def unit_error(header: Header, error: float) -> int:
    """Return the error bound of the integers that keeps values within `error`, in units of 2^-value_bits.

    Raises SettingsError if real numbers would have to be finer than they are stored.
    """
    if header.dtype != "float32":
        return min(int(error), MAX_ERROR)
    # Rounding real numbers to integers uses up half a unit.
    whole = int(np.floor(error * 2.0**header.value_bits - 0.5))
    if whole < 0:
        raise SettingsError(f"Real numbers cannot be kept within {error:g} in this file.")
    return min(whole, MAX_ERROR)


def whole_values(array: NDArray[Any], header: Header) -> Ints:
    """Return values as integers in units of 2^-value_bits; undefined where data are missing."""
    if header.dtype != "float32":
        return array.astype(np.int32)
    scaled = np.rint(np.ldexp(np.nan_to_num(array.astype(np.float64)), header.value_bits))
    return np.clip(scaled, *bounds(header.dtype)).astype(np.int32)


def encode_residual(
    array: NDArray[Any],
    model: IntegerModel,
    error: int,
    progress: Progress = no_progress,
    *,
    result: LineBuffer | None = None,
) -> bytes:
    """Code the residual of an image of shape (H, W, C) within an error bound, in units of 2^-value_bits.

    `result` receives the pixels that decoding will give.
    """
    header, parts, footprint = model.header, slices_of(model.header), Footprint(array)
    bands, step = header.n_features, 2 * error + 1
    tick = counted(progress, len(parts) * bands)

    def work(number: int) -> bytes:
        tile = parts[number]
        values = np.asarray(tile.of(array)).reshape(-1, bands)
        lacking = whole_values(values, header)
        footprint.walked(values.nbytes)
        lacking -= model.whole(tile.samples(header))
        if model.missing is not None:
            lacking[model.missing.of_samples(tile.samples(header), lacking.shape)] = 0
        planes = np.ascontiguousarray(lacking.T).reshape(bands, *tile.shape)
        del lacking
        mask, found = mask_of(header, model.missing, tile), np.empty_like(planes)
        coded = encode(lambda band: planes[band] / step, found, mask, BAND_PLANES, 0.0, tick)[0]
        if result is not None:
            result.put(tile.top, _corrected(found, model, error, tile), tile.left)
        return coded

    coded = side_by_side(work, len(parts))
    sizes = np.array([len(part) for part in coded], "<u4")
    return b"".join([write_varint(2 * error), sizes.tobytes(), *coded])


def _corrected(corrections: Ints, model: IntegerModel, error: int, tile: Tile) -> NDArray[Any]:
    """Return the corrected values of a slice, shape (lines, columns, bands)."""
    where = tile.samples(model.header)
    whole = model.whole(where)
    # Numbers below 2^25 times steps up to 2^17 exceed 32 bits.
    for band, plane in enumerate(corrections):
        corrected = whole[:, band] + plane.ravel().astype(np.int64) * (2 * error + 1)
        whole[:, band] = np.clip(corrected, *value_bounds(model.header))
    return model.values(whole, where).reshape(*tile.shape, -1)


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
        tile = Tile(start, stop, 0, width)
        mask = mask_of(header, analysis.missing, tile)
        lacking = _lacking(analysis, k, step, tile, mask, tick)
        found = np.empty(lacking.shape, np.int32)
        coded, _ = encode((lacking / width_of_bin).__getitem__, found, mask, BAND_PLANES, 0.0, tick)
        n_bytes += len(coded)
        left = (lacking - found * width_of_bin)[:, mask]
        squares += float(np.square(left, dtype=np.float64).sum())
    share = height / sum(stop - start for start, stop in runs)
    mse = share * squares / (height * width * bands) * 4.0**-header.value_bits
    return Corrections(share * n_bytes, mse)


def _lacking(
    analysis: BandsAnalysis,
    k: int,
    step: float,
    tile: Tile,
    mask: NDArray[np.bool_],
    tick: Count,
) -> NDArray[np.float64]:
    """Return the residual of a tile, in the unit of values, shape (bands, rows, columns)."""
    original = analysis.centred(tile, analysis.pca.mean_)
    scores = (analysis.projection[:k] @ original.T).reshape(k, *mask.shape)
    found = np.empty(scores.shape, np.int32)
    encode(lambda plane: scores[plane] / step, found, mask, PIXEL_PLANES, PRICE, tick)
    rounded = found.reshape(k, -1)
    unit = 2.0**analysis.header.value_bits
    lacking = np.rint((original - step * rounded.T @ analysis.synthesis[:k]) * unit)
    return np.ascontiguousarray(lacking.T).reshape(-1, *mask.shape) * mask
