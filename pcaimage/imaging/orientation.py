"""The EXIF orientation: found, applied to pixels, and set to upright in the EXIF block."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pcaimage.imaging.types import Pixels

_ORIENTATION = 0x0112
EXIF_PREFIX = b"Exif\0\0"
"""What JPEG and Pillow put before an EXIF block."""


def strip_prefix(exif: bytes | None) -> bytes | None:
    r"""Remove what JPEG puts before an EXIF block.

    Parameters
    ----------
    exif : bytes or None
        An EXIF block, with or without ``Exif\0\0``.

    Returns
    -------
    bytes or None
        The block from its byte-order mark on; None when it is empty.
    """
    return exif.removeprefix(EXIF_PREFIX) or None if exif else None


def find_orientation(exif: bytes | None) -> tuple[int, int]:
    """Find the orientation in an EXIF block.

    The block is read here rather than by Pillow, which warns about damaged entries that don't matter, and
    which would lose maker notes in writing it again.

    Parameters
    ----------
    exif : bytes or None
        An EXIF block from its byte-order mark on.

    Returns
    -------
    orientation : int
        1 to 8; 1 (upright) when there is none or the block is damaged.
    offset : int
        Where the value stands in the block, 0 when there is none.
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
    """Return an EXIF block with orientation 1, so that it is not applied twice.

    Parameters
    ----------
    exif : bytes or None
        An EXIF block from its byte-order mark on.

    Returns
    -------
    bytes or None
        The block, changed in two bytes at most.
    """
    _, offset = find_orientation(exif)
    if exif is None or not offset:
        return exif
    one = struct.pack("<H" if exif.startswith(b"II") else ">H", 1)
    return exif[:offset] + one + exif[offset + 2 :]


def orient(array: Pixels, orientation: int) -> Pixels:
    """Turn an array upright.

    Parameters
    ----------
    array : ndarray, shape (H, W) or (H, W, C)
        Pixels or alpha as they stand in the file.
    orientation : int
        EXIF orientation, 1 to 8.

    Returns
    -------
    ndarray
        The same array for orientation 1, otherwise a contiguous copy, possibly with H and W exchanged.
    """
    if orientation >= 5:
        array = array.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        array = array[:, ::-1]
    if orientation in (3, 4, 7, 8):
        array = array[::-1]
    return np.ascontiguousarray(array)
