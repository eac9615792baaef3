"""A decoder of many bands written from docs/format.md alone: plain Python, nothing of pcaimage.

Section numbers are those of the document. It is slow, and complete.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.unit.container.reference_decoder import Planes, chunks, number, require
from tests.unit.container.reference_photo import streams
from tests.unit.container.reference_photo_models import RangeDecoder, clamp, level
from tests.unit.container.reference_photo_residual import (
    INVERSE,
    RATE,
    fine,
    gap,
    logit_of,
    probability,
    ratio,
    scaled,
    side,
    tail,
    wrapped,
)

TYPES = {1: "uint8", 2: "uint16", 3: "int16", 4: "float32"}
FURTHER = [(-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1)]
CORRECTED_PIXELS = 1 << 16

Place = tuple[int, int]
Plane = list[list[int]]
Mask = NDArray[np.bool_]


@dataclass
class Header:
    """3."""

    kind: str
    has_axis: bool
    mantissa: int
    exponent: int
    mean_bits: int
    slice_rows: int
    value_bits: int
    peak: float
    sides: tuple[int, int, int]

    @classmethod
    def parse(cls, payload: bytes) -> Header:
        fields = struct.unpack_from("<BBBBHbBB", payload)
        method, block, kind, flags, mantissa, exponent, mean_bits, scale_bits = fields
        require(method == 4 and block == 0 and kind in TYPES and flags < 2 and scale_bits == 0, "header")
        require(mean_bits <= 40, "fractional bits of the mean")
        rows, place = number(payload, 9)
        value_bits, peak = struct.unpack_from("<bd", payload, place)
        require(abs(value_bits) <= (40 if kind == 4 else 0), "fractional bits of the values")
        require(math.isfinite(peak) and peak > 0, "peak")
        place, sides = place + 9, list[int]()
        while place < len(payload):
            length, place = number(payload, place)
            sides.append(length)
        require(len(sides) == 3, "sides")
        height, width, bands = sides
        return cls(
            TYPES[kind],
            bool(flags & 1),
            mantissa,
            exponent,
            mean_bits,
            rows,
            value_bits,
            peak,
            (height, width, bands),
        )

    @property
    def bounds(self) -> tuple[int, int]:
        return {
            "uint8": (0, 255),
            "uint16": (0, 65535),
            "int16": (-32768, 32767),
            "float32": (-(2**24), 2**24),
        }[self.kind]

    @property
    def slices(self) -> list[range]:
        """B4."""
        height = self.sides[0]
        rows = self.slice_rows or height
        return [range(start, min(start + rows, height)) for start in range(0, height, rows)]


class Fit:
    """B6: the equations of a plane."""

    def __init__(self, n: int, columns: int) -> None:
        self.n, self.last = n, min(-(-columns // 32), 1024) - 1
        self.sums = np.zeros((self.last + 1, n + 1, n + 1), np.int64)
        self.weights = [[0] * n for _ in range(self.last + 1)]

    def solve(self, state: int) -> None:
        n = self.n
        m = sum(self.sums[k] for k in (max(state - 1, 0), state, min(state + 1, self.last))).tolist()
        if not any(m[a][a] for a in range(n + 1)):
            return
        for a in range(n):
            m[a][a] += (m[a][a] >> 10) + 4096
        w = self.weights[state]
        for a in [*range(n), *range(n)]:
            v = m[n][a] * 2**16 - sum(map(mul, m[a], w))
            w[a] = clamp(w[a] + v // m[a][a], -(2**19), 2**19)

    def learn(self, state: int, seen: list[list[int]]) -> None:
        q = np.array(seen, np.int64).reshape(-1, self.n + 1)
        self.sums[state] += q.T @ q - (self.sums[state] >> 4)


class Bordered:
    """Numbers of a plane, and what stands for those outside of it."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.of: Plane = [[0] * columns for _ in range(rows)]

    def at(self, i: int, j: int) -> int:
        if not 0 <= i < self.rows:
            return 0
        if j < 0:
            return self.at(i - 1, 0)
        return self.of[i][min(j, self.columns - 1)]

    def middle(self, i: int, j: int) -> int:
        return (self.at(i, j - 1) + self.at(i - 1, j)) >> 1

    def slope(self, i: int, j: int) -> int:
        return self.at(i, j - 1) - self.at(i - 1, j)


class Slice:
    """B6 to B8: planes of a slice."""

    def __init__(self, mask: Mask, first_predictors: int, stream: bytes) -> None:
        self.mask, self.first_predictors = mask, first_predictors
        self.coder = RangeDecoder(stream)
        self.planes: list[Bordered] = []
        self.errors: list[Bordered] = []
        self.activity = defaultdict[Place, int](int)
        self.widths = [defaultdict[int, list[int]](lambda: [736, 0]) for _ in range(3)]
        self.biases = defaultdict[int, list[int]](lambda: [0, 0])
        self.models = [defaultdict[Place, list[int]](lambda: [2**21, 0]) for _ in range(3)]
        self.weights = defaultdict[Place, list[int]](lambda: [14563] * 3 + [10922] * 3)

    def decode(self, count: int) -> list[Plane]:
        for _ in range(count):
            self.plane()
        return [
            [
                [x if here else 0 for x, here in zip(line, mask, strict=True)]
                for line, mask in zip(plane.of, self.mask, strict=True)
            ]
            for plane in self.planes
        ]

    def plane(self) -> None:
        (rows, columns), j = self.mask.shape, len(self.planes)
        self.planes.append(x := Bordered(rows, columns))
        self.errors.append(e := Bordered(rows, columns))
        self.widths[2].clear()
        tell = sorted({*range(min(self.first_predictors, j)), *range(max(j - 4, 0), j)})
        fit = Fit(2 + len(FURTHER) + 2 * len(tell), columns)
        for row in range(rows):
            seen: list[list[int]] = []
            for column in range(columns):
                state = column // 32 % 1024
                if column % 32 == 0:
                    fit.solve(state)
                    seen = []
                if self.mask[row, column]:
                    middle = x.middle(row, column)
                    inputs = [x.slope(row, column), clamp(middle, -8, 8)]
                    inputs += [x.at(row + a, column + b) - middle for a, b in FURTHER]
                    for p in tell:
                        other = self.planes[p]
                        inputs.append(other.at(row, column) - other.middle(row, column))
                        inputs.append(other.slope(row, column))
                    value = self.number(row, column, middle, inputs, fit.weights[state])
                    inputs.append(value - middle)
                    g, largest = INVERSE[self.surprise], max(map(abs, inputs))
                    if largest * g > 4095 * 2**16:
                        g = 4095 * 2**16 // largest
                    seen.append([(u * g) >> 16 for u in inputs])
                else:
                    x.of[row][column], e.of[row][column] = x.at(row, column - 1), e.at(row, column - 1)
                if column % 32 == 31 or column == columns - 1:
                    fit.learn(state, seen)
        for i, k in product(range(-1, rows + 1), range(-1, columns + 1)):
            a = self.activity[i, k]
            self.activity[i, k] = a + min(e.at(i, k), 4095) - ((5 * a) >> 5)

    def number(self, i: int, j: int, middle: int, inputs: list[int], weights: list[int]) -> int:
        x, e, a = self.planes[-1], self.errors[-1], self.activity
        raw = 16 * middle + ((sum(u * w for u, w in zip(inputs, weights, strict=True)) + 2**11) >> 12)
        own = 2 * e.at(i, j - 1) + 2 * e.at(i - 1, j) + e.at(i - 1, j - 1) + e.at(i - 1, j + 1)
        own += e.at(i, j - 2) + e.at(i - 2, j)
        before = 4 * a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j]
        held = [
            self.widths[0][32 * level(own >> 2, 31) + level(before >> 5, 31)],
            self.widths[1][fine((2 * own + (before >> 2)) >> 2)],
            self.widths[2][16 * level(own >> 3, 15) + level(before >> 6, 15)],
        ]
        sides = 3 * side(x.at(i, j - 1)) + side(x.at(i - 1, j))
        bias = self.biases[9 * level(own >> 4, 23) + sides]
        self.s = [fine(v >> 6) for v, _ in held]
        center = clamp(raw + ((bias[0] * RATE[bias[1] + 3]) >> 16), -(2**29), 2**29)
        value = self.decided(i, j, center)
        x.of[i][j] = value
        e.of[i][j] = error = min(abs(16 * value - center), 2**20 - 1)
        self.surprise = fine((held[1][0] >> 6) + (error >> 1))
        for width in held:
            width[0] += ((46 * error - width[0]) * RATE[width[1]]) >> 16
            width[1] = min(width[1] + 1, 60)
        bias[0] += clamp(16 * value - raw, -65536, 65536)
        bias[1] += 1
        if bias[1] > 252:
            bias[:] = bias[0] >> 1, bias[1] >> 1
        return value

    def decided(self, i: int, j: int, center: int) -> int:
        """B8."""
        mean, border = sum(self.s) // 3, (center >> 4) + 1
        self.density = density = min(mean // 3, 39)
        shift, planes = max(mean - 40, 0) >> 3, self.planes
        west, north = planes[-1].at(i, j - 1) - border, planes[-1].at(i - 1, j) - border
        e1 = self.errors[-2].at(i, j) if len(planes) > 1 else 0
        e2 = self.errors[-3].at(i, j) if len(planes) > 2 else 0
        self.m = [
            16 * density + center % 16,
            10 * (8 * clamp(west + 4, 0, 7) + clamp(north + 4, 0, 7)) + density // 4,
            10 * (13 * level(e1 >> 2, 12) + level(e2 >> 2, 12)) + density // 4,
        ]
        t = 16 * border - 8 - center
        above = self.decision(0, [scaled(-t, s) for s in self.s])
        g, t = (border, t) if above else (border - 1, -t)
        z = [scaled(t, s) for s in self.s]
        step = [(INVERSE[s] << (shift + 4)) >> 18 for s in self.s]
        d = 0
        while d < 23:
            inputs = [tail(p) - gap(s - 8 * shift) for p, s in zip(z, self.s, strict=True)]
            if not self.decision(1 + d, inputs):
                break
            d += 1
            z = [p + q for p, q in zip(z, step, strict=True)]
        node = 24 + min(d, 3)
        if d == 23:
            ones = 0
            while ones < 28 and self.coder.bit(32768):
                ones += 1
            d += (1 << ones) + self.coder.digits(ones) - 1
        for k in range(shift - 1, -1, -1):
            if k >= shift - 2:
                parts = [q >> (shift - 1 - k) for q in step]
                inputs = [
                    tail(p) - tail(p + q) - ratio(s - 8 * k) for p, q, s in zip(z, parts, self.s, strict=True)
                ]
                half = self.decision(node + 4 * (shift - 1 - k), inputs)
                if half:
                    z = [p + (q >> (shift - k)) for p, q in zip(z, step, strict=True)]
            else:
                half = self.coder.bit(32768)
            d = 2 * d + half
        return clamp(g + d if above else g - d, -(2**25), 2**25)

    def decision(self, node: int, opinions: list[int]) -> int:
        models = [models[m, node] for models, m in zip(self.models, self.m, strict=True)]
        inputs = [clamp(logit, -2815, 2815) for logit in opinions]
        inputs += [logit_of(p >> 6) for p, _ in models]
        weights = self.weights[self.density, node]
        logit = clamp(sum(u * w for u, w in zip(inputs, weights, strict=True)) >> 16, -2815, 2815)
        chance = probability(logit)
        bit = self.coder.bit(chance)
        error = bit * 65536 - chance
        for i, value in enumerate(inputs):
            weights[i] = wrapped(weights[i] + ((value * error * 6 + 2**17) >> 18))
        for model in models:
            model[0] += (((2**22 - 1) * bit - model[0]) * RATE[model[1]]) >> 16
            model[1] = min(model[1] + 1, 127)
        return bit


def missing_of(payload: bytes, header: Header) -> tuple[float, Mask]:
    """B3: the value, and the mask, (H, W, C)."""
    require(len(payload) >= 9 and payload[0] < 2, "mask")
    (value,) = struct.unpack_from("<d", payload, 1)
    height, width, bands = header.sides
    count = height * width * (bands if payload[0] else 1)
    raw = zlib.decompress(payload[9:])
    require(len(raw) == -(-count // 8), "mask")
    bits = [raw[place // 8] >> (7 - place % 8) & 1 for place in range(count)]
    planes = np.array(bits, bool).reshape(-1, height, width)
    for row in range(1, height):
        planes[:, row] ^= planes[:, row - 1]
    return value, np.broadcast_to(np.moveaxis(planes, 0, 2), header.sides)


@dataclass
class Decoded:
    header: Header
    values: NDArray[Any]
    k: int
    scores: NDArray[Any]


def decode(data: bytes, k: int | None = None) -> Decoded:
    """Decode a file; with k, from its first components only."""
    found = chunks(data, "HMANCRE")
    require(found[0][0] == "H", "no header")
    header = Header.parse(found[0][1])
    once = {kind: payload for kind, payload in found if kind != "C"}
    components = [payload for kind, payload in found if kind == "C"]
    require(number(once["E"], 0) == (len(components), len(once["E"])), "number of components")
    value, gone = missing_of(once["N"], header) if "N" in once else (0.0, np.zeros(header.sides, bool))
    picture = (1, 1, header.sides[2])
    mean = Planes(picture, contexts=False).decode(once["M"])
    parts, segments = [], []
    for place, payload in enumerate(components[:k], start=1):
        ordinal, at = number(payload, 0)
        require(ordinal == place, "order of components")
        precision = payload[at]
        length, at = number(payload, at + 1)
        parts.append((precision, Planes(picture, contexts=False).decode(payload[at : at + length])))
        segments.append(payload[at + length :])
    mask = ~gone.all(axis=2)
    decoded = [
        Slice(mask[rows.start : rows.stop], 4, stream).decode(len(parts))
        for rows, stream in zip(header.slices, streams(segments, len(header.slices)), strict=True)
    ]
    scores = [[line for part in decoded for line in part[j]] for j in range(len(parts))]
    check_bound(header, mean, parts, scores)
    whole = reconstructed(header, mean, parts, scores)
    if "R" in once and len(parts) == len(components):
        count, at = number(once["R"], 0)
        require(count == len(components), "number of components of the corrections")
        whole = corrected(once["R"][at:], header, mask, whole)
    values = whole.astype(header.kind)
    if header.kind == "float32":
        values = np.ldexp(values, -header.value_bits)
    values[gone] = np.array(value).astype(values.dtype)
    shape = header.sides if header.has_axis else header.sides[:2]
    return Decoded(header, values.reshape(shape), len(parts), np.array(scores))


def reconstructed(
    header: Header, mean: list[int], parts: list[tuple[int, list[int]]], scores: list[Plane]
) -> NDArray[np.int64]:
    """B2, in whole numbers of 2⁻¹²⁸, which are of any length."""
    whole = np.zeros(header.sides, object)
    whole += [x << (128 - header.mean_bits) for x in mean]
    for (precision, entries), plane in zip(parts, scores, strict=True):
        shift = 128 + header.exponent - precision
        weights = np.array([entry * header.mantissa << shift for entry in entries], object)
        whole += np.multiply.outer(np.array(plane, object), weights)
    shift = 128 - header.value_bits
    return np.clip((whole + (1 << (shift - 1))) >> shift, *header.bounds).astype(np.int64)


def check_bound(
    header: Header, mean: list[int], parts: list[tuple[int, list[int]]], scores: list[Plane]
) -> None:
    """6, with B2."""
    m, x = header.mantissa, header.exponent
    while m % 2 == 0:
        m, x = m // 2, x + 1
    finest = [precision - x for precision, _ in parts]
    bits = max([1, header.value_bits + 1, header.mean_bits, *finest])
    total = (max(map(abs, mean)) << (bits - header.mean_bits)) + (1 << bits)
    for digits, (_, entries), plane in zip(finest, parts, scores, strict=True):
        largest = max(abs(x) for line in plane for x in line)
        total += largest * max(map(abs, entries)) * m << (bits - digits)
    require(total < 1 << 53, "sums out of range")


def corrected(data: bytes, header: Header, mask: Mask, whole: NDArray[np.int64]) -> NDArray[np.int64]:
    """B9."""
    error, place = number(data, 0)
    require(error <= 1 << 16, "error of the corrections")
    height, width, bands = header.sides
    count = min(height, -(-height * width // CORRECTED_PIXELS))
    require(len(data) >= place + 4 * count, "corrections cut short")
    sizes = struct.unpack_from(f"<{count}I", data, place)
    place += 4 * count
    require(place + sum(sizes) == len(data), "length of the corrections")
    result = whole.copy()
    for i, size in enumerate(sizes):
        start, stop = height * i // count, height * (i + 1) // count
        planes = Slice(mask[start:stop], 0, data[place : place + size]).decode(bands)
        place += size
        result[start:stop] += (2 * error + 1) * np.moveaxis(np.array(planes, np.int64), 0, 2)
    return np.clip(result, *header.bounds)
