"""TIFF: the format that holds every image that pcaimage knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import tifffile

from pcaimage.imaging.tiff_exif import append_exif, quiet_tifffile
from pcaimage.imaging.types import join_alpha

if TYPE_CHECKING:
    from pcaimage.imaging.image import Image

_BIG_TIFF = 3_900_000_000


def write_tiff(file: BinaryIO, image: Image) -> None:
    """Write an image as a TIFF with Deflate compression, a stack as its pages.

    Parameters
    ----------
    file : BinaryIO
        Open for reading and writing.
    image : Image
        Any image.
    """
    stack = image.pixels if image.is_stack else image.pixels[None]
    alphas = image.alpha if image.is_stack or image.alpha is None else image.alpha[None]
    colours = 3 if image.channels == 3 else 1
    extra = [0] * (image.channels - colours) + [2] * (image.alpha is not None)
    big = image.raw_bytes > _BIG_TIFF
    exif = None if big else image.exif  # its pointers have 32 bits
    quiet_tifffile()
    with tifffile.TiffWriter(file, bigtiff=big, byteorder="<") as tif:
        for index, frame in enumerate(stack):
            values = join_alpha(frame, None if alphas is None else alphas[index])
            single = values.shape[-1] == 1
            tif.write(
                values[..., 0] if single else values,
                photometric="rgb" if colours == 3 else "minisblack",
                planarconfig=None if single else "contig",
                extrasamples=extra or None,
                compression="zlib",
                predictor=True,
                metadata=None,
                software=False,
                iccprofile=image.icc_profile,
            )
    if exif:
        append_exif(file, exif)
