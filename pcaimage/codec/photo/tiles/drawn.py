"""Tiles that are drawn from their neighbours: for clean edges between smooth grounds, and for stripes.

Squares of 32 to 4 pixels are predicted from decoded ones beside them, along one of 65 directions [1]_, and
corrected by a transform. An image is drawn as a whole or not at all: parts of it, coded both ways, decide.

References
----------
.. [1] J. Lainema, F. Bossen, W.-J. Han, J. Min, K. Ugur, "Intra coding of the HEVC standard", IEEE Trans.
   Circuits and Systems for Video Technology 22(12), 2012.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.range_coder import BITS, RangeWriter
from pcaimage.codec.compressed import Header
from pcaimage.codec.photo.layout import UNIT
from pcaimage.codec.photo.masking import SIDE, masking, with_step
from pcaimage.codec.photo.tables import plan_of
from pcaimage.codec.photo.tiles.graphics import Graphic, price, sums
from pcaimage.codec.photo.tiles.tiles import TILE, Tiles, join_slices, slices_of
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.photo.transform.channels import ONE
from pcaimage.codec.step import Step
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, function
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Progress, counted, no_progress
from pcaimage.sampling.blocks import BLOCK

Levels = NDArray[np.uint8]

SAMPLE = 16  # samples of channels are in so many parts of a grey level

MOST_CHANNELS = 4

_SAMPLE_BITS = 24  # upper bound on the bits that a sample's corrections take
_SAMPLED = 1 << 18  # approximate pixels that estimates look at

_ROOM, _TILES = Array(np.uint8, writable=True), Array(np.uint8)
_size = function("pcai_drawn_room", LONG, LONG, LONG, LONG)
_begin = function("pcai_drawn_begin", None, _ROOM, _TILES, LONG, LONG, DOUBLE, Array(np.float32))
_write = function(
    "pcai_drawn_write", None, _ROOM, STRUCT, Array(np.int16), LONG, _TILES, Array(np.float32, writable=True)
)
_pixels = function("pcai_drawn_pixels", None, _TILES, Array(np.int32), LONG, LONG, _ROOM)


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
        costs, wanted, writer = np.zeros(coded.shape, np.float32), _samples(lines, cascade), RangeWriter()
        room = np.zeros(_size(*lines.shape), np.uint8)
        _begin(room, plan, *lines.shape[:2], price(1.0), BITS)
        for row in range(len(coded)):
            writer.reserve(_SAMPLE_BITS * wanted[:, :TILE].size)
            _write(room, writer.coder, wanted, row, coded, costs)
            writer.keep()
            tick(1)
        _show(room, cascade, result[rows.start * TILE : rows.stop * TILE])
        return writer.finish(), costs

    parts = side_by_side(work, len(slices))
    costs = np.concatenate([costs for _, costs in parts])
    return Tiles(join_slices([data for data, _ in parts]), levels > 0, result, costs, drawn=True)


def _samples(lines: NDArray[np.uint8], cascade: Cascade) -> NDArray[np.int16]:
    """Return the channels of some lines, in whole tiles: (C, lines, columns)."""
    padding = [(0, -side % TILE) for side in lines.shape[:2]]
    pixels = np.pad(lines, [*padding, (0, 0)], mode="edge").astype(np.float32) - cascade.mean
    found = np.tensordot(cascade.rotation * (SAMPLE / ONE), pixels, (1, 2))
    return np.ascontiguousarray(np.rint(found), np.int16)


def _show(room: NDArray[np.uint8], cascade: Cascade, lines: NDArray[np.uint8]) -> None:
    """Fill lines with the pixels of a slice."""
    colours = np.zeros((1 + MOST_CHANNELS) * MOST_CHANNELS, np.int32)
    colours[: cascade.channels] = cascade.mean
    colours[MOST_CHANNELS:][: cascade.rotation.size] = cascade.rotation.ravel()
    _pixels(room, colours, *lines.shape[:2], lines)


@dataclass(frozen=True, eq=False)
class Drawn(Graphic):
    """An image some of whose tiles are drawn from their neighbours. Methods are thread-safe."""

    cascade: Cascade = field(kw_only=True)
    header: Header = field(kw_only=True)
    levels: Levels = field(kw_only=True)  # as of :func:`encode_drawn`

    finest = 0.0

    def tuned(self, header: Header, planes: NDArray[Any]) -> Drawn:
        """Return the tiles with the steps that a header has for the whole image, whose scores are given."""
        side = TILE // (BLOCK * SIDE)
        wanted, _ = masking(planes, header, UNIT)
        level = np.rint(sums(wanted, side) / sums(np.ones_like(wanted), side)).clip(
            0, max(header.levels - 1, 0)
        )
        return replace(self, header=header, levels=(self.chosen * (1 + level)).astype(np.uint8))

    def _coded(
        self,
        step: float,
        progress: Progress,
        *,
        quick: bool,  # noqa: ARG002 - there is one way
    ) -> Tiles:
        return self._encoded(self.image, self.levels, step, progress)

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
            return self.image, self.levels, 1.0
        first = (len(self.chosen) - rows) // 2
        lines = self.image[first * TILE : (first + rows) * TILE]
        return lines, self.levels[first : first + rows], self.image.shape[0] / len(lines)
