"""Steps by region and weights for :mod:`tests.reference.photo`: P9."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.models import RangeDecoder, clamp

Ints = NDArray[np.int64]

ROOTS = [
    16384, 17109, 17867, 18658, 19484, 20347, 21247, 22188,
    23170, 24196, 25268, 26386, 27554, 28774, 30048, 31379,
]  # fmt: skip


def at(levels: dict[tuple[int, int], int], row: int, column: int, otherwise: int) -> int:
    return levels.get((row, column), otherwise)


@dataclass
class LocalSteps:
    levels: int = 0
    middle: int = 0
    weights: tuple[int, ...] = ()

    def exponent(self, p: int, u: int, v: int, level: int) -> int:
        weight = 0
        if self.weights:
            loudness = round(128 * log2(1 + (u * u + v * v) / 16))
            weight = self.weights[1 + p] + ((self.weights[0] * loudness + 128) >> 8)
        return clamp(weight + 8 * (level - self.middle), -96, 96)

    def factor(self, p: int, u: int, v: int, level: int) -> int:
        """Return the factor of the step in 2^-20."""
        octaves, rest = divmod(self.exponent(p, u, v, level), 16)
        return ROOTS[rest] << (octaves + 6)

    def channel_factor(self, p: int, level: int) -> tuple[int, int]:
        """Return the factor of a channel's step, as a number of sixteenths and of octaves."""
        octaves, rest = divmod(self.exponent(p, 2, 2, level), 16)
        return (ROOTS[rest] + 512) >> 10, octaves

    def finest(self, channels: int) -> float:
        each = product(range(channels), range(8), range(8), range(max(self.levels, 1)))
        return min(self.factor(*place) for place in each) / 2**20

    def settled(self, score: Ints, levels: Ints, p: int, u: int, v: int) -> Ints:
        factors = np.array([self.factor(p, u, v, level) for level in range(max(self.levels, 1))])
        return np.clip((score * factors[levels] + 2**12) >> 13, -(2**30), 2**30)

    def decode(self, coder: RangeDecoder, rates: Any, grid: tuple[int, int]) -> Ints:
        """Return the levels of a slice's blocks."""
        rows, columns = -(-grid[0] // 2), -(-grid[1] // 2)
        found: dict[tuple[int, int], int] = {}
        models: dict[tuple[int, ...], tuple[int, int]] = {}

        def bit(*which: int) -> int:
            p, n = models.get(which, (2**21, 0))
            value = coder.bit(clamp(p >> 6, 64, 65536 - 64))
            models[which] = p + (((2**22 - 1) * value - p) * rates[n] >> 16), min(n + 1, 60)
            return value

        most = self.levels - 1
        for row, column in product(range(rows), range(columns)):
            north = at(found, row - 1, column, at(found, row, column - 1, self.middle))
            west = at(found, row, column - 1, north)
            corner, east = (at(found, row - 1, column + side, north) for side in (-1, 1))
            total = 2 * west + 2 * north + corner + east + 2
            guess = total // 6
            unrest = min(abs(west - north), 2) + min(abs(north - east), 2) + min(abs(west - corner), 1)
            situation = 3 * unrest + total % 6 // 2
            level = guess
            if bit(0, situation):
                below = int(guess == most) if guess in {0, most} and most else 0
                if 0 < guess < most:
                    below = bit(1, situation)
                room, size = guess if below else most - guess, 1
                while size < room and bit(2, below, size):
                    size += 1
                level = guess - size if below else guess + size
            found[row, column] = level
        blocks = np.array([[found[i, j] for j in range(columns)] for i in range(rows)], np.int64)
        return blocks.repeat(2, axis=0).repeat(2, axis=1)[: grid[0], : grid[1]]
