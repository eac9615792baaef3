"""Reading several images of equal size as one stack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.avif import stored_bits
from pcaimage.imaging.decoded import Decoded
from pcaimage.imaging.gif import check_frames
from pcaimage.imaging.image import Image
from pcaimage.imaging.pillow import arrays_of, decode_pillow, header_of, open_pillow
from pcaimage.imaging.read_file import probe, read_file
from pcaimage.imaging.source import Source, file_size, open_source, source_name
from pcaimage.imaging.tiff_directories import is_tiff
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from PIL import ImageFile

    from pcaimage.imaging.limits import Limits
    from pcaimage.imaging.types import Pixels

_Named: TypeAlias = tuple[str, Image]


def read_list(sources: list[Source], limits: Limits, progress: Progress = no_progress) -> Image:
    """Read several files as one stack.

    Raises
    ------
    ImageError
        If there are none, one cannot be read, or one differs from the first; the message names it.
    ImageTooLargeError
        If they are over a limit together.
    """
    if not sources:
        raise ImageError("A stack needs at least one image.")
    first = probe(sources[0])
    name = source_name(sources[0])
    limits.check(
        first.width, first.height, first.bytes_per_pixel, frames=len(sources), name=name or "The stack"
    )
    labels = [source_name(source) or f"image {index + 1}" for index, source in enumerate(sources)]
    images = ((label, _single(source, label, limits)) for label, source in zip(labels, sources, strict=True))
    stack = _assemble(images, len(sources), progress)
    return replace(stack, file_size=None)


def _single(source: Source, label: str, limits: Limits) -> Image:
    image = read_file(source, limits)
    if image.is_stack:
        raise ImageError(f"{label} holds several images itself; open it alone.")
    return image


def read_pages(source: Source, limits: Limits, progress: Progress = no_progress) -> Image:
    """Read a TIFF, GIF, WebP or PNG of several images, decoded page by page, as one stack."""
    with open_source(source) as (file, name):
        size = file_size(file)
        if is_tiff(file):
            from pcaimage.imaging.tiff import tiff_pages  # noqa: PLC0415 - other formats do without tifffile

            count, pages = tiff_pages(file, name, limits)
            image_format, what = "TIFF", "page"
        else:
            image = open_pillow(file, name)
            header = header_of(image, file)
            count, image_format, what = header.frames, header.format, "frame"
            limits.check(header.width, header.height, header.bytes_per_pixel, frames=count, name=name)
            if image_format == "GIF":
                position = file.tell()
                check_frames(file, header.width, header.height, name)
                file.seek(position)
            pages = _frames(image, file, name, count)
        images = (
            (f"{what} {index + 1}", page.image(source_name(source), image_format, size))
            for index, page in enumerate(pages)
        )
        return _assemble(images, count, progress)


def _frames(image: ImageFile.ImageFile, file: BinaryIO, name: str, count: int) -> Iterator[Decoded]:
    if count == 1:
        yield decode_pillow(image, file, name)
        return
    for index in range(count):
        image.seek(index)
        image.load()
        # Each frame of a GIF may come as palette, RGB or RGBA.
        frame = (
            image.convert("RGBA" if image.has_transparency_data else "RGB")
            if image.format == "GIF"
            else image
        )
        pixels, alpha = arrays_of(frame, name)
        bits = stored_bits(image, file)
        lost = bits if bits > 8 else None
        yield Decoded(pixels, alpha, image.info.get("icc_profile") or None, stored_bits=lost)


def _assemble(images: Iterator[_Named], count: int, progress: Progress) -> Image:
    """Put labelled images into one array as they come."""
    first_label, first = next(images)
    pixels = np.empty((count, *first.pixels.shape), first.pixels.dtype)
    alpha: Pixels | None = None
    pixels[0] = first.pixels
    if first.alpha is not None:
        alpha = np.full(pixels.shape[:-1], first.peak, pixels.dtype)
        alpha[0] = first.alpha
    progress(1, count)
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
        progress(index + 1, count)
    return replace(first, pixels=pixels, alpha=alpha)


def _describe(image: Image) -> str:
    channels = f"{image.channels} channel" + "s" * (image.channels > 1)
    return f"{image.width} x {image.height} pixels with {channels} of {image.pixels.dtype.itemsize * 8} bits"
