"""Names, numbers and limits of the ``.pcai`` format, which ``docs/format.md`` defines, and its chunks.

The format is versioned independently of the program.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from pcaimage.codec.decoding import Container
from pcaimage.errors import TruncatedError
from pcaimage.signature import SIGNATURE
from pcaimage.varint import write_varint

VERSION: Final = 16
"""Version 1.0 of the format: its first number in the high half of a byte, its second in the low half."""
UNRELEASED: Final = range(1, 8)  # versions that were never released; no reader knows them
BLOCKS, BANDS, STACK, PHOTO = range(4)  # method numbers
MAX_NUMBERS: Final = 1 << 29  # default limit of pixels times channels times images: 180 megapixels in colour

MAX_SIDE: Final = 1 << 24
MAX_CHANNELS: Final = 1 << 16
MAX_TEXT: Final = 1 << 12
MAX_PROFILE: Final = 1 << 24
MAX_PREVIEW_SIDE: Final = 256
MAX_BANDS_INFO: Final = 1 << 24
MAX_TIMING: Final = 1 << 24

GROUP_BYTES: Final = 1 << 16
"""Size in bytes at which the writer closes a group, which limits the loss by damage."""

SPECTRUM_RESOLUTION: Final = 1024  # levels of the stored spectrum per octave
SPECTRUM_OFFSET: Final = 32  # octaves below 1 at which it starts


class Chunk(Enum):
    """Kinds of chunks. Readers must know upper-case kinds, and may skip unknown lower-case ones."""

    HEADER = b"H"
    VALUES = b"V"
    MEAN = b"M"
    DEVIATIONS = b"D"
    BASIS = b"B"
    ALPHA = b"A"
    MISSING = b"N"
    TILES = b"T"
    COMPONENT = b"C"
    SCORES = b"S"
    GROUP = b"G"
    RESIDUAL = b"R"
    END = b"E"
    SPECTRUM = b"s"
    LENGTHS = b"l"
    NAME = b"n"
    FILE_SIZE = b"f"
    ICC_PROFILE = b"i"
    EXIF = b"x"
    PREVIEW = b"p"
    BANDS = b"b"
    XMP = b"r"
    IPTC = b"c"
    TIMING = b"t"


@dataclass(frozen=True)
class RawChunk:
    """A chunk of a file whose checksum was verified."""

    kind: Chunk | None  # None for an unknown ancillary kind of a later version
    start: int  # offset in the file
    stop: int  # exclusive
    payload: bytes = field(repr=False)


def write_chunk(kind: Chunk, payload: bytes) -> bytes:
    """Return a chunk: kind, length, payload, and the CRC-32 of all three."""
    return b"".join(chunk_parts(kind, payload))


def chunk_parts(kind: Chunk, *payload: bytes) -> list[bytes]:
    """Return a chunk in parts, so that large payloads, which may be in parts too, are not copied."""
    parts = [kind.value + write_varint(sum(map(len, payload))), *payload]
    crc = 0
    for each in parts:
        crc = zlib.crc32(each, crc)
    return [*parts, crc.to_bytes(4, "little")]


def chunk_size(length: int) -> int:
    """Return the size of a chunk with a payload of some length, in bytes."""
    return 1 + len(write_varint(length)) + length + 4


def check_version(data: bytes) -> None:
    """Raise FormatError if a file's first bytes are not those of a known version."""
    fault = Container(data[: len(SIGNATURE) + 1]).fault
    if fault is not None and (len(data) <= len(SIGNATURE) or not isinstance(fault, TruncatedError)):
        raise fault


def scan(data: bytes) -> Iterator[RawChunk]:
    """Iterate over the chunks of a file, from the header to the end; FormatError if they cannot be read."""
    found = Container(data)
    yield from raw_chunks(found, data)
    if found.fault is not None:
        raise found.fault


def raw_chunks(found: Container, data: bytes) -> Iterator[RawChunk]:
    """Iterate over the chunks of a file as far as they can be read."""
    kinds = {kind.value: kind for kind in Chunk}
    for each in found.chunks:
        yield RawChunk(kinds.get(each.letter), each.start, each.stop, data[each.payload : each.stop - 4])
