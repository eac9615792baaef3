"""Coding of one slice of a photo, component by component."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.range_coder import ONE, RangeCoder, RangeWriter, reader
from pcaimage.codec.compressed import Header
from pcaimage.codec.photo.local_steps import BITS_PER_LEVEL, LocalSteps, of_blocks, regions
from pcaimage.codec.photo.memory import Memory
from pcaimage.codec.photo.scores.component import LearnedScores, Slice, Trellis, code_scores, nothing_known
from pcaimage.codec.photo.scores.means import Means, code_means
from pcaimage.codec.photo.scores.networks import SHIFT, Expectations
from pcaimage.codec.photo.scores.prediction import FRACTION_BITS, Settling, differences, expect, learn, settle
from pcaimage.codec.photo.tables import Tables
from pcaimage.core.library import Held, held
from pcaimage.progress import Count

Wanted = Callable[[int], NDArray[np.float32]]
"""Returns the unrounded scores of a component, given its index, in units of the step."""

PRICE, DEPENDENT_PRICE = 0.12, 0.11
"""Squared error, in squared steps, that a bit is worth, without and with dependent quantisation: found by
trying [1]_.

.. [1] The slope of an ideal coder's distortion at high rates would be (ln 2 / 6) = 0.116.
"""

BITS_PER_SCORE = 72
"""Upper bound on the bits of a score: 16 in unary, 24 for the number of digits, 23 digits, and the sign."""

_NOT_WANTED, _NOT_PREDICTED = np.zeros((1, 1), np.float32), np.zeros((1, 1), np.int32)

# Cost in bits of a decision of each probability; used by the encoder only.
BITS = -np.log2(np.maximum(np.arange(ONE + 1), 0.5) / ONE).astype(np.float32)


class PhotoSliceCoder:
    """Decodes the components of a slice from `data` one after the other, or encodes them if there is none.

    Coding fills in `scores`, zeros of shape (k, rows, columns) on entry, constant components first, and
    `levels`, those of the regions. `local` has steps by region and weights; the order of the components
    follows from `slopes`. Everything else is kept in `memory`; the next coder in it ends this one.
    """

    def __init__(
        self,
        trained: Tables,
        scores: NDArray[Any],
        channels: int,
        data: bytes | None = None,
        slopes: tuple[int, ...] = (),
        local: LocalSteps | None = None,
        levels: NDArray[np.int8] | None = None,
        memory: Memory | None = None,
        *,
        dependent: bool = True,
    ) -> None:
        k, rows, columns = scores.shape
        self.scores, self.channels = scores, channels
        self._components, self._data = trained.components(channels, slopes), data
        self.price = DEPENDENT_PRICE if dependent else PRICE
        self._local = local
        self._levels = np.zeros(regions(rows, columns), np.int8) if levels is None else levels
        self.blocks = np.zeros((rows, columns), np.int8)
        self._trellis = Trellis.of(columns if data is None else 0, dependent=dependent)
        self._memory = memory = memory or Memory()
        self._known = nothing_known(max(k - channels, 0), rows, columns, memory)
        self._scales = held(trained.scales)
        self._around: dict[int, NDArray[np.int32]] = {}
        self._predicted = memory.array("predicted", (rows, columns), np.int32)
        self._expectations = Expectations(trained.networks, rows, columns, memory)
        self.learn_in(trained.learned(memory), trained.means(channels, rows, columns, memory))

    @classmethod
    def of(
        cls,
        header: Header,
        trained: Tables,
        scores: NDArray[Any],
        data: bytes | None = None,
        levels: NDArray[np.int8] | None = None,
        memory: Memory | None = None,
    ) -> PhotoSliceCoder:
        """Return the coder of a photo's slice, with tables for its step and the tools of its header."""
        local, dependent = LocalSteps.of(header), header.dependent
        given = trained, scores, header.shape[-1], data, header.slopes, local, levels, memory
        return cls(*given, dependent=dependent)

    def learn_in(self, learned: LearnedScores, means: Means) -> None:
        """Continue from the adaptive state left by other pictures, to train the tables."""
        plan, scales = self._components.plan, self._scales.record
        self._slice, self._means = held(Slice(plan, self._known, learned, scales, BITS)), held(means)

    def encode(
        self,
        wanted: Wanted,
        price: float,
        progress: Count,
        masking: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
    ) -> tuple[bytes, list[int]]:
        """Encode all components; return the bytes, and how many of them the first i components need.

        The price is the Lagrange multiplier λ, in squared steps per bit; `masking` has the wanted levels of
        regions, and their worth (see :meth:`.LocalSteps.write`).
        """
        writer, certain = RangeWriter(), []
        if self._local is not None and masking is not None and len(self.scores):
            writer.reserve(BITS_PER_LEVEL * self._levels.size)
            self._local.write(writer.coder, self._scales.record.rates, self._levels, *masking, BITS)
            writer.keep()
            self.blocks = of_blocks(self._levels, *self.blocks.shape)
        for index in range(len(self.scores)):
            writer.reserve(BITS_PER_SCORE * self._predicted.size)
            self._code(writer.coder, index, np.ascontiguousarray(wanted(index), np.float32), price)
            writer.keep()
            certain.append(writer.certain)
            progress(1)
        coded = writer.finish()
        return coded, [min(count, len(coded)) for count in certain]

    def decode(self, progress: Count) -> None:
        """Decode all components into the scores."""
        coder = reader(self._data or b"")
        if self._local is not None and self._local.levels > 1 and len(self.scores):
            self._local.read(coder, self._scales.record.rates, self._levels)
            self.blocks = of_blocks(self._levels, *self.blocks.shape)
        for index in range(len(self.scores)):
            self._code(coder, index)
            progress(1)

    def _code(
        self,
        coder: Held[RangeCoder],
        index: int,
        wanted: NDArray[np.float32] | None = None,
        price: float = 0.0,
    ) -> None:
        """Code a component; decode it if no wanted scores are given."""
        plane, reading = self.scores[index], wanted is None
        if wanted is None:
            wanted = _NOT_WANTED
        if index < self.channels:
            code_means(self._means, self._scales, coder, index, wanted, plane, reading)
            self._expectations.learn_means(index, self._differences(index))
            return
        predicted = _NOT_PREDICTED if reading else self.predicted(index)
        number, component = index - self.channels, int(self._components.planes[index])
        if self._local is not None and not reading:
            rest = wanted - predicted.astype(np.float32) * np.float32(2.0**-FRACTION_BITS)
            wanted = rest * self._local.inverse(component)[self.blocks]
            predicted = np.zeros_like(predicted)
        expected = self._by_networks(component)
        code_scores(
            self._slice, coder, number, wanted, predicted, plane, price, reading, self._trellis, expected
        )
        if self._expectations.takes(component):
            around = self._differences(int(self._components.plan.channel[number]))
            learn(self._settling, plane, around, index, SHIFT, self._expectations.place_of(component))

    @cached_property
    def _settling(self) -> Held[Settling]:
        """The coefficients that scores stand for; asked for when the levels of the regions are known."""
        steps = None if self._local is None else (self._local.all_factors, self.blocks)
        parts, shape = self._components, self.scores.shape[1:]
        return held(Settling.of(parts.planes, parts.prediction, shape, steps))

    def _by_networks(self, component: int) -> NDArray[np.int16]:
        """Return what networks expect of a component's scores, in 1/256 of their steps."""
        found = self._expectations.of(component)
        if self._local is None:
            return found
        result = self._memory.array("expected", found.shape, np.int16)
        self._local.scale(found, self.blocks, component, result)
        return result

    def settle(self, index: int, result: NDArray[np.int32]) -> None:
        """Add to a component's prediction, in units of Δ / 256, where its scores come to lie."""
        if self._local is None:
            settle(self.scores[index], result)
        else:
            plane = int(self._components.planes[index])
            self._local.settle(self.scores[index], self.blocks, plane, result)

    def predicted(self, index: int) -> NDArray[np.int32]:
        """Return a component's prediction from the means in units of Δ / 256; the next call overwrites it."""
        number = index - self.channels
        channel = int(self._components.plan.channel[number])
        expect(self._differences(channel), self._components.prediction[number], self._predicted)
        return self._predicted

    def _differences(self, channel: int) -> NDArray[np.int32]:
        if channel not in self._around:
            shape = 8, *self.scores.shape[1:]
            self._around[channel] = self._memory.array(f"around {channel}", shape, np.int32)
            differences(self.scores[channel], self._around[channel])
        return self._around[channel]
