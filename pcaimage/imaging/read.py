"""Reading images of every format, and telling what files hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pcaimage.imaging import idx, numpy_files
from pcaimage.imaging.envi import DATA_SUFFIXES, HEADER_SUFFIX
from pcaimage.imaging.folder import SUFFIXES, folder_contents, images_in, read_bands
from pcaimage.imaging.limits import Limits
from pcaimage.imaging.read_file import file_contents, is_paged, path_of, probe, read_file, reading_of
from pcaimage.imaging.source import Source
from pcaimage.imaging.stack import read_list, read_pages

if TYPE_CHECKING:
    from pathlib import Path

    from pcaimage.imaging.contents import Contents, ReadAs
    from pcaimage.imaging.image import Image

__all__ = ["PATTERNS", "inspect", "probe", "read_image", "read_stack"]

PATTERNS = tuple(
    sorted(
        {
            *(f"*{suffix}" for suffix in (*SUFFIXES, HEADER_SUFFIX, *DATA_SUFFIXES) if suffix),
            *idx.PATTERNS,
            *numpy_files.PATTERNS,
        }
    )
)
"""Names of files that can be read, as for a dialog; a file may have any other name, too."""


def inspect(source: Source, member: str | None = None) -> Contents:
    """Tell what a file or a folder holds and in which ways it can be read, without reading its pixels.

    Parameters
    ----------
    source : path, bytes or binary file
        The image, cube, stack, or folder.
    member : str, optional
        Which array of an ``.npz``; by default ``pixels`` or the largest.

    Returns
    -------
    Contents
        Whose :attr:`~Contents.ambiguous` says whether the user should be asked.

    Raises
    ------
    ImageError
        When it cannot be read.

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
    return file_contents(source, member) if folder is None else folder_contents(folder)


def read_image(
    source: Source, limits: Limits | None = None, *, as_: ReadAs | None = None, member: str | None = None
) -> Image:
    """Read an image upright, with its colour profile, EXIF block, alpha, and what is known of its bands.

    Grey stays one channel and sixteen bits stay sixteen, in PNG and TIFF also in colour; signed and real
    numbers stay what they are. Palettes become RGB; CMYK (through its profile), LAB, YCbCr and HSV become RGB
    without a profile, which is sRGB. Colour stored multiplied with alpha is divided by it.

    What a file of several images or bands gives is asked for by `as_`. By default it gives what it says that
    it holds; where it does not say (:func:`inspect` tells), more than four grey pages of equal size are
    bands, and otherwise the first image is taken.

    Parameters
    ----------
    source : path, bytes or binary file
        PNG, JPEG, WebP, AVIF, GIF, BMP, TIFF, JPEG 2000, PNM, QOI; an ENVI cube (its header or its values),
        ``.npy``, ``.npz``, IDX (also gzipped); or a folder of images.
    limits : Limits, optional
        How large it may be; by default :meth:`Limits.default`.
    as_ : {'image', 'bands', 'stack'}, optional
        Whether to read the first image, all planes as bands of one image, or each as an image of a stack.
    member : str, optional
        Which array of an ``.npz``; by default ``pixels`` or the largest.

    Returns
    -------
    Image
        Pixels of shape (H, W, C), of a stack (N, H, W, C), uint8, uint16, int16 or float32. Those of large
        uncompressed files stay there (:attr:`Image.is_mapped`).

    Raises
    ------
    ImageError
        When the file is missing, may not be read, is damaged or cut short, is not an image, cannot be read in
        the way that is asked for, or holds numbers that none of these types has.
    ImageTooLargeError
        When the image is over a limit, before memory is taken for it.
    """
    limits = limits or Limits.default()
    folder = _folder(source)
    if folder is None:
        # What lies in pages of its own is told from the header, which is read again with the pixels.
        if as_ == "stack" and is_paged(found := file_contents(source, member), reading_of(found, as_)):
            return read_pages(source, limits)
        return read_file(source, limits, as_, member)
    if reading_of(folder_contents(folder), as_).kind == "stack":
        return replace(read_list([*images_in(folder)], limits), name=folder.name)
    return read_bands(images_in(folder), limits, folder.name)


def read_stack(source: Source | Sequence[Source], limits: Limits | None = None) -> Image:
    """Read images of equal size as one stack.

    Profile, EXIF block and name are the first image's (the name of a folder is the folder's). Where only some
    of the images have alpha, the others count as opaque.

    Parameters
    ----------
    source : source or sequence of sources
        Images in order; a folder, whose images are taken in natural order (2 before 10); or one file with
        several images: TIFF, GIF, WebP, PNG, IDX, ``.npy``, ``.npz``; of a cube each band.
    limits : Limits, optional
        How large the images may be together; by default :meth:`Limits.default`.

    Returns
    -------
    Image
        Pixels of shape (N, H, W, C), uint8, uint16, int16 or float32.

    Raises
    ------
    ImageError
        When there are no images, one cannot be read, or one differs from the first in size, channels or type;
        the message names it.
    ImageTooLargeError
        When the images are over a limit, before memory is taken for them.
    """
    limits = limits or Limits.default()
    if isinstance(source, Sequence) and not isinstance(source, str | bytes | bytearray | memoryview):
        return read_list(list(source), limits)
    folder = _folder(source)
    if folder is not None:
        return replace(read_list([*images_in(folder)], limits), name=folder.name)
    return read_image(source, limits, as_="stack")


def _folder(source: Source) -> Path | None:
    path = path_of(source) if isinstance(source, str | os.PathLike) else None
    return path if path is not None and path.is_dir() else None
