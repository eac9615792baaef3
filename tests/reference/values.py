"""Arrays as docs/format.md, 4.4, defines them: plain Python, nothing of pcaimage."""

from __future__ import annotations

import math
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.container import chunks, number, require
from tests.reference.linear import decode as decode_linear
from tests.reference.photo import original

KINDS = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}
KNOWN = "HVMDBANTCGSRE"


def decode(data: bytes) -> NDArray[Any]:
    """The array of a file, of whose photos only those without loss are decoded."""
    found = chunks(data, KNOWN)
    plain = b"".join([data[:9], *(whole(*each) for each in found if each[0] != "V")])
    image = original(plain) if found[0][1][0] == 3 else decode_linear(plain).values
    return array_of(dict(found)["V"], image)


def whole(kind: str, payload: bytes) -> bytes:
    length, digits = len(payload), bytearray()
    while length > 127:
        digits.append(length % 128 + 128)
        length //= 128
    body = kind.encode() + bytes([*digits, length]) + payload
    return body + struct.pack("<I", zlib.crc32(body))


def array_of(payload: bytes, image: NDArray[Any]) -> NDArray[Any]:
    kind, size, order, count = chr(payload[0]), *payload[1:4]
    require(size in KINDS.get(kind, ()) and order < 3 and (size > 1 or not order) and count <= 32, "type")
    shape, place = [], 4
    for _ in range(count + 1):
        side, place = number(payload, place)
        shape.append(side)
    axis, way, rest = shape.pop(), payload[place], payload[place + 1 :]
    require(axis < max(count, 1) and math.prod(max(side, 1) for side in shape) * size <= 1 << 60, "shape")
    part = np.dtype(f"f{size // 2}" if kind == "c" else f"{kind}{size}")
    n, y = math.prod(shape) * size // part.itemsize, image.reshape(-1)
    require(way == 3 or y.size >= n, "numbers")
    if way == 0:
        found = [value != 0 if kind == "b" else value for value in y[:n].tolist()]
    elif way == 1:
        found = near(rest, part, y[:n].tolist())
    else:
        found = exact(rest, part, y[:n].tolist() if way == 2 else [0] * n, way)
    moved = [*shape[:axis], *shape[axis + 1 :], *shape[axis : axis + 1]]
    array = np.array(found, part).view(f"{kind}{size}").reshape(moved)
    return (np.moveaxis(array, -1, axis) if shape else array).astype("=<>"[order] + f"{kind}{size}")


def plane(rest: bytes) -> tuple[bytes, bytes]:
    (length,) = struct.unpack_from("<I", rest)
    return zlib.decompress(rest[4 : 4 + length]), rest[4 + length :]


def near(rest: bytes, part: Any, y: list[float]) -> list[Any]:
    e, offset = struct.unpack_from({"f": "<hd", "i": "<hq", "u": "<hQ"}[part.kind], rest)
    require(math.isfinite(offset), "offset")
    n_kept, place = number(rest, 10)
    values, _ = plane(rest[place:])
    kept = iter(np.frombuffer(values, part.newbyteorder("<")))
    require(n_kept * part.itemsize == len(values) and n_kept == sum(map(math.isnan, y)), "kept")

    def value(each: float) -> Any:
        if math.isnan(each):
            return next(kept)
        if part.kind == "f":
            return part.type(math.ldexp(each, e) + offset)
        away = min(max(round(math.ldexp(each, e)), -(1 << 63)), (1 << 63) - 1024)
        return min(max(away + offset, int(np.iinfo(part).min)), int(np.iinfo(part).max))

    return [value(each) for each in y]


def exact(rest: bytes, part: Any, y: list[int], way: int) -> list[Any]:
    s, least, unit, b = struct.unpack_from("<BQQB", rest)
    require(b <= (64 if way == 3 else 48) and (s < 24 or s == 255), "scaling")
    rest, planes = rest[18:], []
    for _ in range(0, b, 8):
        values, rest = plane(rest)
        require(len(values) == len(y), "plane")
        planes.append(values)
    m = 8 * part.itemsize

    def value(i: int) -> Any:
        low = sum(values[i] << (8 * j) for j, values in enumerate(planes))
        w = (((y[i] << b) + low) * unit + least) % (1 << 64)
        if s < 255:
            d, p = (w - (1 << 52) + (1 << 63)) % (1 << 64) - (1 << 63), s // 3
            if s % 3 == 2:
                return part.type(d) * part.type(float(f"1e-{p}"))
            return part.type(d / 10.0**p if s % 3 == 0 else d * float(f"1e-{p}"))
        top = 1 << (m - 1)
        if part.kind == "f":
            w %= 1 << m
            w = w - top if w >= top else (1 << m) - 1 - w
        bits = (w - top if part.kind == "i" else w) % (1 << m)
        return bool(w) if part.kind == "b" else np.array(bits, f"u{part.itemsize}").view(part)[()]

    return [value(i) for i in range(len(y))]
