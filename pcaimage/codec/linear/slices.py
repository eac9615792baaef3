"""Coding of planes of whole numbers, one after the other: scores, entries of vectors, corrections.

How a number is predicted and coded is described in docs/codec.md, and in the core's ``bands.h``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

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


SLICE_NUMBERS, SLICE_PIXELS, SLICE_SCORES = 1 << 20, (1 << 14, 1 << 16), 1 << 18
"""Approximate numbers of all bands in a slice, and least and most pixels; of other samples, scores."""

_PIXEL_SLICES = MAX_SLICES // 2  # so that sides may be rounded


class Tile(NamedTuple):
    """Lines and columns of planes of scores that are a slice; stops are exclusive."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def shape(self) -> tuple[int, int]:
        """How many lines and columns it has."""
        return self.bottom - self.top, self.right - self.left

    def of(self, lines: NDArray[Any]) -> NDArray[Any]:
        """Return the part of an array whose first axes are lines and columns of the plane."""
        return lines[self.top : self.bottom, self.left : self.right]

    def samples(self, header: Header) -> slice | NDArray[np.intp]:
        """Return the samples: of slices beside each other their indices."""
        columns = header.plane_shape[1]
        if self.right - self.left < columns:
            return self.numbers(columns).ravel()
        return slice(self.top * columns, min(self.bottom * columns, header.n_samples))

    def numbers(self, columns: int) -> NDArray[np.intp]:
        """Return its samples' numbers in a plane of so many columns, shape (lines, columns)."""
        lines, across = np.arange(self.top, self.bottom), np.arange(self.left, self.right)
        return columns * lines[:, None] + across

    def runs(self, numbers: int) -> Iterator[tuple[slice, Tile]]:
        """Yield runs of whole lines of about so many samples: which of the samples they are, and the run."""
        rows, columns = self.shape
        step = max(1, numbers // columns)
        for row in range(0, rows, step):
            last = min(row + step, rows)
            part = self._replace(top=self.top + row, bottom=self.top + last)
            yield slice(row * columns, last * columns), part


def tiles_of(shape: tuple[int, int], rows: int, columns: int) -> list[Tile]:
    """Return the slices of planes, of so many rows and columns, or of all if it is 0."""
    height, width = shape
    return [
        Tile(top, min(top + (rows or height), height), left, min(left + (columns or width), width))
        for top in range(0, height, rows or height)
        for left in range(0, width, columns or width)
    ]


def slices_of(header: Header) -> list[Tile]:
    """Return the slices of a file's scores, and of its corrections."""
    return tiles_of(header.plane_shape, header.slice_rows, header.slice_columns)


def sliced(header: Header, k: int, corrections: int = 0) -> Header:
    """Return the header with slices for k components and so many corrections: one, if numbers are few."""
    height, width = header.plane_shape
    if not isinstance(header.sampling, Bands):
        rows = -(-height // min(max(1, round(height * width * k / SLICE_SCORES)), MAX_SLICES, height))
        return replace(header, slice_rows=rows)
    least, most = SLICE_PIXELS
    if (k + corrections) * height * width > SLICE_NUMBERS:
        # Two cores code a small image of many components in half of the time, for a few bytes more.
        least = min(least, -(-height * width // 2))
    pixels = max(min(SLICE_NUMBERS // header.n_features, most), least, height * width // _PIXEL_SLICES)
    # Squares, or all of the shorter side where that is less; but corrections of slices side by side are
    # decoded one after the other.
    beneath = corrections and least < SLICE_PIXELS[0]
    rows = even(height, pixels / (width if beneath else min(width, math.isqrt(pixels))))
    columns = even(width, pixels / rows)
    return replace(header, slice_rows=rows, slice_columns=columns)


def even(length: int, wanted: float) -> int:
    """Return the length of parts of about a wanted length."""
    return -(-length // max(1, round(length / wanted)))


def predictors_of(header: Header) -> tuple[int, int]:
    """Return by how many of the first planes of scores, and of those directly before, one is predicted."""
    return PIXEL_PLANES if isinstance(header.sampling, Bands) else OTHER_PLANES


def mask_of(header: Header, missing: Missing | None, tile: Tile) -> NDArray[np.bool_]:
    """Return where a tile has scores, shape (lines, columns).

    It is False where every band is missing, and behind the last image of a stack.
    """
    if missing is not None:
        return ~np.asarray(tile.of(missing.pixels), bool)
    return tile.numbers(header.plane_shape[1]) < header.n_samples
