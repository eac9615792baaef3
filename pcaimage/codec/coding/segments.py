"""Splitting of the streams of an image's slices into one segment for each component."""

from __future__ import annotations

from collections.abc import Sequence

from pcaimage.errors import FormatError
from pcaimage.varint import write_varint

TABLE_BITS = 9
"""Ends of components are rounded up to about this many significant bits, which keeps their table short."""


def join_streams(streams: Sequence[bytes], certain: Sequence[Sequence[int]]) -> tuple[bytes, ...]:
    """Return the segments of components, given the streams of slices.

    For each slice and component, `certain` is the number of bytes that decoding up to its end needs. A
    segment is the pieces of all slices, preceded by the lengths of all but the last: base-128 integers, low
    digits first.
    """
    cuts = [_cuts(len(stream), ends) for stream, ends in zip(streams, certain, strict=True)]
    components = []
    for index in range(len(certain[0])):
        pieces = [stream[ends[index] : ends[index + 1]] for stream, ends in zip(streams, cuts, strict=True)]
        lengths = b"".join(write_varint(len(piece)) for piece in pieces[:-1])
        components.append(lengths + b"".join(pieces))
    return tuple(components)


def _cuts(length: int, ends: Sequence[int]) -> list[int]:
    """Return where a stream is cut: at multiples of a power of two after each end, and at its own end."""
    unit = 1 << max(0, length.bit_length() - TABLE_BITS)
    cuts = [0, *(min(-(-end // unit) * unit, length) for end in ends)]
    cuts[-1] = length
    return cuts


def split_segments(segments: Sequence[bytes], slices: int) -> list[bytes]:
    """Reassemble the streams of slices from the first segments; raise FormatError if lengths do not fit."""
    streams: list[list[bytes]] = [[] for _ in range(slices)]
    for number, segment in enumerate(segments, start=1):
        lengths, place = lengths_of(segment, slices - 1)
        lengths.append(len(segment) - place - sum(lengths))
        if lengths[-1] < 0:
            raise FormatError(f"Component {number} is damaged.")
        for stream, length in zip(streams, lengths, strict=True):
            stream.append(segment[place : place + length])
            place += length
    return [b"".join(stream) for stream in streams]


def lengths_of(data: bytes, count: int) -> tuple[list[int], int]:
    """Parse integers of up to five bytes; return them and the offset after them. Missing ones are zero."""
    numbers, place = [], 0
    for _ in range(count):
        number, shift = 0, 0
        while place < len(data) and shift < 35:
            byte = data[place]
            number |= (byte & 127) << shift
            place, shift = place + 1, shift + 7
            if byte < 128:
                break
        numbers.append(number)
    return numbers, place
