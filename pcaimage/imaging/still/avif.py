"""Thumbnails of AVIF files."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_MOST_BOXES = 1000
_UNKNOWN = b"none"


def with_thumbnail_first(data: bytes) -> bytes | None:
    """Return a file that says of its thumbnail that it is the image; None if there is no thumbnail.

    It differs in the number of its primary item (ISO/IEC 14496-12, 8.11.4) and in the kind of the reference
    (8.11.12; ISO/IEC 23008-12, 6.4.4).
    """
    try:
        meta = next((box for box in _boxes(data, 0, len(data)) if box[0] == b"meta"), None)
        if meta is None:
            return None
        inside = {kind: (start, end) for kind, start, end in _boxes(data, meta[1] + 4, meta[2])}
        if b"pitm" not in inside or b"iref" not in inside:
            return None
        item = ">H" if data[inside[b"pitm"][0]] == 0 else ">I"
        place = inside[b"pitm"][0] + 4
        (primary,) = struct.unpack_from(item, data, place)
        start, end = inside[b"iref"]
        number = ">H" if data[start] == 0 else ">I"
        width = struct.calcsize(number)
        for kind, at, _ in _boxes(data, start + 4, end):
            (thumbnail,) = struct.unpack_from(number, data, at)
            (of,) = struct.unpack_from(number, data, at + width + 2)
            if kind == b"thmb" and of == primary:
                found = bytearray(data)
                struct.pack_into(item, found, place, thumbnail)
                found[at - 4 : at] = _UNKNOWN  # decoders pass by what is a thumbnail of another item
                return bytes(found)
    except (struct.error, IndexError):  # a damaged file has no thumbnail
        return None
    return None


def _boxes(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield the kind of each box between two places, and where its contents begin and end."""
    for _ in range(_MOST_BOXES):
        if start + 8 > end:
            return
        size, kind = struct.unpack_from(">I4s", data, start)
        head = 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, start + 8)
            head = 16
        stop = end if size == 0 else start + size
        if (size and size < head) or stop > end:
            return
        yield kind, start + head, stop
        start = stop
