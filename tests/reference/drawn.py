"""Tiles that are drawn from their neighbours, for :mod:`tests.reference.photo`: P15."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, getcontext
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.reference.local_steps import LocalSteps
from tests.reference.models import RangeDecoder, clamp, digits
from tests.reference.pixels import Transform
from tests.reference.residual import RATE
from tests.reference.shrinkage import Shrinkage

Ints = NDArray[np.int64]

PI = Decimal("3.14159265358979323846264338327950288419716939937510582")
SLOPES = [0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 23, 26, 29, 32]
PLANAR, MEAN, LEFT, DIAGONAL, UP, LAST = 0, 1, 18, 34, 50, 66

INDICES = {"S": (4, 8, 16, 32), "D": (8, 16, 32), "W": (4, 8, 16), "A": "xy"}
NAMES = (
    "tile 4,divided D,likely,which 5,mode 128,first 4,some 4 S,sines W,last S 2 A 9,zero 2 2 4 12,one 2 4 12,"
)
NAMES += "two 2 4 12,more 2 4 14,less,apart 15"
TEXT = (Path(__file__).parents[2] / "docs" / "format.md").read_text("utf-8")
USUAL = TEXT.split("sides are 4, 8, 16 and 32:\n\n```text\n")[1].split("```")[0].replace("\n", "")
PARTS = [
    (name, [INDICES.get(i) or range(int(i)) for i in of]) for name, *of in map(str.split, NAMES.split(","))
]
FIRST = dict(zip([(name, *at) for name, of in PARTS for at in product(*of)], USUAL, strict=True))


def sine(angle: Decimal) -> Decimal:
    term = total = angle
    for i in range(1, 60):
        term *= -angle * angle / (2 * i * (2 * i + 1))
        total += term
    return total


@cache
def waves(side: int, sines: int) -> Ints:
    """Return the rows of a transform, in 2^-14."""
    getcontext().prec = 50
    found = np.zeros((side, side), np.int64)
    for u, x in np.ndindex(side, side):
        if sines:
            turn = (2 * u + 1) * (x + 1) % (4 * side + 2)
            value = sine(PI * turn / (2 * side + 1)) * 2 / Decimal(2 * side + 1).sqrt()
            found[u, x] = round(value * 2**14)
        else:
            turn = (2 * x + 1) * u % (4 * side) if u else side // 2
            unit = round((Decimal(2) / side).sqrt() * 2**30)
            cosine = round(sine(PI / 2 - PI * turn / (2 * side)) * 2**30)
            size = (abs(cosine) * unit + 2**45) >> 46
            found[u, x] = size if cosine >= 0 else -size
    return found


def order(side: int) -> list[tuple[int, int]]:
    """Return lines and columns of coefficients, by diagonals from the lowest on."""
    places = [(d - x, x) for d in range(2 * side - 1) for x in range(d, -1, -1)]
    return [(y, x) for y, x in places if y < side and x < side]


class Drawing:
    def __init__(
        self, data: bytes, sides: tuple[int, int], channels: int, step: int, local: LocalSteps
    ) -> None:
        self.coder, self.step, self.local = RangeDecoder(data), step, local
        self.of_tiles: dict[tuple[int, int], int] = {}
        self.rows, self.columns = (-(-side // 64) for side in sides)
        self.planes = np.zeros((channels, 64 * self.rows, 64 * self.columns), np.int64)
        self.known: dict[tuple[int, int], int] = {}
        self.models = {
            name: [[(2 * ord(v) - 129) * 565 << 6, 10] for _ in range(2)] for name, v in FIRST.items()
        }
        self.tiles = np.zeros((self.rows, self.columns), int)

    def decide(self, *key: object) -> int:
        pair = self.models[key]
        bit = self.coder.bit(clamp(((pair[0][0] >> 6) + (pair[1][0] >> 6)) >> 1, 64, 65472))
        for model, limit in zip(pair, (20, 255), strict=True):
            model[0] += ((2**22 - 1) * bit - model[0]) * RATE[model[1]] >> 16
            model[1] = min(model[1] + 1, limit)
        return bit

    def unary(self, limit: int, *key: object) -> int:
        found = 0
        while found < limit and self.decide(*key, found):
            found += 1
        return found

    def decode(self) -> None:
        for row in range(self.rows):
            for column in range(self.columns):
                above = self.tiles[row - 1, column] if row else 0
                left = self.tiles[row, column - 1] if column else 0
                self.tiles[row, column] = self.decide("tile", 2 * above + left)
            for column in range(self.columns):
                if self.tiles[row, column]:
                    self.of_tiles[row, column] = self.tile_level(row, column)
                    self.divide(64 * row, 64 * column, 64)

    def tile_level(self, row: int, column: int) -> int:
        above = self.of_tiles.get((row - 1, column), self.local.middle)
        guess = self.of_tiles.get((row, column - 1), above)
        most = max(self.local.levels, 1) - 1
        apart = self.unary(most, "apart")
        return clamp(guess + (-apart if apart and self.decide("less") else apart), 0, most)

    def steps(self, p: int, y: int, x: int, side: int) -> Ints:
        """Return the steps of a square's levels."""
        level, place = self.of_tiles[y // 64, x // 64], [8 * i // side for i in range(side)]
        factors = [[self.local.factor(p, u, v, level) for v in place] for u in place]
        return np.maximum((self.step * np.array(factors) + 2**19) >> 20, 1)

    def divide(self, y: int, x: int, side: int) -> None:
        if side == 64 or (side > 4 and self.decide("divided", side)):
            half = side // 2
            for down, right in ((0, 0), (0, half), (half, 0), (half, half)):
                self.divide(y + down, x + right, half)
            return
        mode = self.mode(y, x, side)
        drawn = []
        for p in range(len(self.planes)):
            by_first = p > 0 and self.decide("first", p)
            levels, sines = self.levels(side, p)
            drawn.append((by_first, levels, sines))
        for p, (by_first, levels, sines) in enumerate(drawn):
            guess = self.by_first(p, y, x, side) if by_first else self.draw(mode, p, y, x, side)
            values = np.clip(levels * self.steps(p, y, x, side), -(2**20), 2**20)
            basis = waves(side, sines)
            lines = (basis.T @ values + 2**9) >> 10
            rest = (lines @ basis + 2**17) >> 18
            self.planes[p, y : y + side, x : x + side] = np.clip(guess + rest, -8191, 8191)
        self.known.update({(y // 4 + i, x // 4 + j): mode for i, j in np.ndindex(side // 4, side // 4)})

    def mode(self, y: int, x: int, side: int) -> int:
        left = self.known.get(((y + side - 1) // 4, (x - 1) // 4), PLANAR)
        above = self.known.get(((y - 1) // 4, (x + side - 1) // 4), PLANAR)
        wanted = [PLANAR, left, above]
        for each in (left, above):
            if each > MEAN:
                wanted += [2 + (each - 3) % 65, 2 + (each - 1) % 65]
        likely = list(dict.fromkeys([*wanted, MEAN, UP, LEFT, DIAGONAL]))
        likely = [*likely, *(LAST - i for i in range(len(likely), 6))][:6]
        if self.decide("likely"):
            return likely[self.unary(5, "which")]
        tree = 1
        for _ in range(7):
            tree = 2 * tree + self.decide("mode", tree)
        return min(tree - 128, LAST)

    def levels(self, side: int, p: int) -> tuple[Ints, int]:
        found = np.zeros((side + 2, side + 2), np.int64)
        if not self.decide("some", p, side):
            return found[:side, :side], 0
        sines = self.decide("sines", side) if p == 0 and side < 32 else 0
        x, y = (self.last(side, p > 0, axis) for axis in "xy")
        places = order(side)
        last = places.index((y, x))
        for place in range(last, -1, -1):
            y, x = places[place]
            near = sum(
                min(abs(int(found[y + i, x + j])), 5) for i, j in ((0, 1), (0, 2), (1, 0), (2, 0), (1, 1))
            )
            found[y, x] = self.level(side, p > 0, x + y, near, is_last=place == last)
        return found[:side, :side], sines

    def last(self, side: int, coloured: int, axis: str) -> int:
        size = self.unary(2 * digits(side - 1) - 1, "last", side, coloured, axis)
        if size < 4:
            return size
        left = size // 2 - 1
        return ((2 + size % 2) << left) + self.coder.digits(left)

    def level(self, side: int, coloured: int, apart: int, near: int, *, is_last: bool) -> int:
        band = (apart >= 2) + (apart >= 5) + (apart >= 10)
        some = min(near, 11)
        if not is_last and not self.decide("zero", coloured, side > 8, band, some):
            return 0
        size = 1
        if self.decide("one", coloured, band, some):
            size = 2 + self.decide("two", coloured, band, some)
        if size == 3:
            busy = (near > 5) + (near > 8) + (near > 12)
            more = self.unary(14, "more", coloured, busy)
            if more == 14:
                length = 0
                while length < 16 and self.coder.digits(1):
                    length += 1
                more += 2**length - 1 + self.coder.digits(length)
            size += more
        return -size if self.coder.digits(1) else size

    def around(self, p: int, y: int, x: int, side: int) -> tuple[Ints, Ints]:
        """Return the samples above and to the left, each from the corner on."""
        places = [(y + 2 * side - 1 - i, x - 1) for i in range(2 * side)]
        places += [(y - 1, x - 1 + i) for i in range(2 * side + 1)]
        values = [
            int(self.planes[p, i, j]) if i >= 0 <= j and (i // 4, j // 4) in self.known else None
            for i, j in places
        ]
        before = next((value for value in values if value is not None), 0)
        line = [before := before if value is None else value for value in values]
        return np.array(line[2 * side :]), np.array(line[2 * side :: -1])

    def draw(self, mode: int, p: int, y: int, x: int, side: int) -> Ints:
        above, left = self.around(p, y, x, side)
        if mode == MEAN:
            total = above[1 : side + 1].sum() + left[1 : side + 1].sum() + side
            return np.full((side, side), total // (2 * side))
        i = np.arange(side)
        if mode == PLANAR:
            across = np.outer(left[1 : side + 1], side - 1 - i) + above[side + 1] * (i + 1)
            down = np.outer(side - 1 - i, above[1 : side + 1]) + (left[side + 1] * (i + 1))[:, np.newaxis]
            return (across + down + side) // (2 * side)
        turn = LEFT - mode if mode < DIAGONAL else mode - UP
        slope = int(np.sign(turn)) * SLOPES[abs(turn)]
        main, other = (left, above) if mode < DIAGONAL else (above, left)
        line = dict(enumerate(main.tolist()))
        line[2 * side + 1] = line[2 * side + 2] = line[2 * side]
        for j in range(1, side + 3):
            if slope >= 0:
                line[-j] = line[0]
            else:
                whole, part = divmod(min(1024 * j // -slope, 32 * (2 * side - 1)), 32)
                line[-j] = (int(other[whole]) * (32 - part) + int(other[whole + 1]) * part + 16) >> 5
        found = np.zeros((side, side), np.int64)
        for a, b in np.ndindex(side, side):
            whole, f = divmod((a + 1) * slope, 32)
            weights = [
                -f * (32 - f) ** 2,
                65536 - 160 * f * f + 3 * f**3,
                32 * f * (32 + 4 * f) - 3 * f**3,
                -f * f * (32 - f),
            ]
            sum_ = sum(weight * line[whole + b + j] for j, weight in enumerate(weights))
            found[a, b] = clamp((sum_ + 2**15) >> 16, -8191, 8191)
        return found.T if mode < DIAGONAL else found

    def by_first(self, p: int, y: int, x: int, side: int) -> Ints:
        sides = [[part[1 : side + 1] for part in self.around(q, y, x, side)] for q in (0, p)]
        a, b = (np.concatenate(parts).tolist() for parts in sides)
        n = 2 * side
        spread = n * sum(i * i for i in a) - sum(a) ** 2 + n * (self.step * self.step // 8) + 1
        common = n * sum(i * j for i, j in zip(a, b, strict=True)) - sum(a) * sum(b)
        slope = clamp((common << 12) // spread, -(8 << 12), 8 << 12)
        first = self.planes[0, y : y + side, x : x + side]
        found = (slope * (n * first - sum(a)) + (sum(b) << 12) + 2**11 * n) // (n << 12)
        return np.clip(found, -8191, 8191)


def drawn(
    data: bytes,
    shape: tuple[int, int, int],
    step: tuple[int, int],
    transform: Transform,
    local: LocalSteps,
    shrink: Callable[[tuple[int, ...], Ints], Shrinkage],
) -> tuple[NDArray[np.uint8], Ints]:
    """Return the pixels of a slice, of a shape (H, W, C), and which tiles are coded."""
    height, width, channels = shape
    drawing = Drawing(data, shape[:2], channels, clamp(int(16 * step[0] * 2.0 ** step[1]), 1, 2**14), local)
    drawing.decode()
    strengths = tuple(drawing.coder.digits(5) - 16 for _ in range(2 * channels))
    of_tiles = [drawing.of_tiles.get(place, 0) for place in np.ndindex(drawing.tiles.shape)]
    blocks = np.reshape(of_tiles, drawing.tiles.shape).repeat(8, axis=0).repeat(8, axis=1)
    shrinkage = shrink(strengths, blocks[: -(-height // 8), : -(-width // 8)])
    planes = enumerate(drawing.planes[:, :height, :width] << 13)
    return transform.turned([shrinkage.corrected(y, p, step, 17) for p, y in planes], 17).astype(
        np.uint8
    ), drawing.tiles
