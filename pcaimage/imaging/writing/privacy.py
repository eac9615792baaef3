"""Removal of metadata from images: all of it, or only what reveals where a picture was taken."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from pcaimage.imaging.image.bands import BandInfo
    from pcaimage.imaging.image.image import Image, ImageStream

AnyImage = TypeVar("AnyImage", "Image", "ImageStream")
"""An image in memory, or one whose pixels come strip by strip."""

Strip = Literal["nothing", "place", "all"]
"""The metadata to remove."""

_GPS = 0x8825
_REMOVED = frozenset({_GPS, 700, 33723, 34377})
"""Tags removed with the place: the GPS directory, and XMP, IPTC and Photoshop's, which may repeat it."""
_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
"""Bytes of a value, by field type (TIFF 6.0 section 2)."""
_ENTRY = 12
_PLACE_FIELDS = frozenset(
    {
        "map info",
        "projection info",
        "coordinate system string",
        "geo points",
        "rpc info",
        "pseudo map info",
        "x start",
        "y start",
    }
)
"""Fields of an ENVI header that reveal where an image was taken."""


def strip_metadata(image: AnyImage, what: Strip) -> AnyImage:
    """Return an image, which shares the pixels, without some of its metadata.

    What the pixels mean is kept: the colour profile, names and wavelengths of bands, the no-data value.
    ``"place"`` removes the GPS entries of EXIF, the georeferencing of bands, and XMP and IPTC, which may tell
    the place in words; ``"all"`` the whole EXIF block and all further fields as well. A maker note, whose
    format only its maker knows, is kept with ``"place"``.
    """
    if what == "nothing":
        return image
    exif = None if what == "all" or image.exif is None else without_place(image.exif)
    bands = without_georeferencing(image.bands)
    if what == "all":
        bands = replace(bands, fields=())
    return replace(image, exif=exif, bands=bands, xmp=None, iptc=None)


def without_georeferencing(bands: BandInfo) -> BandInfo:
    """Return band metadata without the tags and fields that reveal where the image was taken."""
    kept = tuple((name, value) for name, value in bands.fields if name.strip().lower() not in _PLACE_FIELDS)
    return replace(bands, tags=(), fields=kept)


def without_place(exif: bytes) -> bytes | None:
    """Return an EXIF block without its GPS entries; None, for no block, if it is damaged.

    Everything else stays at its offset, so that maker notes, which refer to offsets, remain readable. The
    values are overwritten with zeros, not just unlinked (Exif 2.32 section 4.6.6; TIFF 6.0 section 2: Image
    File Directory).
    """
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None:
        return None
    block = bytearray(exif)
    try:
        (start,) = struct.unpack_from(order + "I", block, 4)
        seen: set[int] = set()
        while start and start not in seen:
            seen.add(start)
            start = _clean_directory(block, order, start)
    except (struct.error, KeyError, IndexError):
        return None
    return bytes(block)


def _clean_directory(block: bytearray, order: str, start: int) -> int:
    """Remove the entries that reveal the place from a directory; return the offset of the next one."""
    (count,) = struct.unpack_from(order + "H", block, start)
    first, end = start + 2, start + 2 + _ENTRY * count
    (following,) = struct.unpack_from(order + "I", block, end)
    kept = b""
    for offset in range(first, end, _ENTRY):
        tag, kind, number, value = struct.unpack_from(order + "HHII", block, offset)
        if tag not in _REMOVED:
            kept += block[offset : offset + _ENTRY]
        elif tag == _GPS:
            _blank_directory(block, order, value)
        else:
            _blank_values(block, kind, number, value)
    block[first : end + 4] = (kept + struct.pack(order + "I", following)).ljust(end + 4 - first, b"\0")
    struct.pack_into(order + "H", block, start, len(kept) // _ENTRY)
    return int(following)


def _blank_directory(block: bytearray, order: str, start: int) -> None:
    """Overwrite a directory and all values that it points to."""
    (count,) = struct.unpack_from(order + "H", block, start)
    end = start + 2 + _ENTRY * count
    for offset in range(start + 2, end, _ENTRY):
        _, kind, number, value = struct.unpack_from(order + "HHII", block, offset)
        _blank_values(block, kind, number, value)
    _blank(block, start, end - start)


def _blank_values(block: bytearray, kind: int, number: int, offset: int) -> None:
    """Overwrite the values of an entry that are stored outside of it."""
    size = _BYTES[kind] * number
    if size > 4:
        _blank(block, offset, size)


def _blank(block: bytearray, offset: int, size: int) -> None:
    if offset + size > len(block):
        raise IndexError("An entry points behind the block.")
    block[offset : offset + size] = bytes(size)
