"""Numbers of :mod:`tests.reference.linear` that are coded directly: 5.9."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.container import require
from tests.reference.models import clamp, level
from tests.reference.residual import INVERSE, probability, wrapped

Band = dict[str, Any]


def bounded(value: int, shift: int) -> int:
    return clamp(wrapped(value) >> shift, -32767, 32767)


def firsts() -> list[list[int]]:
    found = []
    for y in range(24):
        logits = [clamp(((2 * s - 63) * INVERSE[2 * y]) >> 15, -2815, 2815) for s in range(64)]
        c = [(probability(logit) * 4095) >> 16 for logit in logits]
        found.append([each - c[0] for each in c] + [4096])
    return found


FIRST = firsts()


class Stream:
    """What is in front, words and bits."""

    def __init__(self, data: bytes, bands: int) -> None:
        self.bands, place = list[Band](), 0
        for _ in range(bands):
            require(place + 8 <= len(data), "parameters")
            start, d, g, first, n = struct.unpack_from("<i4B", data, place)
            require(max(d, g, first) < 32 and 0 < n <= 32 and place + 40 + n <= len(data), "parameters")
            sizes, weights = data[place + 8 :][:n], struct.unpack_from("<16h", data, place + 8 + n)
            require(max(sizes) <= 131 and -(2**15) not in weights, "parameters")
            self.bands.append({"start": start, "d": d, "g": g, "first": first, "sizes": sizes, "w": weights})
            place += 40 + n
        require(place + 20 <= len(data), "words")
        stop = place + 4 + 2 * struct.unpack_from("<I", data, place)[0]
        require(place + 20 <= stop <= len(data), "words")
        self.states = list(struct.unpack_from("<4I", data, place + 4))
        self.words = list(memoryview(data[place + 20 : stop]).cast("H"))[::-1]
        self.rest, self.left = int.from_bytes(data[stop:], "little"), 8 * (len(data) - stop)

    def bits(self, n: int) -> int:
        value, self.rest, self.left = self.rest % 2**n, self.rest >> n, self.left - n
        require(self.left >= 0, "bits")
        return value

    def error(self, z: int, j: int) -> int:
        a, first = self.states[j % 4], FIRST[z if z < 24 else 20 + z % 4]
        s = max(s for s in range(64) if first[s] <= a % 4096 < first[s + 1])
        a = (first[s + 1] - first[s]) * (a >> 12) + a % 4096 - first[s]
        if a < 2**16:
            require(bool(self.words), "words")
            a = a * 2**16 + self.words.pop()
        self.states[j % 4] = a
        if s < 63:
            shift = max((z - 20) // 4, 0)
            return wrapped((s - 31) * 2**shift + self.bits(shift) - (2**shift >> 1))
        v = self.bits(min(self.bits(6), 32))
        return v // 2 if v % 2 == 0 else -(v + 1) // 2


def decoded(data: bytes, shape: tuple[int, int, int]) -> NDArray[Any]:
    """Return the numbers of a slice of so many lines, columns and bands."""
    height, width, count = shape
    stream, found = Stream(data, count), np.zeros(shape, object)
    inside = [max(min(j, width - 1), 0) for j in range(-1, width + 1)]
    for band in stream.bands:
        band["x"] = [band["start"]] * width
        band["B"], band["L"], band["E"] = ([0] * (width + 2) for _ in range(3))
    nothing = {"D": [0] * (width + 2), "L": [0] * (width + 2)}
    for i in range(height):
        known, told = [nothing, nothing], stream.bands[0]["E"]
        for b, band in enumerate(stream.bands):
            x, w, r = list[int](), band["w"], list[int]()
            for j, up in enumerate(band["x"]):
                inputs = [band[name][j + t] for t in (1, 2) for name in ("B", "L")]
                inputs += [other[name][j + t] for other in known for t in range(3) for name in ("D", "L")]
                p = sum(a * c for a, c in zip(w, inputs, strict=True))
                near = sum(e[j] + 2 * e[j + 1] + e[j + 2] for e in (band["E"], told))
                kind = clamp(level(near + 2, 31) - band["first"], 0, len(band["sizes"]) - 1)
                r.append(stream.error(band["sizes"][kind], j))
                x.append(wrapped(up + ((wrapped(p + 2**11) >> 12) << band["d"]) + r[-1]))
            down = [bounded(a - c, band["d"]) for a, c in zip(x, band["x"], strict=True)]
            left = [bounded(x[j - 1] - x[j], band["d"]) if j else 0 for j in range(width)]
            band["B"] = [bounded(band["start"] - x[j], band["d"]) for j in inside]
            told = band["E"] = [min(abs(r[j]) >> band["g"], 4095) for j in inside]
            known = [{"D": [down[j] for j in inside], "L": band["L"]}, known[0]]
            band["L"], band["x"], found[i, :, b] = [0, *left, 0], x, x
    require(stream.states == [2**16] * 4 and not stream.words and stream.left < 8, "end")
    return found
