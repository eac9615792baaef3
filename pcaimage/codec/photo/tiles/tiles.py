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

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memory
from pcaimage.codec.coding.range_coder import BITS, RangeWriter, curves
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, function
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted, no_progress
from pcaimage.sampling import Shape

TILE = 64  # pixels along the side of a tile
SLICE_PIXELS = 1 << 21  # approximate upper bound on the pixels of a slice
FRAMES_PIXELS = 1 << 24  # likewise, of several images
_DECISIONS = 38  # upper bound on the decisions of a pixel

AnyArray = NDArray[Any]

_BYTES, _ROOM, _FLOATS = Array(np.uint8), Array(np.uint8, writable=True), Array(np.float32)
_COUNTS = Array(np.int64, writable=True)
_SIZE = function("pcai_tiles_size", LONG, LONG, LONG)
_BEGIN = function(
    "pcai_tiles_begin",
    None,
    _ROOM,
    _BYTES,
    _FLOATS,
    *(LONG,) * 4,
    _BYTES,
    _BYTES,
    Array(np.float32, writable=True),
)
_WRITE = function("pcai_tiles_write", None, _ROOM, STRUCT, LONG, LONG, DOUBLE, DOUBLE)
_PIXELS = function("pcai_tiles_pixels", None, _ROOM, _ROOM)
_COUNT = function("pcai_flat_counts", None, _BYTES, LONG, LONG, LONG, _COUNTS, _COUNTS)


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
    drawn: bool = False  # from their neighbours, rather than pixel by pixel, if coded here

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
    _COUNT(np.ascontiguousarray(image), height, width, channels, repeated, new)
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
    image = np.ascontiguousarray(image)
    slices, result = slices_of(image.shape), np.empty_like(image)
    tick = counted(progress, len(tiles))

    def work(number: int) -> tuple[bytes, NDArray[np.float32]]:
        rows = slices[number]
        where = slice(rows.start * TILE, rows.stop * TILE)
        data, costs, room = _encode(image[where], tiles[rows], tick, step if step >= 1 else 0.0, price)
        _PIXELS(room, result[where])
        return data, costs

    parts = side_by_side(work, len(slices))
    costs = np.concatenate([costs for _, costs in parts])
    return Tiles(join_slices([data for data, _ in parts]), tiles, result, costs)


def _encode(
    images: AnyArray, tiles: AnyArray, tick: Callable[[int], None], step: float = 0.0, price: float = 0.0
) -> tuple[bytes, NDArray[np.float32], AnyArray]:
    """Code a slice: an image (H, W, C), or several (N, H, W, C), each from the one before."""
    *many, height, width, channels = images.shape
    lines, chosen = math.prod([*many, height]), np.ascontiguousarray(tiles, np.uint8)
    costs, writer = np.zeros(chosen.shape, np.float32), RangeWriter()
    room = Memory().array("tiles", (_SIZE(lines, width),), np.uint8)
    _BEGIN(room, curves(), BITS, lines, width, channels, height, images, chosen, costs)
    for start in range(0, lines, TILE):
        stop = min(start + TILE, lines)
        writer.reserve((_DECISIONS * (stop - start) + 1) * width)
        _WRITE(room, writer.coder, start, stop, step, price)
        writer.keep()
        tick(1)
    return writer.finish(), costs, room


def encode_frames(images: NDArray[np.uint8]) -> bytes:
    """Code images (N, H, W, C) without loss, those but the first of a slice from the one before."""
    count, height, width, _ = images.shape
    if count == 1:
        return encode_tiles(images[0], np.ones(grid_of(images.shape[1:]), np.bool_)).data
    slices, starts = min(count, -(-count * height * width // FRAMES_PIXELS)), range(0, height, TILE)

    def work(number: int) -> bytes:
        some = np.ascontiguousarray(images[count * number // slices : count * (number + 1) // slices])
        tiles = np.ones((len(some), *grid_of(some.shape[1:])), np.bool_)
        changed = np.logical_or.reduceat((some[1:] != some[:-1]).any(axis=3), starts, axis=1)
        tiles[1:] = np.logical_or.reduceat(changed, range(0, width, TILE), axis=2)
        return _encode(some, tiles, lambda _: None)[0]

    return join_slices(side_by_side(work, slices))


def join_slices(streams: Sequence[bytes]) -> bytes:
    """Return the streams of slices, after their lengths."""
    return np.array([len(data) for data in streams], "<u4").tobytes() + b"".join(streams)
