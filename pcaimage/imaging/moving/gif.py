"""Animated GIFs: their frames, found without decoding them, and writing them.

Pillow fills what a frame leaves open with a background colour, where viewers show nothing, and enlarges the
whole image for a frame that extends beyond it, up to 65,535 pixels a side, long after the size in the header
was checked against the limits. So frames are decoded one by one, each as a GIF of its own. Writing a whole
animation, it would leave out frames that are like the one before.

References
----------
Graphics Interchange Format, version 89a, CompuServe 1990; Netscape's application extension of 1995, by which
an animation is repeated.
"""

from __future__ import annotations

import io
import struct
from functools import partial
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin
from PIL import Image as PillowImage

from pcaimage.imaging.image.image import ImageStream
from pcaimage.imaging.image.pixels import Pixels, split_alpha
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.moving.animation import Animation, Area, Disposal, Layer, Part, changed_area, composed
from pcaimage.progress import Progress, no_progress

SIGNATURES = (b"GIF87a", b"GIF89a")
_EXTENSION, _FRAME, _END = b"!", b",", b";"
_CONTROL, _APPLICATION = b"\xf9", b"\xff"
_TABLE, _INTERLACED, _KEYED = 0x80, 0x40, 0x01
"""Flags of a frame's colour table, whose size is in the lowest three bits, of interlacing, and of a control
block with a transparent index."""
_DISPOSALS: dict[int, Disposal] = {2: "clear", 3: "restore"}
_CENTISECOND = 10.0
_GREYS = bytes(np.repeat(np.arange(256, dtype=np.uint8), 3))  # the colours of a file without any
_COLOURS, _CLEAR = 255, 255  # colours of a written frame, besides the index that stands for transparent
_MOST = 65_535  # the longest duration, in hundredths of a second, and the most repetitions
_OPAQUE = 128  # opacity from which a written pixel is opaque


class _CutError(Exception):
    """The file ends within a block."""


def gif_animation(file: BinaryIO) -> Animation:
    """Find the frames of a GIF; the file position is left anywhere."""
    file.seek(0)
    width, height, flags = struct.unpack_from("<HHB", _read(file, 13), 6)
    parts, plays, begun = list[Part](), 1, 0
    opaque = False
    try:
        table, control = _table(file, flags), b""
        while (kind := file.read(1)) not in (b"", _END):
            if kind == _EXTENSION:
                label, blocks = _read(file, 1), _blocks(file)
                if label == _CONTROL and len(blocks) >= 5:
                    control = blocks
                elif label == _APPLICATION and blocks[1:12] in (b"NETSCAPE2.0", b"ANIMEXTS1.0"):
                    plays = _plays(blocks)
            elif kind == _FRAME:
                begun += 1
                part = _part(file, table, control)
                if begun == len(parts) + 1 and part.is_within(width, height):
                    # Later frames are drawn over what is there, which is opaque if all of the first one is.
                    keyed = bool(control) and control[1] & _KEYED
                    opaque |= begun == 1 and not keyed and (part.width, part.height) == (width, height)
                    parts.append(part)
                control = b""
    except _CutError:
        pass
    has_alpha = not opaque or any(part.disposal == "clear" for part in parts)
    timing = Timing(tuple(part.duration for part in parts), plays)
    return Animation(timing, begun, has_alpha, partial(composed, parts, _layer), file)


def _layer(part: Part) -> Layer:
    image = GifImagePlugin.GifImageFile(io.BytesIO(part.stored), "")
    image.load()
    pixels, alpha = split_alpha(np.asarray(image.convert("RGBA")))
    return Layer(pixels, alpha if "transparency" in image.info else None)


def _part(file: BinaryIO, table: bytes, control: bytes) -> Part:
    left, top, width, height, flags = struct.unpack("<4HB", _read(file, 9))
    table = _table(file, flags) or table or _GREYS
    size = (len(table) // 6).bit_length() - 1
    data = _read(file, 1) + _blocks(file)
    header = struct.pack("<6sHHBBB", SIGNATURES[1], width, height, _TABLE | size, 0, 0)
    own = struct.pack("<4HB", 0, 0, width, height, flags & _INTERLACED)
    treatment, delay = struct.unpack_from("<BH", control, 1) if control else (0, 0)
    keyed = b"".join([_EXTENSION, _CONTROL, control]) if treatment & _KEYED else b""
    stored = b"".join([header, table, keyed, _FRAME, own, data, _END])
    disposal = _DISPOSALS.get((treatment >> 2) & 7, "keep")
    return Part(left, top, width, height, delay * _CENTISECOND, disposal, stored=stored)


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


def write_gif(file: BinaryIO, image: ImageStream, timing: Timing, progress: Progress = no_progress) -> None:
    """Write a uint8 stack of one or three channels.

    Each frame has a palette of its own: all its colours if they are at most 255, else the best ones, without
    error diffusion, which would flicker. Pixels that do not change are left out. Opacity is all or nothing.
    """
    file.write(struct.pack("<6sHHBBB", SIGNATURES[1], image.width, image.height, 0x70, 0, 0))
    if timing.plays != 1:
        repeated = min(max(timing.plays - 1, 0), _MOST)
        file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", repeated) + b"\0")
    durations = timing.rounded(_CENTISECOND)
    before = None
    for done, frame in enumerate(image.images()):
        (left, top, *_), picture = _quantised(before, frame, has_alpha=image.alpha is not None)
        blocks = GifImagePlugin.getdata(
            picture,
            (left, top),
            include_color_table=True,
            interlace=0,
            transparency=_CLEAR,
            duration=_CENTISECOND * min(durations[done], _MOST),
            # Opaque frames stay, and the next is drawn over them; others are cleared.
            disposal=1 if image.alpha is None else 2,
        )
        file.writelines(blocks)
        before = frame
        progress(done + 1, image.frames)
    file.write(_END)


def _quantised(before: Pixels | None, frame: Pixels, *, has_alpha: bool) -> tuple[Area, PillowImage.Image]:
    """Return the area of a frame that is written, and its pixels by a palette of 256 colours."""
    area = left, top, width, height = changed_area(None if has_alpha else before, frame)
    cut = np.s_[top : top + height, left : left + width]
    part = frame[cut]
    colours = part[..., :-1] if has_alpha else part
    picture = PillowImage.fromarray(np.repeat(colours, 3, -1) if colours.shape[-1] == 1 else colours.copy())
    indices, palette = _indexed(picture)
    if has_alpha:
        indices[part[..., -1] < _OPAQUE] = _CLEAR
    elif before is not None:
        indices[(part == before[cut]).all(axis=-1)] = _CLEAR
    indexed = PillowImage.fromarray(indices)
    indexed.putpalette(palette)
    return area, indexed


def _indexed(picture: PillowImage.Image) -> tuple[NDArray[np.uint8], bytes]:
    """Return the indices of an RGB picture's colours, shape (h, w), and the palette, padded with black."""
    few = picture.getcolors(_COLOURS)
    if few is None:
        best = picture.quantize(_COLOURS, PillowImage.Quantize.MEDIANCUT)
        found = bytes(best.getpalette() or ())[: 3 * _COLOURS]
        return np.array(best), found.ljust(768, b"\0")
    values = np.asarray(picture).astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    known = np.unique(values)
    palette = (known[:, None] >> np.array([16, 8, 0], np.uint32)).astype(np.uint8)
    return np.searchsorted(known, values).astype(np.uint8), palette.tobytes().ljust(768, b"\0")
