"""The EXIF entries of a TIFF, which are tags of the file itself, as a block and back."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, BinaryIO

import tifffile
from PIL import ExifTags, TiffImagePlugin
from PIL import Image as PillowImage

if TYPE_CHECKING:
    from typing import Any

_POINTERS = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)
_TEXTS = (270, 271, 272, 305, 306, 315, 33432)
"""Description, make, model, software, date, artist, copyright."""


def has_exif(page: tifffile.TiffPage) -> bool:
    """Tell whether a page has more to say than its pixels need.

    Parameters
    ----------
    page : tifffile.TiffPage
        A page.

    Returns
    -------
    bool
        Whether it points to EXIF or GPS entries.
    """
    return any(tag in page.tags for tag in _POINTERS)


def read_exif(file: BinaryIO) -> bytes | None:
    """Gather a TIFF's descriptive tags and EXIF entries.

    Parameters
    ----------
    file : BinaryIO
        A TIFF; where it stands afterwards is undefined.

    Returns
    -------
    bytes or None
        An EXIF block from its byte-order mark on; None when the entries are damaged.
    """
    try:
        file.seek(0)
        found = TiffImagePlugin.TiffImageFile(file).getexif()
        block = PillowImage.Exif()
        for tag in _TEXTS:
            if tag in found:
                block[tag] = found[tag]
        for pointer in _POINTERS:
            if entries := dict(found.get_ifd(pointer)):
                block[pointer] = entries
        return block.tobytes().removeprefix(b"Exif\0\0")
    except Exception:  # noqa: BLE001 - the picture is worth more than a damaged description of it
        return None


def exif_tags(exif: bytes | None) -> list[tuple[int, int, int, Any, bool]]:
    """Turn an EXIF block into tags for a file that is being written.

    Parameters
    ----------
    exif : bytes or None
        The block.

    Returns
    -------
    list of tuple
        tifffile's ``extratags``; the pointers to further entries are zero until :func:`append_exif`.
    """
    block = _load(exif)
    tags: list[tuple[int, int, int, Any, bool]] = [
        (tag, 2, 0, str(block[tag]).encode("utf-8", "replace"), True) for tag in _TEXTS if tag in block
    ]
    return tags + [(pointer, 4, 1, 0, True) for pointer in _POINTERS if pointer in block]


def append_exif(file: BinaryIO, exif: bytes | None) -> None:
    """Write an EXIF block's entries behind a TIFF's pixels, and let its tags point to them.

    Parameters
    ----------
    file : BinaryIO
        A little-endian TIFF, not a BigTIFF, open for reading and writing.
    exif : bytes or None
        The block that :func:`exif_tags` was given.
    """
    block = _load(exif)
    file.seek(0)
    with tifffile.TiffFile(file) as tif:
        tags = tif.pages.first.tags
        places = {pointer: tags[pointer].valueoffset for pointer in _POINTERS if pointer in tags}
    for pointer, place in places.items():
        entries = TiffImagePlugin.ImageFileDirectory_v2()
        for tag, value in block.get_ifd(pointer).items():
            entries[tag] = value
        # Entries start at an even offset (TIFF 6.0, section 2).
        offset = file.seek(0, io.SEEK_END)
        file.write(b"\0" * (offset % 2) + entries.tobytes(offset + offset % 2))
        file.seek(place)
        file.write(struct.pack("<I", offset + offset % 2))


def _load(exif: bytes | None) -> PillowImage.Exif:
    block = PillowImage.Exif()
    if exif:
        try:
            block.load(exif)
            for pointer in _POINTERS:
                block.get_ifd(pointer)
        except Exception:  # noqa: BLE001 - a damaged block is left out
            return PillowImage.Exif()
    return block
