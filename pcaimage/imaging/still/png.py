"""PNG: its chunks, and writing it with strips compressed on all cores."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import repeat
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.pixels import Pixels, recut
from pcaimage.imaging.still import deflate
from pcaimage.imaging.still.deflate import Choice, Effort
from pcaimage.machine.parallel import ahead
from pcaimage.progress import Progress, no_progress

Bytes = NDArray[np.uint8]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
_NONE, _SUB, _UP, _AVERAGE = range(4)
"""Filter types. The fifth, Paeth's, takes ten times as long with arrays, and saves 3 % at most."""

_COLOUR_TYPE = 9  # the place of the colour type in the header; its second bit says colour

_BEFORE_STRINGS = (_NONE, _SUB, _UP, _AVERAGE)
"""The filters tried before string matching, as their output may contain repeated strings."""


class _Part(NamedTuple):
    """A compressed strip, with the checksum and the number of its filtered bytes."""

    data: bytes
    checksum: int
    length: int
    rows: int


def write_png(
    file: BinaryIO,
    image: ImageStream,
    icc_profile: bytes | None,
    *,
    level: int | None = None,
    progress: Progress = no_progress,
) -> None:
    """Write a uint8 or uint16 image of one or three channels, with or without alpha, and its EXIF block.

    zlib's level, from 0 to 9, is by default optimised for speed. See sections 9.2 and 11 of the Portable
    Network Graphics (PNG) Specification, Third Edition, W3C 2025.
    """
    write_head(file, image, icc_profile)
    rows = max(1, deflate.STRIP_BYTES // (image.width * image.samples * image.dtype.itemsize))
    checksum, done, start = deflate.Checksum(), 0, deflate.START
    with closing(image.joined()) as joined:
        pieces = _with_row_above(recut(joined, repeat(rows, -(-image.height // rows))))
        with closing(ahead(partial(_compressed, choice=deflate.choice(level)), pieces)) as parts:
            for part in parts:
                file.write(chunk(b"IDAT", start + part.data))
                checksum.append(part.checksum, part.length)
                start, done = b"", done + part.rows
                progress(done, image.height)
    file.write(chunk(b"IDAT", deflate.END + checksum.to_bytes()))
    file.write(chunk(b"IEND", b""))


def write_head(file: BinaryIO, image: ImageStream, icc_profile: bytes | None) -> None:
    """Write the signature and everything before the pixels."""
    file.write(SIGNATURE)
    bits, kind = 8 * image.dtype.itemsize, _COLOUR_TYPES[image.samples]
    file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", image.width, image.height, bits, kind, 0, 0, 0)))
    if image.declared is not None:
        bits = image.declared.bit_length()
        file.write(chunk(b"sBIT", bytes([bits] * image.channels + [16] * (image.alpha is not None))))
    if icc_profile:
        file.write(chunk(b"iCCP", b"ICC Profile\0\0" + zlib.compress(icc_profile)))
    if image.exif:
        file.write(chunk(b"eXIf", image.exif))
    if image.xmp:
        # Uncompressed and without a language tag (XMP Specification, part 3, Adobe 2020, section 1.1.5).
        file.write(chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + image.xmp))


def complete_stream(pixels: Pixels, choice: Choice) -> bytes:
    """Return the compressed data of a whole image."""
    part = _compressed((pixels, None), choice)
    return b"".join([deflate.START, part.data, deflate.END, struct.pack(">I", part.checksum)])


def _with_row_above(strips: Iterable[Pixels]) -> Generator[tuple[Pixels, Pixels | None]]:
    above = None
    for strip in strips:
        yield strip, above
        above = strip[-1:]


def _compressed(piece: tuple[Pixels, Pixels | None], choice: Choice) -> _Part:
    """Filter and compress a strip, with the filter and strategy that suit a sample from its middle best."""
    strip, above = piece
    step = strip.shape[2] * strip.dtype.itemsize
    rows = _bytes_of(strip)
    before = np.zeros_like(rows[:1]) if above is None else _bytes_of(above)
    count = max(2, deflate.SAMPLE_BYTES // rows.shape[1])
    top = max(0, (len(rows) - count) // 2)
    sample, over = rows[top : top + count], rows[top - 1 : top] if top else before

    def tried(kind: int) -> Callable[[Effort], bytes]:
        return lambda effort: effort.compress_part(_filtered(sample, over, step, kind))

    best = choice.best(tried(_AVERAGE), *map(tried, _BEFORE_STRINGS))
    kind, effort = (_BEFORE_STRINGS[best - 1], choice.strings) if best else (_AVERAGE, choice.runs)
    data = _filtered(rows, before, step, kind)
    return _Part(effort.compress_part(data), zlib.adler32(data.data), data.size, len(rows))


def _bytes_of(strip: Pixels) -> Bytes:
    """Return pixels as rows of bytes in file order."""
    values = np.ascontiguousarray(strip, strip.dtype.newbyteorder(">"))
    return values.reshape(len(strip), -1).view(np.uint8)


def _filtered(rows: Bytes, above: Bytes, step: int, kind: int) -> Bytes:
    """Return filtered rows of bytes, each preceded by its filter type; a pixel has `step` bytes."""
    result = np.empty((len(rows), rows.shape[1] + 1), np.uint8)
    result[:, 0] = kind
    values = result[:, 1:]
    if kind in {_NONE, _SUB}:
        values[...] = rows
        if kind == _SUB:
            values[:, step:] -= rows[:, :-step]
        return result
    values[0], values[1:] = above, rows[:-1]
    if kind == _AVERAGE:
        # The mean of both neighbours, rounded down, computed without a ninth bit.
        up = values.copy()
        values >>= 1
        left = rows[:, :-step]
        values[:, step:] = (up[:, step:] & left) + ((up[:, step:] ^ left) >> 1)
    np.subtract(rows, values, out=values)
    return result


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk: length, kind, data, checksum."""
    checksum = zlib.crc32(data, zlib.crc32(kind))
    return b"".join([struct.pack(">I4s", len(data), kind), data, struct.pack(">I", checksum)])


def chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Yield kinds and data of chunks, up to one that is cut short or damaged, or the pixels of a still image.

    An animation is announced before its first pixels.
    """
    file.seek(len(SIGNATURE))
    announced = False
    while len(start := file.read(8)) == 8:
        length, kind = struct.unpack(">I4s", start)
        announced |= kind == b"acTL"
        if length >= 1 << 31 or (kind == b"IDAT" and not announced):
            return
        data, checksum = file.read(length), file.read(4)
        if len(data) < length or checksum != struct.pack(">I", zlib.crc32(data, zlib.crc32(kind))):
            return
        yield kind, data
        if kind == b"IEND":
            return


def declared_white(file: BinaryIO) -> int | None:
    """Return the largest value that a PNG says its samples may have, by their significant bits.

    The standard wants such samples scaled to all bits; those that are not stay below this value.
    """
    colour = 0
    for kind, data in chunks(file):
        if kind == b"IHDR" and len(data) > _COLOUR_TYPE:
            colour = data[_COLOUR_TYPE]
        if kind == b"sBIT" and data:
            return int((1 << max(data[: 3 if colour & 2 else 1])) - 1)
    return None
