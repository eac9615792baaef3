"""Reading several images of equal size as one stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias

import numpy as np

from pcaimage.errors import ImageError
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.orientation import turned
from pcaimage.imaging.image.source import Source, open_source, source_name
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.moving.read import animated_header, animation_of, layers, open_image
from pcaimage.imaging.reading.read_file import probe, read_file
from pcaimage.imaging.still.avif import stored_bits
from pcaimage.imaging.still.pillow import arrays_of, decode_pillow, described, header_of, orientation_of
from pcaimage.imaging.tiff.directories import is_tiff
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    from PIL import ImageFile

    from pcaimage.imaging.image.limits import Limits
    from pcaimage.imaging.image.types import ImageHeader, Pixels

_Named: TypeAlias = tuple[str, Image]


def read_list(sources: list[Source], limits: Limits, progress: Progress = no_progress) -> Image:
    """Read several files as one stack.

    ImageError, which names the file, if one cannot be read or differs from the first, or there are none;
    ImageTooLargeError if they are over a limit together.
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
    image = read_file(source, limits, "image" if probe(source).frames == 1 else None)
    if image.is_stack:
        raise ImageError(f"{label} holds several images itself; open it alone.")
    return image


def read_pages(
    source: Source, limits: Limits, progress: Progress = no_progress, *, salvage: bool = False
) -> Image:
    """Read a TIFF, GIF, WebP, PNG or AVIF of several images, decoded one by one, as a stack.

    With `salvage` an animation ends before its first damaged frame.
    """
    with open_source(source) as (file, name):
        pages = _opened(file, name, limits, salvage=salvage)
        header = pages.header
        limits.check(header.width, header.height, header.bytes_per_pixel, frames=header.frames, name=name)
        images = ((f"{pages.what} {index + 1}", page) for index, page in enumerate(pages.decoded))
        found = _assemble(images, header.frames, progress)
        durations = tuple(pages.durations[: found.frames])
        timing = Timing(durations, pages.plays) if durations else None
        return _named(replace(found, timing=timing), source, header)


def read_page(source: Source, index: int, limits: Limits) -> Image:
    """Read one image of such a file, by its zero-based index."""
    with open_source(source) as (file, name):
        pages = _opened(file, name, limits, salvage=True)
        header = pages.header
        limits.check(header.width, header.height, header.bytes_per_pixel, name=name)
        page = next(islice(pages.decoded, index, None), None)
        if page is None:
            raise ImageError(
                f"{name} has {header.frames:,} {pages.what}s; there is no {pages.what} {index + 1:,}."
            )
        return _named(page, source, header)


def _named(image: Image, source: Source, header: ImageHeader) -> Image:
    return replace(image, name=source_name(source), format=header.format, file_size=header.file_size)


class _Pages(NamedTuple):
    """The images of a file, which are decoded as they are consumed."""

    decoded: Iterator[Image]
    header: ImageHeader
    what: str = "frame"
    durations: Sequence[float] = ()
    """Milliseconds for which the decoded images are shown; empty if they are no animation."""
    plays: int = 0


def _opened(file: BinaryIO, name: str, limits: Limits, *, salvage: bool) -> _Pages:
    if is_tiff(file):
        from pcaimage.imaging.tiff.read import tiff_header, tiff_pages  # noqa: PLC0415 - others do without tifffile

        header = tiff_header(file, name)
        count, decoded = tiff_pages(file, name, limits)
        return _Pages(decoded, replace(header, frames=count), "page")
    animation = animation_of(file, name)
    image = open_image(file, name, animation)
    header = header_of(image, file)
    if animation is None:
        durations = list[float]()
        return _Pages(_sequence(image, file, name, durations), header, durations=durations)
    orientation, exif = orientation_of(image)
    xmp, iptc = described(image)
    icc = image.info.get("icc_profile") or None
    decoded = (
        turned(Image(layer.pixels, layer.alpha, icc_profile=icc, exif=exif, xmp=xmp, iptc=iptc), orientation)
        for layer in layers(animation, *image.size, name, salvage=salvage)
    )
    timing = animation.timing
    return _Pages(decoded, animated_header(header, animation), "frame", timing.durations, timing.plays)


def _sequence(
    image: ImageFile.ImageFile, file: BinaryIO, name: str, durations: list[float]
) -> Iterator[Image]:
    """Decode the images of an AVIF, appending their durations, or the only one of another file."""
    count = int(getattr(image, "n_frames", 1))
    if count == 1:
        yield decode_pillow(image, file, name)
        return
    for index in range(count):
        image.seek(index)
        image.load()
        pixels, alpha = arrays_of(image, name)
        durations.append(float(image.info.get("duration") or 0))
        bits = stored_bits(image, file)
        icc = image.info.get("icc_profile") or None
        yield Image(pixels, alpha, icc_profile=icc, stored_bits=bits if bits > 8 else None)


def _assemble(images: Iterator[_Named], count: int, progress: Progress) -> Image:
    """Put labelled images into one array as they come."""
    (first_label, first), found = next(images), 1
    pixels = np.empty((count, *first.pixels.shape), first.pixels.dtype)
    alpha: Pixels | None = None
    pixels[0] = first.pixels
    if first.alpha is not None:
        alpha = np.full(pixels.shape[:-1], np.iinfo(pixels.dtype.name).max, pixels.dtype)
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
                alpha = np.full(pixels.shape[:-1], np.iinfo(pixels.dtype.name).max, pixels.dtype)
            alpha[index] = image.alpha
        progress(index + 1, count)
        found = index + 1
    # Of a damaged animation there may be fewer than was said.
    return replace(first, pixels=pixels[:found], alpha=None if alpha is None else alpha[:found])


def _describe(image: Image) -> str:
    channels = f"{image.channels} channel" + "s" * (image.channels > 1)
    return f"{image.width} x {image.height} pixels with {channels} of {image.pixels.dtype.itemsize * 8} bits"
