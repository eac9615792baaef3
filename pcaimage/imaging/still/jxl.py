"""The size of a JPEG XL, read from its header: Pillow's plug-in decodes the whole file when it opens it.

References
----------
ISO/IEC 18181-1:2022, annex D.2 (size header); ISO/IEC 18181-2:2021, clause 9 (boxes).
"""

from __future__ import annotations

import struct
from typing import BinaryIO

_CODESTREAM, _RATIOS = b"\xff\x0a", ((1, 1), (6, 5), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1))
_BITS, _START = (9, 13, 18, 30), 14  # of a side; bytes that hold signature and sizes


def jxl_size(file: BinaryIO) -> tuple[int, int]:
    """Return width and height as stored, not yet turned upright; ValueError or struct.error if damaged."""
    file.seek(0)
    start = file.read(_START)
    if not start.startswith(_CODESTREAM):
        file.seek(0)
        start = _boxed(file)
    file.seek(0)
    if not start.startswith(_CODESTREAM):
        raise ValueError("there is no codestream")
    bits = int.from_bytes(start[len(_CODESTREAM) :], "little")

    def take(count: int) -> int:
        nonlocal bits
        found, bits = bits & ((1 << count) - 1), bits >> count
        return found

    small = take(1)

    def side() -> int:
        return 8 * (take(5) + 1) if small else take(_BITS[take(2)]) + 1

    height = side()
    ratio = take(3)
    if not ratio:
        return side(), height
    wide, high = _RATIOS[ratio - 1]
    return height * wide // high, height


def _boxed(file: BinaryIO) -> bytes:
    """Return the start of the codestream in a file of boxes."""
    while True:
        length, kind = struct.unpack(">I4s", file.read(8))
        begun = 8
        if length == 1:
            (length,) = struct.unpack(">Q", file.read(8))
            begun = 16
        if kind in (b"jxlc", b"jxlp"):
            return file.read(4 * (kind == b"jxlp") + _START)[4 * (kind == b"jxlp") :]
        if length < begun:
            raise ValueError("there is no codestream")
        file.seek(length - begun, 1)
