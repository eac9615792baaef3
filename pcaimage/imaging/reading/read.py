"""Reading images of every format, and inspecting files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes import hdf5, idx, numpy_files
from pcaimage.imaging.cubes.envi import DATA_SUFFIXES, HEADER_SUFFIX
from pcaimage.imaging.image.formats import SUFFIXES
from pcaimage.imaging.image.limits import Limits
from pcaimage.imaging.image.source import Source
from pcaimage.imaging.reading.folder import folder_contents, images_in, read_bands
from pcaimage.imaging.reading.read_file import (
    file_contents,
    is_frame,
    is_paged,
    no_arrays,
    path_of,
    probe,
    read_file,
    reading_of,
)
from pcaimage.imaging.reading.stack import read_list, read_page, read_pages
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from pathlib import Path

    from pcaimage.imaging.image.contents import Contents, ReadAs
    from pcaimage.imaging.image.image import Image

__all__ = ["PATTERNS", "inspect", "probe", "read_image", "read_stack"]

PATTERNS = tuple(
    sorted(
        {
            *(f"*{suffix}" for suffix in (*SUFFIXES, HEADER_SUFFIX, *DATA_SUFFIXES) if suffix),
            *idx.PATTERNS,
            *numpy_files.PATTERNS,
            *hdf5.PATTERNS,
        }
    )
)
"""Glob patterns of readable files, as for a dialog; a file may have any other name, too."""


def inspect(source: Source, member: str | None = None) -> Contents:
    """Return the contents of a file or a folder and the ways to read it, without reading its pixels.

    Parameters
    ----------
    source : path, bytes or binary file
        An image, a cube, a stack, or a folder.
    member : str, optional
        Name of the array of an ``.npz``, HDF5, NetCDF or MATLAB file; by default ``pixels`` or the largest.
        Of arrays whose axes have names also a part: ``t2m[time=0]``, or by coordinate ``t2m[level=850.]``.

    Returns
    -------
    Contents
        Its :attr:`~Contents.ambiguous` says whether the user should be asked.

    Raises
    ------
    ImageError
        If it cannot be read.

    Examples
    --------
    >>> import io, numpy as np
    >>> from pcaimage.imaging import inspect
    >>> buffer = io.BytesIO()
    >>> np.save(buffer, np.zeros((60, 28, 28), np.uint8))
    >>> found = inspect(buffer.getvalue())
    >>> found.ambiguous, [each.text for each in found.readings]
    (True, ['one image of 28 × 28 pixels with 60 bands', '60 images of 28 × 28 pixels'])
    """
    folder = _folder(source)
    if folder is not None and member is not None:
        raise no_arrays(folder.name)
    return file_contents(source, member) if folder is None else folder_contents(folder)


def read_image(
    source: Source,
    limits: Limits | None = None,
    *,
    as_: ReadAs | None = None,
    member: str | None = None,
    frame: int | None = None,
    salvage: bool = False,
    progress: Progress = no_progress,
) -> Image:
    """Read an image upright, with its colour profile, EXIF block, alpha, and band metadata.

    Grey stays one channel, and 16 bits stay 16, in PNG and TIFF also in colour; signed and real numbers stay
    what they are. Palettes become RGB; CMYK (through its profile), LAB, YCbCr and HSV become RGB without a
    profile, which is sRGB. Premultiplied colour is divided by its alpha.

    `as_` says how to read a file of several images or bands. By default an animated GIF, WebP, PNG or AVIF is
    a stack of its frames, composed as a viewer shows them, with their :attr:`~Image.timing`. Of other files
    the metadata decide; where they do not (see :func:`inspect`), more than four grey pages of equal size are
    bands, and otherwise the first image is read.

    Parameters
    ----------
    source : path, bytes or binary file
        PNG, JPEG, WebP, AVIF, HEIC, GIF, BMP, TIFF, JPEG 2000, PNM, QOI; an ENVI cube (its header or
        its values), ``.npy``, ``.npz``, IDX (also gzipped); with the extra ``science`` HDF5, NetCDF and
        MATLAB; or a folder of images.
    limits : Limits, optional
        Size limits; by default :meth:`Limits.default`.
    as_ : {'image', 'bands', 'stack'}, optional
        Whether to read the first image, all planes as bands of one image, or each as an image of a stack.
    member : str, optional
        As for :func:`inspect`.
    frame : int, optional
        Zero-based index of the one image to read of a file of several.
    salvage : bool, default False
        Whether to read the intact frames before the first damaged one of an animation.
    progress : Progress, optional
        Receives the bytes, or the images of a stack, that are decoded, if the decoder reports them.

    Returns
    -------
    Image
        Pixels of shape (H, W, C), of a stack (N, H, W, C), uint8, uint16, int16 or float32. Those of large
        uncompressed files stay there (:attr:`Image.is_mapped`).

    Raises
    ------
    ImageError
        If the file is missing, may not be read, is damaged or cut short, is not an image, cannot be read as
        requested, or holds numbers that none of these types can represent.
    DamagedAnimationError
        If frames of an animation are damaged or missing, but the first are intact.
    ImageTooLargeError
        If the image is over a limit, before memory is allocated.
    """
    limits = limits or Limits.default()
    if not isinstance(source, str | os.PathLike | bytes | bytearray | memoryview) and not source.seekable():
        source = source.read()  # it is read several times
    folder = _folder(source)
    if frame is not None:
        return _one_of(source, frame, limits, member, progress)
    if folder is None:
        # Whether pages are separate images is known from the header, which is read again with the pixels.
        found = file_contents(source, member)
        wanted = reading_of(found, as_)
        if is_paged(found, wanted):
            return read_pages(source, limits, progress, salvage=salvage)
        if is_frame(found, wanted):
            return read_page(source, 0, limits)
        return read_file(source, limits, as_, member, progress)
    if reading_of(folder_contents(folder), as_).kind == "stack":
        return read_stack(folder, limits, progress)
    return read_bands(images_in(folder), limits, folder.name)


def read_stack(
    source: Source | Sequence[Source], limits: Limits | None = None, progress: Progress = no_progress
) -> Image:
    """Read images of equal size as one stack.

    Profile, EXIF block and name are the first image's (a folder has its own name). If only some of the images
    have alpha, the others count as opaque.

    Parameters
    ----------
    source : source or sequence of sources
        Images in order; a folder, whose images are read in natural order (2 before 10); or one file of
        several images: TIFF, GIF, WebP, PNG, IDX, ``.npy``, ``.npz``; or a cube, band by band.
    limits : Limits, optional
        Size limits of all images together; by default :meth:`Limits.default`.
    progress : Progress, optional
        Receives the number of images that are read.

    Returns
    -------
    Image
        Pixels of shape (N, H, W, C), uint8, uint16, int16 or float32.

    Raises
    ------
    ImageError
        If there are no images, one cannot be read, or one differs from the first in size, channels or type;
        the message names it.
    ImageTooLargeError
        If the images are over a limit, before memory is allocated.
    """
    limits = limits or Limits.default()
    if isinstance(source, Sequence) and not isinstance(source, str | bytes | bytearray | memoryview):
        return read_list(list(source), limits, progress)
    folder = _folder(source)
    if folder is not None:
        return replace(read_list([*images_in(folder)], limits, progress), name=folder.name)
    return read_image(source, limits, as_="stack", progress=progress)


def _one_of(source: Source, index: int, limits: Limits, member: str | None, progress: Progress) -> Image:
    """Read one image of a file or folder of several."""
    if _folder(source) is None:
        found = file_contents(source, member)
        if is_paged(found, reading_of(found, "stack")):
            return read_page(source, index, limits)
    stack = read_image(source, limits, as_="stack", member=member, progress=progress)
    if not 0 <= index < stack.frames:
        raise ImageError(f"{stack.name} has {stack.frames:,} images; there is no image {index + 1:,}.")
    return stack.frame(index)


def _folder(source: Source) -> Path | None:
    path = path_of(source) if isinstance(source, str | os.PathLike) else None
    return path if path is not None and path.is_dir() else None
