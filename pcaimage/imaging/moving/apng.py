"""The frames of an animated PNG, found without decoding them.

Pillow reads frames of 16 bits with eight, and mixes those that are partly transparent in another way than
viewers do. So each frame is decoded as a PNG of its own.

References
----------
Portable Network Graphics (PNG) Specification, Third Edition, W3C 2025, sections 4.9 and 11.3.6.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from pcaimage.imaging.moving.animation import Animation, Disposal, Part

if TYPE_CHECKING:
    from collections.abc import Iterator

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_DISPOSALS: tuple[Disposal, ...] = ("keep", "clear", "restore")
_SHARED = (b"PLTE", b"tRNS")
"""Chunks that hold for the frames, too."""
_COLOUR_TYPE = 9
"""The place of the colour type in the header; its second bit says colour."""
_WITH_ALPHA = (4, 6)
"""Colour types with alpha."""
_CONTROL = struct.Struct(">IIIIIHHBB")


def png_animation(file: BinaryIO) -> Animation | None:
    """Find the frames of an animated PNG, else None; the file position is left anywhere."""
    file.seek(len(SIGNATURE))
    found = _Found()
    for kind, payload in _chunks(file):
        found.take(kind, payload)
    if found.announced is None:
        return None
    clears = any(part.disposal == "clear" for part in found.parts)
    has_alpha = clears or b"tRNS" in found.shared or found.header[9] in _WITH_ALPHA
    return Animation(tuple(found.parts), found.plays, max(found.announced, found.begun), has_alpha)


def declared_white(file: BinaryIO) -> int | None:
    """Return the largest value that a PNG says its samples may have, by their significant bits.

    The standard wants such samples scaled to all bits; those that are not stay below this value.
    """
    file.seek(len(SIGNATURE))
    colour = 0
    for kind, data in _chunks(file):
        if kind == b"IHDR" and len(data) > _COLOUR_TYPE:
            colour = data[_COLOUR_TYPE]
        if kind == b"sBIT" and data:
            return int((1 << max(data[: 3 if colour & 2 else 1])) - 1)
    return None


@dataclass
class _Found:
    """Collects the chunks of a file in order."""

    header: bytes = b""
    shared: bytes = b""
    announced: int | None = None
    plays: int = 0
    parts: list[Part] = field(default_factory=list)
    begun: int = 0
    control: tuple[int, ...] = ()
    data: list[bytes] = field(default_factory=list)

    def take(self, kind: bytes, payload: bytes) -> None:
        """Add a chunk; a frame is complete when the next one begins, or the file ends."""
        if kind == b"IHDR":
            self.header = payload
        elif kind in _SHARED:
            self.shared += chunk(kind, payload)
        elif kind == b"acTL":
            self.announced, self.plays = struct.unpack(">II", payload)
        elif kind in {b"fcTL", b"IEND"}:
            self._finish()
            self.control = _CONTROL.unpack(payload) if payload else ()
        elif kind == b"IDAT" and self.control:  # else it is a still image for viewers without animation
            self.data.append(payload)
        elif kind == b"fdAT":
            self.data.append(payload[4:])

    def _finish(self) -> None:
        if self.control and self.data:
            part = _part(self.control, self.header, self.shared, b"".join(self.data))
            width, height = struct.unpack_from(">II", self.header)
            self.begun += 1
            if self.begun == len(self.parts) + 1 and part.is_within(width, height):
                self.parts.append(part)
        self.data = []


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk: length, kind, data, checksum."""
    checksum = zlib.crc32(data, zlib.crc32(kind))
    return b"".join([struct.pack(">I4s", len(data), kind), data, struct.pack(">I", checksum)])


def _part(control: tuple[int, ...], header: bytes, shared: bytes, data: bytes) -> Part:
    _, width, height, left, top, delay, unit, disposal, blend = control
    own = chunk(b"IHDR", struct.pack(">II", width, height) + header[8:])
    stored = b"".join([SIGNATURE, own, shared, chunk(b"IDAT", data), chunk(b"IEND", b"")])
    kept = _DISPOSALS[disposal] if disposal < len(_DISPOSALS) else "keep"
    return Part(left, top, width, height, 1000 * delay / (unit or 100), kept, blend == 1, stored)


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Yield kinds and data of chunks, up to one that is cut short or damaged, or the pixels of a still image.

    An animation is announced before its first pixels.
    """
    announced = False
    while len(start := file.read(8)) == 8:
        length, kind = struct.unpack(">I4s", start)
        announced |= kind == b"acTL"
        if length >= 1 << 31 or (kind == b"IDAT" and not announced):
            return
        data, checksum = file.read(length), file.read(4)
        if len(data) < length or checksum != struct.pack(">I", zlib.crc32(data, zlib.crc32(kind))):
            return
        yield kind, data
        if kind == b"IEND":
            return
