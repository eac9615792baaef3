"""TIFF writing; TIFF is the format that can store every image of pcaimage."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import tifffile

from pcaimage.imaging.tiff_bands import tiff_tags
from pcaimage.imaging.tiff_exif import append_exif, quiet_tifffile
from pcaimage.imaging.types import join_alpha
from pcaimage.mapped import Footprint, is_mapped
from pcaimage.progress import Progress, no_progress, part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pcaimage.imaging.image import Image
    from pcaimage.imaging.types import Pixels

_BIG_TIFF = 3_900_000_000
TILE = 256
"""Side of the tiles that mapped pixels are written in, in pixels; a multiple of 16."""


def write_tiff(file: BinaryIO, image: Image, progress: Progress = no_progress) -> None:
    """Write an image as a TIFF with Deflate compression, a stack as its pages.

    The file must be open for reading and writing. `progress` is called with rows of mapped pixels and with
    images of a stack.
    """
    tags = tiff_tags(image.bands)
    # tifffile has no predictor of its own for real numbers.
    predictor = image.pixels.dtype.kind != "f"
    stack = image.pixels if image.is_stack else image.pixels[None]
    alphas = image.alpha if image.is_stack or image.alpha is None else image.alpha[None]
    colours = 3 if image.channels == 3 else 1
    extra = [0] * (image.channels - colours) + [2] * (image.alpha is not None)
    big = image.raw_bytes > _BIG_TIFF
    exif = None if big else image.exif  # its pointers have 32 bits
    quiet_tifffile()
    with tifffile.TiffWriter(file, bigtiff=big, byteorder="<") as tif:
        for index, frame in enumerate(stack):
            done = part(progress, index / len(stack), (index + 1) / len(stack))
            data, options = _data(frame, None if alphas is None else alphas[index], done)
            tif.write(
                data,
                **options,
                photometric="rgb" if colours == 3 else "minisblack",
                extrasamples=extra or None,
                compression="zlib",
                predictor=predictor,
                metadata=None,
                software=False,
                iccprofile=image.icc_profile,
                extratags=tags if index == 0 else None,
                maxworkers=os.cpu_count(),
            )
            done(1, 1)
    if exif:
        append_exif(file, exif)


def _data(
    frame: Pixels, alpha: Pixels | None, progress: Progress
) -> tuple[Pixels | Iterator[Pixels], dict[str, Any]]:
    """Return the data for tifffile and its options: mapped pixels tile by tile."""
    values = join_alpha(frame, alpha)
    options: dict[str, Any] = {"planarconfig": "contig"}
    if values.shape[-1] == 1:
        values, options = values[..., 0], {}
    if not is_mapped(values):
        return values, options
    tiles = _tiles(values, progress)
    return tiles, options | {"shape": values.shape, "dtype": values.dtype, "tile": (TILE, TILE)}


def _tiles(values: Pixels, progress: Progress) -> Iterator[Pixels]:
    """Yield tiles row by row, padded at the edges."""
    footprint = Footprint(values)
    for top in range(0, values.shape[0], TILE):
        for left in range(0, values.shape[1], TILE):
            tile = values[top : top + TILE, left : left + TILE]
            missing = [(0, TILE - tile.shape[0]), (0, TILE - tile.shape[1]), (0, 0)]
            yield np.ascontiguousarray(np.pad(tile, missing[: tile.ndim], mode="edge"))
            footprint.walked(tile.nbytes)
        progress(min(top + TILE, values.shape[0]), values.shape[0])
