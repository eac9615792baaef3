"""TIFF reading: bands, 16 bits and planes through tifffile; whatever needs converting through Pillow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import tifffile
from numpy.typing import NDArray
from PIL import Image as PillowImage

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.raw import RawArray, arrange, read_raw
from pcaimage.imaging.image.contents import Contents, Reading
from pcaimage.imaging.image.conversion import lost_bits, narrow, to_rgb, turned, unpremultiply
from pcaimage.imaging.image.image import Image, Stored
from pcaimage.imaging.image.limits import Limits
from pcaimage.imaging.image.pixels import ImageHeader, Pixels, split_alpha
from pcaimage.imaging.image.source import file_size
from pcaimage.imaging.still.pillow import decode_pillow, header_of, open_pillow
from pcaimage.imaging.tiff.bands import IPTC_TAG, XMP_TAG, declared_white, tiff_bands, with_enmap
from pcaimage.imaging.tiff.exif import has_exif, read_exif
from pcaimage.imaging.tiff.page import GreyPlanes, Page, count_pages, open_tiff, planes_of
from pcaimage.quality import TYPES


def tiff_contents(file: BinaryIO, path: Path | None, name: str) -> Contents:
    """Return the contents of a TIFF; beside its path may be metadata."""
    size = file_size(file)
    with open_tiff(file) as tif:
        pages, page, planes = count_pages(tif), Page(tif), planes_of(tif)
        if page.is_plain and planes is not None:
            readings, ambiguous, shape = planes.readings, planes.is_ambiguous, planes.shape
        else:
            readings, shape = _page_readings(file, name, page, pages), tif.series[0].shape
            ambiguous = False
        dtype = page.page.dtype if page.is_plain else None
        bands = with_enmap(tiff_bands(tif, page.page, readings[0].shape[-1]), path, readings[0].shape[-1])
        has_alpha = page.has_alpha if page.is_plain else _pillow_header(file, name).has_alpha
    return Contents(
        name=name,
        format="TIFF",
        shape=shape,
        dtype="uint8" if dtype is None else dtype.name,
        readings=readings,
        ambiguous=ambiguous,
        has_alpha=has_alpha,
        bands=bands,
        file_size=size,
    )


def _page_readings(file: BinaryIO, name: str, page: Page, pages: int) -> tuple[Reading, ...]:
    """Return the readings of pages that are separate images."""
    header = _page_header(page, 1, 0) if page.is_plain else _pillow_header(file, name)
    shape = (header.height, header.width, header.channels)
    single = Reading("bands" if header.channels > 4 else "image", "YXC", shape)
    return (single,) if pages == 1 else (single, Reading("stack", "NYXC", (pages, *shape)))


def _pillow_header(file: BinaryIO, name: str) -> ImageHeader:
    return header_of(open_pillow(file, name), file)


def tiff_header(file: BinaryIO, name: str) -> ImageHeader:
    """Return the header of a TIFF's default reading."""
    size = file_size(file)
    with open_tiff(file) as tif:
        page, planes = Page(tif), planes_of(tif)
        if page.is_plain:
            reading = None if planes is None else planes.readings[0]
            if reading is None or reading.kind == "image":
                return _page_header(page, len(tif.pages), size)
            frames = reading.shape[0] if reading.kind == "stack" else 1
            return _page_header(page, frames, size, channels=reading.shape[-1])
    return _pillow_header(file, name)


def _page_header(page: Page, frames: int, size: int, channels: int | None = None) -> ImageHeader:
    width, height = page.page.imagewidth, page.page.imagelength
    if page.orientation >= 5:
        width, height = height, width
    bits, kind = _after_narrowing(page.page.dtype)
    n_channels = page.channels if channels is None else channels
    return ImageHeader(width, height, n_channels, page.has_alpha, bits, "TIFF", frames, size, kind)


def _after_narrowing(dtype: np.dtype[Any] | None) -> tuple[int, str]:
    """Return bits and kind of the type that :func:`narrow` yields, as far as values do not decide it."""
    if dtype is None or dtype.kind in "ub":
        return (8 if dtype == np.uint8 else 16), "u"
    if dtype.kind == "f":
        return 32, "f"
    return 16, "i" if dtype.itemsize <= 2 else "u"


def _mappable(
    tif: tifffile.TiffFile, page: Page, planes: GreyPlanes | None, reading: Reading
) -> tuple[RawArray, Reading] | None:
    """Return the layout of many bands or images whose values are used in place."""
    if not page.is_plain or page.orientation != 1:
        return None
    if planes is not None:
        raw = planes.raw if reading.kind != "image" else None
    else:
        raw, reading = _raw_page(tif, page, reading)
    return (raw, reading) if raw is not None and raw.stays else None


def _raw_page(tif: tifffile.TiffFile, page: Page, reading: Reading) -> tuple[RawArray | None, Reading]:
    series, dtype = tif.series[0], page.page.dtype
    photo = page.channels <= 4 and dtype in (np.uint8, np.uint16)
    if photo or page.has_alpha or page.is_white_zero or len(series.pages) != 1 or reading.kind == "stack":
        return None, reading
    if series.dataoffset is None or dtype is None or dtype.name not in TYPES:
        return None, reading
    axes = page.page.axes.replace("S", "C")
    raw = RawArray(page.page.shape, dtype.newbyteorder(tif.byteorder), series.dataoffset)
    return raw, Reading(reading.kind, axes, reading.shape)


def decode_tiff(file: BinaryIO, path: Path | None, name: str, reading: Reading, limits: Limits) -> Image:
    """Decode a TIFF's first page, or all its pages as bands or images.

    Stacks of pages that are not plain grey planes are read by :func:`tiff_pages`. `path`, if not None, is
    where a large file can be mapped from. Decoders' own errors for damage pass through.
    """
    with open_tiff(file) as tif:
        page = Page(tif)
        planes = planes_of(tif) if page.is_plain and reading.kind != "image" else None
        found = _mappable(tif, page, planes, reading) if path is not None else None
        header = _page_header(page, 1, 0)
        exif = read_exif(file) if has_exif(page.page) else None
        bands = with_enmap(tiff_bands(tif, page.page, reading.shape[-1]), path, reading.shape[-1])
        xmp, iptc = (_block(page.page, tag) for tag in (XMP_TAG, IPTC_TAG))
        beside: dict[str, Any] = {"exif": exif, "bands": bands, "xmp": xmp, "iptc": iptc}
        beside["white"] = declared_white(page.page)
        height, width, channels = reading.shape[-3:]
        frames = reading.shape[0] if reading.kind == "stack" else 1
        n_bytes = (channels + header.has_alpha) * (header.bits // 8 if page.is_plain else 1)
        limits.check(width, height, n_bytes, frames=frames, name=name, mapped=found is not None)
        if found is not None:
            pixels = narrow(arrange(read_raw(file, path, found[0], name), found[1]), name)
            return Image(pixels, icc_profile=page.icc_profile, **beside)
        decoded = _decode(page, planes, reading, name) if page.is_plain else None
        compression = tifffile.COMPRESSION(page.page.compression).name
    if decoded is None and planes is not None:
        decoded = _planes_with_pillow(file, name, reading)
    elif decoded is None:
        decoded = _decode_with_pillow(file, name, compression)
    return replace(decoded, **beside)


def tiff_array(file: BinaryIO, path: Path | None, name: str, limits: Limits) -> Stored | None:
    """Read the numbers of a TIFF's image as they stand; None of several images, and of some pictures."""
    with open_tiff(file) as tif:
        page, planes = Page(tif), planes_of(tif)
        reading = Reading("image", "YXC", ()) if planes is None else planes.readings[0]
        mixed = page.orientation != 1 or page.has_alpha or page.is_white_zero or page.is_cmyk
        if not page.is_plain or mixed or reading.kind == "stack":
            return None
        count, ifd = page.channels if planes is None else reading.shape[-1], page.page
        limits.check(ifd.imagewidth, ifd.imagelength, count * ifd.bitspersample // 8, name=name)
        if (array := _values(page, planes, reading)) is None:
            if ifd.dtype is not None and ifd.dtype.name in TYPES:
                return None  # Pillow reads those of pictures
            raise _unreadable(name, tifffile.COMPRESSION(ifd.compression).name)
        bands = with_enmap(tiff_bands(tif, ifd, count), path, count)
    axis = 2 if count > 1 else None
    return Stored(array if axis else array[..., 0], format="TIFF", bands=bands, axis=axis)


def _block(page: tifffile.TiffPage, code: int) -> bytes | None:
    """Return the bytes of a tag; None if the page has none, or it is of another type."""
    value = getattr(page.tags.get(code), "value", None)
    return value or None if isinstance(value, bytes) else None


def _values(page: Page, planes: GreyPlanes | None, reading: Reading) -> NDArray[Any] | None:
    """Decode with tifffile; None if it does not support the compression."""
    try:
        return page.array() if planes is None else planes.array(reading)
    except ValueError as error:
        if "imagecodecs" in str(error):
            return None  # LZW, JPEG and others: Pillow's libtiff has them
        raise


def _decode(page: Page, planes: GreyPlanes | None, reading: Reading, name: str) -> Image | None:
    if (array := _values(page, planes, reading)) is None:
        return None
    pixels = narrow(array, name)
    return replace(_decoded(page, pixels), stored_bits=lost_bits(array, pixels))


def _decoded(page: Page, pixels: Pixels) -> Image:
    icc = page.icc_profile
    if page.is_white_zero and pixels.dtype.kind == "u":
        pixels = np.bitwise_not(pixels)
    if page.is_cmyk:
        image = PillowImage.fromarray(pixels, "CMYK")
        return turned(Image(np.asarray(to_rgb(image, icc))), page.orientation)
    if not page.has_alpha:
        return turned(Image(pixels, icc_profile=icc), page.orientation)
    colour, alpha = split_alpha(pixels)
    if page.premultiplied:
        colour = unpremultiply(colour, alpha)
    return turned(Image(colour, alpha, icc_profile=icc), page.orientation)


def _decode_with_pillow(file: BinaryIO, name: str, compression: str) -> Image:
    try:
        image = open_pillow(file, name)
    except SyntaxError as error:
        raise _unreadable(name, compression) from error
    return decode_pillow(image, file, name)


def _unreadable(name: str, compression: str) -> ImageError:
    return ImageError(
        f"{name} is a TIFF with {compression} compression of a kind that cannot be read; "
        "save it uncompressed or with Deflate compression, or install imagecodecs (pcaimage[science])."
    )


def _planes_with_pillow(file: BinaryIO, name: str, reading: Reading) -> Image:
    """Decode grey pages one by one."""
    image = open_pillow(file, name)
    planes = []
    for index in range(int(getattr(image, "n_frames", 1))):
        image.seek(index)
        planes.append(decode_pillow(image, file, name).pixels[..., 0])
    array = np.stack(planes, axis=0 if reading.kind == "stack" else -1)
    return Image(narrow(array.reshape(reading.shape), name))


def tiff_pages(file: BinaryIO, name: str, limits: Limits) -> tuple[int, Iterator[Image]]:
    """Return the number of pages, and an iterator that decodes each on demand while the file stays open."""
    with open_tiff(file) as tif:
        count = count_pages(tif)
        first = _page_header(Page(tif), count, 0)
    limits.check(first.width, first.height, first.bytes_per_pixel, frames=count, name=name)
    return count, _pages(file, name, limits)


def _pages(file: BinaryIO, name: str, limits: Limits) -> Iterator[Image]:
    with open_tiff(file) as tif:
        for index in range(len(tif.pages)):
            page = Page(tif, index)
            header = _page_header(page, 1, 0)
            limits.check(
                header.width, header.height, header.bytes_per_pixel, name=f"Page {index + 1} of {name}"
            )
            white = declared_white(page.page)
            decoded = _decode(page, None, Reading("image", "YXC", ()), name) if page.is_plain else None
            if decoded is None:
                image = open_pillow(file, name)
                image.seek(index)
                decoded = decode_pillow(image, file, name)
            yield replace(decoded, white=white)
