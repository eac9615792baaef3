"""Coding of tiles by prediction among pixels: for flat colours and sharp edges, without loss.

A pixel is first compared with the colours of its neighbours and with those that followed the same neighbours
before; if it has none of them, its channels are coded bit by bit. The probability of each bit is mixed from
models of hashed contexts and from logistic distributions around several predictions [1]_.

References
----------
.. [1] M. Mahoney, "Adaptive weighing of context models for lossless data compression", Florida Tech.
   Technical Report CS-2005-16, 2005.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.deciding import LOGIT_LIMIT, curves
from pcaimage.codec.coding.range_coder import ONE, RangeCoder, RangeWriter, reader
from pcaimage.core.library import FLOAT, LONG, STRUCT, Array, Held, function, held
from pcaimage.errors import FormatError
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted, no_progress
from pcaimage.sampling import Shape

TILE = 64
"""Pixels along the side of a tile."""

SLICE_PIXELS = 1 << 21
"""Approximate upper bound on the pixels of a slice."""

_ABOVE, _BESIDE = 3, 4
_INPUTS, _KNOTS, _CHANNELS, _CANDIDATES, _EXPECTED, _ACTIVITIES = 16, 24, 4, 6, 4, 12
_FIRST_SETS = _CANDIDATES * 256 + _CHANNELS * 8 * 2 * _ACTIVITIES
_SECOND_SETS = _CANDIDATES * 128 + _CHANNELS * 256
_CURVES = _CANDIDATES * 64 + _CHANNELS * 8 * 2
_FIRST_WEIGHT, _FIRST_WIDTH = ONE * 3 // 10, 46 * 64
_BITS = _CANDIDATES + 8 * _CHANNELS
"""Upper bound on the bits of a pixel."""

AnyArray = NDArray[Any]
Ints = NDArray[np.int32]

_write = function("pcai_pixels_write", None, STRUCT, STRUCT, STRUCT, LONG, LONG, FLOAT, FLOAT)
_count = function(
    "pcai_flat_counts", None, Array(np.uint8), LONG, LONG, LONG, *(Array(np.int64, writable=True),) * 2
)
_read = function("pcai_pixels_read", None, STRUCT, STRUCT, STRUCT, LONG, LONG)


class Experience(NamedTuple):
    """Adaptive state of a slice's coding, and constant tables; mirrors the struct in the core.

    For `logits`, `probabilities`, `rates` and `inverses` see :mod:`pcaimage.codec.coding.deciding`.
    """

    models: NDArray[np.uint32]  # probabilities and counts by hashed contexts
    model_mask: int  # their number less one
    tile_models: NDArray[np.uint32]  # those of the tiles themselves
    colours: NDArray[np.uint32]  # that followed each of two contexts
    sure: NDArray[np.uint8]  # how often each did so in a row
    colour_mask: int  # half their number less one
    first_weights: Ints  # mixing weights, in 1/65536
    second_weights: Ints  # likewise
    curves: Ints  # what bits of a logit were really like, in 1/65536
    widths: Ints  # scale estimates, with their counts
    biases: Ints  # sums of errors, with their counts
    logits: NDArray[np.int16]
    probabilities: Ints
    rates: Ints
    inverses: Ints
    masses: Ints  # 2^30 / (1 + exp(z)), for z from 0 to 12
    logs: Ints  # 256 ln(1 + i / 1024)
    bits: NDArray[np.float32]  # cost of each probability, for the encoder only


class Sheet(NamedTuple):
    """The pixels of a slice; mirrors the struct in the core.

    A pixel has a byte for each channel, the first lowest; there are more lines above and columns on either
    side.
    """

    colours: NDArray[np.uint32]  # shape (rows + 3, columns + 8)
    found: NDArray[np.uint8]  # which candidate each pixel was
    tiles: NDArray[np.uint8]  # whether each tile is coded
    costs: NDArray[np.float32]  # their sizes in bits, for the encoder only
    rows: int
    columns: int
    channels: int


class Tables(NamedTuple):
    """Constant tables of :class:`Experience`."""

    masses: Ints
    logs: Ints
    bits: NDArray[np.float32]


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Return the constant tables."""
    masses, logs = exact_tables()
    bits = -np.log2(np.maximum(np.arange(ONE + 1), 0.5) / ONE).astype(np.float32)
    return Tables(np.rint(masses).astype(np.int32), np.rint(logs).astype(np.int32), bits)


def exact_tables() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return masses and logs before rounding; none lies close to half an integer."""
    return 2.0**30 / (1 + np.exp(np.arange(3072) / 256)), 256 * np.log1p(np.arange(1024) / 1024)


def nothing_learned(pixels: int) -> Experience:
    """Return the adaptive state at the start of a slice of so many pixels."""
    size = 1 << min(max(pixels.bit_length() + 2, 16), 22)
    half = size >> 4
    given = curves()
    sets, widths = _EXPECTED * _CHANNELS * _ACTIVITIES, np.zeros((_EXPECTED * _CHANNELS * 96, 2), np.int32)
    widths[:, 0] = _FIRST_WIDTH
    knots = given.probabilities[np.clip(256 * np.arange(_KNOTS) - 1, 0, 2 * LOGIT_LIMIT)]
    return Experience(
        models=np.full(size, 1 << 31, np.uint32),
        model_mask=size - 1,
        tile_models=np.full(4, 1 << 31, np.uint32),
        colours=np.zeros(2 * half, np.uint32),
        sure=np.zeros(2 * half, np.uint8),
        colour_mask=half - 1,
        first_weights=np.full(_FIRST_SETS * _INPUTS, _FIRST_WEIGHT, np.int32),
        second_weights=np.full(_SECOND_SETS * _INPUTS, _FIRST_WEIGHT, np.int32),
        curves=np.tile(knots, _CURVES).astype(np.int32),
        widths=widths.ravel(),
        biases=np.zeros(2 * sets * 36, np.int32),
        logits=given.logits,
        probabilities=given.probabilities,
        rates=(ONE / (np.arange(256) + 1.5)).astype(np.int32),
        inverses=given.inverses,
        **tables()._asdict(),
    )


def grid_of(shape: Shape) -> tuple[int, int]:
    """Return how many tiles an image (H, W, C) has in each direction."""
    return -(-shape[0] // TILE), -(-shape[1] // TILE)


def slices_of(shape: Shape) -> list[slice]:
    """Return the ranges of rows of tiles of the slices, as even as possible."""
    rows = grid_of(shape)[0]
    count = min(rows, -(-shape[0] * shape[1] // SLICE_PIXELS))
    return [slice(rows * i // count, rows * (i + 1) // count) for i in range(count)]


FLAT = 0.65
"""Share of pixels that are as the one beside them, or above, from which a tile may be coded so. That is more
than smooth skies of photographs have."""


@dataclass(frozen=True, eq=False)
class Tiles:
    """Tiles of an image, decoded; elsewhere its pixels are meaningless."""

    data: bytes = field(repr=False)  # as in the file
    chosen: NDArray[np.bool_]  # shape (⌈H/64⌉, ⌈W/64⌉)
    image: NDArray[np.uint8] = field(repr=False)
    costs: NDArray[np.float32] | None = field(default=None, repr=False)  # in bits, if coded here

    @property
    def whole(self) -> bool:
        """Whether all of the image is in them."""
        return bool(self.chosen.all())

    def same_as(self, other: Tiles) -> bool:
        """Return whether others are the same, bytes and pixels."""
        if self.data != other.data or not np.array_equal(self.chosen, other.chosen):
            return False

        def same(start: int) -> bool:
            lines = slice(start, min(start + TILE, len(self.image)))
            inside = self._inside(lines.start, lines.stop)
            return np.array_equal(self.image[lines][inside], other.image[lines][inside])

        return all(map(same, range(0, len(self.image), TILE)))

    def _inside(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Return which pixels of some lines are in tiles."""
        rows = np.arange(start, stop) // TILE
        found: NDArray[np.bool_] = np.repeat(self.chosen[rows], TILE, axis=1)[:, : self.image.shape[1]]
        return found

    def paint(self, lines: AnyArray, start: int) -> None:
        """Overwrite the pixels of tiles in some lines of the image, of which `start` is the first."""
        stop = min(start + len(lines), len(self.image))
        inside = self._inside(start, stop)
        lines[: stop - start][inside] = self.image[start:stop][inside]

    def show(
        self, pixels: NDArray[np.uint8], place: tuple[int, int], side: int, bands: Sequence[int], gain: float
    ) -> None:
        """Overwrite the tiles of a picture with averages of their pixels, multiplied by `gain`.

        The picture begins at a place, a line and a column of the image that are multiples of `side`, and may
        extend beyond the image. Each of its pixels is the average of a square of so many pixels along a side,
        a power of two, in some of the image's bands.
        """
        height, width = self.image.shape[:2]
        (top, left), (rows, columns) = place, (len(pixels) * side, pixels.shape[1] * side)
        lines = np.minimum(np.arange(top, top + rows), height - 1)
        across = np.minimum(np.arange(left, left + columns), width - 1)
        inside = self.chosen[np.ix_(lines // TILE, across // TILE)]
        if not inside.any():
            return
        shares = _averages(inside, side)
        some = shares > 0
        for index, band in enumerate(bands):
            own = _averages(self.image[..., band][np.ix_(lines, across)] * inside, side)[some] * gain
            other = pixels[..., index][some]
            pixels[..., index][some] = np.clip(np.rint(own + other * (1 - shares[some])), 0, 255)


def _averages(values: NDArray[Any], side: int) -> NDArray[np.float64]:
    rows, columns = values.shape
    found: NDArray[np.float64] = values.reshape(rows // side, side, columns // side, side).mean(axis=(1, 3))
    return found


class Flatness(NamedTuple):
    """Counts of pixels in each tile by their neighbours, of shape (⌈H/64⌉, ⌈W/64⌉)."""

    sizes: NDArray[np.int64]  # all pixels
    repeated: NDArray[np.int64]  # those that are as the one to the left of them, or as the one above
    new: NDArray[np.int64]  # those that are as none of the four around them

    @property
    def flat(self) -> NDArray[np.bool_]:
        """Which tiles may be coded by prediction among pixels."""
        found: NDArray[np.bool_] = self.repeated >= FLAT * self.sizes
        return found


def flatness(image: NDArray[np.uint8]) -> Flatness:
    """Count the pixels of an image (H, W, C) that are as their neighbours."""
    height, width, channels = image.shape
    rows, columns = grid_of(image.shape)
    repeated, new = np.zeros((rows, columns), np.int64), np.zeros((rows, columns), np.int64)
    _count(np.ascontiguousarray(image), height, width, channels, repeated, new)
    down, along = (
        np.minimum(TILE, side - TILE * np.arange(count)) for side, count in ((height, rows), (width, columns))
    )
    return Flatness(np.outer(down, along), repeated, new)


def encode_tiles(
    image: NDArray[np.uint8],
    tiles: NDArray[np.bool_],
    step: float = 0.0,
    price: float = 0.0,
    progress: Progress = no_progress,
) -> Tiles:
    """Code some tiles, of 64 × 64 pixels, of an image of one to four channels.

    Colours that are not repeated are rounded to multiples of about the step; below 1 they are kept. Where
    they need not be, the price is the squared error that a bit is worth.
    """
    slices, result = slices_of(image.shape), np.empty_like(image)
    tick = counted(progress, len(tiles))

    def work(number: int) -> tuple[bytes, NDArray[np.float32]]:
        rows = slices[number]
        lines = image[rows.start * TILE : rows.stop * TILE]
        sheet = _sheet(lines.shape, tiles[rows])
        packed = np.zeros((*lines.shape[:2], _CHANNELS), np.uint8)
        packed[..., : lines.shape[2]] = lines
        sheet.colours[_ABOVE:, _BESIDE:-_BESIDE] = packed.view("<u4")[..., 0]
        writer, known = RangeWriter(), held(nothing_learned(lines.shape[0] * lines.shape[1]))
        given = held(sheet)
        for start in range(0, lines.shape[0], TILE):
            stop = min(start + TILE, lines.shape[0])
            writer.reserve((_BITS * (stop - start) + 1) * lines.shape[1])
            _write(given, known, writer.coder, start, stop, step if step >= 1 else 0.0, price)
            writer.keep()
            tick(1)
        _unpack(sheet, result[rows.start * TILE : rows.stop * TILE])
        return writer.finish(), sheet.costs

    parts = side_by_side(work, len(slices))
    sizes = np.array([len(data) for data, _ in parts], "<u4")
    data = sizes.tobytes() + b"".join(data for data, _ in parts)
    return Tiles(data, tiles, result, np.concatenate([costs for _, costs in parts]))


def decode_tiles(data: bytes, shape: Shape) -> Tiles:
    """Decode the tiles of an image of a shape (H, W, C); FormatError if the streams' lengths do not fit."""
    slices = slices_of(shape)
    count = len(slices)
    sizes = np.frombuffer(data[: 4 * count].ljust(4 * count, b"\0"), "<u4").astype(np.int64)
    ends = 4 * count + np.cumsum(sizes)
    if ends[-1] != len(data):
        raise FormatError(f"The tiles have {len(data)} bytes where {ends[-1]} are announced.")
    tiles, image = np.zeros(grid_of(shape), np.bool_), np.empty(shape, np.uint8)

    def work(number: int) -> None:
        rows = slices[number]
        lines = image[rows.start * TILE : rows.stop * TILE]
        sheet = _sheet(lines.shape, tiles[rows])
        coder: Held[RangeCoder] = reader(data[ends[number] - sizes[number] : ends[number]])
        _read(held(sheet), held(nothing_learned(lines.shape[0] * lines.shape[1])), coder, 0, lines.shape[0])
        _unpack(sheet, lines)
        tiles[rows] = sheet.tiles != 0

    side_by_side(work, count)
    return Tiles(data, tiles, image)


def _sheet(shape: Shape, tiles: NDArray[np.bool_]) -> Sheet:
    rows, columns, channels = shape
    around = rows + _ABOVE, columns + 2 * _BESIDE
    costs = np.zeros(tiles.shape, np.float32)
    return Sheet(
        np.zeros(around, np.uint32),
        np.zeros(around, np.uint8),
        tiles.astype(np.uint8),
        costs,
        rows,
        columns,
        channels,
    )


def _unpack(sheet: Sheet, lines: NDArray[np.uint8]) -> None:
    colours = np.ascontiguousarray(sheet.colours[_ABOVE:, _BESIDE:-_BESIDE], "<u4")
    lines[:] = colours.view(np.uint8).reshape(*lines.shape[:2], _CHANNELS)[..., : lines.shape[2]]
