"""Tiles for :mod:`tests.reference.photo`: P15, and nothing of pcaimage."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference import residual
from tests.reference.container import require
from tests.reference.models import RangeDecoder, clamp, digits, level

ONES = 2**32 - 1

BEFORE = (0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (-1, 1), (-1, -1)

Draw = Callable[[bytes, tuple[int, int, int]], tuple[NDArray[Any], NDArray[Any]]]


def hashed(a: int, *others: int) -> int:
    for b in others:
        h = ((a ^ (b & ONES) * 0x9E3779B1 & ONES) * 0x85EBCA6B) & ONES
        a = h ^ (h >> 15)
    return a


@cache
def mass(t: int) -> int:
    found = round(2**30 / (1 + math.exp(min(abs(t), 3071) / 256)))
    return found if t < 0 else 2**30 - found


@cache
def ln(x: int) -> int:
    o = digits(x + 1) - 1
    i = (((x + 1) << (30 - o)) >> 20) % 1024
    return (o * 45426 >> 8) + round(256 * math.log1p(i / 1024))


def middle(x: int, y: int, z: int) -> int:
    return clamp(x + y - z, min(x, y), max(x, y))


def channel(colour: int, c: int) -> int:
    return colour >> 8 * c & 255


def upper_half(low: int, half: int, center: int, z: int) -> int:
    """Return the logit of the upper half."""
    places = []
    for q in range(3):
        distance = 16 * (low + q * half) - 8 - center
        place = (abs(distance) * residual.INVERSE[z]) >> 18
        places.append(place if distance >= 0 else -place)
    turned = places[1] > 0
    m = [mass(-place if turned else place) for place in places]
    if low == 0:
        m[0] = 2**30 if turned else 0
    if low + 2 * half == 256:
        m[2] = 0 if turned else 2**30
    return clamp(ln(abs(m[2] - m[1])) - ln(abs(m[1] - m[0])), -2815, 2815)


class Slice:
    def __init__(self, data: bytes, height: int, width: int, channels: int, each: int = 0) -> None:
        self.coder, self.height, self.width, self.channels = RangeDecoder(data), height, width, channels
        self.across, self.each = -(-width // 64), each or height
        m = clamp(digits(height * width) + 2, 16, 22)
        self.size, self.half = 2**m, 2 ** (m - 4)
        self.models: defaultdict[int, list[int]] = defaultdict(lambda: [2**21, 0])
        self.tile_models: defaultdict[int, list[int]] = defaultdict(lambda: [2**21, 0])
        self.tables: list[dict[int, list[int]]] = [{}, {}]
        self.weights: list[defaultdict[int, list[int]]] = [
            defaultdict(lambda: [19660] * 15 + [0]) for _ in range(2)
        ]
        self.curves: defaultdict[int, list[int]] = defaultdict(
            lambda: [residual.probability(clamp(256 * i - 2816, -2815, 2815)) for i in range(24)]
        )
        self.widths: defaultdict[int, list[int]] = defaultdict(lambda: [2944, 0])
        self.biases: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
        self.colours: dict[tuple[int, int], int] = {}
        self.found: dict[tuple[int, int], int] = {}
        self.tiles: dict[tuple[int, int], int] = {}

    def decode(self) -> None:
        for y in range(self.height):
            row = y // self.each * -(-self.each // 64) + y % self.each // 64
            if y % self.each % 64 == 0:
                self.decode_tiles(row)
            run = 0
            for x in range(self.width):
                if self.tiles[row, x // 64]:
                    found = self.pixel(y, x, run)
                    self.found[y, x] = found
                    run = run + 1 if found == 0 else 0
                else:
                    place = (y, x - 1) if y < self.each else (y - self.each, x)
                    self.colours[y, x], run = self.at(*place), 0

    def decode_tiles(self, row: int) -> None:
        for x in range(self.across):
            model = self.tile_models[2 * self.tiles.get((row - 1, x), 0) + self.tiles.get((row, x - 1), 0)]
            bit = self.coder.bit(clamp(model[0] >> 6, 64, 65472))
            self.learn(model, bit)
            self.tiles[row, x] = bit

    def at(self, y: int, x: int) -> int:
        if y < 0:
            return 0
        return self.at(y - 1, 0) if x < 0 else self.colours.get((y, min(x, self.width - 1)), 0)

    def pixel(self, y: int, x: int, run: int) -> int:
        w, ww, www = (self.at(y, x - i) for i in (1, 2, 3))
        nww, nw, n, ne, nee = (self.at(y - 1, x + i) for i in (-2, -1, 0, 1, 2))
        nnw, nn, nne = (self.at(y - 2, x + i) for i in (-1, 0, 1))
        near = hashed(w, n, nw, ne)
        nearer = hashed(near, ww)
        wide = hashed(nearer, nn, nne, nee, nww)
        then = [self.at(y - self.each + i, x + j) for i, j in BEFORE] if y >= self.each else []
        nearer = hashed(near, *then[:3]) if then else nearer
        places = hashed(wide, www, nnw) % self.half, nearer % self.half
        known = [table.get(place, [w, 0]) for table, place in zip(self.tables, places, strict=True)]
        (first, u), (second, v) = known
        sources = [first, second, w, n, nw, ne]
        if then:
            sources = [second if v else then[0], then[0], first, n, w, ne]
        f = [self.found.get(place, 0) for place in ((y, x - 1), (y - 1, x), (y - 1, x + 1), (y - 1, x - 1))]
        pairs = [(w, n), (w, nw), (n, nw), (n, ne), (w, ww), (n, nn), (ne, nne)]
        pattern = sum((a == b) << i for i, (a, b) in enumerate(pairs))
        misses = sum((each > 0) << i for i, each in enumerate(f))
        history, trust = f[1] + 16 * f[0] + 256 * f[2], 4 * min(u, 3) + min(v, 3)
        lasting, found, still = level(run, 15), 7, trust
        if then:
            still = sum((a == b) << i for i, (a, b) in enumerate(zip((w, n, ne, nw), then[3:], strict=True)))
            trust += 16 + 32 * still
        for i, c in enumerate(dict.fromkeys(sources)):
            s = 64 * i + sum((source == c) << j for j, source in enumerate(sources))
            hashes = [
                hashed(1, s, trust),
                hashed(2, c, w, n, i),
                hashed(3, c, near, i),
                hashed(4, c, wide, i),
                hashed(5, s, pattern, misses),
                hashed(6, s, lasting, history),
                hashed(7, c, n, nn + 3 * nne),
                hashed(8, c, w, ww + 3 * ne),
            ]
            if not self.decide(hashes, [], 256 * i + 16 * misses + still, 128 * i + pattern, s):
                colour, found = c, i
                break
        else:
            colour = self.values((w, n, nw, ne, nn, ww), hashed(w, then[0]) if then else near)
        self.colours[y, x] = colour
        for table, place in zip(self.tables, places, strict=True):
            given = table.get(place, [0, 0])
            same = given[1] > 0 and given[0] == colour
            table[place] = [colour, min(given[1] + 1, 255) if same else 1]
        return found

    def values(self, around: tuple[int, ...], near: int) -> int:
        sofar = missed = before = 0
        for k, c in enumerate(residual.ORDERS[self.channels]):
            w, n, nw, ne, nn, ww = (channel(colour, c) for colour in around)
            base = middle(w, n, nw)
            expected = clamp(base + missed, 0, 255)
            busy = level(abs(w - nw) + abs(n - nw) + abs(n - ne), 11)
            raws = [16 * expected]
            if k:
                x = channel(sofar, before)
                dw, dn, dnw, dne = (channel(a, c) - channel(a, before) for a in around[:4])
                raws += [16 * (x + middle(dw, dn, dnw)), 4 * (4 * x + dw + dn + dne + dnw)]
                raws += [8 * (2 * x + dw + dn)]
                t = clamp((missed >> 2) + 8, 0, 17)
            else:
                raws += [
                    8 * (w + n) + 4 * (ne - nw),
                    16 * (w + ne - n),
                    6 * (w + n + ne) + 2 * (nw - nn - ww),
                ]
                t = (n > nn) + 2 * (ne > n)
            biases, widths, centers, zs = [], [], [], []
            for i, raw in enumerate(raws):
                at = 12 * (4 * i + k) + busy
                biases.append(self.biases[36 * at + 18 * (w > n) + t])
                size = abs(ww - w) + abs(nn - n) if i == 3 else abs(missed)
                widths.append(self.widths[8 * at + level(size, 7)])
                total, count = biases[-1]
                centers.append(clamp(raw + (total * residual.RATE[count + 3] >> 16), 0, 4080))
                zs.append(residual.fine((widths[-1][0] >> 6) + 2))
            y, high = hashed(sofar, k + 77), k << 16
            contexts = [
                y,
                hashed(y, around[0], 11),
                hashed(y, around[1], 12),
                hashed(y, around[0], around[1]),
                hashed(13, high + 256 * w + n, missed),
                hashed(14, high + expected, 16 * busy + level(abs(missed), 7)),
                hashed(y, near),
                hashed(15, high + expected, missed % 256),
                hashed(16, high + 256 * nw + ne, w + 256 * n),
            ]
            g, low = 1, 0
            for d in range(8):
                half, place = 128 >> d, 8 * k + d
                inside = low <= expected < low + 2 * half
                bit = self.decide(
                    [hashed(context, g * 0x2545F491) for context in contexts],
                    [upper_half(low, half, center, z) for center, z in zip(centers, zs, strict=True)],
                    1536 + 24 * place + 2 * busy + inside,
                    768 + 256 * k + g,
                    384 + 2 * place + inside,
                )
                g, low = 2 * g + bit, low + bit * half
            for raw, center, width, bias in zip(raws, centers, widths, biases, strict=True):
                width[0] += (46 * abs(16 * low - center) - width[0]) * residual.RATE[width[1]] >> 16
                width[1] = min(width[1] + 1, 60)
                bias[0] += 16 * low - raw
                bias[1] += 1
                if bias[1] > 252:
                    bias[:] = bias[0] >> 1, bias[1] >> 1
            missed, before = low - base, c
            sofar |= low << 8 * c
        return sofar

    def decide(self, hashes: list[int], given: list[int], first: int, second: int, curve: int) -> int:
        models = [self.models[h % self.size] for h in hashes]
        inputs = [*(residual.logit_of(model[0] >> 6) for model in models), *given, 256]
        sets = self.weights[0][first], self.weights[1][second]
        for learned in sets:
            learned[15] = min(learned[15] + 1, 957)
        logits = [
            clamp(sum(i * w for i, w in zip(inputs, weights, strict=False)) >> 16, -2815, 2815)
            for weights in sets
        ]
        logit, points = sum(logits) >> 1, self.curves[curve]
        knot, rest = divmod(logit + 2816, 256)
        corrected = (points[knot] * (256 - rest) + points[knot + 1] * rest) >> 8
        bit = self.coder.bit(clamp((residual.probability(logit) + 3 * corrected) >> 2, 8, 65528))
        nearest = (logit + 2816 + 128) >> 8
        points[nearest] += (65535 * bit - points[nearest]) >> 6
        for weights, each in zip(sets, logits, strict=True):
            f = 14 + (residual.RATE[(weights[15] + 63) >> 2] >> 6)
            error = ((65536 * bit - residual.probability(each)) * f + 32) >> 6
            for i, value in enumerate(inputs):
                weights[i] = residual.wrapped(weights[i] + ((value * error + 2**11) >> 12))
        for model in models:
            self.learn(model, bit)
        return bit

    def learn(self, model: list[int], bit: int) -> None:
        model[0] += ((2**22 - 1) * bit - model[0]) * residual.RATE[model[1]] >> 16
        model[1] = min(model[1] + 1, 255)


def streams(payload: bytes, count: int) -> list[bytes]:
    sizes = np.frombuffer(payload[: 4 * count], "<u4").tolist()
    require(len(sizes) == count and 4 * count + sum(sizes) == len(payload), "lengths of tiles")
    return [payload[start:stop] for start, stop in pairwise(accumulate(sizes, initial=4 * count))]


def frames(payload: bytes, count: int, height: int, width: int, channels: int) -> NDArray[Any]:
    """Return whole images (N, H, W, C)."""
    units, room, each = (count, 2**24, height) if count > 1 else (-(-height // 64), 2**21, 64)
    slices = min(units, -(-count * height * width // room))
    found = np.zeros((count * height, width, channels), int)
    for i, data in enumerate(streams(payload, slices)):
        first, last = (min(units * j // slices * each, len(found)) for j in (i, i + 1))
        part = Slice(data, last - first, width, channels, min(height, last - first))
        part.decode()
        for (y, x), colour in part.colours.items():
            found[first + y, x] = [channel(colour, c) for c in range(channels)]
    return found.reshape(count, height, width, channels)


def paint(payload: bytes, pixels: NDArray[Any], draw: Draw | None = None) -> bool:
    """Overwrite the pixels (H, W, C) of tiles; return whether that was all."""
    height, width, channels = pixels.shape
    rows = -(-height // 64)
    count, everything = min(rows, -(-height * width // 2**21)), True
    for i, data in enumerate(streams(payload, count)):
        first, last = 64 * (rows * i // count), min(64 * (rows * (i + 1) // count), height)
        if draw:
            found, tiles = draw(data, (last - first, width, channels))
            inside = tiles.repeat(64, axis=0).repeat(64, axis=1)[: last - first, :width] > 0
            pixels[first:last][inside] = found[inside]
            everything &= bool(tiles.all())
            continue
        part = Slice(data, last - first, width, channels)
        part.decode()
        everything &= all(part.tiles.values())
        for (y, x), colour in part.colours.items():
            if part.tiles[y // 64, x // 64]:
                pixels[first + y, x] = [channel(colour, c) for c in range(channels)]
    return everything
