"""Coding of planes of whole numbers, one after the other: scores, entries of vectors, corrections.

A number's deviation from the mean of its neighbours is predicted as a weighted sum of the deviations of
others around it, and of the deviations of other planes at the same place: planes are uncorrelated over the
whole image, but not within a field or a lake. The weights minimise the squared error over the causal
neighbourhood: the same strip of columns in the lines above, and the strips beside it. The integer normal
equations are solved by a few Gauss–Seidel iterations per line, starting from the last line's weights.

The number's distance from the nearest one to what is expected is then a symbol, in steps adapted to the
neighbourhood. Its probability is that of a mixture of adaptive distributions, chosen by the prediction errors
around it, in its own plane and in those before, and by what the neighbours are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memory
from pcaimage.codec.coding.range_coder import RangeWriter, curves
from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.linear.missing import Missing
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, function
from pcaimage.progress import Count
from pcaimage.sampling import Bands

Ints = NDArray[np.int32]

Wanted = Callable[[int], NDArray[np.float64]]
"""Returns the unrounded numbers (rows, columns) of a plane, given its index."""

LARGEST = 1 << 25  # exclusive bound on the magnitude of numbers

PIXEL_PLANES, BAND_PLANES, OTHER_PLANES = (4, 4), (0, 4), (0, 1)
"""Numbers of the very first planes, and of those directly before, that predict a plane: scores of pixels,
corrections, and all others."""

_DECISIONS = 90  # upper bound on the decisions of a number

_ROOM, _MASK = Array(np.uint8, writable=True), Array(np.uint8)
_SIZE = function("pcai_planes_size", LONG, *(LONG,) * 5)
_BEGIN = function("pcai_planes_begin", None, _ROOM, Array(np.uint8), LONG, LONG, _MASK, *(LONG,) * 3)
_WRITE = function(
    "pcai_planes_write", None, _ROOM, STRUCT, Array(np.float64), DOUBLE, Array(np.int32, writable=True)
)


def encode(
    wanted: Wanted,
    result: Ints,
    mask: NDArray[np.bool_],
    predictors: tuple[int, int],
    price: float,
    progress: Count,
) -> tuple[bytes, list[int]]:
    """Encode the planes of a slice; return the bytes, and how many of them decoding the first i planes needs.

    The mask is True where there is a number; `result`, (planes, rows, columns), takes those that are coded,
    and zeros elsewhere. Each plane is predicted by so many of the very first planes, and of those directly
    before it: at most eight, as the core has room for 31 inputs. The price is the Lagrange multiplier λ,
    squared error per bit; 0 rounds to the nearest integers.
    """
    shape = *mask.shape, *predictors, len(result)
    writer, certain, known = RangeWriter(), list[int](), np.ascontiguousarray(mask, np.uint8)
    room = Memory().array("planes", (_SIZE(*shape),), np.uint8)
    _BEGIN(room, curves(), *mask.shape, known, *predictors, len(result))
    for index, plane in enumerate(result):
        writer.reserve(_DECISIONS * plane.size)
        _WRITE(room, writer.coder, np.ascontiguousarray(wanted(index), np.float64), price, plane)
        writer.keep()
        certain.append(writer.certain)
        progress(1)
    coded = writer.finish()
    return coded, [min(count, len(coded)) for count in certain]


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
