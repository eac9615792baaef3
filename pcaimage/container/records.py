"""The contents of chunks as records, their serialisation, and the header fields of individual methods."""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import ORDERED, REGIONS, SHRUNK, WEIGHTED, Component, Header
from pcaimage.codec.decoding import header_in, header_of
from pcaimage.container.spec import BANDS, BLOCKS, PHOTO, SPECTRUM_OFFSET, SPECTRUM_RESOLUTION, STACK
from pcaimage.errors import FormatError, SettingsError
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
        slices = write_varint(header.slice_rows) + write_varint(header.slice_columns)
        return slices + _BANDS_FORMAT.pack(header.value_bits, header.peak)
    return write_varint(header.slice_rows)


def _counts(values: tuple[int, ...]) -> bytes:
    """Return signed bytes after their number."""
    return struct.pack(f"B{len(values)}b", len(values), *values)


_HAS_CHANNEL_AXIS, _STANDARDIZED, _HAS_WHITE = 1, 2, 4
_DTYPES: Final = {1: "uint8", 2: "uint16"}
_BANDS_DTYPES: Final = {1: "uint8", 2: "uint16", 3: "int16", 4: "float32"}


@dataclass(frozen=True)
class HeaderRecord:
    """The fixed-size part of the header chunk; variable-length numbers follow, such as the image's sides."""

    FORMAT: ClassVar[struct.Struct] = struct.Struct("<BBBBHbBB")

    method: int
    block: int
    number_bytes: int
    flags: int
    step_mantissa: int
    step_exponent: int
    mean_bits: int
    scale_bits: int

    @classmethod
    def of(cls, header: Header) -> Self:
        """Return the record of a header."""
        method = method_number(header.sampling)
        kinds = _BANDS_DTYPES if method == BANDS else _DTYPES
        flags = _HAS_CHANNEL_AXIS if header.has_channel_axis else 0
        if header.scale_bits is not None:
            flags |= _STANDARDIZED
        if method != BANDS and header.white is not None:
            flags |= _HAS_WHITE
        return cls(
            method=method,
            block=header.sampling.size if isinstance(header.sampling, Blocks | Lapped) else 0,
            number_bytes=next(kind for kind, name in kinds.items() if name == header.dtype),
            flags=flags,
            step_mantissa=header.step.mantissa,
            step_exponent=header.step.exponent,
            mean_bits=header.mean_bits,
            scale_bits=header.scale_bits or 0,
        )

    def to_bytes(self) -> bytes:
        """Return the record's bytes."""
        return self.FORMAT.pack(*astuple(self))


def write_header(header: Header) -> bytes:
    """Return the header's payload: record, fields of the method, white, sides; SettingsError if invalid."""
    record = HeaderRecord.of(header)
    numbers = [int(header.peak)] * bool(record.flags & _HAS_WHITE) + [*header.shape]
    try:
        payload = record.to_bytes() + write_fields(header) + b"".join(map(write_varint, numbers))
        known = header_of(header_in(payload))
    except (struct.error, ValueError, FormatError) as error:
        raise SettingsError(f"No file can have such a header: {error}") from error
    if known != header:
        raise SettingsError("The header has properties that its method does not have.")
    return payload


def write_component(number: int, component: Component) -> bytes:
    """Return a component's payload: one-based number, precision, length of the vector, vector, scores."""
    return b"".join(
        [
            write_varint(number),
            bytes([component.precision]),
            write_varint(len(component.vector)),
            component.vector,
            component.scores,
        ]
    )


def spectrum_to_codes(spectrum: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Quantise descending variances to non-increasing levels of a logarithmic scale.

    There are 1024 levels to an octave from 2^-32; smaller variances become 0.
    """
    with np.errstate(divide="ignore"):
        levels = np.rint(SPECTRUM_RESOLUTION * (np.log2(np.maximum(spectrum, 0)) + SPECTRUM_OFFSET))
    return np.minimum.accumulate(np.clip(levels, 0, 65535)).astype(np.uint16)


def codes_to_spectrum(codes: NDArray[np.uint16]) -> NDArray[np.float64]:
    """Return the variances of levels, within 0.04 %."""
    values = np.exp2(codes.astype(np.float64) / SPECTRUM_RESOLUTION - SPECTRUM_OFFSET)
    return np.where(codes == 0, 0.0, values)


def encode_alpha(alpha: NDArray[Any]) -> bytes:
    """Encode the opacity, (H, W) or (N, H, W), as images of a byte, or of two, the higher one first."""
    from pcaimage.codec.photo.tiles.tiles import encode_frames  # noqa: PLC0415 - for opacity alone

    planes = np.ascontiguousarray(alpha, alpha.dtype.newbyteorder(">")).view(np.uint8)
    return encode_frames(planes.reshape(-1, *alpha.shape[-2:], alpha.itemsize))
