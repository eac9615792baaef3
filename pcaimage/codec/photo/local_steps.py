"""Quantiser steps that differ by region, by frequency and by channel.

A region of 2 × 2 blocks has a level, half an octave of the step. Components have weights beside. Both are
whole sixteenths of an octave, so that every machine finds the same factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.coding.range_coder import RangeCoder
from pcaimage.codec.compressed import Header
from pcaimage.core.library import LONG, STRUCT, Array, Held, function, function_of
from pcaimage.sampling.lapped import BLOCK

SIDE = 2
"""Blocks along the side of a region."""

OCTAVE, LEVEL = 16, 8
"""Exponents of a doubled step, and of the next level."""

FARTHEST = 96
"""Largest magnitude of an exponent."""

FACTOR_BITS = 20
"""Factors of the step are in units of 2^-20."""

INVERSE_BITS = 12
"""Inverse factors are in units of 2^-12."""

MOST_LEVELS = 16
"""Levels that tables of factors have, whether or not an image has so many."""

BITS_PER_LEVEL = 18
"""Upper bound on the coded bits of a level."""

CHANNEL_FACTOR = 1024
"""Factors for whole channels are in units of 1/1024."""

_ROOT_BITS = 14
_ROOTS = np.rint(2.0 ** (np.arange(OCTAVE) / OCTAVE) * (1 << _ROOT_BITS)).astype(np.int64)

_MIDDLE = 2 * BLOCK + 2
"""The component that stands for a channel."""

T = TypeVar("T", bound=np.generic)

_U, _V = np.mgrid[:BLOCK, :BLOCK]
_LOUDNESS = np.rint(128 * np.log2(1 + (_U**2 + _V**2) / 16)).astype(np.int64).ravel()

_CODE = function(
    "pcai_code_levels",
    None,
    STRUCT,
    Array(np.int32),
    *(Array(np.float32),) * 3,
    *(LONG,) * 4,
    Array(np.int8, writable=True),
    LONG,
)
_SETTLE = function_of(
    "pcai_settle_levels",
    lambda kind: (Array(kind), Array(np.int8), Array(np.int32), LONG, Array(np.int32, writable=True)),
)

_SCALE = function(
    "pcai_scale_expected",
    None,
    Array(np.int16),
    Array(np.int8),
    Array(np.int32),
    LONG,
    Array(np.int16, writable=True),
)


def regions(rows: int, columns: int) -> tuple[int, int]:
    """Return the number of rows and of columns of regions of some blocks."""
    return -(-rows // SIDE), -(-columns // SIDE)


def of_blocks(regional: NDArray[T], rows: int, columns: int) -> NDArray[T]:
    """Repeat the value of each region for its blocks: (rows, columns)."""
    return np.ascontiguousarray(regional.repeat(SIDE, axis=0).repeat(SIDE, axis=1)[:rows, :columns])


def exponents(header: Header) -> NDArray[np.int64]:
    """Return the exponents of all components' steps in regions of each level, shape (levels, C * 64)."""
    channels = header.shape[-1]
    frequency, *by_channel = header.weights or (0,) * (channels + 1)
    weights = np.array(by_channel)[:, None] + ((frequency * _LOUDNESS + 128) >> 8)
    by_level = LEVEL * (np.arange(max(header.levels, 1)) - header.middle)
    found: NDArray[np.int64] = np.clip(weights.ravel() + by_level[:, None], -FARTHEST, FARTHEST)
    return found


def channel_factors(header: Header) -> NDArray[np.int32]:
    """Return factors of the step for a whole channel, shape (levels, C), in units of :data:`CHANNEL_FACTOR`.

    They are those of a component of middle frequency, with fewer digits.
    """
    places = exponents(header)[:, _MIDDLE :: BLOCK * BLOCK]
    digits = (_ROOTS[places % OCTAVE] + (1 << 9)) >> 10
    found: NDArray[np.int32] = (digits << (places // OCTAVE + 6)).astype(np.int32)
    return found


@dataclass(frozen=True, eq=False)
class LocalSteps:
    """The steps of an image's components in regions of each level, as factors of its own step.

    Regions of the middle level have the image's own step, as far as weights leave it.
    """

    factors: NDArray[np.int32]  # shape (C * 64, levels), in 2^-20, in the cascade's order
    middle: int

    @classmethod
    def of(cls, header: Header) -> LocalSteps | None:
        """Return the steps of a photo; None if they are all the same."""
        if not (header.levels or header.weights):
            return None
        places = exponents(header).T
        factors = _ROOTS[places % OCTAVE] << (places // OCTAVE + FACTOR_BITS - _ROOT_BITS)
        return cls(np.ascontiguousarray(factors, np.int32), header.middle)

    @property
    def levels(self) -> int:
        """Number of levels."""
        return int(self.factors.shape[1])

    @property
    def finest(self) -> float:
        """The smallest factor."""
        return float(self.factors.min()) / (1 << FACTOR_BITS)

    @property
    def relative(self) -> NDArray[np.float32]:
        """The factors as floats, shape (C * 64, levels)."""
        return self.factors.astype(np.float32) / np.float32(1 << FACTOR_BITS)

    def settle(
        self, scores: NDArray[Any], levels: NDArray[np.int8], plane: int, result: NDArray[np.int32]
    ) -> None:
        """Add the reconstruction points of a component's scores, in half steps, to `result`, in Δ / 256.

        `plane` is that of the component in the cascade; levels are those of the blocks.
        """
        _SETTLE[scores.dtype](scores, levels, self.all_factors[plane], scores.size, result)

    def inverse(self, plane: int) -> NDArray[np.float32]:
        """Return the factors of a component's scores in regions of each level."""
        found: NDArray[np.float32] = (float(1 << FACTOR_BITS) / self.factors[plane]).astype(np.float32)
        return found

    def scale(
        self,
        expected: NDArray[np.int16],
        levels: NDArray[np.int8],
        plane: int,
        result: NDArray[np.int16],
    ) -> None:
        """Find what is expected of a component in units of its own steps instead of the image's."""
        _SCALE(expected, levels, self._inverses[plane], expected.size, result)

    @cached_property
    def all_factors(self) -> NDArray[np.int32]:
        """The factors, shape (C * 64, MOST_LEVELS): zeros for levels that the image does not have."""
        return _filled_up(self.factors)

    @cached_property
    def _inverses(self) -> NDArray[np.int32]:
        found: NDArray[np.int64] = (1 << (FACTOR_BITS + INVERSE_BITS)) // self.factors.astype(np.int64)
        return _filled_up(found)

    def read(self, coder: Held[RangeCoder], rates: NDArray[np.int32], levels: NDArray[np.int8]) -> None:
        """Decode the levels of a slice's regions."""
        nothing = np.zeros(1, np.float32)
        _CODE(coder, rates, nothing, nothing, nothing, *levels.shape, self.levels, self.middle, levels, 1)

    def write(
        self,
        coder: Held[RangeCoder],
        rates: NDArray[np.int32],
        levels: NDArray[np.int8],
        wanted: NDArray[np.float32],
        worth: NDArray[np.float32],
        bits: NDArray[np.float32],
    ) -> None:
        """Choose the levels of a slice's regions, put them into `levels`, and encode them.

        `wanted` are the best levels, apart from their bits, and `worth` the bits that the square of a level's
        distance from it is worth: (rows, columns). `bits` is the cost of a decision of each probability.
        """
        _CODE(coder, rates, wanted, worth, bits, *levels.shape, self.levels, self.middle, levels, 0)


def _filled_up(table: NDArray[Any]) -> NDArray[np.int32]:
    """Return a table by plane and level with zeros for the levels above."""
    found = np.zeros((len(table), MOST_LEVELS), np.int32)
    found[:, : table.shape[1]] = table
    return found
