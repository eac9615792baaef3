"""Serialisation of compressed images to the bytes of a file, and trimming of files without coding anew."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from pcaimage.codec.compressed import TILED, Compressed, Metadata
from pcaimage.codec.decoding import Container
from pcaimage.container import records, spec
from pcaimage.container.partial import lengths
from pcaimage.container.records import encode_alpha, method_number
from pcaimage.errors import SettingsError
from pcaimage.signature import SIGNATURE
from pcaimage.varint import LIMIT, write_varint

_Content = tuple[spec.Chunk, *tuple[bytes, ...]]  # a chunk's kind, and its payload in any number of parts


def write(compressed: Compressed) -> bytes:
    """Serialise a compressed image; SettingsError if it has parts that its method does not allow."""
    parts = [SIGNATURE, bytes([spec.VERSION])]
    for kind, *payload in _chunks(compressed):
        parts += spec.chunk_parts(kind, *payload)
    return b"".join(parts)


def _chunks(compressed: Compressed) -> Iterator[_Content]:
    yield spec.Chunk.HEADER, records.write_header(compressed.header)
    if compressed.values is not None:
        yield spec.Chunk.VALUES, compressed.values
    yield from _ancillary(compressed)
    if compressed.basis is not None:
        yield spec.Chunk.BASIS, write_varint(compressed.basis.components), compressed.basis.digest
    else:
        yield spec.Chunk.MEAN, compressed.mean
        if compressed.scale is not None:
            yield spec.Chunk.DEVIATIONS, compressed.scale
    if compressed.alpha is not None:
        yield spec.Chunk.ALPHA, encode_alpha(compressed.alpha)
    photo = compressed.header.traits.separable
    if photo and (compressed.tiles is not None) != bool(compressed.header.tools & TILED):
        raise SettingsError("The header and the parts of the photo do not agree on whether it has tiles.")
    if compressed.tiles is not None:
        yield spec.Chunk.TILES, compressed.tiles
    if compressed.missing is not None:
        if not compressed.header.traits.masks_missing:
            raise SettingsError("Only many bands can have values that were not measured.")
        yield spec.Chunk.MISSING, compressed.missing
    yield from _groups(compressed) if compressed.header.traits.separable else _components(compressed)
    yield spec.Chunk.END, write_varint(compressed.k)


def _ancillary(compressed: Compressed) -> Iterator[_Content]:
    if payload := lengths(compressed):
        yield spec.Chunk.LENGTHS, payload
    yield from _metadata(compressed.metadata)
    if compressed.spectrum.size:
        yield spec.Chunk.SPECTRUM, _spectrum(compressed.spectrum)
    if compressed.preview is not None:
        yield spec.Chunk.PREVIEW, _preview(compressed.preview)


def _components(compressed: Compressed) -> Iterator[_Content]:
    bands = method_number(compressed.header.sampling) == spec.BANDS
    if compressed.residual is not None and not bands:
        raise SettingsError("Only photos and many bands can have a residual.")
    if compressed.scale is not None and bands:
        raise SettingsError("Many bands have no deviations: their components have them in them.")
    for number, component in enumerate(compressed.components, start=1):
        if compressed.basis is not None:
            yield spec.Chunk.SCORES, write_varint(number), component.scores
            continue
        yield spec.Chunk.COMPONENT, records.write_component(number, component)
    if compressed.residual is not None:
        yield spec.Chunk.RESIDUAL, write_varint(compressed.k), compressed.residual


def _groups(compressed: Compressed) -> Iterator[_Content]:
    if compressed.basis is not None:
        raise SettingsError("Photos have trained components, not those of a model file.")
    if compressed.scale is not None or any(part.precision or part.vector for part in compressed.components):
        raise SettingsError("The components of a photo have scores only, and its features no deviations.")
    for payload in group_payloads(component.scores for component in compressed.components):
        yield spec.Chunk.GROUP, payload
    if compressed.residual is not None:
        yield spec.Chunk.RESIDUAL, write_varint(compressed.k), compressed.residual


def _metadata(metadata: Metadata) -> Iterator[_Content]:
    """Yield the existing metadata, except those longer than a reader accepts."""
    if metadata.name:
        name = metadata.name.encode("utf-8", "replace")
        yield spec.Chunk.NAME, name[-spec.MAX_TEXT :].decode("utf-8", "ignore").encode()
    if metadata.file_size is not None and 0 <= metadata.file_size < LIMIT:
        yield spec.Chunk.FILE_SIZE, write_varint(metadata.file_size)
    blocks = (
        (spec.Chunk.ICC_PROFILE, metadata.icc_profile),
        (spec.Chunk.EXIF, metadata.exif),
        (spec.Chunk.XMP, metadata.xmp),
        (spec.Chunk.IPTC, metadata.iptc),
    )
    for kind, data in blocks:
        if data and len(data) <= spec.MAX_PROFILE:
            yield kind, zlib.compress(data, 9)
    if metadata.bands and len(metadata.bands) <= spec.MAX_BANDS_INFO:
        yield spec.Chunk.BANDS, metadata.bands
    if metadata.timing and len(metadata.timing) <= spec.MAX_TIMING:
        yield spec.Chunk.TIMING, metadata.timing


def _spectrum(spectrum: NDArray[np.float64]) -> bytes:
    """Return the differences of successive variances: all low bytes, then all high bytes, deflated."""
    codes = records.spectrum_to_codes(spectrum).astype(np.int32)
    falls = np.concatenate([codes[:1], -np.diff(codes)]).astype("<u2")
    return write_varint(codes.size) + zlib.compress(falls.view(np.uint8).reshape(-1, 2).T.tobytes(), 9)


def _preview(picture: NDArray[np.uint8]) -> bytes:
    sides = b"".join(map(write_varint, picture.shape))
    return sides + zlib.compress(picture.tobytes(), 9)


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

    chunk: spec.RawChunk
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
        return [*(self.chunk.start + spec.chunk_size(size) for size in sizes[:-1]), self.chunk.stop]

    def kept(self, data: bytes, k: int) -> bytes:
        """Return the chunk with the components up to the k-th of the file."""
        count = k - self.number + 1
        if self.segments is None or count == self.count:
            return data[self.chunk.start : self.chunk.stop]
        return spec.write_chunk(spec.Chunk.GROUP, group_payload(self.number, self.segments[:count]))


def _parts(data: bytes) -> tuple[list[_Part], bool]:
    """Return the chunks of a file's components, and whether it has a residual."""
    found = Container(data)
    if found.fault is not None:
        raise found.fault
    parts, segments = list[_Part](), [each.segment for each in found.components]
    for chunk, place in zip(spec.raw_chunks(found, data), found.chunks, strict=True):
        first, count = place.first, place.many
        if count:
            grouped = segments[first - 1 : first - 1 + count] if chunk.kind is spec.Chunk.GROUP else None
            parts.append(_Part(chunk, first, grouped))
    return parts, any(each.letter == spec.Chunk.RESIDUAL.value for each in found.chunks)


def _end(k: int) -> bytes:
    return spec.write_chunk(spec.Chunk.END, write_varint(k))


# Groups are chunks with several components of a photo, each of which is too short for a chunk of its own.
# All components are one stream of bytes, cut into a segment for each. A group holds consecutive segments,
# preceded by a table of their lengths as Golomb-Rice codes. The last length follows from the chunk's.
SHIFT_BITS = 4
MAX_SHIFT = (1 << SHIFT_BITS) - 1

START = 64  # initial state of the adaptive code: four times the first length expected
LONG = 8  # lengths of at least this many times the expected size are coded by the logarithm of their excess


def group_payloads(segments: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the payloads of groups that hold all segments, each of up to about 64 KiB."""
    number, size, group = 1, 0, list[bytes]()
    for segment in segments:
        group.append(segment)
        size += len(segment)
        if size >= spec.GROUP_BYTES:
            yield group_payload(number, group)
            number, size, group = number + len(group), 0, []
    if group:
        yield group_payload(number, group)


def group_payload(number: int, segments: Sequence[bytes]) -> bytes:
    """Return a group's payload: one-based number of its first component, count, lengths, segments."""
    lengths = [len(segment) for segment in segments[:-1]]
    shift = _shifts(lengths)[-1]
    bits = f"{shift:0{SHIFT_BITS}b}" + "".join(_codes(length >> shift for length in lengths))
    table = int(bits.ljust(8 * _bytes(len(bits)), "0"), 2).to_bytes(_bytes(len(bits)), "big")
    return write_varint(number) + write_varint(len(segments)) + table + b"".join(segments)


def payload_sizes(number: int, segments: Sequence[bytes]) -> list[int]:
    """Return the sizes of the payload with the first segment alone, with two, and so on to all."""
    lengths = [len(segment) for segment in segments]
    shifts = _shifts(lengths[:-1])
    bits = {
        shift: list(accumulate(map(len, _codes(length >> shift for length in lengths)), initial=SHIFT_BITS))
        for shift in set(shifts)
    }
    return [
        len(write_varint(number)) + len(write_varint(count + 1)) + _bytes(bits[shift][count]) + total
        for count, (shift, total) in enumerate(zip(shifts, accumulate(lengths), strict=True))
    ]


def _shifts(lengths: Sequence[int]) -> list[int]:
    """Return how many trailing zero bits are common to the first 0, 1, 2, … lengths."""
    union = accumulate(lengths, int.__or__, initial=0)
    return [min((bits & -bits).bit_length() - 1, MAX_SHIFT) if bits else 0 for bits in union]


def _codes(values: Iterable[int]) -> Iterator[str]:
    """Yield Golomb-Rice codes of numbers as strings of bits; the parameter adapts to the numbers."""
    state = START
    for value in values:
        parameter = (state >> 3).bit_length()
        high = value >> parameter
        ones = high if high < LONG else LONG - 1 + (high - LONG + 1).bit_length()
        base, width = _range_of(ones, parameter)
        yield "1" * ones + "0" + (f"{value - base:0{width}b}" if width else "")
        state += value - (state >> 2)


def _range_of(ones: int, parameter: int) -> tuple[int, int]:
    """Return the smallest number whose code starts with so many ones, and the number of bits that follow."""
    more = max(ones - LONG, 0)
    high = ones if ones < LONG else LONG - 1 + (1 << more)
    return high << parameter, parameter + more


def _bytes(bits: int) -> int:
    return -(-bits // 8)
