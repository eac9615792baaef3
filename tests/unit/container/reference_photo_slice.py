"""Scores of a slice of :mod:`tests.unit.container.reference_photo`: P9."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.unit.container.reference_photo_local_steps import LocalSteps
from tests.unit.container.reference_photo_means import Means, Plane
from tests.unit.container.reference_photo_models import (
    Curves,
    Mixer,
    Models,
    RangeDecoder,
    Tables,
    clamp,
)

CONTEXTS = [480, 3780, 1500, 1600, 1728, 8000, 6000, 1200]
SIGN_CONTEXTS = [160, 2646, 1701, 400, 1701]
NEAR = [0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7]


class Component(NamedTuple):
    """P4: channel component, vertical and horizontal frequency, and place."""

    p: int
    u: int
    v: int
    place: int

    @property
    def kind(self) -> int:
        return min(self.p, 2)


class Score(NamedTuple):
    """Contexts of a score, known before it is decoded."""

    j: int
    row: int
    column: int
    b: int
    same: int
    size: int
    value: int
    before: int
    busy: int
    told: int = 0


class Slice:
    """All scores of a slice."""

    LOUDEST = 24

    def __init__(
        self,
        tables: Tables,
        components: list[Component],
        channels: int,
        grid: tuple[int, int],
        largest: tuple[int, int],
        stream: bytes,
    ) -> None:
        self.tables, self.components, self.channels = tables, components, channels
        self.grid, self.largest, self.coder = grid, largest[1], RangeDecoder(stream)
        self.largest_constant = largest[0]
        self.dependent, self.local = False, LocalSteps()
        self.levels = np.zeros(grid, np.int64)
        self.number = {(c.p, c.u, c.v): j for j, c in enumerate(components)}
        self.scores: list[Plane] = []
        self.constant: list[Plane] = []
        self.mixer, self.signs = Mixer(tables, "scores"), Mixer(tables, "signs")
        self.quiet, self.escapes = Models(tables, "quiet", 255), Models(tables, "escapes")
        self.by_component, self.by_place = Curves(tables["by_component"]), Curves(tables["by_place"])
        places = [c.place for c in components]
        self.size = np.broadcast_to(tables["level"][places], (*grid, len(places))).astype(np.int16)
        self.same, self.value = np.zeros_like(self.size), np.zeros_like(self.size)

    def decode(self, k: int) -> NDArray[Any]:
        """Return the scores of the first k components, (k, rows, columns)."""
        means = Means(self.tables, self.grid, self.largest_constant, self.coder)
        self.constant = [means.decode() for _ in range(min(k, self.channels))]
        for j in range(max(0, k - self.channels)):
            self.component(j)
        planes = [*self.constant, *self.scores]
        result = np.zeros((k, *self.grid), np.int64)
        for plane, found in zip(planes, result, strict=True):
            for block, score in plane.items():
                found[block] = score
        return result

    def known(self, j: int | None, row: int, column: int) -> int:
        """Return A."""
        return 0 if j is None else min(abs(self.scores[j].get((row, column), 0)), 24)

    def relatives(self, j: int) -> list[int | None]:
        p, u, v, _ = self.components[j]
        wanted = [
            (p, u - 1, v),
            (p, u, v - 1),
            (0, u, v) if p else (0, max(u - 1, 0), max(v - 1, 0)),
            (3 - p, u, v) if p in {1, 2} else None,
            (p, u - 2, v),
            (p, u, v - 2),
        ]
        found = [None if which is None else self.number.get(which) for which in wanted]
        return [i if i is not None and i < j else None for i in found]

    def bin(self, value: int) -> int:
        return int(self.tables["bins"][clamp(value >> 2, 0, 8191)])

    def component(self, j: int) -> None:
        self.scores.append({})
        place, related = self.components[j].place, self.relatives(j)
        causal = self.tables["causal"][place].tolist()
        for row, column in product(*map(range, self.grid)):
            blocks = ((row - 1, column), (row, column - 1), (row - 1, column - 1), (row - 1, column + 1))
            t, y, x, z = (self.known(j, *block) for block in blocks)
            busy = 2 * t + 2 * y + x + z
            before = t * causal[0] + y * causal[1] + x * causal[2] + z * causal[3]
            size, same, value = (int(array[row, column, j]) for array in (self.size, self.same, self.value))
            b, least = self.bin(size + before), 0
            if b < 4 and busy == 0:
                model = 4 * place + b
                least = self.coder.bit(self.quiet.chance(model, 2))
                self.quiet.learn(model, least, 1000)
                if not least:
                    continue
            score = Score(j, row, column, b, same, size, value, before, busy)
            magnitude = min(self.magnitude(score, least, related), self.largest)
            if magnitude:
                signed = self.sign(score, magnitude, related)
                self.scores[j][row, column] = signed
                self.spread(j, row, column, signed)

    def kin(self, score: Score, related: list[int | None]) -> int:
        def at(r: int, down: int = 0, right: int = 0) -> int:
            return self.known(related[r], score.row + down, score.column + right)

        h = self.components[score.j].kind
        if h == 0:
            q = at(0, 0, 1) + at(1, 0, 1) + at(0, 1, 0) + at(1, 1, 0)
            return (4 * min(at(4), 3) + min(at(5), 3)) * 6 + min(q, 5)
        q = at(2, 0, 1) + at(2, 0, -1) + at(2, 1, 0) + at(2, -1, 0)
        return 100 * h + (4 * min(at(2), 4) + min(at(3), 3)) * 5 + NEAR[min(q, 15)] // 2

    def magnitude(self, score: Score, least: int, related: list[int | None]) -> int:
        component, b = self.components[score.j], score.b
        h, place = component.kind, component.place
        g = 4 * h + min((component.u + component.v) // 2, 3)
        o, s = self.bin(score.same), self.bin(score.size - score.same)
        t, w = self.bin(score.before), self.bin(abs(score.value))
        first, second, third = (self.known(r, score.row, score.column) for r in related[:3])
        contexts = [
            12 * b + g,
            20 * place + b // 2,
            ((5 * min(first, 4) + min(second, 4)) * 3 + min(third, 2)) * 20 + b // 2,
            40 * o + b,
            (12 * min(score.busy, 11) + min(2 * first + 2 * second + third, 11)) * 12 + g,
            ((o // 2) * 20 + s // 2) * 20 + t // 2,
            20 * self.kin(score, related) + b // 2,
            ((w // 2) * 20 + b // 2) * 3 + h,
        ]
        models = [16 * (sum(CONTEXTS[:i]) + context) for i, context in enumerate(contexts)]
        return self.unary(score, least, models, b, place, g)

    def unary(self, score: Score, least: int, models: list[int], weights: int, curve: int, g: int) -> int:
        y, o = NEAR[min(score.busy, 20)], self.bin(score.same)
        for m in range(least, 16):
            logit = self.mixer.mix([model + m for model in models], 16 * weights + m, (8 * g + y) * 16 + m)
            c, d = 3 * curve + min(m, 2), (20 * y + o // 2) * 3 + min(m, 2)
            p = 2 * self.mixer.probability + self.by_component.at(c, logit) + self.by_place.at(d, logit)
            bit = self.coder.bit(clamp(p >> 2, 1, 65535))
            self.mixer.learn(bit)
            self.by_component.learn(c, logit, bit)
            self.by_place.learn(d, logit, bit)
            if not bit:
                return m
        return self.escape(self.components[score.j].kind)

    def escape(self, h: int) -> int:
        n = 0
        while n < 23:
            bit = self.coder.bit(self.escapes.chance(24 * h + n, 64))
            self.escapes.learn(24 * h + n, bit, 30)
            if not bit:
                break
            n += 1
        return 15 + 2**n + self.coder.digits(n)

    def sign(self, score: Score, magnitude: int, related: list[int | None]) -> int:
        j, row, column = score.j, score.row, score.column
        turned = int(score.value < 0)

        def side(i: int | None, row: int, column: int) -> int:
            found = 0 if i is None else self.scores[i].get((row, column), 0)
            return 0 if found == 0 else 1 if (found > 0) == (turned == 0) else 2

        component, w = self.components[j], self.bin(abs(score.value))
        second, third = related[2:4] if component.p else (None, None)
        contexts = [
            4 * w + min(magnitude, 4) - 1,
            14 * component.place + w // 3,
            (3 * component.place + side(j, row - 1, column)) * 3 + side(j, row, column - 1),
            20 * (w // 2) + score.b // 2,
            (3 * component.place + side(second, row, column)) * 3 + side(third, row, column),
            *self.further_sign_contexts(score, magnitude, turned),
        ]
        models = [sum(SIGN_CONTEXTS[:i]) + context for i, context in enumerate(contexts)]
        self.signs.mix(models, 4 * (w // 3) + min(magnitude, 4) - 1, 0)
        bit = self.coder.bit(self.signs.probability)
        self.signs.learn(bit)
        return -magnitude if bit != turned else magnitude

    def further_sign_contexts(self, _score: Score, _magnitude: int, _turned: int) -> list[int]:
        """P18."""
        return []

    def spread(self, j: int, row: int, column: int, score: int) -> None:
        """Let others expect something; arrays of 16 bits wrap around."""
        a, own = min(abs(score), self.LOUDEST), self.components[j]
        later = self.components[j + 1 :]
        places = [c.place for c in later]
        apart = np.array([(c.p == 3) != (own.p == 3) for c in later], bool)

        def weights(name: str) -> NDArray[np.int16]:
            row = self.tables[name][own.place][places]
            return np.where(apart, 0, row).astype(np.int16) * np.int16(a)

        self.same[row, column, j + 1 :] += weights("own")
        for down, right in product((-1, 0, 1), repeat=2):
            y, x = row + down, column + right
            if 0 <= y < self.grid[0] and 0 <= x < self.grid[1]:
                name = ("own", "side", "corner")[abs(down) + abs(right)]
                self.size[y, x, j + 1 :] += weights(name)
        beside = ((row, column + 1), (row + 1, column), (row, column - 1), (row - 1, column))
        for d, (y, x) in enumerate(beside[: self.tables["sign_target"].shape[1]]):
            targets, loud = self.tables["sign_target"][own.place, d], self.tables["sign_weight"][own.place, d]
            for t, weight in zip(targets.tolist(), loud.tolist(), strict=True):
                if t >= 0 and 0 <= y < self.grid[0] and 0 <= x < self.grid[1]:
                    _, u, v = self.tables["order"][t].tolist()
                    heard = self.value[y, x, self.number[own.p, u, v] :][:1]
                    heard += np.int16(a * weight if score > 0 else -a * weight)
