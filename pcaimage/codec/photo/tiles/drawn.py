"""Tiles that are drawn from their neighbours: for clean edges between smooth grounds, and for stripes.

Squares of 32 to 4 pixels are predicted from decoded ones beside them, along one of 65 directions [1]_, and
corrected by a transform. What is drawn is shrunk as photos are, with strengths of each slice.

References
----------
.. [1] J. Lainema, F. Bossen, W.-J. Han, J. Min, K. Ugur, "Intra coding of the HEVC standard", IEEE Trans.
   Circuits and Systems for Video Technology 22(12), 2012.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.range_coder import BITS, RangeWriter
from pcaimage.codec.compressed import STRENGTHS, Header
from pcaimage.codec.decoding import fields_of
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.masking import SIDE, masking, with_step
from pcaimage.codec.photo.picture import FRACTION_BITS, Picture
from pcaimage.codec.photo.strengths import MOST, best, of_one_strength, products
from pcaimage.codec.photo.tables import Tables, plan_of
from pcaimage.codec.photo.tiles.graphics import Graphic, price, sums
from pcaimage.codec.photo.tiles.tiles import TILE, Tiles, join_slices, slices_of
from pcaimage.codec.photo.transform.cascade import Cascade, cascade_to_bytes
from pcaimage.codec.photo.transform.channels import ONE
from pcaimage.codec.step import Step
from pcaimage.core.decoder import HEADER
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, function
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted, no_progress
from pcaimage.sampling.blocks import BLOCK

Levels = NDArray[np.uint8]

SAMPLE = 16  # samples of channels are in so many parts of a grey level

MOST_CHANNELS = 4

_STRENGTH_BITS = 8 * (16 + 5 * STRENGTHS * MOST_CHANNELS)  # the same of all strengths
_SHRUNK = 1 << 19  # pixels from which not all rows of tiles tell the strengths
_SAMPLE_BITS = 24  # upper bound on the bits that a sample's corrections take
_SAMPLED = 1 << 18  # approximate pixels that estimates look at

_ROOM, _TILES = Array(np.uint8, writable=True), Array(np.uint8)
_size = function("pcai_drawn_room", LONG, LONG, LONG, LONG)
_begin = function("pcai_drawn_begin", None, _ROOM, _TILES, LONG, LONG, DOUBLE, Array(np.float32))
_write = function(
    "pcai_drawn_write", None, _ROOM, STRUCT, Array(np.int16), LONG, _TILES, Array(np.float32, writable=True)
)
_samples = function("pcai_drawn_samples", None, _TILES, *(LONG,) * 3, Array(np.float64, writable=True))
_end = function("pcai_drawn_end", None, _ROOM, STRUCT, HEADER, _TILES, LONG, _TILES, _ROOM)


def encode_drawn(
    image: NDArray[np.uint8],
    levels: Levels,
    cascade: Cascade,
    header: Header,
    progress: Progress = no_progress,
) -> Tiles:
    """Draw some tiles of an image in the channels of a cascade, with the steps of a header.

    Levels of their steps are one more than in the file, and 0 of other tiles.
    """
    slices, result = slices_of(image.shape), np.empty_like(image)
    plan, tick = plan_of(header).memory, counted(progress, len(levels))

    def work(number: int) -> tuple[bytes, NDArray[np.float32]]:
        rows = slices[number]
        lines = image[rows.start * TILE : rows.stop * TILE]
        coded = np.ascontiguousarray(levels[rows])
        costs, wanted, writer = np.zeros(coded.shape, np.float32), _wanted(lines, cascade), RangeWriter()
        room = np.zeros(_size(*lines.shape), np.uint8)
        _begin(room, plan, *lines.shape[:2], price(1.0), BITS)
        for row in range(len(coded)):
            writer.reserve(_SAMPLE_BITS * wanted[:, :TILE].size)
            _write(room, writer.coder, wanted, row, coded, costs)
            writer.keep()
            tick(1)
        given = replace(header, shape=lines.shape, slice_rows=0)
        shown = replace(given, strengths=_strengths(room, wanted, coded, cascade, given))
        writer.reserve(_STRENGTH_BITS)
        mean = np.frombuffer(cascade_to_bytes(cascade, Tables.of(header.tables).basis), np.uint8)
        _end(room, writer.coder, fields_of(shown), mean, mean.size, coded, result[rows.start * TILE :])
        writer.keep()
        return writer.finish(), costs

    parts = side_by_side(work, len(slices))
    costs = np.concatenate([costs for _, costs in parts])
    return Tiles(join_slices([data for data, _ in parts]), levels > 0, result, costs, drawn=True)


def _wanted(lines: NDArray[np.uint8], cascade: Cascade) -> NDArray[np.int16]:
    """Return the channels of some lines, in whole tiles: (C, lines, columns)."""
    padding = [(0, -side % TILE) for side in lines.shape[:2]]
    pixels = np.pad(lines, [*padding, (0, 0)], mode="edge").astype(np.float32) - cascade.mean
    found = np.tensordot(cascade.rotation * (SAMPLE / ONE), pixels, (1, 2))
    return np.ascontiguousarray(np.rint(found), np.int16)


def _strengths(
    room: NDArray[np.uint8], wanted: NDArray[np.int16], coded: Levels, cascade: Cascade, header: Header
) -> tuple[int, ...]:
    """Return the strengths that bring a slice closest to what is wanted, by some of its rows of tiles."""
    height, width, channels = header.shape
    levels = np.maximum(coded, 1).view(np.int8) - 1
    pictures = of_one_strength(header, lambda each: Picture(each, cascade, [], _of_blocks(levels, each)))
    if not pictures:
        return (0,) * (STRENGTHS * channels)
    total: Any = 0
    for row in range(0, len(coded), -(-height * width // _SHRUNK)):
        start, stop = row * TILE, min((row + 1) * TILE, height)
        known = np.empty((channels, stop - start, width))
        _samples(room, start, stop, width, known)
        inside = np.repeat(coded[row] > 0, TILE)[:width]
        missing = wanted[:, start:stop, :width] * 2.0 ** FRACTION_BITS[np.dtype(np.uint8)] / SAMPLE - known
        changes = (picture.shrunk(known, start) - known for picture in pictures)
        total += products([each[..., inside] for each in (missing, *changes)])
    return tuple(min(value, MOST - 1) for channel in total for value in best(channel))


def _of_blocks(levels: NDArray[np.int8], header: Header) -> NDArray[np.int8]:
    rows, columns = header.sampling.grid(header.shape)
    side = TILE // BLOCK
    return np.ascontiguousarray(levels.repeat(side, axis=0).repeat(side, axis=1)[:rows, :columns])


@dataclass(frozen=True, eq=False)
class Drawn(Graphic):
    """An image some of whose tiles are drawn from their neighbours. Methods are thread-safe."""

    cascade: Cascade = field(kw_only=True)
    header: Header = field(kw_only=True)
    levels: Levels = field(kw_only=True)  # as of :func:`encode_drawn`, of all tiles
    choose: Callable[[Step], NDArray[np.bool_]] | None = field(default=None, kw_only=True)
    _at: dict[Step, Drawn] = field(default_factory=dict, init=False, repr=False)

    finest = 0.0

    def tuned(self, header: Header, planes: NDArray[Any]) -> Drawn:
        """Return the tiles with the steps that a header has for the whole image: means of those by region."""
        side = TILE // (BLOCK * SIDE)
        wanted, _ = masking(planes, header, UNIT)
        mean = np.log2(sums(np.exp2(wanted), side) / sums(np.ones_like(wanted), side))
        level = np.rint(mean).clip(0, max(header.levels - 1, 0))
        return replace(self, header=header, levels=(1 + level).astype(np.uint8))

    def at(self, step: float) -> Drawn:
        """Return the tiles that are chosen for about a step."""
        about = Step.nearest(2.0 ** round(math.log2(step)))
        if self.choose is None:
            return self
        if about not in self._at:
            self._at[about] = replace(self, chosen=self.choose(about), choose=None)
        return self._at[about]

    def _coded(
        self,
        step: float,
        progress: Progress,
        *,
        quick: bool,  # noqa: ARG002 - there is one way
    ) -> Tiles:
        return self._encoded(self.image, self.chosen * self.levels, step, progress)

    def _coded_sample(self, step: float) -> Tiles:
        return self._encoded(*self._sample[:2], step)

    def _encoded(
        self, image: NDArray[np.uint8], levels: Levels, step: float, progress: Progress = no_progress
    ) -> Tiles:
        header = with_step(self.header, Step.nearest(step))
        return encode_drawn(image, levels, self.cascade, header, progress)

    @cached_property
    def _sample(self) -> tuple[NDArray[np.uint8], Levels, float]:
        rows = max(_SAMPLED // self.image.shape[1] // TILE, 1)
        if rows >= len(self.chosen):
            return self.image, self.chosen * self.levels, 1.0
        first = (len(self.chosen) - rows) // 2
        lines = self.image[first * TILE : (first + rows) * TILE]
        return lines, (self.chosen * self.levels)[first : first + rows], self.image.shape[0] / len(lines)
