"""Shrinkage for :mod:`tests.reference.photo`: P14, in whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.local_steps import LocalSteps

Ints = NDArray[np.int64]

F = np.array([[1, 1, 1, 1], [2, 1, -1, -2], [1, -1, -1, 1], [1, -2, 2, -1]], np.int64)
BANDS = {(0, 1): 0, (0, 2): 1, (0, 3): 2, (1, 1): 3, (1, 2): 4, (1, 3): 5, (2, 2): 6, (2, 3): 7, (3, 3): 8}


CLASS_FACTORS = 3413, 2159, 1365


def wrapped(values: Ints) -> Ints:
    return (values + 2**15) % 2**16 - 2**15


@dataclass
class Shrinkage:
    gains: NDArray[Any]
    strengths: tuple[int, ...]
    local: LocalSteps
    levels: Ints
    grade: Callable[[float], int]

    def corrected(self, y: Ints, p: int, step: tuple[int, int], bits: int) -> Ints:
        """Return channel p, (H, W), with its correction: in each block that of its level's step."""
        height, width = y.shape
        levels = self.levels.repeat(8, axis=0).repeat(8, axis=1)[:height, :width]
        found = y.copy()
        for level in np.unique(levels).tolist():
            inside = levels == level
            found[inside] = self.at_level(level, y, p, step, bits)[inside]
        return found

    def at_level(self, level: int, y: Ints, p: int, step: tuple[int, int], bits: int) -> Ints:
        (m, e), (first, second) = step, self.strengths[2 * p : 2 * p + 2]
        digits, octaves = self.local.channel_factor(p, level)
        m, e = m * digits, e + octaves - 4
        grade = self.grade(digits * 2.0 ** (octaves - 4))
        finer = max(grade - 1, 0) // 2
        height, width = y.shape
        place = e - 5 - finer + bits
        unit = m << max(place, 0)
        whole, rest = np.divmod(y << max(-place, 0), unit)
        whole += (2 * rest > unit) | ((2 * rest == unit) & (whole % 2 == 1))
        t = np.pad(wrapped(np.clip(whole, -(2**30), 2**30)), 3, mode="edge")
        common, more = self.gains[grade, :, min(p, 2)].astype(np.int64)
        gains = np.clip((first * common + second * more + 4) // 8, -32767, 32767) >> finer
        total = np.zeros_like(y)
        for u, v in product(range(4), repeat=2):
            if u + v == 0:
                continue
            c = wrapped(
                sum(
                    F[u, k] * F[v, n] * t[k : k + height + 3, n : n + width + 3]
                    for k, n in product(range(4), repeat=2)
                )
            )
            size = np.minimum(np.abs(c) * (CLASS_FACTORS[u % 2 + v % 2] >> finer) >> 16, 15)
            d = c * gains[BANDS[min(u, v), max(u, v)]][size] >> 16
            for k, n in product(range(4), repeat=2):
                total += F[u, k] * F[v, n] * d[3 - k : 3 - k + height, 3 - n : 3 - n + width]
        shift = 11 - e - bits
        product_ = wrapped(total) * m
        return y + ((product_ + (1 << (shift - 1)) >> shift) if shift > 0 else product_ << -shift)
