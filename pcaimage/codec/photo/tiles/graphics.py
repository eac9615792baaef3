"""Images with flat colours and sharp edges: which tiles are coded by prediction among pixels, and how.

The tiles are chosen once for an image: those of which a simple count of repeated colours promises fewer bits
than the transform takes at a usual step. What remains for the transform is filled in smoothly where tiles are
cut out of it, which costs it next to nothing. With each step, the tiles are coded exactly or with rounded and
repeated colours, whichever has the smaller D + λR.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import Header
from pcaimage.codec.photo.layout import PER_CHANNEL, UNIT
from pcaimage.codec.photo.planes import Planes
from pcaimage.codec.photo.scores.costs import size_bits
from pcaimage.codec.photo.slices import DEPENDENT_PRICE
from pcaimage.codec.photo.tiles.tiles import SLICE_PIXELS, TILE, Flatness, Tiles, encode_tiles
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.core.library import STRUCT, Array, function, held
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, no_progress
from pcaimage.sampling.blocks import BLOCK

_FLOATS, _RESULT = Array(np.float32), Array(np.float32, writable=True)
_average = function("pcai_average", None, _FLOATS, STRUCT, _RESULT)
_fill = function("pcai_fill", None, _RESULT, STRUCT, _FLOATS)


class Squares(NamedTuple):
    """The known squares of a picture of some rows and columns; mirrors the struct in the core."""

    known: NDArray[np.uint8]  # shape (⌈rows / side⌉, ⌈columns / side⌉); 1 for those that are
    across: int  # columns of squares
    shift: int  # log2 of the side of a square
    rows: int
    columns: int

    @property
    def coarser(self) -> Squares:
        """The squares of a picture of half the size; a single pixel is known if one of its four is."""
        known, shape = self.known, ((self.rows + 1) // 2, (self.columns + 1) // 2)
        if not self.shift:
            known = np.pad(known, ((0, known.shape[0] % 2), (0, known.shape[1] % 2)))
            known = np.ascontiguousarray(known.reshape(shape[0], 2, shape[1], 2).max(axis=(1, 3)))
        return Squares(known, known.shape[1], max(self.shift - 1, 0), *shape)


def filled(image: NDArray[np.uint8], cut: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return an image whose tiles are cut out and filled in smoothly from what is around them.

    Averages of ever larger squares are taken over known pixels, and fill the smaller squares without any. If
    all is cut out, it is filled with the mean of the image.
    """
    height, width, channels = image.shape
    if cut.all():
        return np.broadcast_to(np.rint(image.mean(axis=(0, 1))).astype(np.uint8), image.shape).copy()
    result = np.empty_like(image)
    squares = Squares((~cut).astype(np.uint8), cut.shape[1], TILE.bit_length() - 1, height, width)

    def fill(channel: int) -> None:
        plane = image[..., channel].astype(np.float32)
        _fill_in(plane, squares)
        result[..., channel] = np.rint(plane)

    side_by_side(fill, channels)
    return result


def has_few_colours(image: NDArray[Any]) -> bool:
    """Return whether colours are those of many pixels; few shades of grey have to fill half of the image."""
    pixels = image.reshape(-1, image.shape[-1])
    some = pixels[:: 1 + len(pixels) // SAMPLE].astype(np.uint64)
    places = 1 << 16 * np.arange(image.shape[-1], dtype=np.uint64)
    counts = np.sort(np.unique(some @ places, return_counts=True)[1])
    half = image.shape[-1] > 2 or 2 * counts[-SHADES:].sum() > len(some)
    return bool(half and len(counts) * SHARED < len(some))


def concealed(image: NDArray[Any], alpha: NDArray[Any]) -> NDArray[Any]:
    """Return an image (H, W, C) in which pixels that are not seen at all have the colours that cost least."""
    hidden, result = alpha == 0, image.copy()
    if hidden.all() or not hidden.any():
        return image
    if has_few_colours(image[~hidden]):
        solid = (alpha == alpha.max()).ravel()
        before = np.maximum.accumulate(np.where(solid, np.arange(solid.size), solid.argmax()))
        result[hidden] = image.reshape(-1, image.shape[-1])[before[hidden.ravel()]]
    else:
        squares = Squares((~hidden).astype(np.uint8), hidden.shape[1], 0, *hidden.shape)
        for channel in range(image.shape[-1]):
            plane = image[..., channel].astype(np.float32)
            _fill_in(plane, squares)
            result[..., channel] = np.rint(plane)
    return result


def _fill_in(values: NDArray[np.float32], squares: Squares) -> None:
    """Fill in a picture where it is not known."""
    if squares.known.all():
        return
    if min(values.shape) < 2:
        side = 1 << squares.shift
        inside = squares.known.repeat(side, axis=0).repeat(side, axis=1)[: values.shape[0], : values.shape[1]]
        values[inside == 0] = values[inside != 0].mean()
        return
    coarser = squares.coarser
    coarse, given = np.empty((coarser.rows, coarser.columns), np.float32), held(squares)
    _average(values, given, coarse)
    _fill_in(coarse, coarser)
    _fill(values, given, coarse)


SAMPLE, SHARED, SHADES = 1 << 16, 8, 16  # pixels that are counted; how many share a colour; a few of grey

Floats = NDArray[np.float64]

FINEST = 1.0  # step below which colours are kept exactly
USUAL = 16.0  # step for which tiles are chosen

NEW_BITS, CHANGED_BITS = 8.0, 2.0
"""Approximate bits of a pixel that is as none of those around it, and of another than the one beside it."""

OVERHEAD = 4000  # approximate number of bits saved where no tile is left for the photo
WORTH = 0.01  # bits for each pixel of the image that tiles must save


class TileCosts(NamedTuple):
    """Size and error of the tiles at a step, estimated from some of them.

    The pictures are part of the image, and what becomes of it if all but the tiles is exact.
    """

    n_bytes: float
    squares: float
    pictures: tuple[NDArray[np.uint8], NDArray[np.uint8]]


@dataclass(frozen=True, eq=False)
class Graphic:
    """An image, and those of its tiles that are coded by prediction among pixels. Methods are thread-safe."""

    image: NDArray[np.uint8] = field(repr=False)
    flatness: Flatness = field(repr=False)
    chosen: NDArray[np.bool_]  # shape (⌈H/64⌉, ⌈W/64⌉)
    _rests: dict[Cascade, Planes] = field(default_factory=dict, init=False, repr=False)
    _latest: dict[tuple[float, bool], Tiles] = field(default_factory=dict, init=False, repr=False)
    _costs: dict[float, TileCosts] = field(default_factory=dict, init=False, repr=False)
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    finest = FINEST

    @classmethod
    def of(cls, image: NDArray[np.uint8], found: Flatness, planes: NDArray[Any]) -> Graphic | None:
        """Return the image with its tiles, given its scores; None if tiles would save too little."""
        pixel_bits = NEW_BITS * found.new + CHANGED_BITS * (found.sizes - found.repeated)
        saved = np.where(found.flat, _photo_bits(planes, found.flat) - pixel_bits, -1.0)
        chosen = saved >= 0
        if saved[chosen].sum() < max(OVERHEAD, WORTH * image.shape[0] * image.shape[1]):
            return None
        if found.flat.all() and -saved[~chosen].sum() < OVERHEAD:
            chosen = found.flat
        return cls(image, found, chosen)

    def tuned(self, _header: Header, _planes: NDArray[Any]) -> Graphic:
        """Return the tiles as they are coded with a header, given the scores of the whole image."""
        return self

    def at(self, _step: float) -> Graphic:
        """Return the tiles that are coded at a step."""
        return self

    @property
    def whole(self) -> bool:
        """Whether all of the image is in tiles."""
        return bool(self.chosen.all())

    def rest(self, cascade: Cascade) -> Planes:
        """Return the scores of what the tiles leave of the image; those of the latest bases are kept."""
        with self._lock:
            found = self._rests.get(cascade)
            if found is None:
                find = partial(self._scores_left, cascade)
                found = Planes(find(), find)
                self._rests.clear()
                self._rests[cascade] = found
        return found

    def _scores_left(self, cascade: Cascade) -> NDArray[Any]:
        return cascade.forward(filled(self.image, self.chosen), UNIT)

    @cached_property
    def exact(self) -> Tiles:
        """The tiles, coded exactly."""
        return replace(encode_tiles(self.image, self.chosen), image=self.image)

    def coded(self, step: float, progress: Progress = no_progress, *, quick: bool = False) -> Tiles:
        """Code the tiles for a step in grey levels, one way alone if `quick`; keep those of the latest."""
        if step < self.finest:
            return self.exact
        with self._lock:
            found = self._latest.get((step, quick))
            if found is None:
                found = self._coded(step, progress, quick=quick)
                self._latest.clear()
                self._latest[step, quick] = found
        return found

    def _coded(self, step: float, progress: Progress, *, quick: bool) -> Tiles:
        if self._sample[0] is not self.image and not quick:  # a sample tells which way is better
            if self._coded_sample(step) is self._exact_sample:
                return self.exact
            quick = True
        rounded = encode_tiles(self.image, self.chosen, step, price(step), progress)
        return rounded if quick else _better(self.image, self.exact, rounded, step)

    def shown(self, step: float) -> Tiles:
        """Return at once what the tiles look like at about a step, as far as that is known."""
        latest = dict(self._latest)
        for (known, _), tiles in latest.items():
            if abs(math.log2(known / step)) < 0.5:
                return tiles
        return Tiles(b"", self.chosen, self.image)

    def costs(self, step: float) -> TileCosts:
        """Estimate what the tiles cost at a step."""
        image, _, times = self._sample
        with self._lock:
            if step in self._costs:
                return self._costs[step]
        coded = self.coded(step) if image is self.image else self._coded_sample(step)
        shown = image.copy()
        coded.paint(shown, 0)
        found = TileCosts(times * len(coded.data), times * float(_errors(image, shown).sum()), (image, shown))
        with self._lock:
            self._costs[step] = found
        return found

    def rough_costs(self, step: float) -> TileCosts:
        """Return :meth:`costs`, interpolated between those of steps two octaves apart."""
        place = math.log2(max(step, 1.0)) / 2
        low, share = math.floor(place), place - math.floor(place)
        below, above = self.costs(4.0**low), self.costs(4.0 ** (low + 1))
        n_bytes = below.n_bytes ** (1 - share) * above.n_bytes**share
        # Errors grow with the square of the step; below the first step with any there may be some, too.
        least = above.squares / 4.0**2
        return TileCosts(
            n_bytes, max(below.squares, least) ** (1 - share) * above.squares**share, below.pictures
        )

    def _coded_sample(self, step: float) -> Tiles:
        """Code the tiles of the sample for a step, in the better way."""
        if step < FINEST:
            return self._exact_sample
        image, chosen, _ = self._sample
        rounded = encode_tiles(image, chosen, step, price(step))
        return _better(image, self._exact_sample, rounded, step)

    @cached_property
    def _exact_sample(self) -> Tiles:
        return encode_tiles(*self._sample[:2])

    @cached_property
    def _sample(self) -> tuple[NDArray[np.uint8], NDArray[Any], float]:
        """Some lines of the image, their tiles, and how much more there is of what changes in all tiles."""
        height, width = self.image.shape[:2]
        rows = max(SLICE_PIXELS // width // TILE, 1)
        if rows >= len(self.chosen):
            return self.image, self.chosen, 1.0
        busy = np.where(self.chosen, 1 + self.flatness.sizes - self.flatness.repeated, 0).sum(axis=1)
        sums = np.convolve(busy, np.ones(rows), "valid")
        # Neither the busiest part nor the quietest.
        first = int(np.argsort(sums, kind="stable")[len(sums) * 3 // 4])
        lines = self.image[first * TILE : min((first + rows) * TILE, height)]
        return lines, self.chosen[first : first + rows], float(busy.sum() / max(sums[first], 1))


def price(step: float) -> float:
    """Return the squared error that a bit is worth at a step."""
    return DEPENDENT_PRICE * step**2


def _better(image: NDArray[np.uint8], exact: Tiles, other: Tiles, step: float) -> Tiles:
    """Return the tiles of two codings that have the smaller D + λR; one of them is exact."""
    wrong = np.where(other.chosen, _errors(image, other.image), 0).sum()
    saved = 8 * (len(exact.data) - len(other.data))
    return other if wrong < price(step) * saved else exact


def sums(values: NDArray[Any], side: int) -> Floats:
    """Return sums over squares with some numbers along a side."""
    rows, columns = (range(0, length, side) for length in values.shape)
    return np.add.reduceat(np.add.reduceat(values, rows, axis=0), columns, axis=1).astype(np.float64)


def _errors(image: NDArray[np.uint8], other: NDArray[Any]) -> Floats:
    """Return the squared error of each tile."""
    squares = np.zeros(image.shape[:2], np.int32)
    for channel in range(image.shape[2]):
        squares += np.square(image[..., channel].astype(np.int32) - other[..., channel])
    return sums(squares, TILE)


def _photo_bits(planes: NDArray[Any], tiles: NDArray[np.bool_]) -> Floats:
    """Return about how many bits some tiles take as parts of a photo, at the usual step; 0 for others."""
    side = TILE // BLOCK
    inside = np.repeat(np.repeat(tiles, side, axis=0), side, axis=1)[: planes.shape[1], : planes.shape[2]]
    found, where = np.zeros(planes.shape[1:], np.float32), np.flatnonzero(inside)
    total = np.zeros(len(where), np.float32)
    bits = size_bits(np.arange(1 << 16, dtype=np.float32) * np.float32(UNIT / USUAL))
    for number, plane in enumerate(planes):
        scores = plane
        if number % PER_CHANNEL == 0:
            scores = np.diff(plane.astype(np.int32), axis=1, prepend=plane[:, :1].astype(np.int32))
        total += bits[np.abs(scores.ravel()[where])]
    found.ravel()[where] = total
    return sums(found, side)
