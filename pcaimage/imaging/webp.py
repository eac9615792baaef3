"""The frames of an animated WebP, found without decoding them.

References
----------
RFC 9649: WebP Image Format, 2024, section 2.7.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO

from pcaimage.imaging.animation import Animation, Disposal, Part

if TYPE_CHECKING:
    from collections.abc import Iterator

_ALPHA, _ANIMATED = 0x10, 0x02
"""Flags in the header of an extended file."""
_FRAME = 16
"""Bytes of a frame before its chunks."""


def webp_animation(file: BinaryIO) -> Animation | None:
    """Find the frames of a WebP; the file position is left anywhere.

    Returns
    -------
    Animation or None
        None if the file has no animation.
    """
    file.seek(4)
    (length,) = struct.unpack("<I", file.read(8)[:4])
    parts, begun, plays, flags = list[Part](), 0, 1, 0
    width = height = 0
    kept = list[bytes]()
    for kind, payload, complete in _chunks(file):
        if kind == b"VP8X" and complete:
            flags = payload[0]
            width, height = _number(payload, 4) + 1, _number(payload, 7) + 1
        if not flags & _ANIMATED:
            return None
        if kind == b"ANIM" and len(payload) >= 6:
            (plays,) = struct.unpack_from("<H", payload, 4)
        if kind == b"ANMF":
            begun += 1
            part = _part(payload) if complete and begun == len(parts) + 1 else None
            if part is not None and part.is_within(width, height):
                parts.append(part)
                kept.append(_chunk(kind, payload))
        elif complete:
            kept.append(_chunk(kind, payload))
    if file.tell() < length + 8 and begun == len(parts):
        begun += 1  # the file is cut short where a frame would begin
    whole = b"" if begun == len(parts) else _file(b"".join(kept))
    return Animation(tuple(parts), plays, begun, bool(flags & _ALPHA), whole) if begun else None


def _part(payload: bytes) -> Part:
    left, top, width, height = 2 * _number(payload, 0), 2 * _number(payload, 3), *_sides(payload, 6)
    flags = payload[15]
    chunks = payload[_FRAME:]
    extended = b""
    if chunks[:4] == b"ALPH":
        extended = _chunk(b"VP8X", struct.pack("<I", _ALPHA) + payload[6:12])
    disposal: Disposal = "clear" if flags & 1 else "keep"
    return Part(
        left,
        top,
        width,
        height,
        float(_number(payload, 12)),
        disposal,
        not flags & 2,
        _file(extended + chunks),
    )


def _file(chunks: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WEBP" + chunks


def _sides(payload: bytes, place: int) -> tuple[int, int]:
    return _number(payload, place) + 1, _number(payload, place + 3) + 1


def _number(payload: bytes, place: int) -> int:
    """Return a number of three bytes."""
    return int.from_bytes(payload[place : place + 3], "little")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("<4sI", kind, len(data)) + data + b"\0" * (len(data) % 2)


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes, bool]]:
    """Yield kinds and data of chunks, and whether they are complete."""
    while len(start := file.read(8)) == 8:
        kind, length = struct.unpack("<4sI", start)
        data = file.read(length)
        file.read(length % 2)
        yield kind, data, len(data) == length
