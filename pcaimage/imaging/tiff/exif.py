"""The EXIF entries of a TIFF, which are tags of the file itself, converted to an EXIF block and back."""

from __future__ import annotations

import io
import logging
import struct
from typing import TYPE_CHECKING, BinaryIO

from PIL import ExifTags, TiffImagePlugin
from PIL import Image as PillowImage

from pcaimage.imaging.image.conversion import EXIF_PREFIX

if TYPE_CHECKING:
    import tifffile

_POINTERS = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)
_TEXTS = (270, 271, 272, 305, 306, 315, 33432)  # description, make, model, software, date, artist, copyright


def quiet_tifffile() -> None:
    """Keep tifffile's log of damaged files off standard error.

    Python prints log messages there if there is no handler at all; existing handlers stay in charge.
    """
    logger = logging.getLogger("tifffile")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())


def has_exif(page: tifffile.TiffPage) -> bool:
    """Return whether a page points to EXIF or GPS entries."""
    return any(tag in page.tags for tag in _POINTERS)


def read_exif(file: BinaryIO) -> bytes | None:
    """Return a TIFF's descriptive tags and EXIF entries as a block; None if they are damaged."""
    try:
        file.seek(0)
        found = PillowImage.Exif()
        found.load_from_fp(file)
        block = PillowImage.Exif()
        for tag in _TEXTS:
            if tag in found:
                block[tag] = found[tag]
        for pointer in _POINTERS:
            if entries := dict(found.get_ifd(pointer)):
                block[pointer] = entries
        return block.tobytes().removeprefix(EXIF_PREFIX)
    except Exception:  # noqa: BLE001 - the picture is worth more than a damaged description of it
        return None


def append_exif(file: BinaryIO, exif: bytes) -> None:
    """Add an EXIF block's entries to the first page of a TIFF; a damaged block is ignored.

    The file must be little-endian, not a BigTIFF, and open for reading and writing. The page's directory is
    rewritten after the pixels with these entries added: tifffile does not write pointers to further
    directories, and Pillow does not write all kinds of pixels (TIFF Revision 6.0, Adobe 1992, section 2:
    Image File Directory).
    """
    end = file.seek(0, io.SEEK_END)
    end += end % 2  # directories start at even offsets
    file.seek(4)
    (start,) = struct.unpack("<I", file.read(4))
    file.seek(start)
    (count,) = struct.unpack("<H", file.read(2))
    entries = {field[:2]: field for field in (file.read(12) for _ in range(count))}
    following = file.read(4)
    try:
        added, data = _entries(exif, end)
    except Exception:  # noqa: BLE001 - the picture is worth more than a damaged description of it
        return
    entries |= {field[:2]: field for field in added}
    ordered = sorted(entries.values(), key=lambda field: struct.unpack("<H", field[:2]))
    file.seek(end)
    file.write(data)
    file.write(struct.pack("<H", len(ordered)) + b"".join(ordered) + following)
    file.seek(4)
    file.write(struct.pack("<I", end + len(data)))


def _entries(exif: bytes, offset: int) -> tuple[list[bytes], bytes]:
    """Return directory entries of 12 bytes each, and the data at `offset` that they point to."""
    block = PillowImage.Exif()
    block.load(exif)
    fields, data = [], b""
    for tag in _TEXTS:
        if text := str(block.get(tag, "")).encode("utf-8", "replace"):
            text += b"\0"
            value = text.ljust(4, b"\0") if len(text) <= 4 else struct.pack("<I", offset + len(data))
            fields.append(struct.pack("<HHI", tag, 2, len(text)) + value)
            data += text + b"\0" * (len(text) % 2) if len(text) > 4 else b""
    for pointer in _POINTERS:
        directory = TiffImagePlugin.ImageFileDirectory_v2()
        for tag, content in block.get_ifd(pointer).items():
            if tag != ExifTags.IFD.Interop:
                directory[tag] = content
        if len(directory):
            fields.append(struct.pack("<HHII", pointer, 4, 1, offset + len(data)))
            data += directory.tobytes(offset + len(data))
            data += b"\0" * (len(data) % 2)
    return fields, data
