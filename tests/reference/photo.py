"""Photos, written from docs/format.md alone: nothing of pcaimage, and of NumPy arrays and whole numbers only.

It belongs to :mod:`tests.reference.container`; section numbers are those of the document. The
tables, which the document describes, are read from their file.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference import groups, residual
from tests.reference.container import chunks, number, require
from tests.reference.drawn import drawn
from tests.reference.local_steps import LocalSteps
from tests.reference.models import Tables
from tests.reference.pixels import Transform, coefficients
from tests.reference.prediction import Component
from tests.reference.shrinkage import Shrinkage
from tests.reference.slices import Slice
from tests.reference.tiles import paint

RESOURCES = Path(__file__).parents[2] / "resources"


@dataclass
class Header:
    """3."""

    value_bytes: int
    has_axis: bool
    mantissa: int
    exponent: int
    tables: int
    slice_rows: int
    sides: list[int]
    dependent: bool = False
    strengths: tuple[int, ...] = ()
    tiled: bool = False
    slopes: tuple[int, ...] = ()
    local: LocalSteps = field(default_factory=LocalSteps)
    white: int | None = None
    nested: bool = False
    drawn: bool = False

    @classmethod
    def parse(cls, payload: bytes) -> Header:
        method, block, size, flags, mantissa, exponent, b, s, tables = struct.unpack_from(
            "<BBBBHbBBB", payload
        )
        slice_rows, place = number(payload, 10)
        tools, place = number(payload, place)
        require(not tools & ~255, "tools")
        strengths, slopes = (), ()
        if tools & 2:
            count, place = payload[place], place + 1
            strengths, place = struct.unpack_from(f"{count}b", payload, place), place + count
        local = LocalSteps()
        if tools & 4:
            local.levels, local.middle, place = *payload[place : place + 2], place + 2
            require(2 <= local.levels <= 16 and local.middle < local.levels, "levels")
        if tools & 8:
            count, place = payload[place], place + 1
            local.weights, place = struct.unpack_from(f"{count}b", payload, place), place + count
            require(max(map(abs, local.weights)) <= 32 and local.weights[0] >= 0, "weights")
        if tools & 16:
            count, place = payload[place], place + 1
            slopes, place = struct.unpack_from(f"{count}b", payload, place), place + count
        white = None
        if flags & 4:
            white, place = number(payload, place)
            require(size == 2 and 1 <= white < 65535, "white")
        sides = []
        while place < len(payload):
            side, place = number(payload, place)
            sides.append(side)
        require((method, block, b, s) == (3, 8, 0, 0) and not flags & ~5 and size in {1, 2}, "header")
        require(len(sides) == 3 and sides[2] <= 4 and (flags & 1 or sides[2] == 1), "sides")
        found = cls(size, bool(flags & 1), mantissa, exponent, tables, slice_rows, sides, bool(tools & 1))
        require(not tools & 8 or len(local.weights) == 1 + sides[2], "weights")
        found.local, found.white = local, white
        found.tiled, found.nested = bool(tools & 32), bool(tools & 64)
        found.drawn = bool(tools & 128)
        require((size == 1 or not found.tiled) and found.tiled >= found.drawn, "tiles of one byte")
        if tools & 2:
            require(len(strengths) == 2 * sides[2] and max(map(abs, strengths)) <= 16, "strengths")
            require(found.at_least(255, found.peak) and not found.above(255, 300 * found.peak), "step")
            found.strengths = strengths
        if tools & 16:
            require(len(slopes) == 5 * sides[2] - 1, "slopes")
            found.slopes = slopes
        return found

    @property
    def peak(self) -> int:
        return (1 << (8 * self.value_bytes)) - 1 if self.white is None else self.white

    @property
    def channels(self) -> int:
        return self.sides[2]

    @property
    def grid(self) -> tuple[int, int]:
        return -(-self.sides[0] // 8), -(-self.sides[1] // 8)

    @property
    def slices(self) -> list[range]:
        """P5."""
        rows = self.grid[0]
        height = self.slice_rows or rows
        require(-(-rows // height) <= 1024, "slices")
        return [range(start, min(start + height, rows)) for start in range(0, rows, height)]

    def at_least(self, steps: float, of: float) -> bool:
        """Return whether the step, times a number, is at least another."""
        return float(self.mantissa) * 2.0**self.exponent * steps >= of

    def above(self, steps: float, of: float) -> bool:
        """Return whether the step, times a number, is above another."""
        return float(self.mantissa) * 2.0**self.exponent * steps > of

    @property
    def largest(self) -> tuple[int, int]:
        """P4: of constant components, and of the others."""
        score = 16 * self.peak * self.channels**0.5
        require(self.at_least(2**22, score), "step")
        finest = min(self.local.finest(self.channels), 1)
        return (32767, 16383) if self.at_least(29490.3, score / finest) else (2**22, 2**22)

    @property
    def grade(self) -> int:
        """P2."""
        return sum(self.at_least(255, edge * self.peak) for edge in (5.5, 23))


@cache
def arrays_of(version: int, grade: int) -> dict[str, NDArray[Any]]:
    """P2."""
    folder, arrays = RESOURCES / f"photo-{version}", {}
    require(folder.exists(), "version of the tables")
    for name in ("shared", f"grade-{grade}"):
        data = (folder / f"{name}.tables").read_bytes()
        while data:
            title, kind = data[1 : 1 + data[0]].decode(), data[1 + data[0] : 3 + data[0]].decode()
            axes, data = data[3 + data[0]], data[4 + data[0] :]
            shape = struct.unpack_from(f"<{axes}I", data)
            array = np.frombuffer(data, f"<{kind}", math.prod(shape), 4 * axes).reshape(shape)
            arrays[title], data = array, data[4 * axes + array.nbytes :]
    return arrays


def components(order: NDArray[Any], channels: int) -> list[Component]:
    """P4: those that are not constant."""
    found = []
    for place, (p, u, v) in enumerate(order.tolist()):
        if p < channels:
            found.append(Component(p, u, v, place))
        if p == 2 and channels == 4:
            found.append(Component(3, u, v, place))
    return found


def in_own_order(found: list[Component], slopes: tuple[int, ...]) -> list[Component]:
    """P4."""
    t = [0, 16, 25, 32, 37, 41, 45, 48]
    numbers = [0, *slopes]

    def level(c: Component) -> int:
        s, a, b, d, e = numbers[5 * c.p : 5 * c.p + 5]
        return 32 * s + a * t[c.u] + b * t[c.v] + d * t[max(c.u, c.v)] + 8 * e * (c.u + c.v)

    return sorted(found, key=level, reverse=True)


def streams(segments: list[bytes], count: int) -> list[bytes]:
    """P5."""
    found = [b""] * count
    for segment in segments:
        place, lengths = 0, []
        for _ in range(count - 1):
            length = 0
            for digit in range(5):
                byte = segment[place] if place < len(segment) else 0
                place = min(place + 1, len(segment))
                length += (byte & 127) << (7 * digit)
                if byte < 128:
                    break
            lengths.append(length)
        require(sum(lengths) <= len(segment) - place, "lengths of pieces")
        for index, length in enumerate([*lengths, len(segment) - place - sum(lengths)]):
            found[index] += segment[place : place + length]
            place += length
    return found


@dataclass
class Decoded:
    header: Header
    pixels: NDArray[Any]
    k: int
    scores: list[NDArray[Any]]
    in_tiles: bool  # all of it


def decode(data: bytes, k: int | None = None) -> Decoded:
    """Decode a photo; with k, from its first components only. Residuals are left alone."""
    found = chunks(data, "HMATGRE")
    require(found[0][0] == "H", "no header")
    header = Header.parse(found[0][1])
    once = {kind: payload for kind, payload in found if kind != "G"}
    segments: list[bytes] = []
    for kind, payload in found:
        if kind == "G":
            first, more = groups.segments(payload)
            require(first == len(segments) + 1, "order of groups")
            segments += more
    require(number(once["E"], 0) == (len(segments), len(once["E"])), "number of components")
    segments = segments[:k]
    tables = Tables(arrays_of(header.tables, header.grade))
    others = components(tables["order"], header.channels)
    if header.slopes:
        others = in_own_order(others, header.slopes)
    transform = Transform.parse(once["M"], header.channels, tables["basis"])
    scores, levels = [], []
    for rows, stream in zip(header.slices, streams(segments, len(header.slices)), strict=True):
        grid, most = (len(rows), header.grid[1]), header.largest
        part = Slice(tables, others, header.channels, grid, most, stream)
        part.dependent, part.local, part.nested = header.dependent, header.local, header.nested
        if segments and header.local.levels > 1:
            part.levels = header.local.decode(part.coder, tables.rates, grid)
        levels.append(part.levels)
        scores.append(part.decode(len(segments)))
    same = {"local": header.local, "fraction": 4 if header.nested else 1}
    found = [
        coefficients(part, tables, others, header.channels, levels=level, **same)
        for part, level in zip(scores, levels, strict=True)
    ]
    planes = np.concatenate(found, axis=1)

    def grade(factor: float) -> int:
        return sum(header.at_least(255 * factor, 4 * 2 ** (g / 2 + 0.25) * header.peak) for g in range(10))

    def shrink(strengths: tuple[int, ...], blocks: Any) -> Shrinkage:
        return Shrinkage(tables["shrink_gains"], strengths, header.local, blocks, grade)

    shrinkage = shrink(header.strengths, np.concatenate(levels)) if any(header.strengths) else None
    step = header.mantissa, header.exponent
    pixels = np.minimum(
        transform.pixels(planes, header.sides, header.value_bytes, step, shrinkage), header.peak
    )
    require(header.tiled == ("T" in once), "tiles")
    drawing = partial(drawn, step=step, transform=transform, local=header.local, shrink=shrink)
    in_tiles = header.tiled and paint(once["T"], pixels, drawing if header.drawn else None)
    shape = header.sides if header.has_axis else header.sides[:2]
    return Decoded(header, pixels.reshape(shape), len(segments), scores, in_tiles)


def original(data: bytes) -> NDArray[Any]:
    """Decode a lossless photo: 4.2."""
    decoded = decode(data)
    payload = dict(chunks(data, "HMATGRE"))["R"]
    k, place = number(payload, 0)
    require(k == decoded.k, "number of components of the residual")
    if decoded.in_tiles and place == len(payload):
        return decoded.pixels
    pixels = decoded.pixels.reshape(decoded.header.sides)
    pixels = residual.decode(payload[place:], pixels)
    return pixels.reshape(decoded.pixels.shape)
