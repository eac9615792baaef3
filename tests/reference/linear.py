"""A decoder of the linear method written from docs/format.md alone: plain Python, nothing of pcaimage.

Section numbers are those of the document. It is slow, and complete.
"""

from __future__ import annotations

import hashlib
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

from tests.reference import direct
from tests.reference.container import alpha_of, chunks, number, require
from tests.reference.models import RangeDecoder, clamp, digits, level
from tests.reference.photo import streams
from tests.reference.residual import RATE, fine, side
from tests.reference.tiles import frames

TYPES = {1: "uint8", 2: "uint16", 3: "int16", 4: "float32"}
COMPARED = [(-1, -1), (-1, 0), (-1, 1), (-1, 2), (0, -2), (0, -1)]
FURTHER = [(-1, -1), (-1, 1), (0, -2), (-2, 0), (-2, 1)]
BEYOND = [(0, -3), (-1, -2), (-2, -1), (-2, 0), (-2, 1)]
BLOCKS, BANDS, STACK = range(3)
PIXEL_PLANES, CORRECTION_PLANES, OTHER_PLANES = (4, 4), (0, 4), (0, 1)

Place = tuple[int, int]
Plane = list[list[int]]
Mask = NDArray[np.bool_]
Numbers = NDArray[Any]


@dataclass
class Header:
    """3."""

    method: int
    block: int
    kind: str
    has_axis: bool
    standardised: bool
    mantissa: int
    exponent: int
    mean_bits: int
    scale_bits: int
    slice_rows: int
    slice_columns: int
    value_bits: int
    sides: tuple[int, ...]
    peak: float

    @classmethod
    def parse(cls, payload: bytes) -> Header:
        fields = struct.unpack_from("<BBBBHbBB", payload)
        method, block, kind, flags, mantissa, exponent, mean_bits, scale_bits = fields
        bands = method == BANDS
        require(method < 3 and (block > 0) == (method == BLOCKS) and kind in TYPES, "header")
        require(kind < 3 or bands, "type")
        require(flags & (0xF8 | (6 if bands else 0)) == 0, "flags")
        require(mean_bits <= 40 and scale_bits <= (24 if flags & 2 else 0), "fractional bits")
        rows, place = number(payload, 9)
        columns, value_bits, peak = 0, 0, float((1 << (8 * kind)) - 1)
        if bands:
            columns, place = number(payload, place)
            value_bits, peak = struct.unpack_from("<bd", payload, place)
            place += 9
            require(abs(value_bits) <= (40 if kind == 4 else 0), "fractional bits of the values")
            require(math.isfinite(peak) and peak > 0, "peak")
            require(kind > 2 or (peak % 1 == 0 and peak < 1 << (8 * kind)), "peak")
        elif flags & 4:
            peak, place = number(payload, place)
            require(kind == 2 and 1 <= peak < 65535, "white")
        sides = list[int]()
        while place < len(payload):
            length, place = number(payload, place)
            sides.append(length)
        require(len(sides) == (4 if method == STACK else 3), "sides")
        step = mantissa, exponent, mean_bits, scale_bits, rows, columns, value_bits
        return cls(method, block, TYPES[kind], bool(flags & 1), bool(flags & 2), *step, tuple(sides), peak)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.sides if self.has_axis else self.sides[:-1]

    @property
    def bounds(self) -> tuple[int, int]:
        return {
            "uint8": (0, int(self.peak)),
            "uint16": (0, int(self.peak)),
            "int16": (-32768, 32767),
            "float32": (-(2**24), 2**24),
        }[self.kind]

    @property
    def picture(self) -> tuple[int, int, int]:
        """1: height, width and channels of a sample."""
        *_, height, width, channels = self.sides
        if self.method == BLOCKS:
            return self.block, self.block, channels
        return (1, 1, channels) if self.method == BANDS else (height, width, channels)

    @property
    def features(self) -> int:
        return math.prod(self.picture)

    @property
    def lines(self) -> tuple[int, int]:
        """5.1: lines of a plane of scores, and samples in each."""
        if self.method == STACK:
            columns = min(self.sides[0], 1024)
            return -(-self.sides[0] // columns), columns
        height, width, _ = self.sides
        size = self.block if self.method == BLOCKS else 1
        return -(-height // size), -(-width // size)

    @property
    def samples(self) -> int:
        return self.sides[0] if self.method == STACK else math.prod(self.lines)

    @property
    def slices(self) -> list[tuple[slice, slice]]:
        """5.1."""
        height, width = self.lines
        rows, columns = self.slice_rows or height, self.slice_columns or width
        places = product(range(0, height, rows), range(0, width, columns))
        return [
            (slice(top, min(top + rows, height)), slice(left, min(left + columns, width)))
            for top, left in places
        ]

    def image_of(self, samples: Numbers) -> Numbers:
        """1: the image of samples, in rows of features."""
        if self.method != BLOCKS:
            return samples.reshape(self.sides)
        (rows, columns), (size, _, channels) = self.lines, self.picture
        blocks = samples.reshape(rows, columns, size, size, channels)
        whole = blocks.swapaxes(1, 2).reshape(rows * size, columns * size, channels)
        return whole[: self.sides[0], : self.sides[1]]


class Fit:
    """5.3: the equations of a plane."""

    def __init__(self, n: int, columns: int) -> None:
        self.n, self.last = n, min(-(-columns // 32), 1024) - 1
        self.sums = np.zeros((self.last + 1, n + 1, n + 1), np.int64)
        self.weights = [[0] * n for _ in range(self.last + 1)]

    def solve(self, state: int, sweeps: int) -> None:
        n = self.n
        m = sum(self.sums[k] for k in (max(state - 1, 0), state, min(state + 1, self.last))).tolist()
        if not any(m[a][a] for a in range(n + 1)):
            return
        for a in range(n):
            m[a][a] += (m[a][a] >> 10) + 4096
        w = self.weights[state]
        for a in sweeps * [*range(n)]:
            v = m[n][a] * 2**16 - sum(map(mul, m[a], w))
            w[a] = clamp(w[a] + v // m[a][a], -(2**19), 2**19)

    def learn(self, state: int, seen: list[list[int]], forget: int) -> None:
        q = np.array(seen, np.int64).reshape(-1, self.n + 1)
        self.sums[state] += q.T @ q - (self.sums[state] >> forget)


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
    """5.3 to 5.5: planes of a slice."""

    def __init__(self, mask: Mask, predictors: tuple[int, int], stream: bytes) -> None:
        self.mask, self.predictors = mask, predictors
        self.coder = RangeDecoder(stream)
        self.planes: list[Bordered] = []
        self.errors: list[Bordered] = []
        self.activity = defaultdict[Place, int](int)
        self.widths = defaultdict[int, list[int]](lambda: [736, 0])
        self.biases = defaultdict[int, list[int]](lambda: [0, 0])
        self.models = defaultdict[int, list[int]](lambda: [2**21, 0])
        self.weights = defaultdict[int, list[int]](lambda: [16384] * 3)
        self.distributions = [dict[int, Distribution]() for _ in range(4)]

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
        (first, last) = self.predictors
        plain = last > 1 and self.coder.digits(1) == 1
        seldom = last > 1 and j >= 8
        tell = sorted({*range(min(first, j)), *range(max(j - last, 0), j)})
        fit = Fit(2 + len(FURTHER) + 2 * len(tell), columns)
        for row in range(rows):
            learned = [y < 16 or y % 4 == 0 or not seldom for y in (row - 1, row)]
            seen, solved = list[list[int]](), False
            for column in range(columns):
                state = column // 32 % 1024
                if column % 32 == 0:
                    seen, solved = [], False
                if not self.mask[row, column]:
                    x.of[row][column], e.of[row][column] = x.at(row, column - 1), e.at(row, column - 1)
                elif not any(x.at(row + down, column + right) for down, right in COMPARED):
                    x.of[row][column] = value = self.calm(row, column)
                    e.of[row][column] = min(abs(16 * value), 2**20 - 1)
                elif plain:
                    self.number(row, column, 0, [], [])
                else:
                    if learned[0] and not solved:
                        fit.solve(state, 1 if seldom else 2)
                    solved = True
                    middle, inputs = x.middle(row, column), self.inputs(row, column, tell)
                    value = self.number(row, column, middle, inputs, fit.weights[state])
                    inputs.append(value - middle)
                    g = self.surprise // 8 - 7
                    m = max(-g, 0)
                    seen.append([clamp(u >> max(g, 0), -(1023 >> m), 1023 >> m) << m for u in inputs])
                if learned[1] and (column % 32 == 31 or column == columns - 1):
                    fit.learn(state, seen, 3 if seldom else 4)
        for i, k in product(range(-1, rows + 1), range(-1, columns + 1)):
            a = self.activity[i, k]
            self.activity[i, k] = a + min(e.at(i, k), 4095) - ((5 * a) >> 5)

    def inputs(self, i: int, j: int, tell: list[int]) -> list[int]:
        x, others = self.planes[-1], [self.planes[p] for p in tell]
        found = [x.slope(i, j), clamp(x.middle(i, j), -8, 8)]
        found += [x.at(i + a, j + b) - x.middle(i, j) for a, b in FURTHER]
        return found + [u for y in others for u in (y.at(i, j) - y.middle(i, j), y.slope(i, j))]

    def number(self, i: int, j: int, middle: int, inputs: list[int], weights: list[int]) -> int:
        x, e = self.planes[-1], self.errors[-1]
        raw = 16 * middle + ((sum(u * w for u, w in zip(inputs, weights, strict=True)) + 2**11) >> 12)
        own = 2 * e.at(i, j - 1) + 2 * e.at(i - 1, j) + e.at(i - 1, j - 1) + e.at(i - 1, j + 1)
        own += e.at(i, j - 2) + e.at(i - 2, j)
        before = self.before(i, j)
        width = self.widths[fine((2 * own + (before >> 2)) >> 2)]
        sides = 3 * side(x.at(i, j - 1)) + side(x.at(i - 1, j))
        bias = self.biases[9 * level(own >> 4, 23) + sides]
        center = clamp(raw + ((bias[0] * RATE[bias[1] + 3]) >> 16), -(2**29), 2**29)
        around = 32 * level(own >> 2, 31) + level(before >> 5, 31)
        value = self.decoded(i, j, center, fine(width[0] >> 6), around)
        x.of[i][j] = value
        e.of[i][j] = error = min(abs(16 * value - center), 2**20 - 1)
        self.surprise = fine((width[0] >> 6) + (error >> 1))
        width[0] += ((46 * error - width[0]) * RATE[width[1]]) >> 16
        width[1] = min(width[1] + 1, 60)
        bias[0] += clamp(16 * value - raw, -65536, 65536)
        bias[1] += 1
        if bias[1] > 252:
            bias[:] = bias[0] >> 1, bias[1] >> 1
        return value

    def before(self, i: int, j: int) -> int:
        a = self.activity
        return 4 * a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j]

    def calm(self, i: int, j: int) -> int:
        further = sum(self.planes[-1].at(i + down, j + right) != 0 for down, right in BEYOND)
        if not self.bit(180 + 32 * further + level(self.before(i, j) >> 5, 31)):
            return 0
        return clamp(self.signed(154), -(2**25), 2**25)

    def signed(self, first: int) -> int:
        above, a = self.coder.bit(32768), 0
        while a < 26 and self.bit(first + a):
            a += 1
        size = (1 << a) + self.coder.digits(a)
        return size if above else -size

    def decoded(self, i: int, j: int, center: int, s: int, around: int) -> int:
        """5.5."""
        x, c, third, shift = self.planes[-1], (center + 8) >> 4, s // 3, max(s - 28, 0) >> 3
        f = 1 if center >= 16 * c else -1
        west, north = (clamp(f * (y - c) + 4, 0, 7) for y in (x.at(i, j - 1), x.at(i - 1, j)))
        sides = [side(f * (x.at(i + down, j + right) - c)) for down, right in COMPARED]
        m = [
            15 * third + 3 * (f * (center - 16 * c) >> 1) + side(f * c),
            10 * (8 * west + north) + min(third // 4, 9),
            3 * sum(3**k * each for k, each in enumerate(sides)) + (third > 4) + (third > 8),
            3 * around + side(f * c),
        ]
        t = self.symbol(m, s, shift)
        d = t - 7
        if t == 15:
            d = self.signed(128)
            d += 7 if d > 0 else -7
        if shift > 0:
            d = 2 * d + self.bit(16 * ((s - 28) % 8) + t)
            d = (d << (shift - 1)) + self.coder.digits(shift - 1)
        return clamp(c + f * (d - ((1 << shift) >> 1)), -(2**25), 2**25)

    def symbol(self, m: list[int], s: int, shift: int) -> int:
        known = zip(self.distributions, m, strict=True)
        mixed = [each.setdefault(k, Distribution(s, shift)) for each, k in known]
        learned = self.weights[s // 3]
        weights = [*learned, 65535 - sum(learned)]
        parts = [[(p * w) >> 16 for p in each.below[:16]] for each, w in zip(mixed, weights, strict=True)]
        sums = [sum(each) for each in zip(*parts, strict=True)]
        chances = [p - (p >> 11) + 2 * a for a, p in enumerate(sums)]
        t = self.coder.symbol([*chances, 65536])
        sizes = [each.below[t + 1] - each.below[t] for each in mixed]
        h = [(w + 256) * (size + 8) for size, w in zip(sizes, weights, strict=True)]
        d = digits(sum(h)) - 16
        r = (2**32 - 1) // (sum(h) >> d)
        for i in range(3):
            learned[i] += ((((h[i] >> d) * r) >> 16) - learned[i]) >> 5
        for each in mixed:
            each.learn(t)
        return t

    def bit(self, number: int) -> int:
        model = self.models[number]
        bit = self.coder.bit(clamp(model[0] >> 6, 64, 65472))
        model[0] += (((2**22 - 1) * bit - model[0]) * RATE[model[1]]) >> 16
        model[1] = min(model[1] + 1, 127)
        return bit


class Distribution:
    """5.5: one of symbols."""

    def __init__(self, s: int, shift: int) -> None:
        sigma = max((8 + s % 8) * 2.0 ** (s // 8 - 7 - shift), 1 / 64)
        shares = [1 / (1 + math.exp(min((7.5 - a) / sigma, 700.0))) for a in range(16)]
        self.below = [round(65504 * (share - shares[0])) + 2 * a for a, share in enumerate(shares)] + [65536]
        self.n = 1

    def learn(self, t: int) -> None:
        keep = 65536 - RATE[self.n]
        for a in range(1, 16):
            old = self.below[a]
            self.below[a] = (old * keep) >> 16 if a <= t else 65535 - (((65535 - old) * keep) >> 16)
        self.n = min(self.n + 1, 126)


def missing_of(payload: bytes, header: Header) -> tuple[float, Mask]:
    """5.7: the value, and the mask, (H, W, C)."""
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


def vectors(header: Header, segments: list[bytes]) -> list[Numbers]:
    """5.6: as many vectors as there are segments."""
    height, width, channels = header.picture
    each = channels
    if height * width == 1:
        each, width = 1, channels
    half = header.features + (1 << 14)
    count = 1 if width == channels and height == 1 else min(max(1, half >> 15), height)
    parts = [(height * i // count, height * (i + 1) // count) for i in range(count)]
    whole = np.zeros((each * len(segments), height, width), object)
    for (start, stop), stream in zip(parts, streams(segments, count), strict=True):
        mask = np.ones((stop - start, width), bool)
        for plane, decoded in zip(whole, Slice(mask, OTHER_PLANES, stream).decode(len(whole)), strict=True):
            plane[start:stop] = decoded
    rows = np.moveaxis(whole.reshape(len(segments), each, height, width), 1, 3)
    return [row.ravel() for row in rows]


@dataclass
class Decoded:
    header: Header
    values: Numbers
    k: int
    scores: Numbers
    alpha: list[int] | None
    ancillary: dict[str, bytes]


Parts = list[tuple[int, Numbers, Numbers]]


def decode(data: bytes, k: int | None = None, model: bytes | None = None) -> Decoded:
    """Decode a file, if need be with its model; with k, from its first components only."""
    found = chunks(data)
    require(found[0][0] == "H", "no header")
    header = Header.parse(found[0][1])
    once = {kind: payload for kind, payload in found if kind not in "CS"}
    components = [payload for kind, payload in found if kind in "CS"]
    require(number(once["E"], 0) == (len(components), len(once["E"])), "number of components")
    basis, segments = once, [parsed(payload) for kind, payload in found if kind == "C"]
    if "B" in once:
        require(model is not None, "no model")
        basis, lent = lender(once["B"], header, model or b"", len(components))
        scores = [payload[number(payload, 0)[1] :] for payload in components]
        segments = [(*part[:2], each) for part, each in zip(lent, scores, strict=False)]
    for place, payload in enumerate(components, start=1):
        require(number(payload, 0)[0] == place, "order of components")
    require(("D" in basis) == header.standardised, "standard deviations")
    value, gone = 0.0, np.zeros((*header.sides[:2], 1), bool)
    if "N" in once:
        value, gone = missing_of(once["N"], header)
    segments = segments[:k]
    mean = vectors(header, [basis["M"]])[0]
    scale = vectors(header, [basis["D"]])[0] if header.standardised else np.ones(len(mean), object)
    rows = vectors(header, [vector for _, vector, _ in segments]) if segments else []
    planes = scores_of(header, [each for _, _, each in segments], gone) if segments else []
    parts = [(part[0], row, plane) for part, row, plane in zip(segments, rows, planes, strict=True)]
    check_bound(header, mean, scale, parts)
    whole = reconstructed(header, mean, scale, parts)
    whole = frames(once["T"], *header.sides) if "T" in once else header.image_of(whole)
    if "R" in once and len(parts) == len(components):
        count, at = number(once["R"], 0)
        require(count == len(components), "number of components of the corrections")
        require(number(once["R"], at)[0] % 2 == 0 or count == 0, "components, and numbers coded directly")
        whole = corrected(once["R"][at:], header, ~gone.all(axis=2), whole)
    values = whole.astype(header.kind)
    if header.kind == "float32":
        values = np.ldexp(values, -header.value_bits)
    if "N" in once:
        values[gone] = np.array(value).astype(values.dtype)
    alpha = alpha_of(once["A"], header.sides, values.itemsize) if "A" in once else None
    ancillary = {kind: payload for kind, payload in once.items() if kind.islower()}
    return Decoded(header, values.reshape(header.shape), len(parts), np.array(planes), alpha, ancillary)


def parsed(payload: bytes) -> tuple[int, bytes, bytes]:
    """4: precision, vector and scores of a component."""
    _, at = number(payload, 0)
    length, start = number(payload, at + 1)
    return payload[at], payload[start : start + length], payload[start + length :]


def scores_of(header: Header, segments: list[bytes], gone: Mask) -> list[Numbers]:
    """5.2: the scores of each component."""
    predictors = PIXEL_PLANES if header.method == BANDS else OTHER_PLANES
    found = np.zeros((len(segments), *header.lines), object)
    mask = np.arange(math.prod(header.lines)).reshape(header.lines) < header.samples
    if header.method == BANDS:
        mask = mask & ~gone.all(axis=2)
    for where, stream in zip(header.slices, streams(segments, len(header.slices)), strict=True):
        decoded = Slice(mask[where], predictors, stream).decode(len(segments))
        found[:, *where] = np.array(decoded, object).reshape(len(segments), *mask[where].shape)
    return list(found.reshape(len(segments), mask.size)[:, : header.samples])


def reconstructed(header: Header, mean: Numbers, scale: Numbers, parts: Parts) -> Numbers:
    """6, in whole numbers of 2⁻¹⁶⁰, which are of any length."""
    whole = np.zeros((header.samples, header.features), object)
    whole += mean * (1 << (160 - header.mean_bits))
    for precision, entries, scores in parts:
        unit = header.mantissa << (160 + header.exponent - precision - header.scale_bits)
        whole += np.multiply.outer(scores, entries * scale * unit)
    shift = 160 - header.value_bits
    return np.clip((whole + (1 << (shift - 1))) >> shift, *header.bounds)


def check_bound(header: Header, mean: Numbers, scale: Numbers, parts: Parts) -> None:
    """6."""
    m, x = header.mantissa, header.exponent
    while m % 2 == 0:
        m, x = m // 2, x + 1
    finest = [precision + header.scale_bits - x for precision, _, _ in parts]
    bits = max([1, header.value_bits + 1, header.mean_bits, *finest])
    total = (max(map(abs, mean)) << (bits - header.mean_bits)) + (1 << bits)
    for place, (_, entries, scores) in zip(finest, parts, strict=True):
        total += max(map(abs, scores)) * max(map(abs, entries)) * max(scale) * m << (bits - place)
    require(total < 1 << 53, "sums out of range")
    require(min(scale) >= 0, "negative standard deviation")


def corrected(data: bytes, header: Header, mask: Mask, whole: Numbers) -> Numbers:
    """5.8."""
    kind, place = number(data, 0)
    error, m = divmod(kind, 2)
    require(error <= 1 << 16, "error of the corrections")
    height, width, bands = header.sides
    count = len(header.slices)
    require(len(data) >= place + 4 * count, "corrections cut short")
    sizes = struct.unpack_from(f"<{count}I", data, place)
    place += 4 * count
    require(place + sum(sizes) == len(data), "length of the corrections")
    result = whole * (1 - m)
    for where, size in zip(header.slices, sizes, strict=True):
        if m:
            stream, shape = data[place : place + size], result[where].shape
            result[where] = (2 * error + 1) * direct.decoded(stream, shape)
            place += size
            continue
        there = np.broadcast_to(mask, (height, width))[where]
        planes = Slice(there, CORRECTION_PLANES, data[place : place + size]).decode(bands)
        place += size
        result[where] += (2 * error + 1) * np.moveaxis(np.array(planes, object), 0, 2)
    return np.clip(result, *header.bounds)


def leb128(value: int) -> bytes:
    """1."""
    digits = bytearray()
    while value >= 128:
        digits.append(value % 128 + 128)
        value //= 128
    return bytes([*digits, value])


def model_id(model: bytes) -> tuple[int, bytes]:
    """4.3: how many components a model has, and its id."""
    found = chunks(model)
    header = Header.parse(found[0][1])
    once = {kind: payload for kind, payload in found if kind != "C"}
    components = [parsed(payload) for kind, payload in found if kind == "C"]
    kind = next(number for number, name in TYPES.items() if name == header.kind)
    bits = header.mean_bits, header.scale_bits, header.value_bits
    text = struct.pack("<5Bb", header.method, kind, header.standardised, *bits)
    text += b"".join(map(leb128, [*header.picture, len(components)]))
    for vector in (once["M"], once.get("D", b"")):
        text += leb128(len(vector)) + vector
    for precision, vector, _ in components:
        text += bytes([precision]) + leb128(len(vector)) + vector
    return len(components), hashlib.sha256(text).digest()[:16]


def lender(
    payload: bytes, header: Header, model: bytes, k: int
) -> tuple[dict[str, bytes], list[tuple[int, bytes, bytes]]]:
    """4.3: the chunks of a file's model, and its components."""
    lent = Header.parse(chunks(model)[0][1])
    for name in (
        "method",
        "block",
        "kind",
        "standardised",
        "mean_bits",
        "scale_bits",
        "value_bits",
        "picture",
    ):
        require(getattr(header, name) == getattr(lent, name), name)
    count, at = number(payload, 0)
    require((count, payload[at:]) == model_id(model), "another model")
    require(k <= count, "more components than the model")
    found = chunks(model)
    components = [parsed(each) for kind, each in found if kind == "C"]
    return {kind: each for kind, each in found if kind != "C"}, components
