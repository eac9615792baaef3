"""Reading images of every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pcaimage.imaging.image import Image
from pcaimage.imaging.limits import Limits
from pcaimage.imaging.orientation import orient, upright
from pcaimage.imaging.pillow import decode_pillow, header_of, open_pillow
from pcaimage.imaging.source import Source, file_size, reading, source_name
from pcaimage.imaging.tiff import decode_tiff, is_tiff, tiff_header

if TYPE_CHECKING:
    from pcaimage.imaging.types import Decoded, ImageHeader


def probe(source: Source) -> ImageHeader:
    """Read an image's header without decoding its pixels.

    Parameters
    ----------
    source : path, bytes or binary file
        The image.

    Returns
    -------
    ImageHeader
        Size, channels, bits, format, frames and length of the file.

    Raises
    ------
    ImageError
        When the file is missing, may not be read, or is not an image.
    """
    with reading(source) as (file, name):
        if is_tiff(file):
            return tiff_header(file, name)
        return header_of(open_pillow(file, name), file)


def read_image(source: Source, limits: Limits | None = None) -> Image:
    """Read an image upright, with its colour profile, EXIF block and alpha.

    Grey stays one channel and sixteen bits stay sixteen, in PNG and TIFF also in colour. Palettes become RGB;
    CMYK (through its profile), LAB, YCbCr and HSV become RGB without a profile, which is sRGB. Colour stored
    multiplied with alpha is divided by it. A file of several images gives its first, but a TIFF with more
    than four grey pages of equal size, or with pages that are named channels, gives these as bands.

    Parameters
    ----------
    source : path, bytes or binary file
        The image: PNG, JPEG, WebP, AVIF, GIF, BMP, TIFF, JPEG 2000, PNM or QOI.
    limits : Limits, optional
        How large it may be; by default :meth:`Limits.default`.

    Returns
    -------
    Image
        Pixels of shape (H, W, C), uint8 or uint16.

    Raises
    ------
    ImageError
        When the file is missing, may not be read, is damaged or cut short, is not an image, or holds pixels
        other than whole numbers from 0 to 65535.
    ImageTooLargeError
        When the image is over a limit, before memory is taken for it.
    """
    limits = limits or Limits.default()
    with reading(source) as (file, name):
        size = file_size(file)
        if is_tiff(file):
            header = tiff_header(file, name)
            _check(header, limits, name)
            decoded = decode_tiff(file, name)
        else:
            image = open_pillow(file, name)
            header = header_of(image, file)
            _check(header, limits, name)
            decoded = decode_pillow(image, file, name)
        return finish(decoded, name=source_name(source), image_format=header.format, size=size)


def _check(header: ImageHeader, limits: Limits, name: str) -> None:
    limits.check(header.width, header.height, header.bytes_per_pixel, name=name)


def finish(decoded: Decoded, *, name: str, image_format: str, size: int | None) -> Image:
    """Turn what a decoder found upright.

    Parameters
    ----------
    decoded : Decoded
        Pixels as they stand in the file.
    name : str
        Name of the file.
    image_format : str
        Its format.
    size : int or None
        Its bytes.

    Returns
    -------
    Image
        The image with an EXIF orientation of 1.
    """
    pixels = np.ascontiguousarray(orient(decoded.pixels, decoded.orientation))
    alpha = None if decoded.alpha is None else orient(decoded.alpha, decoded.orientation)
    return Image(pixels, alpha, decoded.icc_profile, upright(decoded.exif), name, image_format, size)
