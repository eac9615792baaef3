"""What all decoders written from docs/format.md alone share: chunks, opacity and spectrum, in plain Python.

Section numbers are those of the document.
"""

from __future__ import annotations

import zlib
from itertools import accumulate

SIGNATURE = bytes.fromhex("89 50 43 41 49 0D 0A 1A")


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


def chunks(data: bytes, kinds: str = "HMDBANTCSRE") -> list[tuple[str, bytes]]:
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


def alpha_of(payload: bytes, sides: tuple[int, ...], size: int) -> list[int]:
    """8."""
    from tests.reference.tiles import frames

    *many, height, width, _ = sides
    found = frames(payload, (many or [1])[0], height, width, size).reshape(-1, size).tolist()
    return [256 * each[0] + each[1] if size > 1 else each[0] for each in found]


def spectrum_of(payload: bytes) -> list[float]:
    """9."""
    count, place = number(payload, 0)
    raw = zlib.decompress(payload[place:])
    falls = [raw[i] + 256 * raw[count + i] for i in range(count)]
    levels = accumulate(falls, lambda level, fall: level - fall)
    return [2 ** (level / 1024 - 32) if level else 0.0 for level in levels]
