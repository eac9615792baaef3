"""Method numbers in files, and the header fields and restrictions of individual methods."""

from __future__ import annotations

import math
import struct
from typing import Any, Final

from pcaimage.codec.compressed import (
    MAX_SLICES,
    ORDERED,
    REGIONS,
    SHRUNK,
    STRENGTHS,
    TILED,
    TOOL_NAMES,
    WEIGHTED,
    Header,
)
from pcaimage.container.spec import (
    BANDS,
    BLOCKS,
    MAX_SIDE,
    MAX_TABLES,
    MAX_VALUE_BITS,
    PHOTO,
    PHOTO_CHANNELS,
    STACK,
)
from pcaimage.errors import FormatError, SettingsError
from pcaimage.quality import MOST
from pcaimage.sampling import Bands, Blocks, Lapped, Sampling, Stack
from pcaimage.varint import read_varint, write_varint

MOST_STRENGTH: Final = 16
"""Strengths of shrinkage are in eighths, on both sides of zero."""
SHRUNK_STEPS: Final = (1.0, 300.0)
"""Steps of photos that are shrunk, on a scale of 255."""

MOST_LEVELS: Final = 16
"""Largest number of levels of steps by region."""
MOST_WEIGHT: Final = 32
"""Largest weight of frequencies, and largest magnitude of a channel's weight."""

_BANDS_FORMAT: Final = struct.Struct("<bd")
_NUMBERS: Final = {Blocks: BLOCKS, Bands: BANDS, Stack: STACK, Lapped: PHOTO}


def method_number(sampling: Sampling) -> int:
    """Return the number that stands for a kind of samples in files."""
    return _NUMBERS[type(sampling)]


def read_fields(method: int, payload: bytes, place: int, *, white: bool) -> tuple[dict[str, Any], int]:
    """Parse the fields of the header that a method has, and the white; return the place after them, too.

    The fields are those of :class:`pcaimage.codec.Header` of the same names.
    """
    found: dict[str, Any] = {}
    if method == PHOTO:
        _check_length(payload, place + 1)
        found["tables"], place = payload[place], place + 1
    found["slice_rows"], place = read_varint(payload, place)
    if method == BANDS:
        _check_length(payload, place + _BANDS_FORMAT.size)
        found["value_bits"], found["largest"] = _BANDS_FORMAT.unpack_from(payload, place)
        return found, place + _BANDS_FORMAT.size
    if method == PHOTO:
        found["tools"], place = read_varint(payload, place)
        if found["tools"] & SHRUNK:
            found["strengths"], place = _counted(payload, place)
        if found["tools"] & REGIONS:
            _check_length(payload, place + 2)
            found["levels"], found["middle"], place = payload[place], payload[place + 1], place + 2
        if found["tools"] & WEIGHTED:
            found["weights"], place = _counted(payload, place)
        if found["tools"] & ORDERED:
            found["slopes"], place = _counted(payload, place)
    if white:
        found["largest"], place = read_varint(payload, place)
    return found, place


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


def _check_length(payload: bytes, stop: int) -> None:
    if len(payload) < stop:
        raise FormatError("The header is too short.")


def _counted(payload: bytes, place: int) -> tuple[tuple[int, ...], int]:
    """Return signed bytes that follow their number, and the place after them."""
    stop = place + 1 + (payload[place] if place < len(payload) else 0)
    _check_length(payload, stop)
    return struct.unpack(f"{stop - place - 1}b", payload[place + 1 : stop]), stop


def _counts(values: tuple[int, ...]) -> bytes:
    """Return signed bytes after their number."""
    return struct.pack(f"B{len(values)}b", len(values), *values)


def check_method(header: Header) -> None:
    """Raise SettingsError if a header has properties that its method does not allow."""
    method = method_number(header.sampling)
    if method == BANDS:
        _check_bands(header)
        return
    if header.largest is not None and not (header.dtype == "uint16" and 1 <= header.largest < MOST):
        raise SettingsError(f"A white of {header.largest:g} is out of range.")
    if method == PHOTO:
        _check_photo(header)
    elif header.tables or header.tools:
        raise SettingsError("Only a photo has trained tables and tools.")
    else:
        _check_slices(header)


def _check_photo(header: Header) -> None:
    plain = header.mean_bits == 0 and header.scale_bits is None
    if not plain or header.shape[-1] not in PHOTO_CHANNELS:
        raise SettingsError("A photo has one to four channels, and neither denominators nor deviations.")
    if not (0 <= header.tables <= MAX_TABLES and 0 <= header.slice_rows <= MAX_SIDE):
        raise SettingsError(f"Tables {header.tables} or slices of {header.slice_rows} rows are out of range.")
    _check_tools(header)
    if header.slice_rows and -(-header.sampling.grid(header.shape)[0] // header.slice_rows) > MAX_SLICES:
        raise SettingsError(
            f"A photo has at most {MAX_SLICES} slices; slices of {header.slice_rows} rows are more."
        )


def _check_tools(header: Header) -> None:
    if header.tools & ~sum(TOOL_NAMES):
        raise SettingsError("The photo uses tools that this version of the program does not have.")
    if header.tools & TILED and header.dtype != "uint8":
        raise SettingsError("Only photos of 8 bits have tiles that are coded by prediction among pixels.")
    count = STRENGTHS * header.shape[-1] if header.tools & SHRUNK else 0
    if len(header.strengths) != count or any(abs(each) > MOST_STRENGTH for each in header.strengths):
        raise SettingsError("The strengths of shrinkage are out of range.")
    count = 5 * header.shape[-1] - 1 if header.tools & ORDERED else 0
    if len(header.slopes) != count or not all(-128 <= each <= 127 for each in header.slopes):
        raise SettingsError("The photo's order of components is damaged.")
    count = len(header.strengths)
    least, most = SHRUNK_STEPS
    if count and not least <= float(header.step) * 255 / header.peak <= most:
        raise SettingsError("Photos of such a step are not shrunk.")
    _check_local_steps(header)


def _check_local_steps(header: Header) -> None:
    fits = 2 <= header.levels <= MOST_LEVELS if header.tools & REGIONS else header.levels == 0
    if not (fits and 0 <= header.middle < max(header.levels, 1)):
        raise SettingsError("The levels of steps by region are out of range.")
    count = header.shape[-1] + 1 if header.tools & WEIGHTED else 0
    frequency, *channels = header.weights or (0,)
    fits = 0 <= frequency <= MOST_WEIGHT and all(abs(each) <= MOST_WEIGHT for each in channels)
    if len(header.weights) != count or not fits:
        raise SettingsError("The weights of frequencies and channels are out of range.")


def _check_slices(header: Header) -> None:
    rows = header.slice_rows
    if not 0 <= rows <= MAX_SIDE or (rows and -(-header.plane_shape[0] // rows) > MAX_SLICES):
        raise SettingsError(f"There are at most {MAX_SLICES} slices; {rows} lines each are out of range.")


def _check_bands(header: Header) -> None:
    if header.scale_bits is not None:
        raise SettingsError("Many bands have no deviations: their components have them in them.")
    _check_slices(header)
    least, most = (-MAX_VALUE_BITS, MAX_VALUE_BITS) if header.dtype == "float32" else (0, 0)
    if not least <= header.value_bits <= most:
        raise SettingsError(f"Values with {header.value_bits} fractional bits are out of range.")
    peak, white = header.peak, {"uint8": 255, "uint16": MOST}.get(header.dtype)
    fits = math.isfinite(peak) if white is None else peak <= white and peak % 1 == 0
    if not (fits and peak > 0):
        raise SettingsError(f"A peak of {header.peak} is out of range.")
