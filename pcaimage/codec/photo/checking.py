"""Checks of a photo's slices: how far each is from the original, and whether its bytes decode to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memories
from pcaimage.codec.compressed import TILED, Component, Compressed
from pcaimage.codec.decoding import Decoding
from pcaimage.codec.photo.masking import regions
from pcaimage.codec.photo.model import Measured, PhotoModel
from pcaimage.codec.photo.tables import Tables
from pcaimage.codec.photo.transform.cascade import cascade_to_bytes
from pcaimage.machine.parallel import side_by_side
from pcaimage.progress import Count, Progress, counted
from pcaimage.quality import squared_error, total_error
from pcaimage.sampling.blocks import BLOCK

MEASURING, PROVING = 0.3, 0.3
"""Durations of reconstructing a slice and of decoding it, relative to that of coding it."""


def check_cost(*, proven: bool) -> float:
    """Return how long checking a slice takes, beside coding it."""
    return MEASURING + (PROVING if proven else 0)


def proves(model: PhotoModel, number: int, data: bytes, scores: NDArray[Any], progress: Count) -> bool:
    """Decode a slice; return whether its bytes give these scores and the model's levels.

    It is decoded as the photo that it is by itself.
    """
    k, rows, columns = scores.shape
    shape = rows * BLOCK, *model.header.shape[1:]
    header = replace(model.header, shape=shape, slice_rows=0, tools=model.header.tools & ~TILED)
    mean = cascade_to_bytes(model.cascade, Tables.of(header.tables).basis)
    segments = (data, *(b"",) * (k - 1))[:k]
    decoded, levels = np.empty_like(scores), np.zeros(regions(rows, columns), np.int8)
    with Decoding(Compressed(header, mean, tuple(Component(0, b"", part) for part in segments))) as decoding:
        decoding.core.put_scores(0, decoded, levels)
        decoding.decode_all()
    progress(k)
    same = np.array_equal(decoded, scores)
    return same and (not model.levels or np.array_equal(levels, model.levels[number]))


class Checks:
    """Checks the slices of a photo, in any order and thread, and decodes them if they are to be `proven`.

    The model's scores need not be there yet, nor for :meth:`prove` what it is shrunk by.
    """

    def __init__(
        self, model: PhotoModel, original: NDArray[Any], progress: Progress, *, proven: bool
    ) -> None:
        header = model.header
        self._model, self._original, self._proven = model, original, proven
        self._pixels = original.reshape(header.shape)
        self._done = list(model.proven) or [b""] * len(model.scores)
        self._inner = list[int | float](0 for _ in model.scores)
        self._seams = list[int | float](0 for _ in model.scores)
        self._tick = counted(progress, len(model.scores) * model.k * (2 if proven else 1))

    def measured(self, model: PhotoModel) -> PhotoModel:
        """Measure all of a coded photo; return it with its error, and with the slices that were proven."""
        if self._model.memories is not None:
            self._model.memories.clear()
        self._model = replace(model, memories=Memories())

        def measure(number: int) -> None:
            self.measure(number, model.scores[number])
            if number:
                self.measure_seam(number, *model.scores[number - 1 : number + 1])
            self._tick(model.k)

        side_by_side(measure, len(model.scores))
        return self.applied(model)

    def measure(self, number: int, scores: NDArray[Any]) -> int | float:
        """Return the squared error of the lines that a slice alone decides."""
        layout = self._model.layout
        rows = layout.slices[number]
        start = rows.start * BLOCK + layout.reach if number else 0
        error = self._error(start, layout.complete_lines(rows.stop), {number: scores})
        self._inner[number] = error
        return error

    def measure_seam(self, number: int, above: NDArray[Any], scores: NDArray[Any]) -> None:
        """Measure the lines that a slice and the one before it decide together."""
        layout = self._model.layout
        middle = layout.slices[number].start * BLOCK
        stop = min(middle + layout.reach, layout.complete_lines(layout.slices[number].stop))
        known = {number - 1: above, number: scores}
        self._seams[number] = self._error(middle - layout.reach, stop, known)

    def prove(self, number: int, data: bytes, scores: NDArray[Any]) -> None:
        """Decode the bytes of a slice, and compare, unless that has been done.

        A slice that is not proven is decoded again when the file is read back, which then tells.
        """
        if self._done[number] != data and proves(self._model, number, data, scores, self._tick):
            self._done[number] = data

    @property
    def squares(self) -> int | float:
        """The squared error of all that was measured."""
        return total_error([*self._inner, *self._seams])

    def applied(self, model: PhotoModel) -> PhotoModel:
        """Return a model with its error, and with the slices that were proven."""
        measured = Measured(self._original, self.squares)
        return replace(model, measured=measured, proven=tuple(self._done) if self._proven else model.proven)

    def proved(self, model: PhotoModel) -> PhotoModel:
        """Return a model, whose error is known, with the slices that were proven."""
        return replace(model, proven=tuple(self._done))

    def _error(self, start: int, stop: int, known: dict[int, NDArray[Any]]) -> int | float:
        if start >= stop:
            return 0
        scores = list(self._model.scores)
        for number, part in known.items():
            scores[number] = part
        lines = replace(self._model, scores=tuple(scores)).lines(start, stop)
        return squared_error(self._pixels[start:stop], lines)
