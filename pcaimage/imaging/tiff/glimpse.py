"""The small pictures that a TIFF may hold beside its image: reduced pages, and JPEGs for previews."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import tifffile

from pcaimage.imaging.image.orientation import orient
from pcaimage.imaging.still.pillow import LARGEST, embedded_jpeg
from pcaimage.imaging.tiff.page import Page, open_tiff

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pcaimage.imaging.image.types import Pixels

_START, _LENGTH = 513, 514
"""Tags of a JPEG for a preview: JPEGInterchangeFormat and its length."""
_REDUCED = 1
"""The bit of NewSubfileType that a page with a smaller version of another one has."""
_MOST_PAGES = 64


def tiff_glimpse(file: BinaryIO, name: str, side: int) -> Pixels | None:
    """Return the smallest picture of at least so many pixels on each side, else the largest, upright.

    See TIFF Revision 6.0, Adobe 1992: NewSubfileType, and section 22; TIFF Technical Note 1: trees of IFDs.
    """
    with open_tiff(file) as tif:
        orientation = Page(tif).orientation
        image = tif.pages[0]
        found = [
            page
            for page in _pages(tif)
            if page.subfiletype & _REDUCED
            and page.dtype == np.uint8
            and page.axes in ("YX", "YXS")
            and (page.photometric in (tifffile.PHOTOMETRIC.MINISBLACK, tifffile.PHOTOMETRIC.RGB))
            and page.samplesperpixel in (1, 3)
            and math.prod(page.shape[:2]) <= min(LARGEST, math.prod(image.shape[:2]) // 2)
        ]
        found.sort(key=lambda page: min(page.shape[:2]))
        large = [page for page in found if min(page.shape[:2]) >= side]
        for page in [*large, *reversed(found)]:
            try:
                pixels = page.asarray()
            except ValueError:  # its compression needs imagecodecs
                continue
            return np.ascontiguousarray(orient(np.atleast_3d(pixels), orientation))
        places = [tuple(_number(page, tag) for tag in (_START, _LENGTH)) for page in _pages(tif)]
    for start, length in places:
        if start and length:
            file.seek(start)
            preview = embedded_jpeg(file.read(length), name, side, orientation)
            if preview is not None:
                return preview
    return None


def _number(page: tifffile.TiffPage, tag: int) -> int:
    value = page.tags.valueof(tag, 0)
    found = value[0] if isinstance(value, tuple) and value else value
    return found if isinstance(found, int) else 0


def _pages(tif: tifffile.TiffFile) -> Iterator[tifffile.TiffPage]:
    """Yield the pages and those below the first one, which hold previews if any do."""
    first = tif.pages[0]
    below = [] if not isinstance(first, tifffile.TiffPage) or first.pages is None else first.pages
    for pages in (tif.pages, below):
        for index, page in enumerate(pages):
            if index >= _MOST_PAGES:
                break
            yield page if isinstance(page, tifffile.TiffPage) else page.aspage()
