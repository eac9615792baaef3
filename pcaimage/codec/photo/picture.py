"""From scores to pixels: the core's pictures, whose files document the steps and prove that sums are exact.

Intermediate rounding costs less than 0.001 grey levels of an 8-bit image. Rounding the maps' entries, by at
most 2^-17 each, costs 0.001 on average, and in photographs nowhere more than about 0.01.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memories, Memory
from pcaimage.codec.compressed import Header
from pcaimage.codec.decoding import fields_of
from pcaimage.codec.photo.tables import Tables
from pcaimage.codec.photo.transform.cascade import Cascade, cascade_to_bytes
from pcaimage.core.decoder import HEADER
from pcaimage.core.library import LONG, Array, function, size_of
from pcaimage.machine.parallel import cores, side_by_side
from pcaimage.progress import Progress, counted, no_progress
from pcaimage.sampling.blocks import BLOCK

AnyArray = NDArray[Any]
Coefficients = NDArray[np.int32]
Floats = NDArray[np.float64]

WHOLE = 8  # the strength of shrinkage, in eighths, at which gains are as they were fitted
SCORE_BITS = 8  # coefficients are in units of Δ / 256

FRACTION_BITS = {np.dtype(np.uint8): 17, np.dtype(np.uint16): 9}
"""Channels are in whole numbers of 2^-F grey levels, with F by the type of pixels."""

_FETCHED = 16  # number of groups of lines whose coefficients a thread holds at once
_LARGE = 1 << 17  # number of values from which several threads are faster than one

_BYTES, _ROOM = Array(np.uint8), Array(np.uint8, writable=True)
_DOUBLES, _RESULT = Array(np.float64), Array(np.float64, writable=True)
_MAKE = function(
    "pcai_make_picture",
    LONG,
    _ROOM,
    _BYTES,
    HEADER,
    _BYTES,
    LONG,
    Array(np.uint64),
    Array(np.int8),
    LONG,
    LONG,
)
_SIZE = function("pcai_picture_room", LONG, _BYTES, LONG, LONG)
_LINES = function("pcai_picture_lines", None, _BYTES, *(LONG,) * 3, _ROOM, _ROOM, LONG)
_FIND = function("pcai_picture_coefficients", None, _BYTES, *(LONG,) * 3, Array(np.int32, writable=True))
_PLANES = function("pcai_picture_planes", None, _BYTES, Array(np.int32), *(LONG,) * 6, _RESULT)
_SHRINK = function("pcai_picture_shrink", None, _BYTES, _DOUBLES, *(LONG,) * 4, _RESULT)
_FINISH = function("pcai_picture_finish", None, _BYTES, _DOUBLES, LONG, _ROOM)


class Picture:
    """A photo with the scores of its slices, of which only those that lines need must be there.

    `levels` are those of the steps of all blocks. Pixels are limited to the header's white, or to another.
    """

    def __init__(
        self,
        header: Header,
        cascade: Cascade,
        scores: Sequence[AnyArray],
        levels: NDArray[np.int8] | None = None,
        white: int | None = None,
        tables: Tables | None = None,
    ) -> None:
        self.header, self._scores = header, [np.ascontiguousarray(part) for part in scores]
        self.rows, self.columns = header.sampling.grid(header.shape)
        tables = tables or Tables.of(header.tables)
        self._plan = tables.plan(header)
        self._levels = np.zeros((self.rows, self.columns), np.int8) if levels is None else levels
        mean = np.frombuffer(cascade_to_bytes(cascade, tables.basis), np.uint8)
        places = [part.__array_interface__["data"][0] if part.size else 0 for part in self._scores]
        self._addresses = np.array(places, np.uint64)
        self._k = max((len(part) for part in self._scores), default=0)
        self._picture = Memory().array("picture", (size_of("Picture"),), np.uint8)
        wide, largest = any(part.itemsize == 4 for part in self._scores), int(header.peak)
        given = (self._plan.memory, fields_of(header), mean, mean.size, self._addresses, self._levels)
        _MAKE(self._picture, *given, wide, largest if white is None else white)

    def coefficients(
        self, start: int, stop: int, k: int | None = None, memory: Memory | None = None
    ) -> Coefficients:
        """Return the coefficients of some rows of blocks, predictions plus scores, in units of Δ / 256.

        They are those of the first k components. Of shape (C * 64, stop - start, columns), they are ordered
        by channel, vertical and horizontal frequency.
        """
        shape = BLOCK**2 * self.header.shape[-1], stop - start, self.columns
        result: Coefficients = (memory or Memory()).array("coefficients", shape, np.int32)
        _FIND(self._picture, self._k if k is None else k, start, stop, result)
        return result

    def lines(self, start: int, stop: int, memory: Memory | None = None) -> AnyArray:
        """Return some lines of pixels, (stop - start, W, C)."""
        result = np.empty((max(stop - start, 0), *self.header.shape[1:]), self.header.dtype)
        self._fill(start, result, memory or Memory())
        return result

    def _fill(self, start: int, result: AnyArray, memory: Memory) -> None:
        if not result.size:
            return
        stop = start + len(result)
        room = memory.array("lines", (_SIZE(self._picture, start, stop),), np.uint8)
        _LINES(self._picture, self._k, start, stop, room, result.reshape(-1).view(np.uint8), result[0].nbytes)

    def some(
        self, start: int, stop: int, progress: Progress = no_progress, memories: Memories | None = None
    ) -> AnyArray:
        """Return some lines of pixels as :meth:`lines` does, on all cores if there are many."""
        result = np.empty((max(stop - start, 0), *self.header.shape[1:]), self.header.dtype)
        known, groups = memories or Memories(), -(-len(result) // BLOCK) + 1
        workers = cores() if result.size > _LARGE else 1
        count = workers * -(-groups // (workers * _FETCHED))
        tick = counted(progress, max(len(result), 1))
        # Between groups of lines, which begin half a block above each row of blocks.
        first = (start + BLOCK // 2) // BLOCK

        def line(number: int) -> int:
            group = first + groups * number // count
            return min(max(BLOCK * group - BLOCK // 2, start), stop) if number < count else stop

        def fill(number: int) -> None:
            top, bottom = line(number), line(number + 1)
            with known.taken() as memory:
                self._fill(top, result[top - start : bottom - start], memory)
            tick(bottom - top)

        side_by_side(fill, count)
        return result

    def channel_planes(
        self, coefficients: Coefficients, above: int, groups: tuple[int, int], unit: tuple[int, int]
    ) -> Floats:
        """Find the channels of some groups of lines, before they are turned into pixels: (C, lines, W).

        `groups` are the first, and the one behind the last; group g begins with line 8 g - 4, and needs the
        rows of blocks g - 1 and g. Coefficients are those of rows from `above` on, in units of m 2^e. The
        lines are those that are in the image, in whole numbers of 2^-F grey levels, with F as of
        :data:`FRACTION_BITS`.
        """
        height, width, channels = self.header.shape
        first, last = groups
        start, stop = max(BLOCK * first - BLOCK // 2, 0), min(BLOCK * last - BLOCK // 2, height)
        planes = np.empty((channels, max(stop - start, 0), width), np.float64)
        held_rows = coefficients.shape[1]
        _PLANES(self._picture, coefficients, held_rows, above, first, last, *unit, planes)
        return planes

    def known_planes(self, groups: tuple[int, int]) -> Floats:
        """Find the channels of the scores as :meth:`channel_planes` does."""
        above, below = self._rows_of(groups)
        step = self.header.step
        return self.channel_planes(
            self.coefficients(above, below), above, groups, (step.mantissa, step.exponent - SCORE_BITS)
        )

    def planes_of(self, coefficients: Coefficients, groups: tuple[int, int], unit: tuple[int, int]) -> Floats:
        """Find the channels of coefficients of all blocks as :meth:`channel_planes` does."""
        above, below = self._rows_of(groups)
        part = np.ascontiguousarray(coefficients[:, above:below], np.int32)
        return self.channel_planes(part, above, groups, unit)

    def _rows_of(self, groups: tuple[int, int]) -> tuple[int, int]:
        return max(groups[0] - 1, 0), min(groups[1], self.rows)

    def pixels_of(self, coefficients: Coefficients, unit: tuple[int, int]) -> AnyArray:
        """Return the pixels of coefficients of all blocks, which are not shrunk."""
        result = np.empty(self.header.shape, self.header.dtype)
        planes = self.planes_of(coefficients, (0, self.rows + 1), unit)
        _FINISH(self._picture, planes, planes[0].size, result.reshape(-1).view(np.uint8))
        return result

    def shrunk(self, planes: Floats, top: int = 0) -> Floats:
        """Return channels corrected by shrinkage, of which the first line is line `top` of the image.

        Outside of the planes stands what is nearest.
        """
        found = np.empty_like(planes)
        _SHRINK(self._picture, planes, planes.shape[1], 0, planes.shape[1], top, found)
        return found
