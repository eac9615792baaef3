"""Scores of a slice of :mod:`tests.reference.photo`: P12."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.reference.local_steps import LocalSteps
from tests.reference.means import Means, Plane
from tests.reference.models import Mixer, Models, RangeDecoder, Tables, clamp
from tests.reference.networks import Networks
from tests.reference.pixels import along, coefficients, samples
from tests.reference.prediction import Component, differences, predicted

CONTEXTS = [3780, 1500, 8000, 6000, 2400]
SIGN_CONTEXTS = [160, 2646, 1701, 400, 1701, 320]
NEXT = [(0, 1), (3, 2), (5, 4), (6, 7), (1, 0), (2, 3), (4, 5), (7, 6)]
LOUDEST = 31
NEAR = [0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7]


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
    expected: int


class Slice:
    """All scores of a slice, in half steps, and what networks expect of them."""

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
        self.dependent, self.local, self.quantizer, self.nested = False, LocalSteps(), 0, False
        self.levels = np.zeros(grid, np.int64)
        self.number = {(c.p, c.u, c.v): j for j, c in enumerate(components)}
        self.scores: list[Plane] = []
        self.constant: list[Plane] = []
        self.mixer, self.signs = Mixer(tables, "scores"), Mixer(tables, "signs")
        self.quiet, self.escapes = Models(tables, "escapes"), Models(tables, "escapes")
        self.quiet.known = dict.fromkeys(range(16), (41943, 10))
        places = [c.place for c in components]
        self.size = np.broadcast_to(tables["level"][places], (*grid, len(places))).astype(np.int16) * 2
        self.same, self.value = np.zeros_like(self.size), np.zeros_like(self.size)
        self.networks = Networks(tables, components)

    def decode(self, k: int) -> NDArray[Any]:
        """Return the scores of the first k components, (k, rows, columns)."""
        means = Means(self.tables, self.grid, self.largest_constant, self.coder)
        means.follow = self.next
        known = min(k, self.channels)
        self.constant = (
            self.picture()[:known] if self.nested and k else [means.decode() for _ in range(known)]
        )
        for j in range(max(0, k - self.channels)):
            self.component(j)
        planes = [*self.constant, *self.scores]
        result = np.zeros((k, *self.grid), np.int64)
        for plane, found in zip(planes, result, strict=True):
            for block, score in plane.items():
                found[block] = score
        return result

    def picture(self) -> list[Plane]:
        """P8: constant components that are a picture of their own."""
        grid = -(-self.grid[0] // 8), -(-self.grid[1] // 8)
        most = self.largest_constant, self.largest
        part = Slice(self.tables, self.components, self.channels, grid, most, b"")
        part.coder, part.dependent, self.networks.fraction = self.coder, self.dependent, 4
        for name in ("mixer", "signs", "quiet", "escapes"):
            setattr(part, name, getattr(self, name))
        scores = part.decode(64 * self.channels)
        local, levels = LocalSteps(), np.zeros(grid, np.int64)
        x = coefficients(scores, self.tables, self.components, self.channels, local=local, levels=levels)
        down, right = (along(self.tables["basis"].astype(np.int64), length) for length in self.grid)
        found = []
        for p in range(self.channels):
            y = samples(np.clip(x[64 * p : 64 * p + 64], -(2**30), 2**30), down, right)
            found.append(dict(np.ndenumerate(np.clip((y + 8) >> 4, -most[0], most[0]))))
        return found

    def halves(self, j: int, row: int, column: int) -> int:
        """Return A'."""
        return min(abs(self.scores[j].get((row, column), 0)), LOUDEST)

    def known(self, j: int | None, row: int, column: int) -> int:
        """Return A."""
        return 0 if j is None else (self.halves(j, row, column) + 1) // 2

    def next(self, state: int, index: int) -> int:
        return NEXT[state][index % 2] if self.dependent else 0

    def plane(self, scores: Plane) -> NDArray[np.int64]:
        found = np.zeros(self.grid, np.int64)
        for block, score in scores.items():
            found[block] = score
        return found

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
        p, u, v, _ = self.components[j]
        around = differences(self.plane(self.constant[p]))
        expected = self.networks.expected(j, around, self.local, self.levels).tolist()
        related, state = self.relatives(j), 0
        for row, column in product(*map(range, self.grid)):
            self.quantizer = state % 2
            score = self.contexts_of(j, row, column, expected[row][column])
            size, least = score.size + score.before, 0
            quiet = size < 64 and score.busy == 0 and abs(score.expected) < 64
            model = 8 * self.quantizer + max(size >> 3, 0)
            if silent := quiet and self.quiet[model][0] >> 6 < 512:
                least = self.coder.bit(self.quiet.chance(model, 2))
            known = silent and not least
            index = 0 if known else min(self.magnitude(score, least, related), self.largest)
            if quiet:
                self.quiet.learn(model, int(index > 0), 255)
            state = self.next(state, index)
            if index:
                sign = 1 if self.sign(score, index, related) > 0 else -1
                self.scores[j][row, column] = sign * (2 * index - self.quantizer)
                self.spread(j, row, column, sign * (2 * index - self.quantizer))
        found = predicted(self.tables, self.components[j], around, self.networks.fraction)
        self.networks.learn(j, found + self.local.settled(self.plane(self.scores[j]), self.levels, p, u, v))

    def contexts_of(self, j: int, row: int, column: int, expected: int) -> Score:
        causal = self.tables["causal"][self.components[j].place].tolist()
        blocks = ((row - 1, column), (row, column - 1), (row - 1, column - 1), (row - 1, column + 1))
        t, y, x, z = (self.known(j, *block) for block in blocks)
        before = (
            sum(self.halves(j, *block) * weight for block, weight in zip(blocks, causal, strict=True)) >> 1
        )
        size, same, value = (int(array[row, column, j]) >> 1 for array in (self.size, self.same, self.value))
        value = clamp(value + expected, -32767, 32767)
        b, busy = self.bin(size + before), 2 * t + 2 * y + x + z
        return Score(j, row, column, b, same, size, value, before, busy, expected)

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
        component, b, s = self.components[score.j], score.b, self.quantizer
        h, place = component.kind, component.place
        g = 4 * h + min((component.u + component.v) // 2, 3)
        o, r = self.bin(score.same), self.bin(score.size - score.same)
        t = self.bin(score.before)
        first, second, third = (self.known(i, score.row, score.column) for i in related[:3])
        contexts = [
            20 * place + b // 2,
            ((5 * min(first, 4) + min(second, 4)) * 3 + min(third, 2)) * 20 + b // 2,
            ((o // 2) * 20 + r // 2) * 20 + t // 2,
            20 * self.kin(score, related) + b // 2,
            20 * (40 * h + self.bin(abs(score.expected))) + b // 2,
        ]
        models = [
            16 * (2 * sum(CONTEXTS[:i]) + s * CONTEXTS[i] + context) for i, context in enumerate(contexts)
        ]
        return self.unary(score, least, models, 40 * s + b, g)

    def unary(self, score: Score, least: int, models: list[int], weights: int, g: int) -> int:
        y = NEAR[min(score.busy, 20)]
        for m in range(least, 16):
            self.mixer.mix([model + m for model in models], 16 * weights + m, (8 * g + y) * 16 + m)
            bit = self.coder.bit(self.mixer.probability)
            self.mixer.learn(bit)
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
        differs = int((score.expected < 0) != (turned == 1))

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
            4 * (2 * self.bin(abs(score.expected)) + differs) + min(magnitude, 4) - 1,
        ]
        models = [sum(SIGN_CONTEXTS[:i]) + context for i, context in enumerate(contexts)]
        self.signs.mix(models, 4 * (w // 3) + min(magnitude, 4) - 1, 0)
        bit = self.coder.bit(self.signs.probability)
        self.signs.learn(bit)
        return -magnitude if bit != turned else magnitude

    def spread(self, j: int, row: int, column: int, score: int) -> None:
        """Let others expect something; arrays of 16 bits wrap around."""
        a, own = min(abs(score), LOUDEST), self.components[j]
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
        for d, (y, x) in enumerate(beside):
            targets, loud = self.tables["sign_target"][own.place, d], self.tables["sign_weight"][own.place, d]
            for t, weight in zip(targets.tolist(), loud.tolist(), strict=True):
                if t >= 0 and 0 <= y < self.grid[0] and 0 <= x < self.grid[1]:
                    _, u, v = self.tables["order"][t].tolist()
                    heard = self.value[y, x, self.number[own.p, u, v] :][:1]
                    heard += np.int16(a * weight if score > 0 else -a * weight)
