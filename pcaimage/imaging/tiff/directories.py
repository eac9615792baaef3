"""Validation of a TIFF's chain of directories before a decoder follows it.

tifffile and others follow a cyclic chain for ever, and believe any number of images that the description
claims.

References
----------
TIFF Revision 6.0, Adobe 1992, section 2: Image File Directory.
"""

from __future__ import annotations

import io
import math
import re
import struct
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from pcaimage.imaging.image.source import head_of

if TYPE_CHECKING:
    import tifffile

MAX_PAGES: Final = 1 << 20  # pages of a TIFF, and images that its metadata may claim
_MAX_SIDE: Final = (1 << 32) - 1  # width and height are stored in at most 32 bits

_MAX_ENTRIES: Final = 4096
"""tifffile considers directories with more entries damaged, and ends the chain there."""

_SUB_DIRECTORIES: Final = 330
_OFFSET_TYPES: Final = {4: "I", 13: "I", 16: "Q", 18: "Q"}
"""Numbers of LONG, IFD, LONG8 and IFD8, and their formats."""

_OME_SIDE: Final = re.compile(r"""\bSize([CZT])\s*=\s*["']\s*(\d+)""")


class _Layout(NamedTuple):
    """Byte order, and formats of the number of entries, of an entry's number of values, and of offsets."""

    order: str
    number: str
    values: str
    offset: str

    @property
    def entry_size(self) -> int:
        """Bytes of an entry: tag, type, number of values, and as many bytes for the value or its offset."""
        return 4 + 2 * struct.calcsize(f"={self.values}")

    def read(self, file: BinaryIO, form: str) -> tuple[int, ...]:
        """Read numbers; raise struct.error if the file ends before them."""
        form = self.order + form
        return struct.unpack(form, file.read(struct.calcsize(form)))


def is_tiff(file: BinaryIO) -> bool:
    """Return whether a file, open at its start, has the signature of a TIFF or BigTIFF; rewind it."""
    start = head_of(file, 132)
    dicom = start.endswith(b"DICM")  # what precedes it may be that of a TIFF
    return not dicom and start[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def check_directories(file: BinaryIO) -> None:
    """Check that a TIFF's pages, and their subdirectories, are finite in number.

    A pointer beyond the end of the file, or to something else than a directory, ends the chain: the decoder
    handles it. ValueError if the chain is cyclic, or has more directories than fit into the file or than
    `MAX_PAGES`.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    layout = _layout(file)
    seen: set[int] = set()
    room = size
    try:
        (offset,) = layout.read(file, layout.offset)
        while 0 < offset < size:
            if offset in seen:
                raise ValueError("the directories form a loop")
            seen.add(offset)
            offset, n_bytes = _directory(file, layout, offset, room)
            # Directories do not overlap: all of them together fit into the file.
            room -= n_bytes
            if room < 0 or len(seen) > MAX_PAGES:
                raise ValueError("there are more directories than the file has room for")
    except struct.error:
        return


def check_sizes(tif: tifffile.TiffFile) -> None:
    """Check the sizes that a TIFF claims, before its pages are arranged into series.

    ValueError if the first page's width or height is impossible, or OME metadata claim more than `MAX_PAGES`
    images.
    """
    page = tif.pages.first
    if max(page.imagewidth, page.imagelength) > _MAX_SIDE:
        raise ValueError("the size is damaged")
    if tif.is_ome:
        for pixels in (tif.ome_metadata or "").split("<Pixels")[1:]:
            sides = dict(_OME_SIDE.findall(pixels.split(">", 1)[0]))
            if (
                any(len(side) > 10 for side in sides.values())
                or math.prod(map(int, sides.values())) > MAX_PAGES
            ):
                raise ValueError("the metadata claim more images than a file can have")


def _layout(file: BinaryIO) -> _Layout:
    """Return the layout according to the header, and leave the file at the offset of the first directory."""
    start = file.read(4)
    order = "<" if start[:2] == b"II" else ">"
    if start[2:] in (b"+\0", b"\0+"):
        file.seek(8)
        return _Layout(order, "Q", "Q", "Q")
    if str(getattr(file, "name", "")).lower().endswith(".ndpi"):
        return _Layout(order, "H", "I", "Q")  # tifffile reads such a file's offsets as 64 bits
    return _Layout(order, "H", "I", "I")


def _directory(file: BinaryIO, layout: _Layout, offset: int, room: int) -> tuple[int, int]:
    """Return the offset of the next directory, and the bytes of this one and of its subdirectories."""
    file.seek(offset)
    (count,) = layout.read(file, layout.number)
    if count > _MAX_ENTRIES:
        return 0, 0
    entries = file.read(count * layout.entry_size)
    (following,) = layout.read(file, layout.offset)
    n_bytes = file.tell() - offset
    for place in range(0, len(entries), layout.entry_size):
        tag, kind = struct.unpack_from(f"{layout.order}HH", entries, place)
        if tag == _SUB_DIRECTORIES and kind in _OFFSET_TYPES:
            value = entries[place + 4 : place + layout.entry_size]
            n_bytes += _below(file, layout, value, _OFFSET_TYPES[kind], room)
    return following, n_bytes


def _below(file: BinaryIO, layout: _Layout, value: bytes, form: str, room: int) -> int:
    """Return the bytes of the directories that a page's entry points to, stopping once they exceed `room`."""
    count, place = struct.unpack(f"{layout.order}2{layout.values}", value)
    form = f"{layout.order}{count}{form}"
    n_bytes = struct.calcsize(form)
    if n_bytes > room:
        return n_bytes
    data = value[len(value) // 2 :][:n_bytes]
    if n_bytes > len(data):
        file.seek(place)
        data = file.read(n_bytes)
    for offset in struct.unpack(form, data):
        file.seek(offset)
        try:
            (entries,) = layout.read(file, layout.number)
        except struct.error:
            continue
        if entries <= _MAX_ENTRIES:
            n_bytes += entries * layout.entry_size
        if n_bytes > room:
            break
    return n_bytes
