"""Writing the bands of an image to a folder of single files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.disk.atomic import exists_error, move_all, temporary_folder
from pcaimage.imaging.image.formats import SUFFIXES
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.pixels import Pixels, strips
from pcaimage.imaging.writing.write import write_image
from pcaimage.progress import Progress, no_progress

SUFFIX = ".tif"

_PLANES_BYTES = 1 << 28  # bytes of bands that are extracted together: each pass through a large file is slow


def write_bands(
    path: str | os.PathLike[str], image: Image, progress: Progress = no_progress, *, overwrite: bool = False
) -> list[Path]:
    """Write each band as a TIFF of its own, and return the files: all, or none if one cannot be written.

    Each file has its band's metadata; georeferencing and the nodata value are in all of them. The folder need
    not exist, but its parent must. ImageError if the image is a stack or has alpha, or the folder contains
    other images or files of these names.
    """
    folder = Path(path)
    if image.is_stack or image.alpha is not None:
        what = "a stack of images" if image.is_stack else "transparency"
        raise ImageError(f"A folder of bands cannot hold {what}; save the image as TIFF.")
    digits = max(3, len(str(image.channels)))
    names = [f"band_{number:0{digits}d}{SUFFIX}" for number in range(1, image.channels + 1)]
    try:
        if folder.exists():
            _check(folder, names, overwrite=overwrite)
            # It has either all of the files afterwards or what it had before.
            with temporary_folder(folder, private=True) as temporary:
                _write(temporary, names, image, progress)
                move_all(temporary, folder, names, overwrite=overwrite)
        else:
            with temporary_folder(folder.parent, private=False) as temporary:
                _write(temporary, names, image, progress)
                temporary.rename(folder)
    except OSError as error:
        reason = (error.strerror or "the disk reported an error").lower()
        raise ImageError(f"The folder {folder.name} cannot be written: {reason}.") from error
    return [folder / name for name in names]


def _check(folder: Path, names: list[str], *, overwrite: bool) -> None:
    if not folder.is_dir():
        raise ImageError(f"{folder.name} is a file; bands are written to a folder.")
    there = sorted(entry.name for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES)
    others = [name for name in there if name not in names]
    if others:
        raise ImageError(f"The folder {folder.name} has {others[0]} in it, which would be taken for a band.")
    if there and not overwrite:
        raise exists_error(there[0])


def _write(folder: Path, names: list[str], image: Image, progress: Progress) -> None:
    for band, (name, plane) in enumerate(zip(names, _planes(image.pixels), strict=True)):
        one = replace(image.bands.of([band]), shown=())
        profile = None if image.channels == 3 else image.icc_profile
        bare = replace(image, exif=None, xmp=None, iptc=None)
        single = replace(bare, pixels=plane[..., None], bands=one, icc_profile=profile)
        write_image(folder / name, single, overwrite=True)
        progress(band + 1, len(names))


def _planes(pixels: Pixels) -> Iterator[Pixels]:
    """Yield the bands one by one; many at a time are read from mapped pixels."""
    height, width, bands = pixels.shape
    many = max(1, _PLANES_BYTES // (height * width * pixels.dtype.itemsize))
    for first in range(0, bands, many):
        group = np.empty((min(many, bands - first), height, width), pixels.dtype)
        for start, rows in strips(pixels):
            group[:, start : start + len(rows)] = np.moveaxis(rows[..., first : first + many], -1, 0)
        yield from group
