"""Writing of 16-bit colour PNG, which Pillow cannot write."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from PIL import PngImagePlugin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pcaimage.imaging.types import Pixels

_STRIP = 64
_COLOUR_TYPES = {2: 4, 3: 2, 4: 6}
_SUB, _UP = 1, 2


def write_png16(file: BinaryIO, values: Pixels, icc_profile: bytes | None, exif: bytes | None) -> None:
    """Write grey with alpha, RGB or RGBA, ndarray of uint16 of shape (H, W, 2, 3 or 4).

    References
    ----------
    Portable Network Graphics (PNG) Specification, Third Edition, W3C 2025, sections 9.2 and 11.
    """
    height, width, channels = values.shape
    file.write(b"\x89PNG\r\n\x1a\n")
    header = struct.pack(">IIBBBBB", width, height, 16, _COLOUR_TYPES[channels], 0, 0, 0)
    PngImagePlugin.putchunk(file, b"IHDR", header)
    if icc_profile:
        PngImagePlugin.putchunk(file, b"iCCP", b"ICC Profile\0\0" + zlib.compress(icc_profile))
    if exif:
        PngImagePlugin.putchunk(file, b"eXIf", exif)
    compressor = zlib.compressobj(6, zlib.DEFLATED, 15, 9, zlib.Z_FILTERED)
    for rows in _filtered(values):
        if data := compressor.compress(rows.tobytes()):
            PngImagePlugin.putchunk(file, b"IDAT", data)
    PngImagePlugin.putchunk(file, b"IDAT", compressor.flush())
    PngImagePlugin.putchunk(file, b"IEND", b"")


def _filtered(values: Pixels) -> Iterator[NDArray[np.uint8]]:
    """Yield strips of filtered rows, each by the Sub or the Up filter, whichever leaves less."""
    height, width, channels = values.shape
    step = 2 * channels
    above = np.zeros((1, width * step), np.uint8)
    for top in range(0, height, _STRIP):
        rows = values[top : top + _STRIP].astype(">u2").reshape(-1, width * channels).view(np.uint8)
        sub = rows.copy()
        sub[:, step:] -= rows[:, :-step]
        up = rows - np.concatenate([above, rows[:-1]])
        above = rows[-1:]
        cost = [np.abs(each.view(np.int8).astype(np.int16)).sum(axis=1) for each in (sub, up)]
        use_up = (cost[1] < cost[0])[:, None]
        kind = np.where(use_up, np.uint8(_UP), np.uint8(_SUB))
        yield np.concatenate([kind, np.where(use_up, up, sub)], axis=1)
