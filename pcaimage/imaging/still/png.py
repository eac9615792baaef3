"""Writing of PNG, with strips compressed on all cores."""

from __future__ import annotations

import struct
import zlib
from contextlib import closing
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from pcaimage.imaging.moving.animation import changed_area
from pcaimage.imaging.moving.apng import SIGNATURE, chunk
from pcaimage.imaging.still import deflate
from pcaimage.machine.parallel import ahead
from pcaimage.progress import Progress, no_progress
from pcaimage.strips import recut

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from numpy.typing import NDArray

    from pcaimage.imaging.image.stream import ImageStream
    from pcaimage.imaging.image.timing import Timing
    from pcaimage.imaging.image.types import Pixels
    from pcaimage.imaging.moving.animation import Area
    from pcaimage.imaging.still.deflate import Choice, Effort

    Bytes = NDArray[np.uint8]

_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
_NONE, _SUB, _UP, _AVERAGE = range(4)
"""Filter types. The fifth, Paeth's, takes ten times as long with arrays, and saves 3 % at most."""

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
    _start(file, image, icc_profile)
    rows = max(1, deflate.STRIP_BYTES // (image.width * image.samples * image.dtype.itemsize))
    checksum, done, start = deflate.Checksum(), 0, deflate.START
    with closing(image.joined()) as joined:
        pieces = _with_row_above(recut(joined, repeat(rows, -(-image.height // rows))))
        with closing(ahead(partial(_compressed, choice=deflate.choice(level)), pieces)) as parts:
            for part in parts:
                _chunk(file, b"IDAT", start + part.data)
                checksum.append(part.checksum, part.length)
                start, done = b"", done + part.rows
                progress(done, image.height)
    _chunk(file, b"IDAT", deflate.END + checksum.to_bytes())
    _chunk(file, b"IEND", b"")


def write_animated_png(
    file: BinaryIO,
    image: ImageStream,
    timing: Timing,
    icc_profile: bytes | None,
    *,
    level: int | None = None,
    progress: Progress = no_progress,
) -> None:
    """Write a stack of such images as an animation; of each frame only the area that changes is stored.

    See sections 4.9 and 11.3.6 of the specification.
    """
    from fractions import Fraction  # noqa: PLC0415 - still images do without

    _start(file, image, icc_profile)
    _chunk(file, b"acTL", struct.pack(">II", image.frames, timing.plays))
    number, work = 0, partial(_frame_data, choice=deflate.choice(level))
    with closing(image.joined()) as joined:
        pieces = _changes(frame[0] for frame in recut(joined, repeat(1, image.frames)))
        with closing(ahead(work, pieces)) as frames:
            for done, ((left, top, width, height), data) in enumerate(frames):
                delay = Fraction(round(timing.durations[done] * 1000), 1_000_000).limit_denominator(1000)
                unit = min(delay.denominator, 65_535 * delay.denominator // max(delay.numerator, 1)) or 1
                part = struct.pack(">IIII", width, height, left, top)
                lasting = struct.pack(">HH", min(round(delay * unit), 65_535), unit)
                _chunk(file, b"fcTL", struct.pack(">I", number) + part + lasting + bytes([0, 0]))
                sequence = struct.pack(">I", number + 1)
                _chunk(file, b"fdAT" if done else b"IDAT", sequence + data if done else data)
                number += 2 if done else 1
                progress(done + 1, image.frames)
    _chunk(file, b"IEND", b"")


def _changes(frames: Iterable[Pixels]) -> Generator[tuple[Area, Pixels]]:
    """Yield the area of each frame that differs from the frame before, and its pixels."""
    before = None
    for frame in frames:
        left, top, width, height = area = changed_area(before, frame)
        yield area, frame[top : top + height, left : left + width]
        before = frame


def _frame_data(piece: tuple[Area, Pixels], choice: Choice) -> tuple[Area, bytes]:
    area, pixels = piece
    part = _compressed((pixels, None), choice)
    return area, b"".join([deflate.START, part.data, deflate.END, struct.pack(">I", part.checksum)])


def _start(file: BinaryIO, image: ImageStream, icc_profile: bytes | None) -> None:
    """Write the signature and everything before the pixels."""
    file.write(SIGNATURE)
    bits, kind = 8 * image.dtype.itemsize, _COLOUR_TYPES[image.samples]
    _chunk(file, b"IHDR", struct.pack(">IIBBBBB", image.width, image.height, bits, kind, 0, 0, 0))
    if image.declared is not None:
        bits = image.declared.bit_length()
        _chunk(file, b"sBIT", bytes([bits] * image.channels + [16] * (image.alpha is not None)))
    if icc_profile:
        _chunk(file, b"iCCP", b"ICC Profile\0\0" + zlib.compress(icc_profile))
    if image.exif:
        _chunk(file, b"eXIf", image.exif)
    if image.xmp:
        # Uncompressed and without a language tag (XMP Specification, part 3, Adobe 2020, section 1.1.5).
        _chunk(file, b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + image.xmp)


def _chunk(file: BinaryIO, kind: bytes, data: bytes) -> None:
    file.write(chunk(kind, data))


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
