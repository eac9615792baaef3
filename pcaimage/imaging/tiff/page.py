"""Pages and planes of a TIFF, through tifffile, and the small pictures that it may hold beside its image."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
import tifffile
from numpy.typing import NDArray

from pcaimage.imaging.cubes.raw import RawArray, arrange, reading_for
from pcaimage.imaging.image.contents import Reading
from pcaimage.imaging.image.conversion import orient
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.imaging.still.pillow import LARGEST, embedded_jpeg
from pcaimage.imaging.tiff.directories import check_directories, check_sizes
from pcaimage.imaging.tiff.exif import quiet_tifffile

MAX_DOCUMENT_PAGES = 4
"""Grey pages of equal size are bands of one image when there are more than these, otherwise pages."""

_ORIENTATION, _ICC_PROFILE = 274, 34675
_BUFFER = 1 << 23
"""Bytes of a page that are read and decoded at once; else all are read before any is decoded."""
_PHOTOMETRIC = tifffile.PHOTOMETRIC
_PLAIN = (_PHOTOMETRIC.MINISBLACK, _PHOTOMETRIC.MINISWHITE, _PHOTOMETRIC.RGB, _PHOTOMETRIC.SEPARATED)
_UNKNOWN_AXES = "QI"
"""tifffile's letters for 'other' and 'sequence': the file does not tell the pages' meaning."""


def open_tiff(file: BinaryIO) -> tifffile.TiffFile:
    """Open a TIFF as a context manager; the underlying file stays open afterwards.

    ValueError if its directories form a loop, or it claims a size or a number of images that no file can
    have.
    """
    quiet_tifffile()
    check_directories(file)
    file.seek(0)
    tif = tifffile.TiffFile(file)
    check_sizes(tif)
    return tif


def count_pages(tif: tifffile.TiffFile) -> int:
    """Count the pages; ValueError if one is missing or damaged, which tifffile would silently ignore."""
    count = len(tif.pages)
    layout, file = tif.tiff, tif.filehandle
    file.seek(tif.pages[count - 1].offset)
    (tags,) = struct.unpack(layout.tagnoformat, file.read(layout.tagnosize))
    file.seek(tags * layout.tagsize, 1)
    (following,) = struct.unpack(layout.offsetformat, file.read(layout.offsetsize))
    # A single image followed by a wrong pointer is still complete.
    if following and (count > 1 or following >= file.size):
        raise ValueError("a page is missing")
    return count


class Page:
    """One page of a TIFF."""

    def __init__(self, tif: tifffile.TiffFile, index: int = 0) -> None:
        page: Any = tif.pages[index]
        if not isinstance(page, tifffile.TiffPage):
            page = page.aspage()
        self.page: tifffile.TiffPage = page
        samples = self.page.samplesperpixel
        extra = self.page.extrasamples
        # Signed and real numbers have no opacity scale: an extra sample is a band like the others.
        scaled = self._is_whole and self.page.dtype not in (np.int8, np.int16)
        self.has_alpha = scaled and bool(extra) and extra[-1] in (1, 2)
        self.premultiplied = self.has_alpha and extra[-1] == 1
        self.is_cmyk = self.page.photometric == _PHOTOMETRIC.SEPARATED and samples - self.has_alpha == 4
        self.channels = 3 if self.is_cmyk else samples - self.has_alpha

    @property
    def _is_whole(self) -> bool:
        return self.page.dtype is not None and self.page.dtype.kind in "biu"

    @property
    def is_plain(self) -> bool:
        """Whether the stored values are the pixels, so that tifffile alone can read them."""
        page = self.page
        whole_bytes = page.dtype is not None and page.dtype.itemsize * 8 == page.bitspersample
        if self.is_cmyk and (page.dtype != np.uint8 or self.has_alpha):
            return False
        return whole_bytes and page.photometric in _PLAIN and page.axes in ("YX", "YXS", "SYX")

    @property
    def is_white_zero(self) -> bool:
        """Whether zero is white."""
        return self.page.photometric == _PHOTOMETRIC.MINISWHITE and self._is_whole

    @property
    def orientation(self) -> int:
        """EXIF orientation, 1 to 8."""
        value = self.page.tags.valueof(_ORIENTATION, 1)
        return int(value) if value in range(1, 9) else 1

    @property
    def icc_profile(self) -> bytes | None:
        """The colour profile."""
        icc = self.page.tags.valueof(_ICC_PROFILE)
        return bytes(icc) if icc else None

    def array(self) -> NDArray[Any]:
        """Decode to shape (H, W, C)."""
        _refuse_missing_parts([self.page], self.page)
        array = self.page.asarray(buffersize=_BUFFER)
        if self.page.axes == "SYX":
            array = np.moveaxis(array, 0, -1)
        return np.ascontiguousarray(array if array.ndim == 3 else array[..., None])


class GreyPlanes:
    """The pages of a TIFF that consists of several grey ones of equal size."""

    def __init__(self, series: tifffile.TiffPageSeries, first: tifffile.TiffPage) -> None:
        self.series, self.first = series, first
        self.axes, self.shape = _merged(series.axes, series.shape)
        self.count = math.prod(self.shape) // math.prod(first.shape)

    @property
    def is_unknown(self) -> bool:
        """Whether the file does not tell the pages' meaning."""
        return all(letter in _UNKNOWN_AXES for letter in self.series.axes[:-2])

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The ways to read the pages, the most likely first."""
        bands = reading_for(self.shape, self.axes, "bands")
        stack = reading_for(self.shape, self.axes, "stack")
        if not self.is_unknown:
            # Time and depth count images; channels are bands.
            return (bands, stack) if self.axes == "CYX" else (stack, bands)
        if self.count > MAX_DOCUMENT_PAGES:
            return bands, stack
        return Reading("image", "YX", (*self.shape[-2:], 1)), bands, stack

    @property
    def is_ambiguous(self) -> bool:
        """Whether to ask the user; a few pages of eight bits are a document."""
        small = self.count <= MAX_DOCUMENT_PAGES and self.first.bitspersample <= 8
        return self.is_unknown and not small

    @property
    def raw(self) -> RawArray | None:
        """Layout of the values, if they are uncompressed and contiguous."""
        offset, dtype = self.series.dataoffset, self.first.dtype
        if offset is None or dtype is None or self.first.photometric == _PHOTOMETRIC.MINISWHITE:
            return None
        return RawArray(self.shape, dtype.newbyteorder(self.first.parent.byteorder), offset)

    def array(self, reading: Reading) -> NDArray[Any]:
        """Decode all pages as bands or as images."""
        if self.series.dataoffset is None:  # otherwise the values are read as one run
            _refuse_missing_parts([page for page in self.series.pages if page is not None], self.first)
        return arrange(self.series.asarray().reshape(self.shape), reading)


def planes_of(tif: tifffile.TiffFile) -> GreyPlanes | None:
    """Return the planes of a TIFF; None for a single image, or pages that differ or have colours."""
    first = tif.pages[0]
    if len(tif.series) != 1 or not isinstance(first, tifffile.TiffPage) or first.samplesperpixel != 1:
        return None
    series = tif.series[0]
    if len(series.shape) < 3 or series.shape[-2:] != first.shape or not series.axes.endswith("YX"):
        return None
    planes = GreyPlanes(series, first)
    lacking = (series.dataoffset or 0) + series.nbytes > tif.filehandle.size
    cut = lacking and series.kind == "shaped" and len(tif.pages) == 1  # out of a cube, with its description
    return planes if planes.count > 1 and not cut else None


def _merged(axes: str, shape: Sequence[int]) -> tuple[str, tuple[int, ...]]:
    """Merge the axes before rows and columns into images, channels or both."""
    leading = list(zip(axes[:-2], shape[:-2], strict=True))
    kept = [(letter, side) for letter, side in leading if side > 1] or leading[:1]
    if [letter for letter, _ in kept] == ["C"]:
        return "CYX", (kept[0][1], *shape[-2:])
    channels = [place for place, (letter, _) in enumerate(kept) if letter == "C"]
    if len(channels) != 1:
        return "NYX", (math.prod(side for _, side in kept), *shape[-2:])
    before, after = kept[: channels[0]], kept[channels[0] + 1 :]
    merged = [("N", before), ("C", [kept[channels[0]]]), ("M", after)]
    found = [(letter, math.prod(side for _, side in part)) for letter, part in merged if part]
    return "".join(letter for letter, _ in found) + "YX", (*(side for _, side in found), *shape[-2:])


def _refuse_missing_parts(
    pages: Sequence[tifffile.TiffPage | tifffile.TiffFrame], first: tifffile.TiffPage
) -> None:
    """Refuse pages with too few strips or tiles for their size, which tifffile would leave black."""
    if any(len(page.dataoffsets) < math.prod(first.chunked) for page in pages):
        raise ValueError("strips are missing")


_START, _LENGTH = 513, 514  # tags of a JPEG for a preview: JPEGInterchangeFormat and its length
_REDUCED = 1  # the bit of NewSubfileType that a page with a smaller version of another one has
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
