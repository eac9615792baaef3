"""Shrinkage for :mod:`tests.unit.container.reference_photo`: P13, in whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.unit.container.reference_photo_local_steps import LocalSteps

Ints = NDArray[np.int64]

F = np.array([[1, 1, 1, 1], [2, 1, -1, -2], [1, -1, -1, 1], [1, -2, 2, -1]], np.int64)
BANDS = {(0, 1): 0, (0, 2): 1, (0, 3): 2, (1, 1): 3, (1, 2): 4, (1, 3): 5, (2, 2): 6, (2, 3): 7, (3, 3): 8}


def wrapped(values: Ints) -> Ints:
    return (values + 2**31) % 2**32 - 2**31


@dataclass
class Shrinkage:
    edges: NDArray[Any]
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
        (m, e), strength = step, self.strengths[p]
        digits, octaves = self.local.channel_factor(p, level)
        m, e = m * digits, e + octaves - 4
        height, width = y.shape
        eighth = m << (e - 3 + bits)
        whole, rest = np.divmod(y, eighth)
        whole += (2 * rest > eighth) | ((2 * rest == eighth) & (whole % 2 == 1))
        t = np.pad(np.clip(whole, -910, 910), 3, mode="edge")
        grade = self.grade(digits * 2.0 ** (octaves - 4))
        gains = self.gains[grade, min(p, 2)].astype(np.int64)
        total = np.zeros_like(y)
        for u, v in product(range(4), repeat=2):
            if u + v == 0:
                continue
            c = sum(
                F[u, k] * F[v, n] * t[k : k + height + 3, n : n + width + 3]
                for k, n in product(range(4), repeat=2)
            )
            edges = self.edges[u % 2 + v % 2].astype(np.int64)
            size = np.searchsorted(edges, np.abs(c), side="right")
            d = wrapped(c * gains[BANDS[min(u, v), max(u, v)]][size])
            for k, n in product(range(4), repeat=2):
                total += F[u, k] * F[v, n] * d[3 - k : 3 - k + height, 3 - n : 3 - n + width]
        shift = 22 - e - bits
        product_ = wrapped(total) * strength * m
        return y + ((product_ + (1 << (shift - 1)) >> shift) if shift > 0 else product_ << -shift)
