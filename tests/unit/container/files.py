"""Files taken apart into their chunks, and put together from any."""

from __future__ import annotations

import zlib

from pcaimage import container
from pcaimage.signature import SIGNATURE
from pcaimage.varint import write_varint

Parts = list[tuple[bytes, bytes]]


def chunk(kind: bytes, payload: bytes) -> bytes:
    body = kind + write_varint(len(payload)) + payload
    return body + zlib.crc32(body).to_bytes(4, "little")


def parts(data: bytes) -> Parts:
    return [(data[c.start : c.start + 1], c.payload) for c in container.scan(data)]


def assembled(found: Parts, major: int = 1) -> bytes:
    return SIGNATURE + bytes([major, 0]) + b"".join(chunk(kind, payload) for kind, payload in found)


def without(found: Parts, kind: bytes) -> Parts:
    return [part for part in found if part[0] != kind]


def moved(found: Parts, kind: bytes, place: int) -> Parts:
    part = next(part for part in found if part[0] == kind)
    rest = without(found, kind)
    rest.insert(place if place >= 0 else len(rest) + place, part)
    return rest


def replaced(found: Parts, kind: bytes, payload: bytes) -> Parts:
    return [(other, payload if other == kind else content) for other, content in found]
