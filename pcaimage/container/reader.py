"""Parsing of compressed images from untrusted bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import BasisId, Component, Compressed, Header, Metadata
from pcaimage.codec.decoding import Container, header_of, inflate
from pcaimage.container import spec
from pcaimage.container.records import codes_to_spectrum
from pcaimage.container.spec import Chunk, raw_chunks
from pcaimage.errors import FormatError
from pcaimage.varint import read_varint

T = TypeVar("T")


def peek(data: bytes) -> Header:
    """Parse a file's header from its first bytes, however large the image is; FormatError without one."""
    return Opened(data).header


def read(data: bytes, *, salvage: bool = False, max_numbers: int = spec.MAX_NUMBERS) -> Compressed:
    """Parse the bytes of a file; FormatError if it is damaged, cut short or too large.

    With `salvage` the components before the first missing or damaged one are accepted; a group counts as a
    whole, as it has one checksum. `max_numbers` is the upper limit of pixels times channels times images.
    """
    return Opened(data, salvage=salvage).compressed(max_numbers)


class Opened:
    """A file whose chunks have been read; FormatError or ImageTooLargeError if it has no valid header.

    It may claim `most_unbacked` bytes beyond what its length makes plausible.
    """

    def __init__(
        self, data: bytes | bytearray | memoryview, *, salvage: bool = False, most_unbacked: int = sys.maxsize
    ) -> None:
        data = data if isinstance(data, bytes) else bytes(memoryview(data))
        self._data, self._found = data, Container(data, salvage=salvage, most_unbacked=most_unbacked)
        fields, fault = self._found.header, self._found.fault
        if fields is None:
            raise fault or FormatError("The file has no header.")
        self.header = header_of(fields)

    @property
    def k(self) -> int:
        """Number of components that were read."""
        return int(self._found.info.k)

    @property
    def damaged(self) -> bool:
        """Whether anything is missing at the end, or follows it."""
        last = self._found.chunks[-1]
        return last.letter != Chunk.END.value or last.stop != len(self._data)

    def compressed(self, max_numbers: int) -> Compressed:
        """Return the contents; errors are those of :func:`read`, and ImplausibleSizeError."""
        header = self.header
        if header.n_samples * header.n_features > max_numbers:
            raise FormatError(
                f"The image of {' × '.join(map(str, header.shape))} has more numbers than the limit of "
                f"{max_numbers}; raise the limit to open it."
            )
        if self._found.fault is not None:
            raise self._found.fault
        return _contents(self._found, self._data, header)


def _contents(found: Container, data: bytes, header: Header) -> Compressed:
    chunks = {chunk.kind: chunk for chunk in raw_chunks(found, data)}

    def parsed(kind: Chunk, parse: Callable[[bytes], T]) -> T | None:
        """Parse the chunk of a kind, if present; errors state its offset."""
        if kind not in chunks:
            return None
        try:
            return parse(chunks[kind].payload)
        except FormatError as error:
            raise FormatError(error.message, chunks[kind].start) from error

    spectrum = parsed(Chunk.SPECTRUM, partial(_spectrum, header=header))
    return Compressed(
        header=header,
        mean=parsed(Chunk.MEAN, bytes) or b"",
        components=tuple(Component(*each) for each in found.components),
        scale=parsed(Chunk.DEVIATIONS, bytes),
        spectrum=np.zeros(0) if spectrum is None else spectrum,
        alpha=_alpha(found, header) if Chunk.ALPHA in chunks else None,
        preview=parsed(Chunk.PREVIEW, _preview),
        metadata=Metadata(
            name=parsed(Chunk.NAME, lambda found: found[: spec.MAX_TEXT].decode("utf-8", "replace")) or "",
            file_size=parsed(Chunk.FILE_SIZE, lambda found: read_varint(found, 0)[0]),
            icc_profile=parsed(Chunk.ICC_PROFILE, _profile),
            exif=parsed(Chunk.EXIF, _profile),
            bands=parsed(Chunk.BANDS, lambda found: found[: spec.MAX_BANDS_INFO]),
            xmp=parsed(Chunk.XMP, _profile),
            iptc=parsed(Chunk.IPTC, _profile),
            timing=parsed(Chunk.TIMING, lambda found: found[: spec.MAX_TIMING]),
        ),
        residual=parsed(Chunk.RESIDUAL, lambda found: found[read_varint(found, 0)[1] :]),
        tiles=parsed(Chunk.TILES, bytes),
        missing=parsed(Chunk.MISSING, bytes),
        basis=parsed(Chunk.BASIS, _basis),
        lacks_basis=Chunk.MEAN not in chunks,
        values=parsed(Chunk.VALUES, bytes),
    )


def _alpha(found: Container, header: Header) -> NDArray[Any]:
    plane = np.empty(header.shape[:-1], header.dtype)
    found.alpha(plane)
    return plane


def _basis(payload: bytes) -> BasisId:
    components, place = read_varint(payload, 0)
    return BasisId(payload[place:], components)


def _profile(payload: bytes) -> bytes:
    return inflate(payload, spec.MAX_PROFILE)


def _spectrum(payload: bytes, header: Header) -> NDArray[np.float64]:
    count, place = read_varint(payload, 0)
    if count > header.max_components:
        raise FormatError("The spectrum has more variances than the image has components.")
    halves = np.frombuffer(inflate(payload[place:], 2 * count, exact=True), np.uint8).reshape(2, count)
    falls = halves[0].astype(np.int64) + 256 * halves[1].astype(np.int64)
    codes = 2 * falls[:1].sum() - np.cumsum(falls)
    if count and codes[-1] < 0:
        raise FormatError("The spectrum is damaged.")
    return codes_to_spectrum(codes.astype(np.uint16))


def _preview(payload: bytes) -> NDArray[np.uint8]:
    height, place = read_varint(payload, 0)
    width, place = read_varint(payload, place)
    channels, place = read_varint(payload, place)
    if not (
        0 < height <= spec.MAX_PREVIEW_SIDE and 0 < width <= spec.MAX_PREVIEW_SIDE and channels in {1, 3}
    ):
        raise FormatError("The preview's size is out of range.")
    pixels = inflate(payload[place:], height * width * channels, exact=True)
    return np.frombuffer(pixels, np.uint8).reshape(height, width, channels)
