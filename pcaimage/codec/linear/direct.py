"""Images of many bands coded directly: numbers are predicted by their neighbours, without components.

That takes the least work, in both directions: a slice's weights are found once, and what they leave is coded
by distributions that do not adapt.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memories, Memory
from pcaimage.codec.coding.range_coder import curves
from pcaimage.codec.compressed import Compressed, Header
from pcaimage.codec.linear.bands import with_bands
from pcaimage.codec.linear.coding import code_vector
from pcaimage.codec.linear.exact import unit_error, whole_values
from pcaimage.codec.linear.line_buffer import LineBuffer
from pcaimage.codec.linear.missing import find_missing
from pcaimage.codec.linear.model import IntegerModel, place_of, value_bounds
from pcaimage.codec.linear.slices import Tile, even, slices_of
from pcaimage.codec.linear.statistics import header_in_range
from pcaimage.codec.method import AnalysisOptions, Encoding
from pcaimage.codec.step import Step
from pcaimage.core.library import LONG, Array, function
from pcaimage.errors import DataError
from pcaimage.machine.mapped import Footprint
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted
from pcaimage.quality import extremes
from pcaimage.sampling import Bands
from pcaimage.varint import write_varint

LEAST, MOST, COLUMNS = 1 << 12, 1 << 13, 256
"""Approximate numbers of a slice's pixels, at least and most, unless there were too many; most columns."""

_ROOM = Array(np.uint8, writable=True)
_SIZE = function("pcai_direct_size", LONG, *(LONG,) * 3)
_WRITE = function("pcai_direct_write", LONG, Array(np.uint8), _ROOM, *(LONG,) * 8, _ROOM)


def encode(array: NDArray[Any], max_error: float, options: AnalysisOptions, progress: Progress) -> Encoding:
    """Code an image whose values are to be within an error; what is raised is as for its analysis."""
    full = with_bands(array)
    missing = find_missing(full, options.nodata)
    plain = Header(full.shape, full.dtype.name, Bands(), Step.nearest(1.0))
    if missing is not None and missing.mask.all():
        raise DataError("Nothing of the image was measured.")
    low, high = extremes(full, options.nodata)
    header = header_in_range(plain, low, high, max_error, has_axis=array.ndim == 3, white=options.white)
    header, memories = _sliced(header), Memories()
    error, tiles, bands = unit_error(header, max_error), slices_of(header), header.n_features
    exact = full.dtype.kind != "f" and not error
    footprint, tick = Footprint(full), counted(progress, len(tiles))
    result = None if exact else LineBuffer(header.shape, header.dtype)
    none = np.zeros((0, header.n_samples), np.int16)
    model = IntegerModel(
        header, np.zeros(bands, np.int64), None, np.zeros((0, bands), np.int64), (), none, missing=missing
    )

    def work(number: int) -> bytes:
        values = found = tiles[number].of(full)
        if not exact or missing is not None:
            found = _steps(values, model, error, tiles[number], result)
        with memories.taken() as memory:
            coded = _written(found, memory)
        footprint.walked(values.nbytes)
        tick(1)
        return coded

    streams = side_by_side(work, len(tiles))
    sizes = np.array([len(stream) for stream in streams], "<u4").tobytes()
    residual = b"".join([write_varint(2 * error + 1), sizes, *streams])
    del streams  # as much again
    packed = Compressed(
        header,
        code_vector(header, model.mean),
        (),
        residual=residual,
        missing=None if missing is None else missing.to_bytes(),
    )
    return Encoding(packed, model, array if result is None else result.array().reshape(array.shape))


def _sliced(header: Header) -> Header:
    """Return the header with slices that are small enough for all cores, and for windows."""
    height, width = header.plane_shape
    columns = even(width, COLUMNS)
    pixels = max(min(height * width // 2, MOST), LEAST, height * width // 512)
    return replace(header, slice_rows=even(height, pixels / columns), slice_columns=columns)


def _steps(
    values: NDArray[Any], model: IntegerModel, error: int, tile: Tile, result: LineBuffer | None
) -> NDArray[np.int32]:
    """Return values in steps, the mean where data are missing; the buffer takes what is decoded of them."""
    header, where, step = model.header, tile.samples(model.header), np.int32(2 * error + 1)
    whole = whole_values(values, header).reshape(-1, header.n_features)
    found: NDArray[np.int32] = whole if step == 1 else np.floor_divide(whole + np.int32(error), step)
    if model.missing is not None:
        gone = model.missing.of_samples(where, found.shape)
        known = np.maximum((~gone).sum(axis=0), 1)
        means = np.rint(np.where(gone, 0, found).sum(axis=0) / known)
        found = np.where(gone, means.astype(np.int32), found)
    if result is not None:
        decoded = model.values(np.clip(found * step, *value_bounds(header)), where)
        result.put(tile.top, decoded.reshape(values.shape), tile.left)
    return found.reshape(values.shape)


def _written(values: NDArray[Any], memory: Memory) -> bytes:
    """Code a slice."""
    lines, columns, bands = values.shape
    room = memory.array("room", (_SIZE(lines, columns, bands),), np.uint8)
    stream = memory.array("stream", (7 * values.size + 80 * bands + 64,), np.uint8)
    return stream[: _WRITE(curves(), room, *place_of(values), lines, columns, bands, stream)].tobytes()
