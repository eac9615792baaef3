"""The frames of an animated WebP, found without decoding them.

References
----------
RFC 9649: WebP Image Format, 2024, section 2.7.
"""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, BinaryIO

from pcaimage.imaging.moving.animation import Animation, Disposal, Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pcaimage.imaging.moving.animation import Area

_PROFILE, _ALPHA, _EXIF, _XMP, _ANIMATED = 0x20, 0x10, 0x08, 0x04, 0x02
"""Flags in the header of an extended file."""
_FRAME = 16
"""Bytes of a frame before its chunks."""


def webp_animation(file: BinaryIO) -> Animation | None:
    """Find the frames of an animated WebP, else None; the file position is left anywhere."""
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


def webp_file(
    size: tuple[int, int],
    frames: list[tuple[Area, int, bytes]],
    plays: int,
    *,
    has_alpha: bool,
    icc_profile: bytes = b"",
    exif: bytes = b"",
    xmp: bytes = b"",
) -> bytes:
    """Return an animation of still WebPs, played for ever if `plays` is 0.

    Of each frame there are the area that it replaces, which begins at even lines and columns, its duration in
    milliseconds, and its file.
    """
    held = (_PROFILE, icc_profile), (_ALPHA, has_alpha), (_EXIF, exif), (_XMP, xmp)
    flags = _ANIMATED | sum(flag for flag, there in held if there)
    chunks = [_chunk(b"VP8X", struct.pack("<I", flags) + _bytes_of(size[0] - 1) + _bytes_of(size[1] - 1))]
    chunks += [_chunk(b"ICCP", icc_profile)] if icc_profile else []
    chunks.append(_chunk(b"ANIM", struct.pack("<IH", 0, plays)))
    for (left, top, width, height), duration, file in frames:
        numbers = (left // 2, top // 2, width - 1, height - 1, duration)
        chunks.append(_chunk(b"ANMF", b"".join([*map(_bytes_of, numbers), b"\x02", _coded(file)])))
    chunks += [_chunk(kind, data) for kind, data in ((b"EXIF", exif), (b"XMP ", xmp)) if data]
    return _file(b"".join(chunks))


def _coded(file: bytes) -> bytes:
    """Return the chunks with the pixels of a still WebP."""
    kinds = (b"ALPH", b"VP8 ", b"VP8L")
    return b"".join(_chunk(kind, data) for kind, data, _ in _chunks(io.BytesIO(file[12:])) if kind in kinds)


def _bytes_of(number: int) -> bytes:
    return number.to_bytes(3, "little")


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
