"""Camera raws: in place of their raw values the picture is read that the camera put beside these, a JPEG.

References
----------
ISO 12234-2 (TIFF/EP), 2001; Digital Negative Specification 1.7, Adobe 2023, chapter 2.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import BinaryIO

import numpy as np
import tifffile
from PIL import Image as PillowImage

from pcaimage.errors import ImageError
from pcaimage.imaging.still.pillow import FUJI, CameraPicture, open_pillow
from pcaimage.imaging.tiff.exif import read_exif
from pcaimage.imaging.tiff.page import Page, open_tiff

_MAKE, _MAKER_NOTE, _DNG_VERSION, _ORIENTATION, _EXIF = 271, 37500, 50706, 274, 34665
_START, _LENGTH = 513, 514  # of a JPEG beside the page's own values
_MOSAIC, _LINEAR, _JPEGS = 32803, 34892, (6, 7)  # photometric interpretations of raw values; compressions
_MOST_PAGES, _LONGEST = 8, 65_533  # bytes of an EXIF block in a JPEG


def camera_picture(file: BinaryIO, name: str) -> CameraPicture | None:
    """Return the largest JPEG in a camera raw, with its EXIF entries; None for other TIFFs.

    ImageError if there is none, unless its values can be read as they are.
    """
    if file.read(len(FUJI)) == FUJI:
        file.seek(84)
        start, length = struct.unpack(">2I", file.read(8))
        file.seek(start)
        return CameraPicture(file.read(length))
    file.seek(0)
    with tifffile.TiffFile(file) as tif:
        described = {_MAKE, _DNG_VERSION} & {tag.code for tag in tif.pages.first.tags}
    file.seek(0)
    if not described:
        return None
    with open_tiff(file) as tif:
        first = Page(tif)
        pages = [page for each in islice(tif.pages, _MOST_PAGES) for page in (each, *(each.pages or ()))]
    raws = [page for page in pages if page.photometric in (_MOSAIC, _LINEAR)]
    file.seek(8)
    canon = file.read(2) == b"CR"
    if not (canon or raws):
        file.seek(0)
        return None
    found = max(_pictures(file, pages), key=lambda each: each[0], default=None)
    if found is not None:
        return CameraPicture(_described(found[1], file, first.orientation))
    file.seek(0)
    if raws and raws[0].compression == tifffile.COMPRESSION.NONE:
        return None
    size = f" of {raws[0].imagewidth:,} × {raws[0].imagelength:,} pixels" if raws else ""
    raise ImageError(
        f"{name} is a camera raw{size} without a picture of the camera's; develop it by another program, "
        "and open that."
    )


def _pictures(file: BinaryIO, pages: list[tifffile.TiffPage]) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers of pixels of JPEGs that Pillow reads, and their bytes."""
    for page in pages:
        starts, lengths = (np.atleast_1d(page.tags.valueof(tag, ())).tolist() for tag in (_START, _LENGTH))
        if page.compression in _JPEGS and len(page.dataoffsets) == 1:
            starts, lengths = [*starts, *page.dataoffsets], [*lengths, *page.databytecounts]
        for start, length in zip(starts, lengths, strict=False):
            # Places may be damaged, and raw values may be JPEGs without loss, of more than eight bits.
            with suppress(Exception):
                file.seek(start)
                data = file.read(length)
                width, height = open_pillow(io.BytesIO(data), "").size
                yield width * height, data


def _described(jpeg: bytes, file: BinaryIO, orientation: int) -> bytes:
    """Return a JPEG with the EXIF entries of its raw, if it has none of its own."""
    if "exif" in open_pillow(io.BytesIO(jpeg), "").info:
        return jpeg
    block = PillowImage.Exif()
    block.load(read_exif(file) or b"")
    block[_ORIENTATION] = orientation
    block.get_ifd(_EXIF).pop(_MAKER_NOTE, None)
    data = block.tobytes()
    if len(data) > _LONGEST:
        return jpeg
    return jpeg[:2] + b"\xff\xe1" + (len(data) + 2).to_bytes(2) + data + jpeg[2:]
