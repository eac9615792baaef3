"""The planes of scores: their lines, the slices in which they are coded, and where there are numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.linear.missing import Missing
from pcaimage.codec.linear.slices import OTHER_PLANES, PIXEL_PLANES
from pcaimage.sampling import Bands

SLICE_PIXELS, SLICE_SCORES = 1 << 17, 1 << 18
"""Approximate number of pixels in a slice; of other samples, of scores."""


def slices_of(header: Header) -> list[tuple[int, int]]:
    """Return the first and last (exclusive) line of each slice."""
    height = header.plane_shape[0]
    rows = header.slice_rows or height
    return [(start, min(start + rows, height)) for start in range(0, height, rows)]


def slice_rows(header: Header, k: int) -> int:
    """Return the number of lines in a slice of k components: all of them, unless there are many scores."""
    height, width = header.plane_shape
    pixels = isinstance(header.sampling, Bands)
    wanted = height * width / SLICE_PIXELS if pixels else height * width * k / SLICE_SCORES
    return -(-height // min(max(1, round(wanted)), MAX_SLICES, height))


def predictors_of(header: Header) -> tuple[int, int]:
    """Return by how many of the first planes of scores, and of those directly before, one is predicted."""
    return PIXEL_PLANES if isinstance(header.sampling, Bands) else OTHER_PLANES


def mask_of(header: Header, missing: Missing | None, start: int, stop: int) -> NDArray[np.bool_]:
    """Return where some lines have scores, shape (stop - start, columns).

    It is False where every band is missing, and behind the last image of a stack.
    """
    columns = header.plane_shape[1]
    if missing is not None:
        return ~missing.pixels[start:stop]
    numbers = np.arange(start * columns, stop * columns).reshape(-1, columns)
    return numbers < header.n_samples


def samples_of(header: Header, start: int, stop: int) -> slice:
    """Return the samples of some lines of a plane."""
    columns = header.plane_shape[1]
    return slice(start * columns, min(stop * columns, header.n_samples))
