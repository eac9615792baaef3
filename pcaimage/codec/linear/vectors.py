"""Coding of means, deviations and components as planes of a slice, one for each channel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.segments import join_streams, split_segments
from pcaimage.codec.compressed import Header
from pcaimage.codec.linear.slices import LARGEST, OTHER_PLANES, SliceCoder
from pcaimage.errors import SettingsError
from pcaimage.machine.parallel import side_by_side

TOO_SMALL = "The step is too small for the range of the image: its sums would not be exact."

SLICE_ENTRIES = 1 << 15
"""Approximate number of a vector's entries in a slice, for vectors of large images are coded side by side."""


def code_vectors(header: Header, rows: NDArray[np.int64]) -> tuple[bytes, ...]:
    """Code vectors of one integer for each feature; return each one's segments of the streams of all."""
    if int(np.abs(rows).max(initial=0)) >= LARGEST:
        raise SettingsError(TOO_SMALL)
    if not len(rows):
        return ()
    each, (height, width), parts = _layout(header)
    count = each * len(rows)
    planes = np.moveaxis(rows.reshape(len(rows), height, width, each), 3, 1).reshape(count, height, width)

    def encode(number: int) -> tuple[bytes, list[int]]:
        part = planes[:, slice(*parts[number])].astype(np.float64)
        coder = SliceCoder(count, np.ones(part.shape[1:], bool), OTHER_PLANES)
        coded, ends = coder.encode(part.__getitem__, 0.0, _silent)
        return coded, ends[each - 1 :: each]

    coded = side_by_side(encode, len(parts))
    return join_streams([data for data, _ in coded], [ends for _, ends in coded])


def decode_vectors(header: Header, segments: Sequence[bytes]) -> NDArray[np.int64]:
    """Decode vectors from the first segments of their streams, shape (k, n_features)."""
    each, (height, width), parts = _layout(header)
    streams, count = split_segments(segments, len(parts)), each * len(segments)
    planes = np.empty((count, height, width), np.int32)

    def decode(number: int) -> None:
        start, stop = parts[number]
        coder = SliceCoder(count, np.ones((stop - start, width), bool), OTHER_PLANES, streams[number])
        coder.decode(_silent)
        for plane in range(count):
            planes[plane, start:stop] = coder.plane(plane)

    side_by_side(decode, len(parts))
    rows = np.moveaxis(planes.reshape(len(segments), each, height, width), 1, 3)
    return rows.astype(np.int64).reshape(len(segments), header.n_features)


def code_vector(header: Header, vector: NDArray[np.int64]) -> bytes:
    """Code a single vector."""
    return code_vectors(header, vector[None])[0]


def decode_vector(header: Header, data: bytes) -> NDArray[np.int64]:
    """Decode a single vector."""
    found: NDArray[np.int64] = decode_vectors(header, [data])[0]
    return found


def _layout(header: Header) -> tuple[int, tuple[int, int], list[tuple[int, int]]]:
    """Return how many planes a vector is, their shape, and the bounds of slices of their lines.

    There is a plane for each channel; a pixel's bands are a line.
    """
    height, width, channels = header.sampling.feature_grid(header.shape)
    if height * width == 1:
        return 1, (1, channels), [(0, 1)]
    count = min(max(1, (header.n_features + SLICE_ENTRIES // 2) // SLICE_ENTRIES), height)
    parts = [(height * number // count, height * (number + 1) // count) for number in range(count)]
    return channels, (height, width), parts


def _silent(more: int) -> None:
    """Report no progress."""
