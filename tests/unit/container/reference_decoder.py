"""A decoder written from docs/format.md alone: plain Python, whole numbers, nothing of pcaimage.

Section numbers are those of the document. It is slow, and complete.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, product

SIGNATURE = bytes.fromhex("89 50 43 41 49 0D 0A 1A")
WORD, STATE = 1 << 32, 1 << 64
RAW = [0] * 16 + [3 + (t - 16) // 2 for t in range(16, 72)]
LOWEST = [*range(16), *((2 + t % 2) << RAW[t] for t in range(16, 72))]
ROOTS = [65536, 62757, 60096, 57548, 55108, 52772, 50535, 48392]
ROOTS += [46340, 44376, 42494, 40693, 38967, 37315, 35733, 34218]

Coordinates = tuple[int, ...]


class Refused(Exception):  # noqa: N818 - the document's word
    """The file does not keep the rules."""


def require(condition: object, what: str) -> None:
    if not condition:
        raise Refused(what)


def number(data: bytes, place: int) -> tuple[int, int]:
    """1: an unsigned LEB128 of at most 6 bytes, never more than needed."""
    value = 0
    for index in range(6):
        require(place + index < len(data), "number cut short")
        byte = data[place + index]
        value |= (byte & 127) << (7 * index)
        if byte < 128:
            require(byte or not index, "number too long")
            return value, place + index + 1
    raise Refused("number too large")


def chunks(data: bytes, kinds: str = "HMDACE") -> list[tuple[str, bytes]]:
    """2: kinds and payloads, to the end."""
    require(data[:8] == SIGNATURE and data[8] >> 4 == 1, "signature or version")
    found, place = [], 9
    while not found or found[-1][0] != "E":
        require(place < len(data), "truncated")
        length, start = number(data, place + 1)
        stop = start + length
        require(stop + 4 <= len(data), "truncated")
        require(zlib.crc32(data[place:stop]) == int.from_bytes(data[stop : stop + 4], "little"), "checksum")
        kind = chr(data[place])
        require(kind in kinds or "a" <= kind <= "z", "unknown critical chunk")
        found.append((kind, data[start:stop]))
        place = stop + 4
    require(place == len(data), "bytes after the end")
    return found


@dataclass
class Header:
    """3."""

    method: int
    block: int
    value_bytes: int
    has_axis: bool
    standardised: bool
    mantissa: int
    exponent: int
    mean_bits: int
    scale_bits: int
    sides: list[int]
    peak: int

    @classmethod
    def parse(cls, payload: bytes) -> Header:
        method, block, size, flags, mantissa, exponent, mean_bits, scale_bits = struct.unpack_from(
            "<BBBBHbBB", payload
        )
        peak, sides, place = (1 << (8 * size)) - 1, [], 9
        if flags & 4:
            peak, place = number(payload, place)
            require(size == 2 and 1 <= peak < 65535, "white")
        while place < len(payload):
            side, place = number(payload, place)
            sides.append(side)
        require(len(sides) == (4 if method == 2 else 3), "sides")
        require(flags < 8 and method < 3 and size in {1, 2}, "header")
        return cls(
            method,
            block,
            size,
            bool(flags & 1),
            bool(flags & 2),
            mantissa,
            exponent,
            mean_bits,
            scale_bits,
            sides,
            peak,
        )

    @property
    def grid(self) -> tuple[int, int]:
        *frames, height, width, _ = self.sides
        if self.method == 0:
            return -(-height // self.block), -(-width // self.block)
        return (height, width) if self.method == 1 else (frames[0], 1)

    @property
    def picture(self) -> tuple[int, int, int]:
        *_, height, width, channels = self.sides
        if self.method == 0:
            return self.block, self.block, channels
        return (1, 1, channels) if self.method == 1 else (height, width, channels)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.sides if self.has_axis else self.sides[:-1])

    def sample_and_feature(self, where: Coordinates) -> tuple[int, int]:
        """Return the numbers of the sample and the feature that a value of the image is."""
        *frames, i, j, channel = where
        (_, columns), (_, width, channels) = self.grid, self.picture
        if self.method == 0:
            block = self.block
            row, column = i % block, j % block
            return (i // block) * columns + j // block, (row * width + column) * channels + channel
        if self.method == 1:
            return i * columns + j, channel
        return frames[0], (i * width + j) * channels + channel


@dataclass
class RangeDecoder:
    """5.1."""

    data: bytes
    place: int = 0
    lower: int = 0
    range: int = STATE - 1
    point: int = 0

    def __post_init__(self) -> None:
        self.point = self.word() * WORD
        self.point += self.word()

    def word(self) -> int:
        word = self.data[self.place : self.place + 4].ljust(4, b"\0")
        self.place += 4
        return int.from_bytes(word, "little")

    def symbol(self, frequencies: list[int]) -> int:
        def find(quantile: int) -> tuple[int, int, int]:
            below = 0
            for symbol, frequency in enumerate(frequencies):
                if quantile < below + frequency:
                    return symbol, below, frequency
                below += frequency
            raise Refused("quantile")

        return self.take(find)

    def bits(self, width: int) -> int:
        share = 1 << (24 - width)
        return self.take(lambda quantile: (quantile // share, quantile // share * share, share))

    def take(self, find) -> int:
        scale = self.range >> 24
        quantile = ((self.point - self.lower) % STATE) // scale
        require(quantile < 1 << 24, "entropy-coded data")
        symbol, below, frequency = find(quantile)
        self.lower = (self.lower + scale * below) % STATE
        self.range = scale * frequency
        if self.range < WORD:
            self.lower = self.lower * WORD % STATE
            self.range *= WORD
            self.point = self.point * WORD % STATE + self.word()
        return symbol


def frequencies_of(counts: list[int]) -> list[int]:
    """5.3."""
    total = sum(counts)
    frequencies = [1 + count * ((1 << 24) - 72) // total for count in counts]
    frequencies[counts.index(max(counts))] += (1 << 24) - sum(frequencies)
    return frequencies


def geometric(scale: int, weight: int) -> list[int]:
    """5.3."""
    x = [(lowest << 7) >> scale for lowest in LOWEST]
    g = [(ROOTS[x[t] % 16] << RAW[t]) >> min(x[t] // 16, 62) for t in range(72)]
    return [1 + value * weight // sum(g) for value in g]


def share(counts: list[int], weight: int) -> list[int]:
    """5.4."""
    total = max(sum(counts), 1)
    return [count * weight // total for count in counts]


def unpredict(residuals: list[int], shape: tuple[int, int, int], predictor: int) -> list[int]:
    """5.5."""
    x: dict[Coordinates, int] = {}

    def at(i: int, j: int, channel: int) -> int:
        return x.get((i, j, channel), 0)

    for (i, j, c), residual in zip(product(*map(range, shape)), residuals, strict=True):
        left, up = at(i, j - 1, c), at(i - 1, j, c)
        predicted = [
            0,
            left if j else up,
            up if i else left,
            left + up - at(i - 1, j - 1, c),
            at(i, j, c - 1),
        ][predictor]
        x[i, j, c] = residual + predicted
    return list(x.values())


@dataclass
class Planes:
    """5: planes of a shape; with contexts, a sequence of them."""

    shape: tuple[int, int, int]
    contexts: bool
    stack: bool = False
    activity: list[int] | None = None
    previous: list[list[int]] | None = None
    seen: list[list[int]] = field(default_factory=list)

    @property
    def length(self) -> int:
        return self.shape[0] * self.shape[1] * self.shape[2]

    def decode(self, data: bytes) -> list[int]:
        residuals = [0] * self.length
        predictor = 0
        if data:
            predictor, scale = data[0] & 7, data[0] >> 3
            require(predictor < 5, "predictor")
            residuals = self.residuals(RangeDecoder(data[1:]), scale)
        if self.contexts:
            earlier = self.activity or [0] * self.length
            self.activity = [
                a - (a >> 3) + 64 * min(abs(r), 15) for a, r in zip(earlier, residuals, strict=True)
            ]
            self.previous = self.seen if data else self.previous
        plane = unpredict(residuals, self.shape, predictor)
        require(all(abs(x) < 1 << 31 for x in plane), "number out of range")
        return plane

    def residuals(self, coder: RangeDecoder, scale: int) -> list[int]:
        tokens = self.tokens(coder, scale)
        magnitudes = [LOWEST[token] for token in tokens]
        for token in sorted(set(tokens)):
            places = [place for place, other in enumerate(tokens) if other == token]
            for shift in range(0, RAW[token], 16):
                for place in places:
                    magnitudes[place] += coder.bits(min(16, RAW[token] - shift)) << shift
        signed = [-m if m and coder.bits(1) else m for m in magnitudes]
        residuals = [0] * self.length
        for place, value in zip(self.order(), signed, strict=True):
            residuals[place] = value
        return residuals

    def tokens(self, coder: RangeDecoder, scale: int) -> list[int]:
        """5.4."""
        length = self.length
        n = min(max(length // 512, 1), 16) if self.contexts else 1
        tokens: list[int] = []
        self.seen = []
        for i in range(n):
            counts = geometric(scale, 1024 if self.previous is None else 128)
            if i > 0:
                counts = [a + b for a, b in zip(counts, share(self.seen[-1], 1024), strict=True)]
            if self.previous is not None:
                counts = [a + b for a, b in zip(counts, share(self.previous[i], 2048), strict=True)]
            self.seen.append(seen := [0] * 72)
            start, stop = i * length // n, (i + 1) * length // n
            while start < stop:
                done = start - i * length // n
                run = min(stop - start, max(48, done // 2), 65536)
                frequencies = frequencies_of([a + b for a, b in zip(counts, seen, strict=True)])
                found = [coder.symbol(frequencies) for _ in range(run)]
                for token in found:
                    seen[token] += 16
                tokens += found
                start += run
        return tokens

    def order(self) -> list[int]:
        """5.6."""
        places = list(range(self.length))
        if not self.contexts or self.activity is None:
            return places
        rows, columns, _ = self.shape
        activity = self.activity

        def around(place: int) -> int:
            if self.stack:
                return 28 * activity[place]
            total = 0
            for di, dj in product((-1, 0, 1), repeat=2):
                i = min(max(place // columns + di, 0), rows - 1)
                j = min(max(place % columns + dj, 0), columns - 1)
                total += (16, 2, 1)[abs(di) + abs(dj)] * activity[i * columns + j]
            return total

        return sorted(places, key=lambda place: -(around(place) >> 2))


@dataclass
class Decoded:
    header: Header
    shape: tuple[int, ...]
    pixels: list[int]
    k: int
    alpha: list[int] | None
    ancillary: dict[str, bytes]

    @property
    def pixel_bytes(self) -> bytes:
        return struct.pack(f"<{len(self.pixels)}{'BH'[self.header.value_bytes - 1]}", *self.pixels)


def decode(data: bytes, k: int | None = None) -> Decoded:
    """Decode a file; with k, from its first components only."""
    found = chunks(data)
    require(found[0][0] == "H", "no header")
    header = Header.parse(found[0][1])
    once = {kind: payload for kind, payload in found if kind != "C"}
    components = [payload for kind, payload in found if kind == "C"]
    require(number(once["E"], 0) == (len(components), len(once["E"])), "number of components")
    require(("D" in once) == header.standardised, "standard deviations")
    mean = Planes(header.picture, contexts=False).decode(once["M"])
    scale = [1] * len(mean)
    if header.standardised:
        scale = Planes(header.picture, contexts=False).decode(once["D"])
    planes = Planes((*header.grid, 1), contexts=True, stack=header.method == 2)
    decoded = []
    for place, payload in enumerate(components[:k], start=1):
        ordinal, at = number(payload, 0)
        require(ordinal == place, "order of components")
        precision = payload[at]
        length, at = number(payload, at + 1)
        entries = Planes(header.picture, contexts=False).decode(payload[at : at + length])
        decoded.append((precision, entries, planes.decode(payload[at + length :])))
    check_bound(header, mean, scale, decoded)
    pixels = reconstruct(header, mean, scale, decoded)
    alpha = alpha_of(once["A"], header) if "A" in once else None
    return Decoded(
        header, header.shape, pixels, len(decoded), alpha, {x: once[x] for x in once if x.islower()}
    )


Parts = list[tuple[int, list[int], list[int]]]


def reconstruct(header: Header, mean: list[int], scale: list[int], components: Parts) -> list[int]:
    """6, in rational numbers."""
    half = Fraction(1, 2)
    units = [
        Fraction(2) ** (header.exponent - precision - header.scale_bits) * header.mantissa
        for precision, _, _ in components
    ]
    pixels = []
    for where in product(*map(range, header.sides)):
        i, f = header.sample_and_feature(where)
        x = Fraction(mean[f], 1 << header.mean_bits)
        for unit, (_, entries, scores) in zip(units, components, strict=True):
            if scores[i] and entries[f]:
                x += scores[i] * entries[f] * scale[f] * unit
        pixels.append(min(max((x + half).__floor__(), 0), header.peak))
    return pixels


def check_bound(header: Header, mean: list[int], scale: list[int], components: Parts) -> None:
    """6."""
    m, x = header.mantissa, header.exponent
    while m % 2 == 0:
        m, x = m // 2, x + 1
    finest = [precision + header.scale_bits - x for precision, _, _ in components]
    fraction = max([1, header.mean_bits, *finest])
    total = (max(map(abs, mean)) << (fraction - header.mean_bits)) + (1 << fraction)
    for bits, (_, entries, scores) in zip(finest, components, strict=True):
        total += max(map(abs, scores)) * max(map(abs, entries)) * max(scale) * m << (fraction - bits)
    require(total < 1 << 53, "sums out of range")
    require(min(scale) >= 0, "negative standard deviation")


def alpha_of(payload: bytes, header: Header) -> list[int]:
    """8."""
    *frames, height, width, _ = header.sides
    count = (frames or [1])[0] * height * width
    raw = zlib.decompress(payload[1:])
    size = header.value_bytes
    require(len(raw) == count * size, "opacity")
    values = [sum(raw[place + part * count] << (8 * part) for part in range(size)) for place in range(count)]
    for place in range(count):
        row, column = place // width % height, place % width
        if payload[0] == 1 and column:
            values[place] += values[place - 1]
        elif payload[0] == 2 and row:
            values[place] += values[place - width]
        values[place] &= (1 << (8 * size)) - 1
    return values


def spectrum_of(payload: bytes) -> list[float]:
    """9."""
    count, place = number(payload, 0)
    raw = zlib.decompress(payload[place:])
    falls = [raw[i] + 256 * raw[count + i] for i in range(count)]
    levels = accumulate(falls, lambda level, fall: level - fall)
    return [2 ** (level / 1024 - 32) if level else 0.0 for level in levels]
