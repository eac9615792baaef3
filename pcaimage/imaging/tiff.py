"""TIFF: many bands, sixteen bits and planes through tifffile; what needs converting through Pillow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import tifffile
from PIL import Image as PillowImage

from pcaimage.errors import ImageError
from pcaimage.imaging.colour import narrow, to_rgb, unpremultiply
from pcaimage.imaging.pillow import decode_pillow, header_of, open_pillow
from pcaimage.imaging.source import file_size
from pcaimage.imaging.tiff_exif import has_exif, quiet_tifffile, read_exif
from pcaimage.imaging.types import Decoded, ImageHeader, Pixels, split_alpha

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from pcaimage.imaging.limits import Limits

MAX_DOCUMENT_PAGES = 4
"""Grey pages of equal size are bands of one image when there are more than these, otherwise pages."""

_ORIENTATION, _ICC_PROFILE = 274, 34675
_PHOTOMETRIC = tifffile.PHOTOMETRIC
_PLAIN = (_PHOTOMETRIC.MINISBLACK, _PHOTOMETRIC.MINISWHITE, _PHOTOMETRIC.RGB, _PHOTOMETRIC.SEPARATED)


def is_tiff(file: BinaryIO) -> bool:
    """Tell a TIFF or BigTIFF by its signature.

    Parameters
    ----------
    file : BinaryIO
        A file at its beginning, and left there.

    Returns
    -------
    bool
        Whether it is one.
    """
    start = file.read(4)
    file.seek(0)
    return start in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")


def _open(file: BinaryIO) -> tifffile.TiffFile:
    quiet_tifffile()
    file.seek(0)
    return tifffile.TiffFile(file)


class _Page:
    """One page, or the pages that are bands of one image.

    Parameters
    ----------
    tif : tifffile.TiffFile
        The opened file.
    index : int or None
        A page, or None for the file's image.
    """

    def __init__(self, tif: tifffile.TiffFile, index: int | None = None) -> None:
        page: Any = tif.pages[index or 0]
        if not isinstance(page, tifffile.TiffPage):
            page = page.aspage()
        self.page: tifffile.TiffPage = page
        self.bands = None if index is not None else _band_series(tif)
        samples = self.page.samplesperpixel
        extra = self.page.extrasamples
        self.has_alpha = self.bands is None and bool(extra) and extra[-1] in (1, 2)
        self.premultiplied = self.has_alpha and extra[-1] == 1
        self.is_cmyk = self.page.photometric == _PHOTOMETRIC.SEPARATED and samples - self.has_alpha == 4
        if self.bands is not None:
            self.channels = int(np.prod(self.bands.shape[:-2]))
        else:
            self.channels = 3 if self.is_cmyk else samples - self.has_alpha

    @property
    def is_plain(self) -> bool:
        """Whether the values are the pixels, so that tifffile alone reads them."""
        page = self.page
        eight_bits = page.dtype is not None and page.dtype.itemsize * 8 == page.bitspersample
        if self.is_cmyk and (page.dtype != np.uint8 or self.has_alpha):
            return False
        return eight_bits and page.photometric in _PLAIN and page.axes in ("YX", "YXS", "SYX")

    def array(self) -> Pixels:
        """Decode to shape (H, W, C)."""
        if self.bands is not None:
            if self.bands.dataoffset is None:  # otherwise the values are read as one run
                _refuse_missing_parts([page for page in self.bands.pages if page is not None], self.page)
            array = self.bands.asarray().reshape(-1, *self.bands.shape[-2:])
            return np.ascontiguousarray(np.moveaxis(array, 0, -1))
        _refuse_missing_parts([self.page], self.page)
        array = self.page.asarray()
        if self.page.axes == "SYX":
            array = np.moveaxis(array, 0, -1)
        return np.ascontiguousarray(array if array.ndim == 3 else array[..., None])

    @property
    def orientation(self) -> int:
        """EXIF orientation, 1 to 8."""
        value = self.page.tags.valueof(_ORIENTATION, 1)
        return int(value) if value in range(1, 9) else 1


def _refuse_missing_parts(
    pages: Sequence[tifffile.TiffPage | tifffile.TiffFrame], first: tifffile.TiffPage
) -> None:
    """Raise for pages with fewer strips or tiles than their size asks for, which tifffile leaves black."""
    if any(len(page.dataoffsets) < math.prod(first.chunked) for page in pages):
        raise ValueError("strips are missing")


def _band_series(tif: tifffile.TiffFile) -> tifffile.TiffPageSeries | None:
    """Return the file's only series when its pages are bands: grey, of equal size, and many or named so."""
    first = tif.pages[0]
    if len(tif.series) != 1 or not isinstance(first, tifffile.TiffPage) or first.samplesperpixel != 1:
        return None
    series = tif.series[0]
    shape, axes = series.shape, series.axes
    if len(shape) < 3 or shape[-2:] != first.shape or not axes.endswith("YX"):
        return None
    bands = int(np.prod(shape[:-2]))
    return series if bands > MAX_DOCUMENT_PAGES or (bands > 1 and axes == "CYX") else None


def tiff_header(file: BinaryIO, name: str) -> ImageHeader:
    """Tell what a TIFF will be when it is read.

    Parameters
    ----------
    file : BinaryIO
        The file.
    name : str
        What it is called in messages.

    Returns
    -------
    ImageHeader
        Size, channels and the like.
    """
    size = file_size(file)
    with _open(file) as tif:
        page = _Page(tif)
        frames = 1 if page.bands is not None else len(tif.pages)
        header = _page_header(page, frames, size)
    if page.is_plain:
        return header
    file.seek(0)
    return header_of(open_pillow(file, name), file)


def _page_header(page: _Page, frames: int, size: int) -> ImageHeader:
    width, height = page.page.imagewidth, page.page.imagelength
    if page.orientation >= 5:
        width, height = height, width
    bits = 8 if page.page.dtype == np.uint8 else 16
    return ImageHeader(width, height, page.channels, page.has_alpha, bits, "TIFF", frames, size)


def decode_tiff(file: BinaryIO, name: str) -> Decoded:
    """Decode a TIFF's image: its first page, or all its pages when they are bands.

    Parameters
    ----------
    file : BinaryIO
        The file.
    name : str
        What it is called in messages.

    Returns
    -------
    Decoded
        Pixels and what goes with them.

    Raises
    ------
    ImageError
        When its compression or pixel type is not supported; decoders' own errors for damage pass.
    """
    with _open(file) as tif:
        page = _Page(tif)
        decoded = _decode_plain(page, name) if page.is_plain else None
        exif = read_exif(file) if has_exif(page.page) else None
        compression = tifffile.COMPRESSION(page.page.compression).name
    if decoded is None:
        decoded = _decode_with_pillow(file, name, compression)
    return Decoded(decoded.pixels, decoded.alpha, decoded.icc_profile, exif, decoded.orientation)


def _decode_plain(page: _Page, name: str) -> Decoded | None:
    try:
        array = page.array()
    except ValueError as error:
        if "imagecodecs" in str(error):
            return None  # LZW, JPEG and others: Pillow's libtiff has them
        raise
    pixels = narrow(array, name)
    icc = page.page.tags.valueof(_ICC_PROFILE)
    icc = bytes(icc) if icc else None
    if page.page.photometric == _PHOTOMETRIC.MINISWHITE:
        pixels = np.bitwise_not(pixels)
    if page.is_cmyk:
        image = PillowImage.fromarray(pixels, "CMYK")
        return Decoded(np.asarray(to_rgb(image, icc)), orientation=page.orientation)
    if not page.has_alpha:
        return Decoded(pixels, None, icc, None, page.orientation)
    colour, alpha = split_alpha(pixels)
    if page.premultiplied:
        colour = unpremultiply(colour, alpha)
    return Decoded(colour, alpha, icc, None, page.orientation)


def _decode_with_pillow(file: BinaryIO, name: str, compression: str) -> Decoded:
    file.seek(0)
    try:
        image = open_pillow(file, name)
    except SyntaxError as error:
        raise ImageError(
            f"{name} is a TIFF with {compression} compression of a kind that cannot be read; "
            "save it uncompressed or with Deflate compression."
        ) from error
    return decode_pillow(image, file, name)


def tiff_pages(file: BinaryIO, name: str, limits: Limits) -> tuple[int, Iterator[Decoded]]:
    """Decode every page of a TIFF by itself.

    Parameters
    ----------
    file : BinaryIO
        The file; it must stay open while pages are taken.
    name : str
        What it is called in messages.
    limits : Limits
        Checked for all pages together.

    Returns
    -------
    count : int
        Number of pages.
    pages : iterator of Decoded
        Each page's pixels and what goes with them, decoded when it is taken.
    """
    with _open(file) as tif:
        count = len(tif.pages)
        first = _page_header(_Page(tif, 0), count, 0)
    limits.check(first.width, first.height, first.bytes_per_pixel, frames=count, name=name)
    return count, _pages(file, name, limits)


def _pages(file: BinaryIO, name: str, limits: Limits) -> Iterator[Decoded]:
    with _open(file) as tif:
        for index in range(len(tif.pages)):
            page = _Page(tif, index)
            header = _page_header(page, 1, 0)
            limits.check(
                header.width, header.height, header.bytes_per_pixel, name=f"Page {index + 1} of {name}"
            )
            decoded = _decode_plain(page, name) if page.is_plain else None
            if decoded is None:
                file.seek(0)
                image = open_pillow(file, name)
                image.seek(index)
                decoded = decode_pillow(image, file, name)
            yield decoded
