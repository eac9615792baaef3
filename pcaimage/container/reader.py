"""Parsing of compressed images from untrusted bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.alpha import decode_alpha, inflate
from pcaimage.codec.compressed import TILED, Component, Compressed, Header, Metadata
from pcaimage.container import spec
from pcaimage.container.chunks import RawChunk, scan
from pcaimage.container.groups import read_group
from pcaimage.container.methods import method_number
from pcaimage.container.records import codes_to_spectrum, read_basis, read_component, read_header, read_scores
from pcaimage.container.spec import Chunk
from pcaimage.errors import FormatError
from pcaimage.varint import read_varint

T = TypeVar("T")


def peek(data: bytes) -> Header:
    """Parse a file's header from its first bytes, however large the image is; FormatError without one."""
    first = next(scan(data))
    if first.kind is not Chunk.HEADER:
        raise FormatError("The header is not where it should be.", first.start)
    return read_header(first.payload, sys.maxsize)


def read(data: bytes, *, salvage: bool = False, max_numbers: int = spec.MAX_NUMBERS) -> Compressed:
    """Parse the bytes of a file; FormatError if it is damaged, cut short or too large.

    With `salvage` the components before the first missing or damaged one are accepted; a group counts as a
    whole, as it has one checksum. `max_numbers` is the upper limit of pixels times channels times images.
    """
    parser = _Parser(max_numbers)
    try:
        for chunk in scan(data):
            try:
                parser.take(chunk)
            except FormatError as error:
                raise FormatError(error.message, chunk.start) from error
    except FormatError:
        if not (salvage and parser.usable):
            raise
    return parser.result()


@dataclass
class _Parser:
    """Collects the chunks of a file in order."""

    limit: int
    found: dict[Chunk, RawChunk] = field(default_factory=dict)
    components: list[Component] = field(default_factory=list)
    header: Header | None = None

    @property
    def usable(self) -> bool:
        """Whether everything but some components is present."""
        return bool(self.components)

    def take(self, chunk: RawChunk) -> None:
        """Add a chunk; raise FormatError if it is not allowed here."""
        kind = chunk.kind
        if (self.header is None) != (kind is Chunk.HEADER):
            raise FormatError("The header is not where it should be.")
        if kind is None:
            return
        if self.header is not None and not spec.fits(kind, method_number(self.header.sampling)):
            raise FormatError("The file has a part that its method does not have.")
        if kind in self.found and kind in spec.ONCE:
            raise FormatError(f"The file has two chunks of kind {kind.value.decode()}.")
        if kind is Chunk.HEADER:
            self.header = read_header(chunk.payload, self.limit)
        elif kind in {Chunk.COMPONENT, Chunk.GROUP, Chunk.SCORES}:
            self._add(chunk)
        elif kind in {Chunk.RESIDUAL, Chunk.END}:
            self._check_count(chunk)
        elif kind in spec.BEFORE_COMPONENTS and self.components:
            raise FormatError("The file's parts are in the wrong order.")
        self.found[kind] = chunk

    def _add(self, chunk: RawChunk) -> None:
        """Add one component, or a group of them."""
        limit = self._check_complete()
        if not limit:
            raise FormatError("The file has more components than the image can have.")
        if Chunk.RESIDUAL in self.found:
            raise FormatError("The file's parts are in the wrong order.")
        number = len(self.components) + 1
        if chunk.kind is Chunk.COMPONENT:
            self.components.append(read_component(chunk.payload, number))
        elif chunk.kind is Chunk.SCORES:
            self.components.append(read_scores(chunk.payload, number))
        else:
            segments = read_group(chunk.payload, number, limit)
            self.components += [Component(0, b"", segment) for segment in segments]

    def _check_count(self, chunk: RawChunk) -> None:
        """Check that the number of components equals the one that a later chunk states."""
        self._check_complete()
        count, stop = read_varint(chunk.payload, 0)
        more = chunk.kind is Chunk.END and stop != len(chunk.payload)
        if count != len(self.components) or more:
            raise FormatError("The file does not have as many components as it says.")

    def _check_complete(self) -> int:
        """Check that the prerequisites of components are present; return how many more may follow."""
        header = self.header
        if header is not None and Chunk.BASIS in self.found:
            if self.found.keys() & {Chunk.MEAN, Chunk.DEVIATIONS, Chunk.COMPONENT, Chunk.SPECTRUM}:
                raise FormatError("The file has a basis of its own, and that of a model.")
            basis = read_basis(self.found[Chunk.BASIS].payload, header)
            return basis.components - len(self.components)
        if header is None or Chunk.MEAN not in self.found:
            raise FormatError("The file has no mean.")
        if (header.scale_bits is not None) != (Chunk.DEVIATIONS in self.found):
            raise FormatError("The file's standard deviations are missing, or not announced.")
        if bool(header.tools & TILED) != (Chunk.TILES in self.found):
            raise FormatError("The file's tiles are missing, or not announced.")
        return header.max_components - len(self.components)

    def result(self) -> Compressed:
        """Return the image."""
        header, mean = self.header, self.found.get(Chunk.MEAN)
        if header is None or (mean is None and Chunk.BASIS not in self.found):
            raise FormatError("The file has no header and mean.")
        spectrum = self._parsed(Chunk.SPECTRUM, partial(_spectrum, header=header))
        return Compressed(
            header=header,
            mean=b"" if mean is None else mean.payload,
            components=tuple(self.components),
            scale=self._parsed(Chunk.DEVIATIONS, bytes),
            spectrum=np.zeros(0) if spectrum is None else spectrum,
            alpha=self._parsed(
                Chunk.ALPHA, partial(decode_alpha, shape=header.shape[:-1], dtype=header.dtype)
            ),
            preview=self._parsed(Chunk.PREVIEW, _preview),
            metadata=Metadata(
                name=self._parsed(Chunk.NAME, _text) or "",
                file_size=self._parsed(Chunk.FILE_SIZE, _number),
                icc_profile=self._parsed(Chunk.ICC_PROFILE, _profile),
                exif=self._parsed(Chunk.EXIF, _profile),
                bands=self._parsed(Chunk.BANDS, _band_info),
                xmp=self._parsed(Chunk.XMP, _profile),
                iptc=self._parsed(Chunk.IPTC, _profile),
                timing=self._parsed(Chunk.TIMING, _timing),
            ),
            residual=self._parsed(Chunk.RESIDUAL, _residual),
            tiles=self._parsed(Chunk.TILES, bytes),
            missing=self._parsed(Chunk.MISSING, bytes),
            basis=self._parsed(Chunk.BASIS, partial(read_basis, header=header)),
            lacks_basis=mean is None,
        )

    def _parsed(self, kind: Chunk, parse: Callable[[bytes], T]) -> T | None:
        """Parse the chunk of a kind, if present; errors state its offset."""
        chunk = self.found.get(kind)
        if chunk is None:
            return None
        try:
            return parse(chunk.payload)
        except FormatError as error:
            raise FormatError(error.message, chunk.start) from error


def _text(payload: bytes) -> str:
    return payload[: spec.MAX_TEXT].decode("utf-8", "replace")


def _number(payload: bytes) -> int:
    return read_varint(payload, 0)[0]


def _residual(payload: bytes) -> bytes:
    return payload[read_varint(payload, 0)[1] :]


def _band_info(payload: bytes) -> bytes:
    return payload[: spec.MAX_BANDS_INFO]


def _timing(payload: bytes) -> bytes:
    return payload[: spec.MAX_TIMING]


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
