"""A small preview of an image file, decoded much faster than the image."""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
from PIL import ExifTags, ImageFile
from PIL import Image as PillowImage

from pcaimage.errors import ImageError
from pcaimage.imaging.image.conversion import orient
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.image.source import Source, open_source
from pcaimage.imaging.still import pillow
from pcaimage.imaging.tiff.directories import is_tiff

_LEVELS = 5  # number of resolution reductions that JPEG 2000 files usually allow
_MOST_BOXES = 1000
_UNKNOWN = b"none"


def read_glimpse(source: Source, side: int = 320) -> Pixels | None:
    """Read a small preview of a file, uint8 of shape (h, w, 1 or 3), upright.

    Of a JPEG it is made from the lowest frequencies, of JPEG 2000 from the lowest resolutions: with at least
    `side` pixels on each side, unless an eighth of the image's are more. Other files may hold one, of any
    size: TIFF a reduced page, AVIF a thumbnail, any file with EXIF entries a small JPEG among them. None for
    files that would have to be decoded as a whole, or cannot be read.
    """
    try:
        with open_source(source) as (file, name):
            if is_tiff(file):
                from pcaimage.imaging.tiff.page import tiff_glimpse  # noqa: PLC0415 - loads tifffile

                return tiff_glimpse(file, name, side)
            return _of_pillow(file, name, side)
    except ImageError:
        return None


def _of_pillow(file: BinaryIO, name: str, side: int) -> Pixels | None:
    image = pillow.open_pillow(file, name)
    orientation, exif = pillow.orientation_of(image)
    width, height = image.size
    if image.format == "JPEG2000":
        return _of_jpeg2000(image, name, side)
    if image.format == "JPEG":
        return (
            pillow.upright_jpeg(image, name, side, orientation)
            if width * height <= pillow.LARGEST * pillow.REDUCTION**2
            else None
        )
    found = _inside_exif(exif, name, side)
    if found is None and image.format == "AVIF":
        file.seek(0)
        found = _of_thumbnail(file.read(), name, width * height)
    return None if found is None else np.ascontiguousarray(orient(found, orientation))


def _of_jpeg2000(image: ImageFile.ImageFile, name: str, side: int) -> Pixels | None:
    level = min(_LEVELS, math.floor(math.log2(max(1, min(image.size) / side))))
    if level == 0 or image.mode not in ("L", "RGB") or math.prod(image.size) >> 2 * level > pillow.LARGEST:
        return None
    image.reduce = level  # type: ignore[method-assign,assignment]  # which Pillow's JPEG 2000 takes as levels
    image.load()
    return pillow.arrays_of(image, name)[0]


def _inside_exif(exif: bytes | None, name: str, side: int) -> Pixels | None:
    """Return the thumbnail among EXIF entries, a JPEG in the second directory (Exif 3.0, 4.5.4)."""
    if exif is None:
        return None
    entries = PillowImage.Exif()
    entries.load(exif)
    second = entries.get_ifd(ExifTags.IFD.IFD1)
    start, length = (second.get(tag) for tag in (513, 514))
    if not isinstance(start, int) or not isinstance(length, int):
        return None
    return pillow.embedded_jpeg(exif[start : start + length], name, side, 1)


def _of_thumbnail(data: bytes, name: str, n_pixels: int) -> Pixels | None:
    """Decode the thumbnail of an AVIF, of which the decoder is told that it is the image."""
    small = _with_thumbnail_first(data)
    if small is None:
        return None
    image = pillow.open_pillow(io.BytesIO(small), name)
    if math.prod(image.size) > min(pillow.LARGEST, n_pixels // 4):
        return None
    image.load()
    pixels, _ = pillow.arrays_of(image, name)
    return pixels if pixels.dtype == np.uint8 else None


def _with_thumbnail_first(data: bytes) -> bytes | None:
    """Return an AVIF that says of its thumbnail that it is the image; None if there is no thumbnail.

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
