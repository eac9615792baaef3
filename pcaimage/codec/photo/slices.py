"""Coding of one slice of a photo, component by component."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.memory import Memory
from pcaimage.codec.coding.range_coder import BITS, RangeWriter
from pcaimage.codec.compressed import Header
from pcaimage.codec.photo.masking import regions
from pcaimage.codec.photo.tables import Bytes, Plan, plan_of
from pcaimage.codec.photo.transform.cascade import Cascade
from pcaimage.codec.photo.transform.channels import ONE as WHOLE
from pcaimage.core.library import DOUBLE, LONG, STRUCT, Array, function, size_of
from pcaimage.progress import Count
from pcaimage.sampling.blocks import BLOCK

Wanted = Callable[[int], NDArray[np.float32]]
"""Returns the unrounded scores of a component, given its index, in units of the step."""

PRICE, DEPENDENT_PRICE = 0.12, 0.11
"""Squared error, in squared steps, that a bit is worth, without and with dependent quantisation: found by
trying [1]_.

.. [1] The slope of an ideal coder's distortion at high rates would be (ln 2 / 6) = 0.116.
"""

BITS_PER_SCORE, BITS_PER_LEVEL = 72, 18
"""Upper bounds on the bits of a score (16 in unary, 24 for the number of digits, 23 digits, and the sign),
and of the level of a region."""

_SAMPLE, _MIDDLE = 1 / 32, 1 << 15  # unit, in steps, and zero of that picture's samples for its transform

_ROOM, _LEVELS = Array(np.uint8, writable=True), Array(np.int8, writable=True)
_FLOATS = Array(np.float32)
_SIZE = function("pcai_slice_size", LONG, Array(np.uint8), *(LONG,) * 4)
_BEGIN = function(
    "pcai_slice_begin",
    None,
    _ROOM,
    Array(np.uint8),
    _ROOM,
    *(LONG,) * 3,
    _ROOM,
    LONG,
    _LEVELS,
    _LEVELS,
    _FLOATS,
    LONG,
)
_WRITE_LEVELS = function("pcai_slice_write_levels", None, _ROOM, STRUCT, _FLOATS, _FLOATS)
_WRITE = function("pcai_slice_write", None, _ROOM, STRUCT, _FLOATS, DOUBLE)


class PhotoSliceCoder:
    """Encodes the components of a slice, one after the other.

    That fills in `scores`, of shape (k, rows, columns), constant components first, `levels`, those of the
    regions, and `blocks`, those of the blocks. What else it needs is in `memory`, of which `room` is the
    core's own; the next coder in it ends this one. `models` are those of an earlier coder to go on from, to
    train the tables.
    """

    def __init__(
        self,
        plan: Plan,
        scores: NDArray[Any],
        levels: NDArray[np.int8] | None = None,
        memory: Memory | None = None,
        models: Bytes | None = None,
    ) -> None:
        k, rows, columns = scores.shape
        self.scores, self._plan = scores, plan
        self.price = DEPENDENT_PRICE if plan.dependent else PRICE
        self.blocks = np.zeros((rows, columns), np.int8)
        self._levels = np.zeros(regions(rows, columns), np.int8) if levels is None else levels
        memory = memory or Memory()
        if models is None:
            models = memory.array("models", (size_of("Models"),), np.uint8)
            plan.take_models(models)
        size = _SIZE(plan.memory, k, rows, columns, True)
        self.room, self._kept = memory.array("slice", (size,), np.uint8), models
        given = plan.memory, models, k, rows, columns, scores.reshape(-1).view(np.uint8), scores.itemsize == 4
        _BEGIN(self.room, *given, self._levels, self.blocks, BITS, True)

    @classmethod
    def of(
        cls,
        header: Header,
        scores: NDArray[Any],
        levels: NDArray[np.int8] | None = None,
        memory: Memory | None = None,
    ) -> PhotoSliceCoder:
        """Return the coder of a photo's slice, with tables for its step and the tools of its header."""
        return cls(plan_of(header), scores, levels, memory)

    def encode(
        self,
        wanted: Wanted,
        price: float,
        progress: Count,
        masking: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
    ) -> tuple[bytes, list[int]]:
        """Encode all components; return the bytes, and how many of them the first i components need.

        The price is the Lagrange multiplier λ, in squared steps per bit. `masking` has the best levels of
        regions, apart from their bits, and the bits that the square of a level's distance from it is worth.
        """
        writer, certain = RangeWriter(), []
        if masking is not None and len(self.scores):
            writer.reserve(BITS_PER_LEVEL * self._levels.size)
            _WRITE_LEVELS(self.room, writer.coder, *masking)
            writer.keep()

        def write(plane: NDArray[np.float32]) -> None:
            writer.reserve(BITS_PER_SCORE * plane.size)
            _WRITE(self.room, writer.coder, np.ascontiguousarray(plane, np.float32), price)
            writer.keep()

        for plane in self._nested(wanted):
            write(plane)
        for index in range(len(self.scores)):
            write(wanted(index))
            certain.append(writer.certain)
            progress(1)
        coded = writer.finish()
        return coded, [min(count, len(coded)) for count in certain]

    def _nested(self, wanted: Wanted) -> NDArray[np.float32]:
        """Return the scores of constant components, in steps, where these are a picture of their own."""
        plan, (k, rows, columns) = self._plan, self.scores.shape
        channels = len(plan.planes) // BLOCK**2
        if not plan.nested or k == 0:
            return np.zeros((0, rows, columns), np.float32)
        means = np.zeros((rows, columns, channels), np.float32)
        for index in range(min(k, channels)):
            means[..., index] = wanted(index)
        samples = np.clip(np.rint(means / _SAMPLE + _MIDDLE), 0, 2 * _MIDDLE - 1).astype(np.uint16)
        alone = np.eye(channels, dtype=np.int64) * WHOLE
        cascade = Cascade(np.full(channels, _MIDDLE), alone, plan.tables.basis, plan.tables.basis)
        return cascade.scores(samples, slice(None))[plan.planes] * np.float32(_SAMPLE)
