"""Reading several images of equal size as one stack."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.formats import FORMATS
from pcaimage.imaging.image import Image
from pcaimage.imaging.limits import Limits
from pcaimage.imaging.pillow import arrays_of, decode_pillow, header_of, open_pillow
from pcaimage.imaging.read import finish, probe, read_image
from pcaimage.imaging.source import Source, file_size, reading, source_name
from pcaimage.imaging.tiff import is_tiff, tiff_pages
from pcaimage.imaging.types import Decoded

if TYPE_CHECKING:
    from PIL import ImageFile

    from pcaimage.imaging.types import Pixels

SUFFIXES = frozenset(suffix for known in FORMATS for suffix in known.suffixes) | {
    *(".gif", ".qoi", ".pbm", ".pgm", ".ppm", ".pnm", ".j2c", ".jpx"),
}
"""Endings of the files in a folder that are taken for images."""

_Named: TypeAlias = tuple[str, Image]


def read_stack(source: Source | Sequence[Source], limits: Limits | None = None) -> Image:
    """Read images of equal size as one stack.

    Profile, EXIF block and name are the first image's (the name of a folder is the folder's). Where only some
    of the images have alpha, the others count as opaque.

    Parameters
    ----------
    source : source or sequence of sources
        Images in order; a folder, whose images are taken in natural order (2 before 10); or one file with
        several pages or frames: TIFF, GIF, WebP or PNG.
    limits : Limits, optional
        How large the images may be together; by default :meth:`Limits.default`.

    Returns
    -------
    Image
        Pixels of shape (N, H, W, C), uint8 or uint16.

    Raises
    ------
    ImageError
        When there are no images, one cannot be read, or one differs from the first in size, channels or bits;
        the message names it.
    ImageTooLargeError
        When the images are over a limit, before memory is taken for them.
    """
    limits = limits or Limits.default()
    if isinstance(source, Sequence) and not isinstance(source, str | bytes | bytearray | memoryview):
        return _read_list(list(source), limits)
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        return replace(_read_list(_images_in(Path(source)), limits), name=Path(source).name)
    return _read_file(source, limits)


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key that sorts names as people count: 2 before 10.

    Parameters
    ----------
    name : str
        A file's name.

    Returns
    -------
    list of tuple
        Its numbers and the text between them.
    """
    parts = re.split(r"([0-9]+)", name.casefold())
    return [(int(part), "") if index % 2 else (0, part) for index, part in enumerate(parts)]


def _images_in(folder: Path) -> list[Source]:
    try:
        files = [
            entry
            for entry in folder.iterdir()
            if entry.suffix.lower() in SUFFIXES and not entry.name.startswith(".") and entry.is_file()
        ]
    except OSError as error:
        raise ImageError(f"The folder {folder.name} may not be read.") from error
    if not files:
        raise ImageError(f"The folder {folder.name} has no images in it.")
    return [*sorted(files, key=lambda file: natural_key(file.name))]


def _read_list(sources: list[Source], limits: Limits) -> Image:
    if not sources:
        raise ImageError("A stack needs at least one image.")
    first = probe(sources[0])
    name = source_name(sources[0])
    limits.check(
        first.width, first.height, first.bytes_per_pixel, frames=len(sources), name=name or "The stack"
    )
    labels = [source_name(source) or f"image {index + 1}" for index, source in enumerate(sources)]
    images = ((label, read_image(source, limits)) for label, source in zip(labels, sources, strict=True))
    stack = _assemble(images, len(sources))
    return replace(stack, file_size=None)


def _read_file(source: Source, limits: Limits) -> Image:
    with reading(source) as (file, name):
        size = file_size(file)
        if is_tiff(file):
            count, pages = tiff_pages(file, name, limits)
            image_format, what = "TIFF", "page"
        else:
            image = open_pillow(file, name)
            header = header_of(image, file)
            count, image_format, what = header.frames, header.format, "frame"
            limits.check(header.width, header.height, header.bytes_per_pixel, frames=count, name=name)
            pages = _frames(image, file, name, count)
        finished = (
            (
                f"{what} {index + 1}",
                finish(page, name=source_name(source), image_format=image_format, size=size),
            )
            for index, page in enumerate(pages)
        )
        return _assemble(finished, count)


def _frames(image: ImageFile.ImageFile, file: BinaryIO, name: str, count: int) -> Iterator[Decoded]:
    if count == 1:
        yield decode_pillow(image, file, name)
        return
    for index in range(count):
        image.seek(index)
        image.load()
        # A GIF's frames come as palettes, RGB or RGBA, whatever each needs.
        frame = (
            image.convert("RGBA" if image.has_transparency_data else "RGB")
            if image.format == "GIF"
            else image
        )
        pixels, alpha = arrays_of(frame, name)
        yield Decoded(pixels, alpha, image.info.get("icc_profile") or None)


def _assemble(images: Iterator[_Named], count: int) -> Image:
    """Put images into one array, each as it comes."""
    first_label, first = next(images)
    pixels = np.empty((count, *first.pixels.shape), first.pixels.dtype)
    alpha: Pixels | None = None
    pixels[0] = first.pixels
    if first.alpha is not None:
        alpha = np.full(pixels.shape[:-1], first.peak, pixels.dtype)
        alpha[0] = first.alpha
    for index, (label, image) in enumerate(images, start=1):
        if image.pixels.shape != first.pixels.shape or image.pixels.dtype != first.pixels.dtype:
            raise ImageError(
                f"All images of a stack must be alike, but {label} is {_describe(image)}, "
                f"and {first_label} is {_describe(first)}."
            )
        pixels[index] = image.pixels
        if image.alpha is not None:
            if alpha is None:
                alpha = np.full(pixels.shape[:-1], first.peak, pixels.dtype)
            alpha[index] = image.alpha
    return replace(first, pixels=pixels, alpha=alpha)


def _describe(image: Image) -> str:
    channels = f"{image.channels} channel" + "s" * (image.channels > 1)
    return f"{image.width} x {image.height} pixels with {channels} of {image.pixels.dtype.itemsize * 8} bits"
