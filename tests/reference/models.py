"""Tables, the range coder and the models of :mod:`tests.reference.photo`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def clamp(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)


def digits(value: int) -> int:
    return value.bit_length()


def level(value: int, most: int) -> int:
    """1."""
    if value <= 2:
        return min(value, most)
    d = digits(value) - 1
    return min(2 * d + (value >> (d - 1)) % 2, most)


class Tables:
    """P2."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.arrays = arrays
        self.rates, self.logits, self.probabilities = (
            array.tolist() for array in map(self.arrays.__getitem__, ("rates", "logits", "probabilities"))
        )

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]


class RangeDecoder:
    """P6."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0
        self.range, self.code = 2**32 - 1, 0
        for _ in range(4):
            self.code = self.code * 256 + self.byte()

    def byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1] if self.place <= len(self.data) else 0

    def bit(self, probability: int) -> int:
        share = (self.range >> 16) * probability
        rest = self.range - share
        if self.code < rest:
            bit, self.range = 0, rest
        else:
            bit, self.range = 1, share
            self.code -= rest
        self.widen()
        return bit

    def symbol(self, chances: list[int]) -> int:
        """5.5: given the chances of all before each symbol, and of all."""
        unit = self.range >> 16
        place = min(self.code // unit, 65535)
        found = max(t for t, chance in enumerate(chances) if chance <= place)
        self.code -= unit * chances[found]
        self.range = unit * (chances[found + 1] - chances[found])
        self.widen()
        return found

    def widen(self) -> None:
        while self.range < 2**24:
            self.range *= 256
            self.code = (self.code * 256 + self.byte()) % 2**32

    def digits(self, count: int) -> int:
        value = 0
        for _ in range(count):
            value = 2 * value + self.bit(32768)
        return value


class Models:
    """P7: those of one table. Only what was asked for is kept."""

    def __init__(self, tables: Tables, name: str) -> None:
        self.tables = tables
        self.logits, self.counts = tables[f"{name}_logits"], tables[f"{name}_counts"]
        width = {"scores": 16, "means": 32}.get(name)
        if width is not None:
            trained = np.arange(width) < tables[f"{name}_trained"][:, np.newaxis]
            logits, counts = (np.zeros(trained.shape, int) for _ in range(2))
            logits[trained], counts[trained] = 32 * self.logits.astype(int), self.counts
            self.logits, self.counts = logits.reshape(-1), counts.reshape(-1)
        self.known: dict[int, tuple[int, int]] = {}

    def __getitem__(self, index: int) -> tuple[int, int]:
        assert 0 <= index < len(self.logits)
        if index not in self.known:
            probability = self.tables.probabilities[int(self.logits[index]) + 2815]
            self.known[index] = probability << 6, min(int(self.counts[index]), 30)
        return self.known[index]

    def learn(self, index: int, bit: int, limit: int) -> None:
        p, n = self[index]
        p += ((2**22 - 1) * bit - p) * self.tables.rates[n] >> 16
        self.known[index] = p, min(n + 1, limit)

    def chance(self, index: int, margin: int) -> int:
        return clamp(self[index][0] >> 6, margin, 65536 - margin)


class Rows(dict[int, list[int]]):
    """Rows of a table, of which only those that were asked for are kept."""

    def __init__(self, table: NDArray[Any]) -> None:
        super().__init__()
        self.table = table

    def __missing__(self, index: int) -> list[int]:
        found: list[int] = self.table[index].tolist()
        self[index] = found
        return found


class Mixer:
    """P7."""

    def __init__(self, tables: Tables, name: str) -> None:
        self.tables, self.models = tables, Models(tables, name)
        self.weights, self.more = Rows(tables[f"{name}_weights"]), Rows(tables[f"{name}_more"])
        self.speed = 3 if name == "signs" else 6

    def mix(self, models: list[int], f: int, s: int) -> int:
        """Return the logit; keep what learning needs."""
        self.now = models, f, s
        self.input = [self.tables.logits[self.models[index][0] >> 6] for index in models]
        weights = [a + b for a, b in zip(self.weights[f], self.more[s], strict=True)]
        total = sum(value * weight for value, weight in zip(self.input, weights, strict=True))
        self.logit = clamp(total >> 16, -2815, 2815)
        return self.logit

    @property
    def probability(self) -> int:
        return self.tables.probabilities[self.logit + 2815]

    def learn(self, bit: int) -> None:
        models, f, s = self.now
        error = (bit * 65536 - self.probability) * self.speed
        for i, (index, value) in enumerate(zip(models, self.input, strict=True)):
            change = (value * error + 2**17) >> 18
            for row in (self.weights[f], self.more[s]):
                row[i] = (row[i] + change + 2**31) % 2**32 - 2**31
            self.models.learn(index, bit, 255)
