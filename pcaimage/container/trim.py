"""Trimming of files to fewer components; nothing is coded again."""

from __future__ import annotations

from dataclasses import dataclass

from pcaimage.container.chunks import RawChunk, chunk_size, scan, write_chunk
from pcaimage.container.groups import group_payload, payload_sizes, read_group
from pcaimage.container.reader import peek
from pcaimage.container.spec import Chunk
from pcaimage.errors import FormatError, SettingsError
from pcaimage.varint import write_varint


def trimmed_sizes(data: bytes) -> list[int]:
    """Return the sizes of a file when trimmed to k = 1, 2, … components; FormatError if it is damaged."""
    parts, residual = _parts(data)
    stops = [stop for part in parts for stop in part.stops()]
    sizes = [stop + len(_end(k)) for k, stop in enumerate(stops, start=1)]
    return [*sizes[:-1], len(data)] if residual and sizes else sizes


def trim(data: bytes, k: int) -> bytes:
    """Trim a file to its first k components: their bytes are copied, and a new end is appended.

    A residual is dropped unless all components are kept. FormatError if the file is damaged, SettingsError if
    it has fewer than k components, or k is less than 1.
    """
    parts, residual = _parts(data)
    count = sum(part.count for part in parts)
    if not 1 <= k <= count:
        raise SettingsError(f"The file has {count} components; it cannot be trimmed to {k}.")
    if residual and k == count:
        return data
    last = next(part for part in reversed(parts) if part.number <= k)
    return data[: last.chunk.start] + last.kept(data, k) + _end(k)


@dataclass(frozen=True)
class _Part:
    """A chunk of one component, or of a group of them; `number` is the one-based number of the first."""

    chunk: RawChunk
    number: int
    segments: list[bytes] | None = None

    @property
    def count(self) -> int:
        """Number of its components."""
        return 1 if self.segments is None else len(self.segments)

    def stops(self) -> list[int]:
        """Return the offsets at which the file would end after each of its components."""
        if self.segments is None:
            return [self.chunk.stop]
        sizes = payload_sizes(self.number, self.segments)
        return [*(self.chunk.start + chunk_size(size) for size in sizes[:-1]), self.chunk.stop]

    def kept(self, data: bytes, k: int) -> bytes:
        """Return the chunk with the components up to the k-th of the file."""
        count = k - self.number + 1
        if self.segments is None or count == self.count:
            return data[self.chunk.start : self.chunk.stop]
        return write_chunk(Chunk.GROUP, group_payload(self.number, self.segments[:count]))


def _parts(data: bytes) -> tuple[list[_Part], bool]:
    """Return the chunks of a file's components, and whether it has a residual."""
    parts, number, residual = list[_Part](), 1, False
    limit = peek(data).max_components
    for chunk in scan(data):
        if chunk.kind in {Chunk.COMPONENT, Chunk.SCORES}:
            parts.append(_Part(chunk, number))
            number += 1
        elif chunk.kind is Chunk.GROUP:
            try:
                segments = read_group(chunk.payload, number, limit - number + 1)
            except FormatError as error:
                raise FormatError(error.message, chunk.start) from error
            parts.append(_Part(chunk, number, segments))
            number += len(segments)
        residual = residual or chunk.kind is Chunk.RESIDUAL
    return parts, residual


def _end(k: int) -> bytes:
    return write_chunk(Chunk.END, write_varint(k))
