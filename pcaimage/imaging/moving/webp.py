"""Animated WebPs: their frames, which Pillow decodes as far as they are intact, and writing them.

References
----------
RFC 9649: WebP Image Format, 2024, section 2.7.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

from PIL import Image as PillowImage

from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.moving.animation import Animation, Layer, changed_area
from pcaimage.imaging.still.pillow import arrays_of, open_pillow, save
from pcaimage.progress import Progress

_PROFILE, _ALPHA, _EXIF, _XMP, _ANIMATED = 0x20, 0x10, 0x08, 0x04, 0x02
"""Flags in the header of an extended file."""
_MOST_PLAYS, _LONGEST = 65_535, (1 << 24) - 1
_OPAQUE = 255
_REPLACES = b"\x02"  # the flags of a frame that stays, and replaces what is there


def webp_animation(file: BinaryIO) -> Animation | None:
    """Find the frames of an animated WebP, else None; the file position is left anywhere."""
    file.seek(4)
    (length,) = struct.unpack("<I", file.read(8)[:4])
    durations, begun, plays, flags = list[float](), 0, 1, 0
    width = height = 0
    kept = list[bytes]()
    for kind, payload, complete in _chunks(file):
        if kind == b"VP8X" and complete:
            flags = payload[0]
            width, height = _number(payload, 4) + 1, _number(payload, 7) + 1
        if not flags & _ANIMATED:
            return None
        if kind == b"ANIM" and len(payload) >= 6:
            (plays,) = struct.unpack_from("<H", payload, 4)
        if kind == b"ANMF":
            begun += 1
            left, top, wide, high, duration = (_number(payload, 3 * place) for place in range(5))
            inside = 2 * left + wide < width and 2 * top + high < height
            if complete and inside and begun == len(durations) + 1:
                durations.append(float(duration))
                kept.append(_chunk(kind, payload))
        elif complete:
            kept.append(_chunk(kind, payload))
    if file.tell() < length + 8 and begun == len(durations):
        begun += 1  # the file is cut short where a frame would begin
    if not begun:
        return None
    # libwebp refuses a file as a whole that is damaged anywhere.
    intact = file if begun == len(durations) else io.BytesIO(_file(kept))
    timing = Timing(tuple(durations), plays)
    return Animation(timing, begun, bool(flags & _ALPHA), partial(_frames, intact, len(durations)), intact)


def _frames(file: BinaryIO, count: int, _width: int, _height: int) -> Iterator[Layer]:
    """Decode frames by libwebp, which draws each over those before."""
    image = open_pillow(file, "")
    for index in range(count):
        image.seek(index)
        image.load()
        pixels, alpha = arrays_of(image, "A frame")
        yield Layer(pixels, None if alpha is None or alpha.min() == _OPAQUE else alpha)


def write_webp(
    file: BinaryIO, image: ImageStream, timing: Timing, options: dict[str, Any], progress: Progress
) -> None:
    """Write a uint8 stack, each frame by Pillow with its options for a still image.

    Pillow's own animations leave out frames that are much like the one before.
    """
    icc_profile, exif, xmp = (options.pop(name, b"") for name in ("icc_profile", "exif", "xmp"))
    held = (_PROFILE, icc_profile), (_ALPHA, image.alpha is not None), (_EXIF, exif), (_XMP, xmp)
    flags = _ANIMATED | sum(flag for flag, there in held if there)
    sides = _bytes_of(image.width - 1) + _bytes_of(image.height - 1)
    chunks = [_chunk(b"VP8X", struct.pack("<I", flags) + sides)]
    chunks += [_chunk(b"ICCP", icc_profile)] if icc_profile else []
    chunks.append(_chunk(b"ANIM", struct.pack("<IH", 0, min(timing.plays, _MOST_PLAYS))))
    durations, before = timing.rounded(1.0), None
    for done, frame in enumerate(image.images()):
        left, top, width, height = changed_area(before, frame)
        # Areas begin at even lines and columns.
        left, top, width, height = left - left % 2, top - top % 2, width + left % 2, height + top % 2
        part = frame[top : top + height, left : left + width]
        buffer = io.BytesIO()
        picture = PillowImage.fromarray(part[..., 0] if part.shape[-1] == 1 else part.copy())
        save(picture, buffer, "WEBP", **options)
        numbers = (left // 2, top // 2, width - 1, height - 1, min(durations[done], _LONGEST))
        head = b"".join(map(_bytes_of, numbers)) + _REPLACES
        chunks.append(_chunk(b"ANMF", head + _coded(buffer)))
        before = frame
        progress(done + 1, image.frames)
    chunks += [_chunk(kind, data) for kind, data in ((b"EXIF", exif), (b"XMP ", xmp)) if data]
    file.write(_file(chunks))


def _coded(file: BinaryIO) -> bytes:
    """Return the chunks with the pixels of a still WebP."""
    file.seek(12)
    kinds = (b"ALPH", b"VP8 ", b"VP8L")
    return b"".join(_chunk(kind, data) for kind, data, _ in _chunks(file) if kind in kinds)


def _bytes_of(number: int) -> bytes:
    return number.to_bytes(3, "little")


def _number(payload: bytes, place: int) -> int:
    """Return a number of three bytes."""
    return int.from_bytes(payload[place : place + 3], "little")


def _file(chunks: list[bytes]) -> bytes:
    data = b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(data) + 4) + b"WEBP" + data


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack("<4sI", kind, len(data)) + data + b"\0" * (len(data) % 2)


def _chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes, bool]]:
    """Yield kinds and data of chunks, and whether they are complete."""
    while len(start := file.read(8)) == 8:
        kind, length = struct.unpack("<4sI", start)
        data = file.read(length)
        file.read(length % 2)
        yield kind, data, len(data) == length
