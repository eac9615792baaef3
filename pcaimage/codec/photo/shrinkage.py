"""Shrinkage after decoding: what quantisation has left in small coefficients is taken out of each channel.

The steps, and what they rest on, are in the core's ``shrink.c``; ``docs/format.md`` defines them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.step import Step
from pcaimage.core.library import LONG, STRUCT, Array, Held, function, held

WHOLE = 8
"""The strength, in eighths, at which gains are as they were fitted."""

REACH = 3
"""A pixel's correction depends on pixels up to so many lines and columns away."""

SIZES, BANDS = 10, 9
"""Classes of a coefficient's size, and bands: (u, v) and (v, u) are one."""

GRADES = tuple(4.0 * 2 ** (number / 2 + 0.25) for number in range(10))
"""Steps, on a scale of 255, at which other gains begin: those of grade g are fitted at 4 · 2^(g/2)."""

_SCALE_BITS, _GAIN_BITS = 3, 16
"""Of strengths; of gains, squared lengths and the mean over sixteen blocks."""

_MOST_GAIN = 32767

_SHRINK = function(
    "pcai_shrink",
    None,
    STRUCT,
    Array(np.float64, writable=True),
    LONG,
    LONG,
    LONG,
    LONG,
    Array(np.int16, writable=True),
    Array(np.int32, writable=True),
)


class _Shrinkage(NamedTuple):
    """The core's struct Shrinkage."""

    edges: NDArray[np.int32]
    gains: NDArray[np.int32]
    scales: NDArray[np.float64]
    unit: float
    half_place: float
    width: int
    channels: int


@dataclass(frozen=True, eq=False)
class Shrinkage:
    """The shrinkage of an image's channels.

    Parameters
    ----------
    edges : ndarray of int32, shape (3, 9)
        The least size of all classes but the first, by the vectors' lengths.
    gains : ndarray of int32, shape (C, 9, 10)
        For each channel, band and class of sizes.
    strengths : tuple of int
        For each channel, in eighths, from 0 to 16.
    step : Step
        Δ.
    """

    edges: NDArray[np.int32]
    gains: NDArray[np.int32]
    strengths: tuple[int, ...]
    step: Step

    def apply(self, planes: NDArray[np.float64], start: int, stop: int, bits: int) -> None:
        """Correct some lines of all channels.

        Lines further than :data:`REACH` from these do not matter; outside of the planes stands what is
        nearest.

        Parameters
        ----------
        planes : ndarray of float64, shape (C, lines, W)
            Whole numbers of 2^-bits grey levels; changed.
        start, stop : int
            The first line, and the one behind the last.
        bits : int
            Fraction bits of the planes.
        """
        _, lines, width = planes.shape
        room = np.empty((stop - start + 2 * REACH, width + 2 * REACH), np.int16)
        space = np.empty((34, width + 2 * REACH), np.int32)
        _SHRINK(self._held(width, bits), planes, lines * width, lines, start, stop, room, space)

    def _held(self, width: int, bits: int) -> Held[Any]:
        exponent = self.step.exponent + bits - 3
        place = math.ldexp(1.0, exponent - _SCALE_BITS - _GAIN_BITS)
        return held(
            _Shrinkage(
                edges=self.edges,
                gains=self.gains,
                scales=np.array([self.step.mantissa * strength * place for strength in self.strengths]),
                unit=math.ldexp(self.step.mantissa, exponent),
                half_place=place / 2 if place < 1 else 0.0,
                width=width,
                channels=len(self.strengths),
            )
        )


def combined(gains: NDArray[np.int32], strengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the gains of each channel: sums of its trained ones, in the proportions of its strengths.

    Parameters
    ----------
    gains : ndarray of int32, shape (STRENGTHS, C, bands, classes)
        The trained ones: those that fit most photographs, and how they differ between photographs.
    strengths : ndarray of int64, shape (C, STRENGTHS)
        In eighths.
    """
    found = (np.einsum("scbz,cs->cbz", gains, strengths) + WHOLE // 2) // WHOLE
    return np.clip(found, -_MOST_GAIN, _MOST_GAIN).astype(np.int32)


def grade_of(step: float) -> int:
    """Return the grade of a step on a scale of 255."""
    return sum(step >= edge for edge in GRADES)
