"""The contents of chunks as records, and their serialisation."""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import (
    ID_BYTES,
    MAX_MEAN_BITS,
    MAX_PRECISION,
    MAX_SCALE_BITS,
    BasisId,
    Component,
    Header,
)
from pcaimage.codec.step import Step
from pcaimage.container.methods import check_method, method_number, read_fields, write_fields
from pcaimage.container.spec import (
    BANDS,
    BLOCKS,
    MAX_CHANNELS,
    MAX_SIDE,
    PHOTO,
    SPECTRUM_OFFSET,
    SPECTRUM_RESOLUTION,
    STACK,
)
from pcaimage.errors import FormatError, SettingsError
from pcaimage.sampling import Bands, Blocks, Lapped, Sampling, Stack
from pcaimage.varint import read_varint, write_varint

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

    def sampling(self) -> Sampling:
        """Return the kind of samples; raise FormatError for an unknown method."""
        if self.method == BLOCKS:
            return Blocks(self.block)
        if self.method == PHOTO:
            return Lapped(self.block)
        whole: dict[int, Sampling] = {STACK: Stack(), BANDS: Bands()}
        if self.method in whole and self.block == 0:
            return whole[self.method]
        raise FormatError(f"There is no method {self.method} with blocks of {self.block}.")

    def header(self, shape: tuple[int, ...], more: dict[str, Any]) -> Header:
        """Return the header of an image with a given shape; raise FormatError if a field is out of range."""
        bands = self.method == BANDS
        kinds = _BANDS_DTYPES if bands else _DTYPES
        if self.number_bytes not in kinds:
            raise FormatError(f"Numbers of {self.number_bytes} bytes are not supported.")
        if self.flags & ~(_HAS_CHANNEL_AXIS | _STANDARDIZED | (0 if bands else _HAS_WHITE)):
            raise FormatError(f"The header has unknown flags {self.flags:#x}.")
        has_axis, standardized = bool(self.flags & _HAS_CHANNEL_AXIS), bool(self.flags & _STANDARDIZED)
        if not has_axis and shape[-1] != 1:
            raise FormatError(f"An image without an axis of channels cannot have {shape[-1]} of them.")
        if self.mean_bits > MAX_MEAN_BITS or self.scale_bits > (MAX_SCALE_BITS if standardized else 0):
            raise FormatError("The header's denominators are out of range.")
        return Header(
            shape=shape,
            dtype=kinds[self.number_bytes],
            sampling=self.sampling(),
            step=Step(self.step_mantissa, self.step_exponent),
            mean_bits=self.mean_bits,
            scale_bits=self.scale_bits if standardized else None,
            has_channel_axis=has_axis,
            **more,
        )


def write_header(header: Header) -> bytes:
    """Return the header's payload: record, fields of the method, white, sides; SettingsError if invalid."""
    check_method(header)
    record = HeaderRecord.of(header)
    numbers = [int(header.peak)] * bool(record.flags & _HAS_WHITE) + [*header.shape]
    return record.to_bytes() + write_fields(header) + b"".join(map(write_varint, numbers))


def read_header(payload: bytes, limit: int) -> Header:
    """Parse the header of an image of at most `limit` numbers."""
    size = HeaderRecord.FORMAT.size
    if len(payload) < size:
        raise FormatError("The header is too short.")
    record = HeaderRecord(*HeaderRecord.FORMAT.unpack_from(payload))
    white = bool(record.flags & _HAS_WHITE)
    more, place = read_fields(record.method, payload, size, white=white)
    shape = []
    while place < len(payload):
        side, place = read_varint(payload, place)
        shape.append(side)
    if len(shape) != (4 if record.method == STACK else 3):
        raise FormatError(f"The header gives {len(shape)} sides of the image.")
    if not all(1 <= side <= MAX_SIDE for side in shape) or shape[-1] > MAX_CHANNELS:
        raise FormatError(f"An image of {' × '.join(map(str, shape))} is out of range.")
    try:
        header = record.header(tuple(shape), more)
        check_method(header)
    except SettingsError as error:
        raise FormatError(f"The header is damaged: {error}") from error
    if header.n_samples * header.n_features > limit:
        raise FormatError(
            f"The image of {' × '.join(map(str, shape))} has more numbers than the limit of {limit}; "
            "raise the limit to open it."
        )
    return header


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


def read_component(payload: bytes, number: int) -> Component:
    """Parse the payload of the component with an expected one-based number."""
    place = read_number(payload, number)
    if place >= len(payload) or payload[place] > MAX_PRECISION:
        raise FormatError(f"Component {number} has no valid precision.")
    precision = payload[place]
    length, place = read_varint(payload, place + 1)
    if place + length > len(payload):
        raise FormatError(f"The vector of component {number} is longer than its chunk.")
    return Component(precision, payload[place : place + length], payload[place + length :])


def write_scores(number: int, component: Component) -> bytes:
    """Return the payload of a component without a vector: one-based number, and scores."""
    return write_varint(number) + component.scores


def read_scores(payload: bytes, number: int) -> Component:
    """Parse the payload of the component without a vector with an expected one-based number."""
    return Component(0, b"", payload[read_number(payload, number) :])


def read_number(payload: bytes, number: int) -> int:
    """Check that a payload starts with an expected one-based component number; return the place after it."""
    found, place = read_varint(payload, 0)
    if found != number:
        raise FormatError(f"Component {found} stands where component {number} should.")
    return place


def write_basis(basis: BasisId) -> bytes:
    """Return the payload that refers to an external basis: the model's number of components, and its id."""
    return write_varint(basis.components) + basis.digest


def read_basis(payload: bytes, header: Header) -> BasisId:
    """Parse the payload that refers to an external basis."""
    components, place = read_varint(payload, 0)
    if len(payload) - place != ID_BYTES or not 1 <= components <= header.n_features:
        raise FormatError("What the file says of its model is damaged.")
    return BasisId(payload[place:], components)


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
