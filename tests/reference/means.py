"""Constant components of :mod:`tests.reference.photo`: P8."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from tests.reference.models import Mixer, Models, RangeDecoder, Tables, clamp, digits, level

Block = tuple[int, int]
Plane = dict[Block, int]

FIRST = 0, 60, 1260, 1860, 2367, 5367
"""The first context of each input."""


def side(value: int) -> int:
    return 0 if value == 0 else 1 if value > 0 else 2


class Means:
    """The constant components of a slice, one after the other."""

    follow: Callable[[int, int], int]

    def __init__(self, tables: Tables, grid: tuple[int, int], largest: int, coder: RangeDecoder) -> None:
        self.grid, self.largest, self.coder = grid, largest, coder
        self.mixer, self.signs = Mixer(tables, "means"), Models(tables, "mean_signs")
        self.sum: dict[int, int] = defaultdict(int)
        self.count: dict[int, int] = defaultdict(int)
        self.d: list[Plane] = []

    def decode(self) -> Plane:
        rows, columns = self.grid
        self.x: Plane = {}
        self.d.append({})
        self.e: list[Plane] = [{} for _ in range(6)]
        self.state = 0  # P12
        for row in range(rows):
            for column in range(columns):
                self.number(row, column)
        return self.x

    def neighbours(self, row: int, column: int) -> tuple[int, int, int, int, int, int]:
        x = self.x
        w = x.get((row, column - 1), x.get((row - 1, column), 0))
        n = x.get((row - 1, column), w)
        return (
            w,
            n,
            x.get((row - 1, column - 1), n),
            x.get((row - 1, column + 1), n),
            x.get((row, column - 2), w),
            x.get((row - 2, column), n),
        )

    def blend(self, r: list[int], row: int, column: int) -> int:
        total, weight = 0, 0
        for q in range(6):
            e = self.e[q]
            wrong = e.get((row - 1, column - 1), 0) + e.get((row - 1, column + 1), 0)
            wrong += 2 * e.get((row - 1, column), 0) + 2 * e.get((row, column - 1), 0)
            trust = 2**24 // (wrong + 6) ** 2 + 1
            total += trust * r[q]
            weight += trust
        return total // weight

    def number(self, row: int, column: int) -> None:
        i = len(self.d) - 1
        h, d = min(i, 2), self.d[i]
        w, n, nw, ne, ww, nn = self.neighbours(row, column)
        r = [4 * (w + n - nw), 4 * w, 4 * n, 4 * (w + ne - n), 4 * (2 * w - ww), 4 * (2 * n - nn)]
        d1 = self.d[0][row, column] if i > 0 else 0
        d2 = self.d[1][row, column] if i > 1 else 0
        left, above = d.get((row, column - 1), 0), d.get((row - 1, column), 0)
        signs = (3 * side(left) + side(above)) * 9 + 3 * side(d1) + side(d2)
        case = (5 * signs + min(4, digits(abs(d1)))) * 3 + h
        s = self.state % 2
        expected = self.blend(r, row, column) + self.sum[case] // (self.count[case] + 4) - 4 * s
        whole = clamp((expected + 4) >> 3, -self.largest, self.largest)
        fraction = clamp(expected - 8 * whole, -4, 3) + 4
        corners = abs(d.get((row - 1, column - 1), 0)) + abs(d.get((row - 1, column + 1), 0))
        active = level(2 * abs(left) + 2 * abs(above) + corners, 19)
        steep = level((abs(w - nw) + abs(n - ne) + abs(n - nw) + abs(w - ww) + abs(n - nn)) // 2, 19)
        a1, a2 = level(abs(d1), 9), level(abs(d2), 9)
        contexts = [
            20 * h + active,
            (20 * h + steep) * 20 + active,
            (10 * h + a1) * 20 + active,
            (13 * h + level(2 * abs(left), 12)) * 13 + level(2 * abs(above), 12),
            ((10 * h + a1) * 10 + a2) * 10 + active // 2,
            (20 * h + steep) * 8 + fraction,
        ]
        contexts = [first + context for first, context in zip(FIRST, contexts, strict=True)]
        difference = self.difference(contexts, (20 * h + active) * 32, 32 * h, 8 * case + fraction)
        x = clamp(2 * (whole + difference) + s, -self.largest, self.largest)
        self.x[row, column], d[row, column] = x, difference
        self.state = self.follow(self.state, whole + difference)
        for q in range(6):
            self.e[q][row, column] = min(abs(4 * x - r[q]) >> 1, 2**20)
        self.sum[case] += 8 * clamp(difference, -4096, 4096)
        self.count[case] += 1
        if self.count[case] > 32:
            self.sum[case] //= 2
            self.count[case] //= 2

    def difference(self, contexts: list[int], f: int, s: int, sign: int) -> int:
        m = 0
        while m < 31:
            self.mixer.mix([32 * c + m for c in contexts], f + m, s + m)
            bit = self.coder.bit(self.mixer.probability)
            self.mixer.learn(bit)
            if not bit:
                break
            m += 1
        magnitude = m if m <= 6 else 6 + 2 ** (m - 7) + self.coder.digits(m - 7)
        if magnitude:
            bit = self.coder.bit(self.signs.chance(sign, 64))
            self.signs.learn(sign, bit, 30)
            return -magnitude if bit else magnitude
        return 0
