"""Chunks, the parts of a file, each with a kind, a length, a payload and a checksum."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from pcaimage.container.spec import UNRELEASED, VERSION, Chunk
from pcaimage.errors import FormatError, TruncatedError
from pcaimage.signature import SIGNATURE
from pcaimage.varint import read_varint, write_varint


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
    """Raise FormatError if this is no file of a known version."""
    if data[: len(SIGNATURE)] != SIGNATURE[: len(data)] or not data:
        raise FormatError("This is not a .pcai file.")
    if len(data) <= len(SIGNATURE):
        raise TruncatedError("The file is cut short.", len(data))
    version = data[len(SIGNATURE)]
    if version in UNRELEASED:
        raise FormatError(
            "This file was written by an unreleased version of pcaimage; open it with that version, and "
            "export it as an image."
        )
    if version >> 4 != VERSION >> 4:
        raise FormatError(
            f"The file is of version {version >> 4}.{version % 16} of the format; this program reads version "
            f"{VERSION >> 4}, a newer one may open it."
        )


def scan(data: bytes) -> Iterator[RawChunk]:
    """Iterate over the chunks of a file, from the header to the end; FormatError if they cannot be read."""
    check_version(data)
    kinds = {kind.value: kind for kind in Chunk}
    place = len(SIGNATURE) + 1
    while True:
        chunk = _read_chunk(data, place, kinds)
        yield chunk
        place = chunk.stop
        if chunk.kind is Chunk.END:
            break
    if place != len(data):
        raise FormatError("There are bytes after the end of the image.", place)


def _read_chunk(data: bytes, start: int, kinds: dict[bytes, Chunk]) -> RawChunk:
    if start >= len(data):
        raise TruncatedError("The file is cut short.", start)
    length, place = read_varint(data, start + 1)
    stop = place + length + 4
    if stop > len(data):
        raise TruncatedError("The file is cut short.", len(data))
    if zlib.crc32(memoryview(data)[start : stop - 4]) != int.from_bytes(data[stop - 4 : stop], "little"):
        raise FormatError("The file is damaged: a checksum does not match.", start)
    letter = data[start : start + 1]
    if letter not in kinds and not b"a" <= letter <= b"z":
        raise FormatError("The file has a part that its version of the format does not know.", start)
    return RawChunk(kinds.get(letter), start, stop, data[place : stop - 4])
