"""The EXIF orientation: reading it, applying it to pixels, and resetting it."""

from __future__ import annotations

import struct
from dataclasses import replace

import numpy as np

from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.pixels import Pixels

_ORIENTATION = 0x0112
EXIF_PREFIX = b"Exif\0\0"  # prefix of an EXIF block in JPEG files and in Pillow


def strip_prefix(exif: bytes | None) -> bytes | None:
    """Remove the prefix that JPEG puts before an EXIF block; None if the block is empty."""
    return exif.removeprefix(EXIF_PREFIX) or None if exif else None


def find_orientation(exif: bytes | None) -> tuple[int, int]:
    """Return the orientation in an EXIF block, 1 to 8, and the offset of its value (0 if absent).

    The block is read here rather than by Pillow, which warns about harmless damage and would lose maker notes
    in writing it again. A damaged block counts as upright (1).
    """
    order = {b"II*\0": "<", b"MM\0*": ">"}.get((exif or b"")[:4])
    if exif is None or order is None:
        return 1, 0
    try:
        (start,) = struct.unpack_from(order + "I", exif, 4)
        (count,) = struct.unpack_from(order + "H", exif, start)
        for offset in range(start + 2, start + 2 + 12 * count, 12):
            tag, kind, n, value = struct.unpack_from(order + "HHIH", exif, offset)
            if tag == _ORIENTATION and kind == 3 and n == 1:
                return (value, offset + 8) if 1 <= value <= 8 else (1, offset + 8)
    except struct.error:
        pass
    return 1, 0


def upright(exif: bytes | None) -> bytes | None:
    """Return an EXIF block with its orientation set to 1, so that it is not applied twice."""
    _, offset = find_orientation(exif)
    if exif is None or not offset:
        return exif
    one = struct.pack("<H" if exif.startswith(b"II") else ">H", 1)
    return exif[:offset] + one + exif[offset + 2 :]


def orient(array: Pixels, orientation: int, axis: int = 0) -> Pixels:
    """Apply an EXIF orientation to an array whose rows are along an axis, and columns along the next one."""
    if orientation >= 5:
        array = array.swapaxes(axis, axis + 1)
    if orientation in (2, 3, 6, 7):
        array = np.flip(array, axis + 1)
    if orientation in (3, 4, 7, 8):
        array = np.flip(array, axis)
    return np.ascontiguousarray(array)


def turned(image: Image, orientation: int) -> Image:
    """Return an image as its EXIF orientation wants it; its EXIF block then says 1."""
    exif = upright(image.exif)
    if orientation == 1:
        return image if exif == image.exif else replace(image, exif=exif)
    axis = int(image.is_stack)
    alpha = None if image.alpha is None else orient(image.alpha, orientation, axis)
    return replace(image, pixels=orient(image.pixels, orientation, axis), alpha=alpha, exif=exif)
