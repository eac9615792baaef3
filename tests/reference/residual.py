"""The residual for :mod:`tests.reference.photo`: P16, and nothing of pcaimage."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.container import require
from tests.reference.models import RangeDecoder, clamp, digits, level

SLICE_PIXELS, STRIP, STATES = 1 << 20, 16, 1024
CAUSAL = [(0, -1), (-1, 0), (-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1), (-2, -1), (-1, 2), (-1, -2)]
CAUSAL += [(-2, 2), (-2, -2), (0, -3), (-3, 0)]
BEFORE = [(0, 0), (0, -1), (-1, 0), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)]
NEAREST = [(0, -1), (-1, 0), (-1, 1), (-1, -1), (0, -2), (-2, 0)]
AROUND = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]
ORDERS = {1: [0], 2: [0, 1], 3: [1, 0, 2], 4: [1, 0, 2, 3]}

Place = tuple[int, int]
Numbers = list[list[int]]
Learned = defaultdict[tuple[int, int, int], list[int]]


def width(s: int) -> float:
    return 2.0 ** (s // 8) * (8 + s % 8) / 8


RATE = [int(65536 / (n + 1.5)) for n in range(256)]
INVERSE = [int(2**26 // width(s)) for s in range(168)]


@cache
def ratio(s: int) -> int:
    return min(int(4096 // width(s)), 4096)


@cache
def gap(s: int) -> int:
    # From 16 on, where it is cut off, the logarithm is as good as its argument.
    return round(256 * max(-16.0, min(math.log(math.expm1(min(16 / width(s), 20))), 16.0)))


@cache
def tail(z: int) -> int:
    return round(256 * math.log1p(math.exp(-min(abs(z), 3071) / 256))) + max(-z, 0)


@cache
def logit_of(p: int) -> int:
    return round(256 * math.log(max(p, 1) / (65536 - max(p, 1))))


@cache
def probability(logit: int) -> int:
    return clamp(round(65536 / (1 + math.exp(-logit / 256))), 1, 65535)


def fine(v: int) -> int:
    d = digits(8 * v + 8) - 4
    return min(8 * d + ((8 * v + 8) >> d) % 8, 167)


def side(v: int) -> int:
    return 0 if v == 0 else 1 if v > 0 else 2


def wrapped(v: int) -> int:
    """Return what 32 bits keep of a number."""
    return (v + 2**31) % 2**32 - 2**31


def scaled(v: int, s: int) -> int:
    """Return a number in terms of a width."""
    return (v * INVERSE[s]) >> 18


class Known:
    """The known pixels of a slice."""

    def __init__(self, reconstruction: list[list[list[int]]], peak: int) -> None:
        self.reconstruction, self.peak = reconstruction, peak
        self.height, self.width = len(reconstruction[0]), len(reconstruction[0][0])
        self.lacking: list[dict[Place, int]] = [{} for _ in reconstruction]
        self.errors: list[dict[Place, int]] = [{} for _ in reconstruction]


@dataclass
class Pixel:
    """Known numbers around a pixel, so many lines down, columns right, and channels back."""

    known: Known
    c: int
    i: int
    j: int

    def x(self, down: int = 0, right: int = 0, m: int = 0) -> int:
        row = clamp(self.i + down, 0, self.known.height - 1)
        column = clamp(self.j + right, 0, self.known.width - 1)
        return self.known.reconstruction[self.c - m][row][column]

    def r(self, down: int = 0, right: int = 0, m: int = 0) -> int:
        return self.known.lacking[self.c - m].get((self.i + down, self.j + right), 0)

    def e(self, down: int = 0, right: int = 0, m: int = 0) -> int:
        return self.known.errors[self.c - m].get((self.i + down, self.j + right), 0)

    def y(self, down: int = 0, right: int = 0, m: int = 0) -> int:
        return self.x(down, right, m) + self.r(down, right, m)

    @property
    def before(self) -> list[int]:
        """Number of earlier channels that are used."""
        return [m for m in (1, 2) if self.c >= m]

    def inputs(self) -> list[int]:
        found = [self.r(*place) for place in (CAUSAL[:6] if self.c else CAUSAL)]
        for m in self.before:
            found += [self.r(*place, m) for place in BEFORE]
        return found + [self.x(*place) - self.x() for place in (AROUND[:4] if self.c else AROUND)]

    def wrong(self) -> tuple[int, int, int]:
        """Return E0, E1, E2."""
        near = 2 * self.e(0, -1) + 2 * self.e(-1, 0) + self.e(-1, -1) + self.e(-1, 1)
        found = [near + self.e(0, -2) + self.e(-2, 0), 0, 0]
        for m in self.before:
            found[m] = 4 * self.e(m=m) + sum(self.e(*place, m) for place in BEFORE[1:5])
        return found[0], found[1], found[2]

    def busy(self) -> int:
        """Return G."""
        left, right, above, below = self.x(0, -1), self.x(0, 1), self.x(-1, 0), self.x(1, 0)
        first = abs(right - left) + abs(below - above)
        second = abs(right + left - 2 * self.x()) + abs(below + above - 2 * self.x())
        west, north = self.r(0, -1), self.r(-1, 0)
        return first + second + abs(west - north) + abs(west - self.r(-1, -1)) + abs(north - self.r(-1, 1))

    def moved(self, m: int) -> tuple[int, int]:
        """Return h(m) and v(m)."""
        if self.c < m:
            return 0, 0
        return self.y(m=m) - self.y(0, -1, m), self.y(m=m) - self.y(-1, 0, m)

    def decoded(self, y: int, center: int) -> int:
        """Keep the pixel; return e."""
        self.known.lacking[self.c][self.i, self.j] = y - self.x()
        error = self.known.errors[self.c][self.i, self.j] = min(abs(16 * y - center), 2**20 - 1)
        return error


class Fit:
    """The equations that predict a channel."""

    def __init__(self, n: int, columns: int) -> None:
        self.n, self.last = n, min(-(-columns // STRIP), STATES) - 1
        self.sums = np.zeros((self.last + 1, n + 1, n + 1), np.int64)

    def solve(self, state: int) -> list[int]:
        """Return the weights of a state."""
        near = [max(state - 1, 0), state, state, min(state + 1, self.last)]
        m: list[list[int]] = sum(self.sums[k] for k in near).tolist()
        for a in range(self.n):
            m[a][a] += 4096
        return [int(min(max(v * 65536, -(2**19)), 2**19)) for v in solution(m)]

    def learn(self, state: int, seen: list[list[int]]) -> None:
        """Add a line of a strip."""
        q = np.array(seen, np.int64)
        self.sums[state] += q.T @ q - (self.sums[state] >> 3)


def solution(m: list[list[int]]) -> list[float]:
    """Solve equations whose right side is the last row, by Gaussian elimination."""
    n = len(m) - 1
    f = [[float(m[b][a]) for b in range(n + 1)] for a in range(n)]
    inverse, factors = [0.0] * n, [[0.0] * n for _ in range(n)]
    for k in range(n):
        inverse[k] = 1 / f[k][k]
        for a in range(k + 1, n):
            factors[a][k] = f[k][a] * inverse[k]
            for b in range(a, n + 1):
                f[a][b] -= factors[a][k] * f[k][b]
    found = [f[a][n] * inverse[a] for a in range(n)]
    for k in range(n - 1, 0, -1):
        for a in range(k):
            found[a] -= factors[k][a] * found[k]
    return found


class Errors:
    """Expected errors of the prediction: widths and biases."""

    def __init__(self) -> None:
        self.widths: Learned = defaultdict(lambda: [2944, 0])
        self.biases: Learned = defaultdict(lambda: [0, 0])

    def look(self, pixel: Pixel) -> None:
        """Find those of a pixel."""
        c, g, (e0, e1, e2) = pixel.c, pixel.busy(), pixel.wrong()
        whole = [e0, (2 * e0 + 3 * e1) // 5, (2 * e0 + 3 * e1 + 2 * e2) // 7][min(c, 2)]
        self.width = [
            self.widths[0, c, 24 * level(e0 >> 2, 31) + level(e1 >> 2, 23)],
            self.widths[1, c, 32 * level(g, 23) + level((e0 + e1 + e2) >> 2, 31)],
            self.widths[2, c, fine(whole)],
        ]
        signs = 3 * side(pixel.r(0, -1)) + side(pixel.r(-1, 0))
        self.bias = [
            self.biases[0, c, 9 * level(e0 >> 3, 23) + signs],
            self.biases[1, c, clamp(pixel.r(m=1), -20, 20) + 20 if c else level(g, 40)],
        ]

    def sizes(self) -> list[int]:
        return [fine(v >> 6) for v, _ in self.width]

    def shift(self) -> int:
        return sum(total * RATE[count + 3] for total, count in self.bias) >> 17

    def learn(self, error: int, off: int) -> None:
        for kept in self.width:
            v, count = kept
            kept[:] = v + (((46 * error - v) * RATE[count]) >> 16), min(count + 1, 60)
        for kept in self.bias:
            total, count = kept[0] + clamp(off, -65536, 65536), kept[1] + 1
            kept[:] = (total >> 1, count >> 1) if count > 252 else (total, count)


class Decisions:
    """Models, weights and tilts."""

    def __init__(self, stream: bytes) -> None:
        self.coder = RangeDecoder(stream)
        self.models: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [1 << 21, 0])
        self.weights: Learned = defaultdict(lambda: [14563] * 3 + [6553] * 5)
        self.more: Learned = defaultdict(lambda: [0] * 8)
        self.tilts: dict[tuple[int, ...], int] = defaultdict(int)

    def decide(
        self, models: Numbers, weights: Numbers, tilts: list[tuple[int, ...]], opinions: list[int]
    ) -> int:
        """Return a bit."""
        inputs = [clamp(opinion, -2815, 2815) for opinion in opinions]
        inputs += [logit_of(p >> 6) for p, _ in models]
        mixed = sum(sum(map(mul, inputs, each)) for each in weights)
        chance = probability(clamp((sum(self.tilts[k] for k in tilts) + mixed) >> 16, -2815, 2815))
        bit = self.coder.bit(chance)
        error = bit * 65536 - chance
        for k in tilts:
            self.tilts[k] = wrapped(self.tilts[k] + 10 * error)
        for i, value in enumerate(inputs):
            for each in weights:
                each[i] = wrapped(each[i] + ((value * error * 3 + 2**17) >> 18))
        for model in models:
            p, n = model
            model[:] = p + (((2**22 - 1) * bit - p) * RATE[n] >> 16), min(n + 1, 255)
        return bit

    def escape(self) -> int:
        """Return by how much more than 23 steps it is."""
        a = 0
        while a < 20 and self.coder.bit(32768):
            a += 1
        return (1 << a) + self.coder.digits(a) - 1


def alike(a: int, b: int) -> int:
    """Return D."""
    return 8 * clamp(a + 4, 0, 7) + clamp(b + 4, 0, 7)


class Value:
    """The decisions that make up a pixel."""

    def __init__(self, pixel: Pixel, center: int, s: list[int], decisions: Decisions) -> None:
        self.pixel, self.peak, self.decisions = pixel, pixel.known.peak, decisions
        self.center, self.s, mean = center, s, sum(s) // 3
        self.border = min((center >> 4) + 1, self.peak)
        self.density, self.shift = min(mean // 4, 39), max(mean - 40, 0) >> 3
        self.shade = 8 if self.peak == 65535 else 0
        self.others = [pixel.y(m=m) >> self.shade for m in pixel.before]
        self.contexts = self.situation()

    def situation(self) -> list[int]:
        """Return m."""
        pixel, coarse = self.pixel, self.density // 4
        fraction = min(self.center - 16 * (self.border - 1), 15)
        (h1, v1), (h2, v2) = pixel.moved(1), pixel.moved(2)
        west, north = pixel.y(0, -1) - self.border, pixel.y(-1, 0) - self.border
        same = (h1 == 0) + 2 * (v1 == 0) if pixel.c else 0
        corners = pixel.y(-1, -1) - self.border, pixel.y(-1, 1) - self.border
        last = self.last = alike(west + h2, north + v2) if pixel.c else alike(*corners)
        first = 4 * alike(west + h1, north + v1) + same
        west, north, *others = (self.apart(*place) for place in NEAREST)
        near = [125 * west + 25 * north + 5 * others[i] + others[i + 1] for i in (0, 2)]
        return [16 * self.density + fraction, *(10 * each + coarse for each in [first, last, *near])]

    def apart(self, down: int, right: int) -> int:
        """Return how far a pixel around is from what is expected, of five classes."""
        t = scaled(16 * self.pixel.y(down, right) - self.center, sum(self.s) // 3)
        return 2 + ((abs(t) >= 200) + (abs(t) >= 900)) * (-1 if t < 0 else 1)

    def decide(self, node: int, kind: int, value: int, opinions: list[int]) -> int:
        c, kept, shown = self.pixel.c, self.decisions, value >> self.shade
        tilts: list[tuple[int, ...]] = [(0, c, kind, shown)]
        tilts += [(m, c, kind, shown - other + 256) for m, other in enumerate(self.others, 1)]
        models = [kept.models[i, c, context, node] for i, context in enumerate(self.contexts)]
        weights = [kept.weights[c, self.density, node], kept.more[c, self.last, node]]
        return kept.decide(models, weights, tilts, opinions)

    def decode(self) -> int:
        t = 16 * self.border - 8 - self.center
        if self.decide(0, 0, self.border, [scaled(-t, s) for s in self.s]):
            return self.border + self.distance(self.peak - self.border, t, 1)
        return self.border - 1 - self.distance(self.border - 1, -t, -1)

    def distance(self, limit: int, t: int, sign: int) -> int:
        """Return how far beyond the border the pixel is."""
        f = int(sign > 0)
        start = self.border if f else self.border - 1

        def at(d: int) -> int:
            return start + sign * d

        z = [scaled(t, s) for s in self.s]
        step = [(INVERSE[s] << (self.shift + 4)) >> 18 for s in self.s]
        last = limit >> self.shift
        d = self.steps(last, f, z, step, at)
        node = 24 + min(d, 3)
        if d == 23 and last > 23:
            d += self.decisions.escape()
        for j in range(self.shift - 1, -1, -1):
            if j >= self.shift - 2:
                value = at(min(d << (j + 1), limit))
                half = self.half(j, node, 9 + 4 * f + min(j, 3), value, z, step)
            else:
                half = self.decisions.coder.bit(32768)
            d = 2 * d + half
        return min(d, limit)

    def steps(self, last: int, f: int, z: list[int], step: list[int], at: Callable[[int], int]) -> int:
        """Return the number of whole steps; z goes with them."""
        d, kind = 0, 1 + 4 * f + min(self.shift, 3)
        while d < min(last, 23):
            opinions = [tail(a) - gap(s - 8 * self.shift) for a, s in zip(z, self.s, strict=True)]
            if not self.decide(1 + d, kind, at(d << self.shift), opinions):
                break
            d += 1
            z[:] = [a + b for a, b in zip(z, step, strict=True)]
        return d

    def half(self, j: int, node: int, kind: int, value: int, z: list[int], step: list[int]) -> int:
        """Return which half of a step it is; z goes there."""
        done = self.shift - 1 - j
        each = zip(z, step, self.s, strict=True)
        opinions = [tail(a) - tail(a + (b >> done)) - ratio(s - 8 * j) for a, b, s in each]
        half = self.decide(node + 4 * done, kind, value, opinions)
        if half:
            z[:] = [a + (b >> (done + 1)) for a, b in zip(z, step, strict=True)]
        return half


class Slice:
    """All pixels of a slice, whose channels are in the order of decoding."""

    def __init__(self, reconstruction: list[list[list[int]]], peak: int, stream: bytes) -> None:
        self.known = Known(reconstruction, peak)
        self.errors, self.decisions = Errors(), Decisions(stream)

    def decode(self) -> list[list[list[int]]]:
        """Return the original, channel by channel."""
        rows, columns = range(self.known.height), range(self.known.width)
        channels = range(len(self.known.reconstruction))
        for c in channels:
            inputs = len(Pixel(self.known, c, 0, 0).inputs())
            fit = Fit(inputs, self.known.width)
            for i in rows:
                self.line(c, i, fit)
        return [[[Pixel(self.known, c, i, j).y() for j in columns] for i in rows] for c in channels]

    def line(self, c: int, i: int, fit: Fit) -> None:
        for start in range(0, self.known.width, STRIP):
            state = start // STRIP % STATES
            weights = fit.solve(state)
            strip = range(start, min(start + STRIP, self.known.width))
            fit.learn(state, [self.pixel(Pixel(self.known, c, i, j), weights) for j in strip])

    def pixel(self, pixel: Pixel, weights: list[int]) -> list[int]:
        """Decode a pixel; return q."""
        inputs = pixel.inputs()
        fitted = sum(u * w for u, w in zip(inputs, weights, strict=True))
        raw = 16 * pixel.x() + ((fitted + 2**11) >> 12)
        self.errors.look(pixel)
        s = self.errors.sizes()
        center = clamp(raw + self.errors.shift(), 0, 16 * self.known.peak)
        y = Value(pixel, center, s, self.decisions).decode()
        self.errors.learn(pixel.decoded(y, center), 16 * y - raw)
        return [clamp(scaled(value, s[2]), -1023, 1023) for value in [*inputs, pixel.r()]]


def decode(data: bytes, reconstruction: NDArray[Any]) -> NDArray[Any]:
    """Return the original of a reconstruction of three axes; data is what follows k."""
    height, columns, channels = reconstruction.shape
    n = min(height, -(-height * columns // SLICE_PIXELS))
    require(len(data) >= 4 * n, "lengths of streams")
    sizes = np.frombuffer(data, "<u4", n).tolist()
    require(len(data) == 4 * n + sum(sizes), "length of the residual")
    order, peak, place = ORDERS[channels], int(np.iinfo(reconstruction.dtype).max), 4 * n
    result = np.empty_like(reconstruction)
    for i, size in enumerate(sizes):
        rows = slice(height * i // n, height * (i + 1) // n)
        planes = [reconstruction[rows, :, channel].tolist() for channel in order]
        found = Slice(planes, peak, data[place : place + size]).decode()
        place += size
        for channel, plane in zip(order, found, strict=True):
            result[rows, :, channel] = plane
    return result
