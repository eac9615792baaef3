"""Method numbers in files, and the header fields of individual methods."""

from __future__ import annotations

import struct
from typing import Final

from pcaimage.codec.compressed import ORDERED, REGIONS, SHRUNK, WEIGHTED, Header
from pcaimage.container.spec import BANDS, BLOCKS, PHOTO, STACK
from pcaimage.sampling import Bands, Blocks, Lapped, Sampling, Stack
from pcaimage.varint import write_varint

_BANDS_FORMAT: Final = struct.Struct("<bd")
_NUMBERS: Final = {Blocks: BLOCKS, Bands: BANDS, Stack: STACK, Lapped: PHOTO}


def method_number(sampling: Sampling) -> int:
    """Return the number that stands for a kind of samples in files."""
    return _NUMBERS[type(sampling)]


def write_fields(header: Header) -> bytes:
    """Return the bytes of a header's fields."""
    method = method_number(header.sampling)
    if method == PHOTO:
        fields = bytes([header.tables]) + write_varint(header.slice_rows) + write_varint(header.tools)
        if header.tools & SHRUNK:
            fields += _counts(header.strengths)
        if header.tools & REGIONS:
            fields += bytes([header.levels, header.middle])
        if header.tools & WEIGHTED:
            fields += _counts(header.weights)
        if header.tools & ORDERED:
            fields += _counts(header.slopes)
        return fields
    if method == BANDS:
        return write_varint(header.slice_rows) + _BANDS_FORMAT.pack(header.value_bits, header.peak)
    return write_varint(header.slice_rows)


def _counts(values: tuple[int, ...]) -> bytes:
    """Return signed bytes after their number."""
    return struct.pack(f"B{len(values)}b", len(values), *values)
