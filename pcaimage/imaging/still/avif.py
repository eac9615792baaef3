"""AVIF: thumbnails, and 10 or 12 bits per channel, of which Pillow returns 8 and the package imagecodecs all.

References
----------
AV1 Codec ISO Media File Format Binding, v1.2.0, section 2.3: AV1 Codec Configuration Box.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.image.pixels import Pixels, split_alpha

if TYPE_CHECKING:
    from PIL import ImageFile

_SEARCHED = 1 << 16  # number of bytes from the start of a file in which the image's properties are searched
_DEEP, _TWELVE = 0x40, 0x20
_PEAK = 65535


def _bits_of(file: BinaryIO) -> int:
    position = file.tell()
    file.seek(0)
    start = file.read(_SEARCHED)
    file.seek(position)
    place = start.find(b"av1C")
    # After the box type: marker and version, profile and level, and then the flags.
    flags = start[place + 6] if place >= 0 and place + 6 < len(start) else 0
    if not flags & _DEEP:
        return 8
    return 12 if flags & _TWELVE else 10


def lost_bits_text(name: str, bits: int) -> str:
    """Return the sentence that tells the user of an image of which only eight of its `bits` were read."""
    if not name.lower().endswith(".avif"):
        return f"{name} has {bits} bits a channel, of which 8 are read."
    return (
        f"{name} has {bits} bits a channel, of which 8 are read; "
        "install imagecodecs (pcaimage[avif]) to read all of them."
    )


def stored_bits(image: ImageFile.ImageFile, file: BinaryIO) -> int:
    """Return the bits of a channel of an opened image if it is an AVIF; 8 otherwise."""
    return _bits_of(file) if image.format == "AVIF" else 8


def is_read_deep(image: ImageFile.ImageFile, file: BinaryIO) -> bool:
    """Return whether an opened image has more than eight bits, and :func:`decode_deep` can read them."""
    single = getattr(image, "n_frames", 1) == 1
    return single and stored_bits(image, file) > 8 and _decoder() is not None


def decode_deep(image: ImageFile.ImageFile, file: BinaryIO) -> tuple[Pixels, Pixels | None]:
    """Decode all bits of an opened AVIF: colours, and opacity if it has any.

    Both are scaled so that white is 65535, as in other files of 16 bits; exactly invertible.
    """
    decode = _decoder()
    if decode is None:
        raise ImageError("AVIF of more than eight bits needs the package imagecodecs.")
    peak = (1 << _bits_of(file)) - 1
    file.seek(0)
    values = decode(file.read())
    values = values.reshape(*values.shape[:2], -1)
    scale = np.arange(peak + 1, dtype=np.uint32) * _PEAK
    scaled: Pixels = ((scale + peak // 2) // peak).astype(np.uint16)[values]
    colour, alpha = split_alpha(scaled) if scaled.shape[-1] in (2, 4) else (scaled, None)
    if colour.shape[-1] == 1 and not image.mode.startswith("L"):
        colour = np.repeat(colour, 3, axis=-1)
    return colour, alpha


def _decoder() -> Callable[[bytes], Any] | None:
    try:
        codecs = importlib.import_module("imagecodecs")
    except ImportError:
        return None
    return codecs.avif_decode if codecs.AVIF.available else None


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
