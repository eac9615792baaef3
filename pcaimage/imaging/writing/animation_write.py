"""Writing stacks as animated GIF and WebP. Animated PNG is in :mod:`pcaimage.imaging.still.png`.

References
----------
Graphics Interchange Format, version 89a, CompuServe 1990; Netscape's application extension of 1995, by which
an animation is repeated.
"""

from __future__ import annotations

import io
import struct
from contextlib import closing
from itertools import repeat
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from PIL import Image as PillowImage

from pcaimage.imaging.moving.animation import changed_area
from pcaimage.imaging.moving.gif import gif_data
from pcaimage.imaging.moving.webp import webp_file
from pcaimage.imaging.still.pillow import save
from pcaimage.progress import Progress, no_progress
from pcaimage.strips import recut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pcaimage.imaging.image.stream import ImageStream
    from pcaimage.imaging.image.timing import Timing
    from pcaimage.imaging.image.types import Pixels
    from pcaimage.imaging.moving.animation import Area

    Bytes = NDArray[np.uint8]

_COLOURS = 255
"""Colours of a GIF's frame, besides the index that stands for transparent."""
_CLEAR = 255
_MOST = 65_535
"""The longest duration, in hundredths of a second, and the most repetitions."""
_OPAQUE = 128
"""Opacity from which a pixel of a GIF is opaque."""
_MOST_WEBP = (1 << 24) - 1


def write_gif(file: BinaryIO, image: ImageStream, timing: Timing, progress: Progress = no_progress) -> None:
    """Write a uint8 stack of one or three channels.

    Each frame has a palette of its own: all its colours if they are at most 255, else the best ones, without
    error diffusion, which would flicker. Pixels that do not change are left out. Opacity is all or nothing.
    """
    file.write(struct.pack("<6sHHBBB", b"GIF89a", image.width, image.height, 0x70, 0, 0))
    if timing.plays != 1:
        repeated = min(max(timing.plays - 1, 0), _MOST)
        file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", repeated) + b"\0")
    durations = timing.rounded(10.0)
    before = None
    for done, frame in enumerate(_frames(image)):
        area, indices, palette = _quantised(before, frame, has_alpha=image.alpha is not None)
        # Opaque frames stay, and the next is drawn over them; others are cleared.
        disposal = 1 if image.alpha is None else 2
        control = struct.pack("<BHB", disposal << 2 | 1, min(durations[done], _MOST), _CLEAR)
        file.write(b"!\xf9\x04" + control + b"\0," + struct.pack("<4HB", *area, 0x87) + palette)
        file.write(_coded(indices))
        before = frame
        progress(done + 1, image.frames)
    file.write(b";")


def write_webp(
    file: BinaryIO, image: ImageStream, timing: Timing, options: dict[str, Any], progress: Progress
) -> None:
    """Write a uint8 stack, each frame by Pillow with its options for a still image.

    Pillow's own animations leave out frames that are much like the one before.
    """
    blocks = {name: options.pop(name, b"") for name in ("icc_profile", "exif", "xmp")}
    durations, before = timing.rounded(1.0), None
    frames: list[tuple[Area, int, bytes]] = []
    for done, frame in enumerate(_frames(image)):
        area = left, top, width, height = _even(changed_area(before, frame))
        part = frame[top : top + height, left : left + width]
        buffer = io.BytesIO()
        picture = PillowImage.fromarray(part[..., 0] if part.shape[-1] == 1 else part.copy())
        save(picture, buffer, "WEBP", **options)
        frames.append((area, min(durations[done], _MOST_WEBP), buffer.getvalue()))
        before = frame
        progress(done + 1, image.frames)
    size = image.width, image.height
    file.write(webp_file(size, frames, min(timing.plays, _MOST), has_alpha=image.alpha is not None, **blocks))


def _even(area: Area) -> Area:
    """Return an area enlarged such that it begins at even lines and columns."""
    left, top, width, height = area
    return left - left % 2, top - top % 2, width + left % 2, height + top % 2


def _frames(image: ImageStream) -> Iterator[Pixels]:
    """Yield the images of a stack with their opacity as a last channel, if there is any."""
    with closing(image.joined()) as joined:
        for frame in recut(joined, repeat(1, image.frames)):
            yield frame[0]


def _quantised(before: Pixels | None, frame: Pixels, *, has_alpha: bool) -> tuple[Area, Bytes, bytes]:
    """Return the area of a frame that is written, its indices, and their palette of 256 colours."""
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
    return area, indices, palette


def _indexed(picture: PillowImage.Image) -> tuple[Bytes, bytes]:
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


def _coded(indices: Bytes) -> bytes:
    """Return indices as Pillow codes them in a grey GIF, whose palette is not written."""
    buffer = io.BytesIO()
    PillowImage.fromarray(indices).save(buffer, "GIF", optimize=False, interlace=0)
    return gif_data(buffer)
