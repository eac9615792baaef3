"""Reading images of every format, several of equal size as one stack, and inspecting files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

import numpy as np
from PIL import ImageFile

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes import formats, idx, libraries, numpy_files
from pcaimage.imaging.cubes.envi import DATA_SUFFIXES, HEADER_SUFFIX
from pcaimage.imaging.cubes.variables import no_arrays
from pcaimage.imaging.image.contents import Contents, ReadAs
from pcaimage.imaging.image.conversion import turned
from pcaimage.imaging.image.formats import RAWS, SUFFIXES
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.limits import Limits
from pcaimage.imaging.image.pixels import ImageHeader, Pixels
from pcaimage.imaging.image.source import Source, is_folder, source_name
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.reading import read_file
from pcaimage.imaging.reading.folder import folder_contents, images_in, read_bands
from pcaimage.imaging.reading.read_file import probe, read_array
from pcaimage.imaging.still.deep import stored_bits
from pcaimage.imaging.still.pillow import arrays_of, decode_pillow, described, header_of, orientation_of
from pcaimage.imaging.tiff.directories import is_tiff
from pcaimage.progress import Progress, no_progress

__all__ = ["PATTERNS", "inspect", "probe", "read_array", "read_image", "read_stack"]

PATTERNS = tuple(
    sorted(
        {
            *(f"*{suffix}" for suffix in (*SUFFIXES, *RAWS, HEADER_SUFFIX, *DATA_SUFFIXES) if suffix),
            *idx.PATTERNS,
            *numpy_files.PATTERNS,
            *libraries.PATTERNS,
            *formats.PATTERNS,
        }
    )
)
"""Glob patterns of readable files, as for a dialog; a file may have any other name, too."""


def inspect(source: Source, member: str | None = None) -> Contents:
    """Return the contents of a file or a folder and the ways to read it, without reading its pixels.

    The member is the name of an array of an ``.npz``, HDF5, NetCDF or MATLAB file, by default ``pixels`` or
    the largest; of arrays whose axes have names also a part: ``t2m[time=0]``, or by coordinate
    ``t2m[level=850.]``. ImageError if the source cannot be read.

    >>> import io
    >>> buffer = io.BytesIO()
    >>> np.save(buffer, np.zeros((60, 28, 28), np.uint8))
    >>> found = inspect(buffer.getvalue())
    >>> found.ambiguous, [each.text for each in found.readings]
    (True, ['one image of 28 × 28 pixels with 60 bands', '60 images of 28 × 28 pixels'])
    """
    folder = _folder(source)
    if folder is not None and member is not None:
        raise no_arrays(folder.name)
    return read_file.file_contents(source, member) if folder is None else folder_contents(folder)


def read_image(
    source: Source,
    limits: Limits | None = None,
    *,
    as_: ReadAs | None = None,
    member: str | None = None,
    frame: int | None = None,
    salvage: bool = False,
    progress: Progress = no_progress,
    contents: Contents | None = None,
) -> Image:
    """Read an image upright, with its colour profile, EXIF block, alpha, and band metadata.

    Grey stays one channel, and 16 bits stay 16, in PNG and TIFF also in colour; signed and real numbers stay
    what they are, so that pixels are uint8, uint16, int16 or float32. Palettes become RGB; CMYK (through its
    profile), LAB, YCbCr and HSV become RGB without a profile, which is sRGB. Premultiplied colour is divided
    by its alpha. Pixels of large uncompressed files stay there (:attr:`Image.is_mapped`).

    `as_` says how to read a file of several images or bands: the first image, all planes as bands, or each as
    an image of a stack. By default an animated GIF, WebP, PNG or AVIF is a stack of its frames, composed as a
    viewer shows them, with their :attr:`~Image.timing`. Of other files the metadata decide; where they do not
    (see :func:`inspect`, which also says what a member is), more than four grey pages of equal size are
    bands, and otherwise the first image is read. A frame is the one image to read, counted from 0; with
    `salvage` an animation ends before its first damaged frame. `contents` are what :func:`inspect` returned
    for the same source and member, which is then not looked at again.

    ImageError is raised if the file is missing, may not be read, is damaged or cut short, is not an image,
    cannot be read as requested, or holds numbers that none of these types can represent;
    DamagedAnimationError if the first frames are intact; ImageTooLargeError, before memory is allocated, if
    it is over a limit.
    """
    limits = limits or Limits.default()
    if not isinstance(source, str | os.PathLike | bytes | bytearray | memoryview) and not source.seekable():
        source = source.read()  # it is read several times
    folder = _folder(source)
    if frame is not None:
        return _one_of(source, frame, limits, member, progress)
    if folder is None:
        found = contents or read_file.file_contents(source, member, limits)
        wanted = read_file.reading_of(found, as_)
        if read_file.is_paged(found, wanted):
            return read_pages(source, limits, progress, salvage=salvage)
        if read_file.is_frame(found, wanted):
            return read_page(source, 0, limits)
        return read_file.read_file(source, limits, as_, member, progress, found)
    if read_file.reading_of(contents or folder_contents(folder), as_).kind == "stack":
        return read_stack(folder, limits, progress)
    return read_bands(images_in(folder), limits, folder.name)


def read_stack(
    source: Source | Sequence[Source], limits: Limits | None = None, progress: Progress = no_progress
) -> Image:
    """Read images of equal size as one stack, of shape (N, H, W, C).

    They are images in order; a folder, whose images are read in natural order (2 before 10); or one file of
    several images, or a cube, band by band. Profile, EXIF block and name are the first image's (a folder has
    its own name). If only some of the images have alpha, the others count as opaque. ImageError, which names
    the file, if one cannot be read or differs from the first in size, channels or type, or there are none;
    ImageTooLargeError, before memory is allocated, if they are over a limit together.
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
        found = read_file.file_contents(source, member, limits)
        if read_file.is_paged(found, read_file.reading_of(found, "stack")):
            return read_page(source, index, limits)
    stack = read_image(source, limits, as_="stack", member=member, progress=progress)
    if not 0 <= index < stack.frames:
        raise ImageError(f"{stack.name} has {stack.frames:,} images; there is no image {index + 1:,}.")
    return stack.frame(index)


def _folder(source: Source) -> Path | None:
    path = read_file.path_of(source) if isinstance(source, str | os.PathLike) else None
    return path if path is not None and is_folder(path) else None


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
    image = read_file.read_file(source, limits, "image" if probe(source).frames == 1 else None)
    if image.is_stack:
        raise ImageError(f"{label} holds several images itself; open it alone.")
    return image


def read_pages(
    source: Source, limits: Limits, progress: Progress = no_progress, *, salvage: bool = False
) -> Image:
    """Read a TIFF, GIF, WebP, PNG or AVIF of several images, decoded one by one, as a stack.

    With `salvage` an animation ends before its first damaged frame.
    """
    with read_file.open_picture(source) as (file, name):
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
    with read_file.open_picture(source) as (file, name):
        pages = _opened(file, name, limits, salvage=True)
        header = pages.header
        limits.check(header.width, header.height, header.bytes_per_pixel, name=name)
        page = next(islice(pages.decoded, index, None), None)
        if page is None:
            raise ImageError(
                f"{name} has {header.frames:,} {'pages' if pages.what == 'page' else 'frames'}; "
                f"there is no {pages.what} {index + 1:,}."
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
    animation = read_file.animation_of(file, name)
    image = read_file.open_image(file, name, animation)
    header = header_of(image, file)
    if animation is None:
        durations = list[float]()
        return _Pages(_sequence(image, file, name, durations), header, durations=durations)
    orientation, exif = orientation_of(image)
    xmp, iptc = described(image)
    icc = image.info.get("icc_profile") or None
    decoded = (
        turned(Image(layer.pixels, layer.alpha, icc_profile=icc, exif=exif, xmp=xmp, iptc=iptc), orientation)
        for layer in read_file.layers(animation, *image.size, name, salvage=salvage)
    )
    timing = animation.timing
    return _Pages(
        decoded, read_file.animated_header(header, animation), "frame", timing.durations, timing.plays
    )


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
