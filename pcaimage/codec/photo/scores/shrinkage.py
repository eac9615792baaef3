"""Shrinkage after decoding: small coefficients, mostly quantisation noise, are reduced in each channel.

The steps, and what they rest on, are in the core's ``shrink.c``; ``docs/format.md`` defines them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.photo.memory import Memory
from pcaimage.codec.step import Step
from pcaimage.core.library import LONG, STRUCT, Array, Held, function, held
from pcaimage.sampling.lapped import BLOCK

WHOLE = 8
"""The strength, in eighths, at which gains are as they were fitted."""

REACH = 3
"""A pixel's correction depends on pixels up to so many lines and columns away."""

SIZES, BANDS = 16, 9
"""Classes of a coefficient's size, and bands: (u, v) and (v, u) are one."""

CLASS_FACTORS = (3413, 2159, 1365)
"""A size in 1/32 of the step times this is a class in 2^-16, by the squared lengths 16, 40 and 100."""

GRADES = tuple(4.0 * 2 ** (number / 2 + 0.25) for number in range(10))
"""Steps, on a scale of 255, at which other gains begin: those of grade g are fitted at 4 · 2^(g/2)."""

_UNIT_BITS = 5
"""At fine steps, coefficients are in units of 2^-5 steps."""

_SUM_BITS = 11
"""Sums of corrections are in units of 2^-11 steps."""

_FACTOR_BITS = 10
"""Factors of the step are in units of 2^-10."""

_MOST_GAIN = 32767

_SHRINK = function(
    "pcai_shrink",
    None,
    STRUCT,
    Array(np.float64),
    LONG,
    LONG,
    LONG,
    LONG,
    Array(np.float64, writable=True),
)


class _Shrinkage(NamedTuple):
    """The core's struct Shrinkage."""

    gains: NDArray[np.int16]
    factors: NDArray[np.uint16]
    shrunk: NDArray[np.uint8]
    scales: NDArray[np.float64]
    units: NDArray[np.float64]
    half_place: float
    width: int
    channels: int
    levels: NDArray[np.int8]
    block_rows: int
    block_columns: int


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """The shrinkage of an image's channels.

    Gains are in 2^-18 of the squared length's inverse. Coefficients are in units of 2^-(5 + finer) steps:
    finer where the step is coarse, and as fine as possible without the differences of any pixels passing for
    small ones in 16 bits.
    """

    gains: NDArray[np.int16]  # shape (levels, C, 9, 16), by band and class of sizes
    shrunk: tuple[bool, ...]  # whether each channel is
    step: Step
    finer: NDArray[np.int64]  # shape (levels, C)
    factors: NDArray[np.int32]  # shape (levels, C), of the step, in 2^-10
    levels: NDArray[np.int8]  # the level of each block

    @classmethod
    def even(
        cls,
        gains: NDArray[np.int16],
        shrunk: tuple[bool, ...],
        step: Step,
        grade: int,
        shape: tuple[int, int],
    ) -> Shrinkage:
        """Return the shrinkage of an image of the same step everywhere; gains are of shape (C, 9, 16)."""
        grades = np.full((1, len(shrunk)), grade)
        factors = np.full(grades.shape, 1 << _FACTOR_BITS, np.int32)
        blocks = np.zeros((-(-shape[0] // BLOCK), -(-shape[1] // BLOCK)), np.int8)
        return cls(gains[None], shrunk, step, finer_of(grades), factors, blocks)

    def apply(
        self,
        planes: NDArray[np.float64],
        start: int,
        stop: int,
        bits: int,
        top: int = 0,
        memory: Memory | None = None,
    ) -> NDArray[np.float64]:
        """Return some lines of all channels corrected.

        The planes are whole numbers of 2^-bits grey levels, and begin with the line `top` of the image. Lines
        further than :data:`REACH` do not matter; outside of the planes stands what is nearest.
        """
        memory = memory or Memory()
        channels, lines, width = planes.shape
        found = memory.array("corrected", (channels, stop - start, width), np.float64)
        _SHRINK(self._held(width, bits), planes, lines, start, stop, top, found)
        return found

    def _held(self, width: int, bits: int) -> Held[Any]:
        exponent = self.step.exponent + bits - _FACTOR_BITS
        steps = self.step.mantissa * self.factors.astype(np.float64)
        place = math.ldexp(1.0, exponent - _SUM_BITS)
        classes = np.array(CLASS_FACTORS, np.uint16) >> self.finer[..., None].astype(np.uint16)
        return held(
            _Shrinkage(
                gains=np.ascontiguousarray(self.gains >> self.finer[..., None, None], np.int16),
                factors=np.ascontiguousarray(classes),
                shrunk=np.array(self.shrunk, np.uint8),
                scales=steps * place,
                units=np.ldexp(steps, exponent - _UNIT_BITS - self.finer),
                half_place=place / 2 if place < 1 else 0.0,
                width=width,
                channels=len(self.shrunk),
                levels=self.levels,
                block_rows=self.levels.shape[0],
                block_columns=self.levels.shape[1],
            )
        )


def combined(gains: NDArray[np.int32], strengths: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the gains of each channel: sums of its trained ones, in the proportions of its strengths.

    Strengths are in eighths. The trained gains, (STRENGTHS, C, bands, classes), are those that fit most
    photographs, and how they differ between photographs.
    """
    found = (np.einsum("scbz,cs->cbz", gains, strengths) + WHOLE // 2) // WHOLE
    capped: NDArray[np.int16] = np.clip(found, -_MOST_GAIN, _MOST_GAIN).astype(np.int16)
    return capped


def grade_of(step: float) -> int:
    """Return the grade of a step on a scale of 255."""
    return sum(step >= edge for edge in GRADES)


def finer_of(grades: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how much finer than 2^-5 steps coefficients are, as powers of two."""
    return np.maximum(grades - 1, 0) // 2
