"""Chunks, the parts of a file, each with a kind, a length, a payload and a checksum."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from pcaimage.codec.decoding import Container
from pcaimage.container.spec import Chunk
from pcaimage.errors import TruncatedError
from pcaimage.signature import SIGNATURE
from pcaimage.varint import write_varint


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
