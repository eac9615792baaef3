"""Coefficients of some components and blocks of a photo, computed fast enough for display."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.analysis import PhotoAnalysis
from pcaimage.codec.photo.layout import PER_CHANNEL, UNIT, PhotoLayout
from pcaimage.codec.photo.model import PhotoModel
from pcaimage.codec.photo.screen import screen
from pcaimage.codec.photo.tables import WEIGHT_BITS, plan_of
from pcaimage.codec.spectrum import indices
from pcaimage.core.library import Held, held
from pcaimage.sampling.blocks import BLOCK

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
IntArray = NDArray[np.int64]

SEEN = 1 << 16  # approximate number of blocks from which variances are computed


class Chosen(NamedTuple):
    """Chosen components, ordered by channel, horizontal frequency and vertical frequency."""

    numbers: IntArray  # zero-based indices in the file
    planes: IntArray  # as for screen.COEFFICIENTS
    weights: Floats  # likewise
    lines: IntArray  # as for painting.paint
    constants: IntArray  # places, as for screen.MEANS


class Rounding(NamedTuple):
    """The quantiser's parameters, with the meanings that they have in :class:`.screen.Rectangle`."""

    kind: int
    factor: np.float32 = np.float32(1)
    zones: tuple[np.float32, np.float32] = (np.float32(0.5), np.float32(0.5))
    factors: Floats | None = None  # of the step, (C * 64, levels), in the cascade's order


_NO_LEVELS = np.zeros((0, 0), np.int8)


class Slice(NamedTuple):
    """A slice as a range of rows of an array of scores (n, rows, columns), which the core receives whole.

    Where steps differ by region there is the level of each of its blocks.
    """

    planes: NDArray[Any]
    start: int
    stop: int
    levels: NDArray[np.int8] = _NO_LEVELS

    @property
    def rows(self) -> int:
        """Number of rows of blocks."""
        return self.stop - self.start


@dataclass(frozen=True, eq=False)
class Strips:
    """The scores of a photo, and their prediction from the means.

    Slices have an analysed image's own scores, or if `stored` a file's, which are differences to a
    prediction. Components that are left out, by one-based numbers, are zero; those of a file never are. The
    factors of the step are a file's.
    """

    slices: tuple[Slice, ...] = field(repr=False)
    places: IntArray = field(repr=False)  # each component's plane in the slices
    order: IntArray = field(repr=False)  # each component's plane in the cascade
    prediction: Floats = field(repr=False)  # weights of the means around a block, shape (C * 63, 8)
    unit: float  # of the scores, in grey levels
    stored: bool
    factors: Floats | None = field(default=None, repr=False, kw_only=True)
    mean_parts: int = field(default=2, kw_only=True)  # of a step, in which a file's constant components are
    left_out: frozenset[int] = frozenset()
    known: Doubles | None = field(default=None, repr=False)  # variances, if computed

    @classmethod
    def of(cls, source: PhotoAnalysis | PhotoModel) -> Strips:
        """Return the strips of an analysed or a decoded photo, which share its memory."""
        header, known = source.header, plan_of(source.header)
        prediction = (known.prediction * 2.0**-WEIGHT_BITS).astype(np.float32)
        layout = PhotoLayout(header).slices
        if isinstance(source, PhotoModel):
            blocks = [source.block_levels(rows.start, rows.stop) for rows in layout]
            scores = map(np.ascontiguousarray, source.scores)
            slices = tuple(Slice(part, 0, len(each), each) for part, each in zip(scores, blocks, strict=True))
            places, step = np.arange(source.k), float(header.step)
            found = cls(slices, places, known.planes, prediction, step, stored=True)
            return replace(found, factors=known.relative, mean_parts=known.mean_parts)
        levels = source.local_levels if known.local else _NO_LEVELS
        slices = tuple(
            Slice(source.planes, rows.start, rows.stop, levels[rows.start : rows.stop]) for rows in layout
        )
        found = cls(slices, known.planes, known.planes, prediction, UNIT, stored=False)
        return replace(found, left_out=source.left_out, known=source.variances / UNIT**2)

    @property
    def channels(self) -> int:
        """Number of channels C."""
        return len(self.order) // PER_CHANNEL

    @property
    def grid(self) -> tuple[int, int]:
        """Number of rows and of columns of blocks."""
        return sum(part.rows for part in self.slices), self.slices[0].planes.shape[2]

    @property
    def exact(self) -> Rounding:
        """No rounding: scores as they are, in their own unit."""
        if not self.stored:
            return Rounding(screen.EXACT)
        return Rounding(screen.STORED, np.float32(1 / self.mean_parts), factors=self.factors)

    def chosen(self, numbers: IntArray, k: int, left_out: frozenset[int] = frozenset()) -> Chosen:
        """Return the parameters for computing some components; left-out means predict nothing.

        Numbers are zero-based indices in the file; those of components left out, which are zero, are
        one-based. The result is in its own order and has none of these.
        """
        known = min(k, len(self.places))
        hidden = indices(left_out | self.left_out, known)
        if hidden:
            unseen = np.isin(np.where(numbers < known, numbers, self.order[numbers] // PER_CHANNEL), hidden)
            numbers = numbers[~unseen]
        every, planes, weights, lines = self._all
        wanted = np.zeros(len(every), np.bool_)
        wanted[numbers] = True
        which = np.flatnonzero(wanted[every])
        numbers, planes = every[which], planes[which]
        planes[numbers < known, 0] = self.places[numbers[numbers < known]]
        return Chosen(numbers, planes, weights[which], lines[which], self._constants(known, hidden))

    @cached_property
    def _all(self) -> tuple[IntArray, IntArray, Floats, IntArray]:
        """Numbers, planes, weights and lines of all components, as they are chosen from."""
        channel, u, v = self.order // PER_CHANNEL, self.order // BLOCK % BLOCK, self.order % BLOCK
        line = channel * BLOCK + v
        numbers = np.lexsort((u, line))
        constant = numbers < self.channels
        planes = np.stack([np.full(len(numbers), -1), channel[numbers], np.where(constant, -1, 1)], axis=1)
        around = self.prediction[np.where(constant, 0, numbers - self.channels)]
        middle = -around.sum(axis=1, keepdims=True)
        weights = np.concatenate([around[:, :4], middle, around[:, 4:]], axis=1).astype(np.float32)
        return numbers, planes, weights, np.stack([line, u], axis=1)[numbers]

    def _constants(self, known: int, hidden: list[int]) -> IntArray:
        """Return the planes of the means used for prediction; for a file all of them, as in the encoder."""
        constants = np.full(self.channels, -1)
        known = min(known, self.channels)
        constants[:known] = self.places[:known]
        if not self.stored:
            constants[[index for index in hidden if index < known]] = -1
        return constants

    def coefficients(
        self,
        chosen: Chosen,
        rounding: Rounding,
        rows: tuple[int, int],
        columns: tuple[int, int],
        room: Floats | None = None,
    ) -> Floats:
        """Return coefficients of a rectangle of blocks, in the scores' unit over the rounding's factor."""
        shape = len(chosen.numbers), rows[1] - rows[0], columns[1] - columns[0]
        if room is None:
            room = np.empty(math.prod(shape), np.float32)
        result = room[: math.prod(shape)].reshape(shape)
        factors = np.ones((len(chosen.numbers), int(self.stored)), np.float32)
        if rounding.factors is not None:
            factors = rounding.factors[self.order[chosen.numbers]]
        for part, first, last, start in self._parts(*rows):
            rectangle = self._rectangle(part, rounding, (first, last), columns, factors)
            around = self._means(part, chosen.constants, rectangle)
            inputs = part.planes.view(np.uint8), chosen.planes, chosen.weights, around, len(chosen.numbers)
            screen.COEFFICIENTS(rectangle, *inputs, start - rows[0], result.shape[1], result)
        return result

    def _parts(self, start: int, stop: int) -> list[tuple[Slice, int, int, int]]:
        """Return the slices that rows lie in, the range of rows in each, and its first row in the image."""
        found, begin = [], 0
        for part in self.slices:
            first, last = max(start - begin, 0), min(stop - begin, part.rows)
            if first < last:
                found.append((part, first, last, begin + first))
            begin += part.rows
        return found

    def _means(self, part: Slice, constants: IntArray, rectangle: Held[screen.Rectangle]) -> Floats:
        """Return the means of a rectangle of a slice and of a border of one block around it."""
        height, width = rectangle.record.height, rectangle.record.width
        around = np.empty((self.channels, height + 2, width + 2), np.float32)
        screen.MEANS(rectangle, part.planes.view(np.uint8), constants, len(constants), around)
        return around

    def _rectangle(
        self,
        part: Slice,
        rounding: Rounding,
        rows: tuple[int, int],
        columns: tuple[int, int],
        factors: Floats = screen.NO_FACTORS,
    ) -> Held[screen.Rectangle]:
        (_, height, width), (first, others) = part.planes.shape, map(float, rounding.zones)
        corner, size = (part.start + rows[0], columns[0]), (rows[1] - rows[0], columns[1] - columns[0])
        quantiser = rounding.kind, float(rounding.factor), first, others
        bounds = part.start, part.stop, height, width, *corner, *size
        steps = {"levels": part.levels, "factors": factors, "n_levels": factors.shape[1]}
        return held(screen.Rectangle(*bounds, *quantiser, **steps, wide=part.planes.itemsize == 4))

    @cached_property
    def variances(self) -> Doubles:
        """Variances of the coefficients, in squared units of the scores, shape (n_components,).

        A file's are computed from rows of blocks spread over the image.
        """
        k = len(self.places)
        if self.known is not None:
            found = self.known.copy()
            found[indices(self.left_out, k)] = 0.0
            return found
        chosen = self.chosen(np.arange(k), k)
        columns = self.grid[1]
        parts = [self.coefficients(chosen, self.exact, (row, row + 1), (0, columns)) for row in self._spread]
        values = np.concatenate([part[:, 0] for part in parts], axis=1)
        found = np.zeros(k)
        found[chosen.numbers] = values.var(axis=1, dtype=np.float64)
        return found

    @cached_property
    def predicted(self) -> Doubles:
        """Mean squared predictions from the means, in squared units of the scores, shape (C * 64,)."""
        channels, columns = self.channels, self.grid[1]
        constants = self._constants(len(self.places), indices(self.left_out, channels))
        moments = np.zeros((channels, BLOCK, BLOCK))
        for row in self._spread:
            for part, first, last, _ in self._parts(row, row + 1):
                rectangle = self._rectangle(part, self.exact, (first, last), (0, columns))
                means = self._means(part, constants, rectangle)
                shifts = [(down, right) for down in range(3) for right in range(3) if (down, right) != (1, 1)]
                around = np.stack([means[:, down, right : right + columns] for down, right in shifts], axis=1)
                around -= means[:, None, 1, 1:-1]
                moments += around @ around.transpose(0, 2, 1)
        moments /= len(self._spread) * columns
        found = np.zeros(channels * PER_CHANNEL)
        own = moments[self.order[channels:] // PER_CHANNEL]
        found[channels:] = np.einsum("ji,jin,jn->j", self.prediction, own, self.prediction)
        return np.maximum(found, 0.0)

    @property
    def _spread(self) -> range:
        rows, columns = self.grid
        every = min(max(1, rows * columns // SEEN), rows)
        return range(every // 2, rows, every)
