"""Animated PNGs: their frames, found without decoding them, and writing them.

Pillow reads frames of 16 bits with eight, and mixes those that are partly transparent in another way than
viewers do. So each frame is decoded as a PNG of its own.

References
----------
Portable Network Graphics (PNG) Specification, Third Edition, W3C 2025, sections 4.9 and 11.3.6.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import BinaryIO

from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.moving.animation import Animation, Area, Disposal, Layer, Part, changed_area, composed
from pcaimage.imaging.still import deflate
from pcaimage.imaging.still.deflate import Choice
from pcaimage.imaging.still.pillow import decode_pillow, open_pillow
from pcaimage.imaging.still.png import SIGNATURE, chunk, chunks, complete_stream, write_head
from pcaimage.machine.parallel import ahead
from pcaimage.progress import Progress, no_progress

_DISPOSALS: tuple[Disposal, ...] = ("keep", "clear", "restore")
_SHARED = (b"PLTE", b"tRNS")  # chunks that hold for the frames, too
_WITH_ALPHA = (4, 6)  # colour types with alpha
_CONTROL = struct.Struct(">IIIIIHHBB")


def png_animation(file: BinaryIO) -> Animation | None:
    """Find the frames of an animated PNG, else None; the file position is left anywhere."""
    found = _Found()
    for kind, payload in chunks(file):
        found.take(kind, payload)
    if found.announced is None:
        return None
    clears = any(part.disposal == "clear" for part in found.parts)
    has_alpha = clears or b"tRNS" in found.shared or found.header[9] in _WITH_ALPHA
    timing = Timing(tuple(part.duration for part in found.parts), found.plays)
    decoded = partial(composed, found.parts, _layer)
    return Animation(timing, max(found.announced, found.begun), has_alpha, decoded, file)


def _layer(part: Part) -> Layer:
    file = io.BytesIO(part.stored)
    decoded = decode_pillow(open_pillow(file, ""), file, "A frame")
    return Layer(decoded.pixels, decoded.alpha)


@dataclass
class _Found:
    """Collects the chunks of a file in order."""

    header: bytes = b""
    shared: bytes = b""
    announced: int | None = None
    plays: int = 0
    parts: list[Part] = field(default_factory=list)
    begun: int = 0
    control: tuple[int, ...] = ()
    data: list[bytes] = field(default_factory=list)

    def take(self, kind: bytes, payload: bytes) -> None:
        """Add a chunk; a frame is complete when the next one begins, or the file ends."""
        if kind == b"IHDR":
            self.header = payload
        elif kind in _SHARED:
            self.shared += chunk(kind, payload)
        elif kind == b"acTL":
            self.announced, self.plays = struct.unpack(">II", payload)
        elif kind in {b"fcTL", b"IEND"}:
            self._finish()
            self.control = _CONTROL.unpack(payload) if payload else ()
        elif kind == b"IDAT" and self.control:  # else it is a still image for viewers without animation
            self.data.append(payload)
        elif kind == b"fdAT":
            self.data.append(payload[4:])

    def _finish(self) -> None:
        if self.control and self.data:
            part = _part(self.control, self.header, self.shared, b"".join(self.data))
            width, height = struct.unpack_from(">II", self.header)
            self.begun += 1
            if self.begun == len(self.parts) + 1 and part.is_within(width, height):
                self.parts.append(part)
        self.data = []


def _part(control: tuple[int, ...], header: bytes, shared: bytes, data: bytes) -> Part:
    _, width, height, left, top, delay, unit, disposal, blend = control
    own = chunk(b"IHDR", struct.pack(">II", width, height) + header[8:])
    stored = b"".join([SIGNATURE, own, shared, chunk(b"IDAT", data), chunk(b"IEND", b"")])
    kept = _DISPOSALS[disposal] if disposal < len(_DISPOSALS) else "keep"
    return Part(left, top, width, height, 1000 * delay / (unit or 100), kept, blend == 1, stored)


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
    write_head(file, image, icc_profile)
    file.write(chunk(b"acTL", struct.pack(">II", image.frames, timing.plays)))
    number, work = 0, partial(_frame_data, choice=deflate.choice(level))
    with closing(_changes(image.images())) as pieces, closing(ahead(work, pieces)) as frames:
        for done, ((left, top, width, height), data) in enumerate(frames):
            delay = Fraction(round(timing.durations[done] * 1000), 1_000_000).limit_denominator(1000)
            unit = min(delay.denominator, 65_535 * delay.denominator // max(delay.numerator, 1)) or 1
            part = struct.pack(">IIII", width, height, left, top)
            lasting = struct.pack(">HH", min(round(delay * unit), 65_535), unit)
            file.write(chunk(b"fcTL", struct.pack(">I", number) + part + lasting + bytes([0, 0])))
            sequence = struct.pack(">I", number + 1)
            file.write(chunk(b"fdAT" if done else b"IDAT", sequence + data if done else data))
            number += 2 if done else 1
            progress(done + 1, image.frames)
    file.write(chunk(b"IEND", b""))


def _changes(frames: Generator[Pixels]) -> Generator[tuple[Area, Pixels]]:
    """Yield the area of each frame that differs from the frame before, and its pixels."""
    before = None
    with closing(frames):
        for frame in frames:
            left, top, width, height = area = changed_area(before, frame)
            yield area, frame[top : top + height, left : left + width]
            before = frame


def _frame_data(piece: tuple[Area, Pixels], choice: Choice) -> tuple[Area, bytes]:
    area, pixels = piece
    return area, complete_stream(pixels, choice)
