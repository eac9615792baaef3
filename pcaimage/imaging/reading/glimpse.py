"""A small preview of an image file, decoded much faster than the image."""

from __future__ import annotations

import math
from typing import BinaryIO

import numpy as np
from PIL import ExifTags, ImageFile
from PIL import Image as PillowImage

from pcaimage.errors import ImageError
from pcaimage.imaging.image.conversion import orient
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.image.source import Source
from pcaimage.imaging.reading.read_file import open_picture
from pcaimage.imaging.still import pillow
from pcaimage.imaging.tiff.directories import is_tiff

_LEVELS = 5  # number of resolution reductions that JPEG 2000 files usually allow


def read_glimpse(source: Source, side: int = 320) -> Pixels | None:
    """Read a small preview of a file, uint8 of shape (h, w, 1 or 3), upright.

    Of a JPEG it is made from the lowest frequencies, of JPEG 2000 from the lowest resolutions: with at least
    `side` pixels on each side, unless an eighth of the image's are more. Other files may hold one, of any
    size: TIFF a reduced page, any file with EXIF entries a small JPEG among them. None for
    files that would have to be decoded as a whole, or cannot be read.
    """
    try:
        with open_picture(source) as (file, name):
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
