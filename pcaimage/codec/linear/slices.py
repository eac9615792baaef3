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
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding import strips
from pcaimage.codec.coding.deciding import SIZES, rates
from pcaimage.codec.coding.range_coder import RangeWriter, reader
from pcaimage.codec.coding.strips import BORDER, runs
from pcaimage.codec.compressed import MAX_SLICES, Header
from pcaimage.codec.linear.missing import Missing
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, function, held
from pcaimage.progress import Count
from pcaimage.sampling import Bands

Ints = NDArray[np.int32]

Wanted = Callable[[int], NDArray[np.float64]]
"""Returns the unrounded numbers (rows, columns) of a plane, given its index."""

LARGEST = 1 << 25
"""Exclusive bound on the magnitude of numbers."""

PIXEL_PLANES, BAND_PLANES, OTHER_PLANES = (4, 4), (0, 4), (0, 1)
"""Numbers of the very first planes, and of those directly before, that predict a plane: scores of pixels,
corrections, and all others."""

_BITS = 90
"""Upper bound on the decisions of a number."""

_ACTIVE = 4095
"""Largest prediction error that counts as activity."""

_OWN_INPUTS = 7
"""Inputs of the equations that are of a number's own plane."""

_SYMBOLS, _SMALLEST = 16, 28
_DISTRIBUTIONS = SIZES // 3 * 5 * 3 + 64 * 10 + 729 * 3 + 32 * 32 * 3
_MODELS, _BIASES = 8 * _SYMBOLS + 26, 24 * 9
_FIRST_WIDTH = 46 * 16

_PLACE, _STRUCTS = (LONG, LONG, LONG), (STRUCT, STRUCT, STRUCT)

_write = function(
    "pcai_bands_write", None, *_PLACE, Array(np.float64), Array(np.uint8), LONG, *_STRUCTS, DOUBLE, STRUCT
)
_read = function("pcai_bands_read", None, *_PLACE, Array(np.uint8), LONG, *_STRUCTS, STRUCT)


class KnownPlanes(NamedTuple):
    """The known numbers of a slice in planes with a border; mirrors the struct of the same name in the core.

    `activity` is an exponentially decaying sum of the clipped prediction errors of all earlier planes at each
    place.
    """

    planes: Ints  # shape (n * area,)
    errors: Ints  # prediction errors of the last plane, in 1/16, shape (area,)
    activity: Ints
    area: int  # numbers in a plane
    stride: int  # numbers in a line


class Acquired(NamedTuple):
    """What is learned of a slice's numbers, and tables; mirrors the struct of the same name in the core."""

    distributions: NDArray[np.uint16]  # chances of all symbols before each, (n, 16), in 1/65536
    weights: Ints  # of the first three distributions of four, in 1/65536, shape (n, 4)
    models: NDArray[np.uint32]  # probabilities of bits, of 22 bits above a count of 10 bits
    widths: Ints  # scale estimates, the means of absolute errors times 46 / 16, and counts: shape (n, 2)
    biases: Ints  # sums of prediction errors in 1/16, and counts: shape (n, 2)
    first: NDArray[np.uint16]  # how distributions of each width begin
    rates: Ints  # 65536 / (n + 1.5): adaptation rate of a mean of n numbers


class PlaneEquations(NamedTuple):
    """Normal equations of one plane and their solutions; mirrors the core's Equations.

    `places` are offsets of the same place in other planes.
    For each strip there are the sums of products of inputs with each other and, in row n, with the target, in
    4 × 4 blocks; and the solutions.
    """

    places: NDArray[np.int64]
    own: int  # 0: the number's own plane is not among them
    others: int  # number of other planes
    inputs: int  # their total number n
    strips: int
    sums: Ints  # shape (strips, m)
    weights: Ints  # shape (strips, n)


class SliceCoder:
    """Decodes the planes of a slice from `data` one after the other, or encodes them if there is none.

    The mask is True where there is a number. Each plane is predicted by so many of the very first planes, and
    of those directly before it: at most eight, as the core has room for 31 inputs.
    """

    def __init__(
        self, count: int, mask: NDArray[np.bool_], predictors: tuple[int, int], data: bytes | None = None
    ) -> None:
        self.count, self._mask, self._predictors = count, np.ascontiguousarray(mask, np.uint8), predictors
        self._known = held(_nothing_known(count, *mask.shape))
        self._learned = held(_nothing_learned())
        self._coder = RangeWriter() if data is None else reader(data)

    def encode(self, wanted: Wanted, price: float, progress: Count) -> tuple[bytes, list[int]]:
        """Encode all planes; return the bytes, and how many of them decoding the first i planes needs.

        The price is the Lagrange multiplier λ, squared error per bit; 0 rounds to the nearest integers.
        """
        writer, certain = self._coder, list[int]()
        assert isinstance(writer, RangeWriter)  # noqa: S101 - or there were data
        for plane in range(self.count):
            self._code(plane, np.ascontiguousarray(wanted(plane), np.float64), price)
            certain.append(writer.certain)
            progress(1)
        coded = writer.finish()
        return coded, [min(count, len(coded)) for count in certain]

    def decode(self, progress: Count) -> None:
        """Decode all planes."""
        for plane in range(self.count):
            self._code(plane, None, 0.0)
            progress(1)

    def plane(self, number: int) -> Ints:
        """Return a copy of a coded plane by its zero-based index; zeros where there is no number."""
        known = self._known.record
        whole = known.planes[number * known.area : (number + 1) * known.area].reshape(-1, known.stride)
        return whole[BORDER:-BORDER, BORDER:-BORDER] * self._mask

    def _code(self, plane: int, wanted: NDArray[np.float64] | None, price: float) -> None:
        known, learned, mask, coder = self._known, self._learned, self._mask, self._coder
        rows, columns = mask.shape
        fit = held(self._equations(plane))
        for start, stop, count in runs(rows, columns):
            place = plane, start, stop
            if isinstance(coder, RangeWriter):
                coder.reserve(_BITS * count)
                _write(*place, wanted, mask, columns, known, fit, learned, price, coder.coder)
                coder.keep()
            else:
                _read(*place, mask, columns, known, fit, learned, coder)
        _see(known.record)

    def _equations(self, plane: int) -> PlaneEquations:
        """Return the initial equations of a plane, which the core updates in place."""
        (first, last), known = self._predictors, self._known.record
        others = sorted({*range(min(first, plane)), *range(max(plane - last, 0), plane)})
        n, count = _OWN_INPUTS + 2 * len(others), strips.fits(self._mask.shape[1])
        return PlaneEquations(
            np.array([(index - plane) * known.area for index in others], np.int64),
            0,
            len(others),
            n,
            count,
            np.zeros((count, strips.sums(n)), np.int32),
            np.zeros((count, n), np.int32),
        )


def _nothing_known(count: int, rows: int, columns: int) -> KnownPlanes:
    """Return the initial state of `count` planes: all zeros."""
    stride = columns + 2 * BORDER
    area = (rows + 2 * BORDER) * stride
    planes, errors, activity = (np.zeros(size, np.int32) for size in (count * area, area, area))
    return KnownPlanes(planes, errors, activity, area, stride)


def exact_first() -> NDArray[np.float64]:
    """Return how distributions of each width begin, before rounding, shape (widths, 16).

    A number's distance is taken to be logistic. In place of what is before the first symbol is the count of
    one. No value lies so close to half an integer that machines could round it differently.
    """
    sizes = np.arange(SIZES)
    widths = (8 + (sizes & 7)) * 2.0 ** ((sizes >> 3) - 7 - np.maximum(sizes - _SMALLEST, 0) // 8)
    shares = 1 / (1 + np.exp((7.5 - np.arange(_SYMBOLS)) / np.maximum(widths, 2.0**-6)[:, None]))
    found: NDArray[np.float64] = 65504 * (shares - shares[:, :1]) + 2 * np.arange(_SYMBOLS)
    found[:, 0] = 1
    return found


@lru_cache(maxsize=1)
def _first() -> NDArray[np.uint16]:
    """Return how distributions of each width begin."""
    return np.rint(exact_first()).astype(np.uint16)


def _nothing_learned() -> Acquired:
    """Return the adaptive models at the start of a slice; the core updates them in place."""
    return Acquired(
        np.zeros((_DISTRIBUTIONS, _SYMBOLS), np.uint16),
        np.full((SIZES // 3, 4), 1 << 14, np.int32),
        np.full(_MODELS, 1 << 31, np.uint32),
        np.tile(np.array([_FIRST_WIDTH, 0], np.int32), (SIZES, 1)),
        np.zeros((_BIASES, 2), np.int32),
        _first(),
        rates(),
    )


def _see(known: KnownPlanes) -> None:
    """Add the prediction errors of a coded plane to the activity, in place."""
    activity = known.activity
    activity += np.minimum(known.errors, _ACTIVE) - ((activity * 5) >> 5)


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
