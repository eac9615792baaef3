"""The frames of a GIF, found without decoding them.

Pillow fills what a frame leaves open with a background colour, where viewers show nothing, and enlarges the
whole image for a frame that extends beyond it, up to 65,535 pixels a side, long after the size in the header
was checked against the limits. So frames are decoded one by one, each as a GIF of its own.

References
----------
Graphics Interchange Format, version 89a, CompuServe 1990.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from pcaimage.imaging.moving.animation import Animation, Disposal, Layer, Part

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL import ImageFile

SIGNATURES = (b"GIF87a", b"GIF89a")
_EXTENSION, _FRAME, _END = b"!", b",", b";"
_CONTROL, _APPLICATION = b"\xf9", b"\xff"
_TABLE, _INTERLACED, _KEYED = 0x80, 0x40, 0x01
"""Flags of a frame's colour table, whose size is in the lowest three bits, of interlacing, and of a control
block with a transparent index."""
_DISPOSALS: dict[int, Disposal] = {2: "clear", 3: "restore"}
_CENTISECOND = 10.0


class _CutError(Exception):
    """The file ends within a block."""


@dataclass(frozen=True)
class _Control:
    """The control block before a frame."""

    disposal: Disposal = "keep"
    key: int | None = None
    duration: float = 0.0


def gif_animation(file: BinaryIO) -> Animation:
    """Find the frames of a GIF; the file position is left anywhere."""
    file.seek(0)
    width, height, flags = struct.unpack_from("<HHB", _read(file, 13), 6)
    parts, plays, begun = list[Part](), 1, 0
    try:
        table, control = _table(file, flags), _Control()
        while (kind := file.read(1)) not in (b"", _END):
            if kind == _EXTENSION:
                label, blocks = _read(file, 1), _blocks(file)
                if label == _CONTROL and len(blocks) >= 5:
                    control = _control(blocks)
                elif label == _APPLICATION and blocks[1:12] in (b"NETSCAPE2.0", b"ANIMEXTS1.0"):
                    plays = _plays(blocks)
            elif kind == _FRAME:
                begun += 1
                part = _part(file, table, control)
                if begun == len(parts) + 1 and part.is_within(width, height):
                    parts.append(part)
                control = _Control()
    except _CutError:
        pass
    # Later frames are drawn over what is there, which is opaque if all of the first frame is.
    opaque = bool(parts) and parts[0].key is None and (parts[0].width, parts[0].height) == (width, height)
    clears = any(part.disposal == "clear" for part in parts)
    return Animation(tuple(parts), plays, begun, clears or not opaque)


def gif_data(file: BinaryIO) -> bytes:
    """Return the coded indices of the only frame of a GIF without extensions: least size of codes, blocks."""
    file.seek(10)
    _table(file, _read(file, 3)[0])
    _read(file, 10)
    return _read(file, 1) + _blocks(file)


def gif_layer(part: Part, opened: Callable[[BinaryIO], ImageFile.ImageFile]) -> Layer:
    """Decode a frame to RGB."""
    image = opened(io.BytesIO(part.stored))
    image.load()
    indices = np.asarray(image)
    colours = np.zeros((256, 3), np.uint8)
    count = 2 << (part.stored[10] & 7)
    colours[:count] = np.frombuffer(part.stored, np.uint8, 3 * count, 13).reshape(count, 3)
    alpha = None if part.key is None else np.where(indices == part.key, np.uint8(0), np.uint8(255))
    return Layer(colours[indices], alpha)


def _part(file: BinaryIO, table: bytes, control: _Control) -> Part:
    left, top, width, height, flags = struct.unpack("<4HB", _read(file, 9))
    table = _table(file, flags) or table or bytes(np.repeat(np.arange(256, dtype=np.uint8), 3))
    size = (len(table) // 6).bit_length() - 1
    data = _read(file, 1) + _blocks(file)
    header = struct.pack("<6sHHBBB", SIGNATURES[1], width, height, _TABLE | size, 0, 0)
    frame = struct.pack("<c4HB", _FRAME, 0, 0, width, height, flags & _INTERLACED)
    stored = b"".join([header, table, frame, data, _END])
    return Part(left, top, width, height, control.duration, control.disposal, True, stored, control.key)


def _control(blocks: bytes) -> _Control:
    flags, delay, key = struct.unpack_from("<BHB", blocks, 1)
    return _Control(
        _DISPOSALS.get((flags >> 2) & 7, "keep"), key if flags & _KEYED else None, delay * _CENTISECOND
    )


def _plays(blocks: bytes) -> int:
    """Return how often the images are shown: the file says how often they are repeated, 0 for ever."""
    if len(blocks) < 16 or blocks[13] != 1:
        return 1
    (repeated,) = struct.unpack_from("<H", blocks, 14)
    return repeated + 1 if repeated else 0


def _table(file: BinaryIO, flags: int) -> bytes:
    return _read(file, 3 << ((flags & 7) + 1)) if flags & _TABLE else b""


def _blocks(file: BinaryIO) -> bytes:
    """Read blocks, each after its length, up to an empty one."""
    parts = []
    while True:
        length = _read(file, 1)
        parts.append(length)
        if not length[0]:
            return b"".join(parts)
        parts.append(_read(file, length[0]))


def _read(file: BinaryIO, count: int) -> bytes:
    data = file.read(count)
    if len(data) < count:
        raise _CutError
    return data
