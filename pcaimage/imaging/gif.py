"""Validation of a GIF's frames before a decoder allocates memory for them.

Pillow enlarges the whole image for a frame that extends beyond it, up to 65,535 pixels a side, long after the
size in the header was checked against the limits.

References
----------
Graphics Interchange Format, version 89a, CompuServe 1990, appendices A and F.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO

from pcaimage.errors import ImageError

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXTENSION, _FRAME, _END = b"!", b",", b";"
_TABLE = 0x80
"""Flag of a colour table; the lowest three bits encode its size."""


def check_frames(file: BinaryIO, width: int, height: int, name: str) -> None:
    """Check that no frame extends beyond the image; the file position is left anywhere.

    Raises
    ------
    ImageError
        If one does; the message names it.
    """
    for number, (right, bottom) in enumerate(_corners(file), start=1):
        if right > width or bottom > height:
            raise ImageError(
                f"Frame {number} of {name} reaches beyond the image, which has {width} x {height} pixels."
            )


def _corners(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Yield the lower right corner of each frame; anything that is no block is skipped, as decoders do."""
    file.seek(10)
    _pass_table(file, file.read(3)[0])
    while (kind := file.read(1)) not in (b"", _END):
        if kind == _EXTENSION:
            file.read(1)
            _pass_blocks(file)
        elif kind == _FRAME:
            fields = file.read(9)
            if len(fields) < 9:
                return  # the decoder reports missing data
            x, y, width, height, flags = struct.unpack("<4HB", fields)
            yield x + width, y + height
            _pass_table(file, flags)
            file.read(1)
            _pass_blocks(file)


def _pass_table(file: BinaryIO, flags: int) -> None:
    if flags & _TABLE:
        file.read(3 << ((flags & 7) + 1))


def _pass_blocks(file: BinaryIO) -> None:
    while length := file.read(1):
        if not length[0]:
            return
        file.read(length[0])
