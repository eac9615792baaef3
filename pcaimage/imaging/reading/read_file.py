"""Reading and inspecting a single file of any format; animated GIF, PNG and WebP frame by frame."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
from PIL import ImageFile

from pcaimage.errors import ImageError
from pcaimage.imaging.cubes.envi import find_envi, open_envi
from pcaimage.imaging.cubes.formats import FORMATS, kind_of, open_known
from pcaimage.imaging.cubes.idx import is_idx, open_idx
from pcaimage.imaging.cubes.libraries import (
    MATLAB_73,
    SIGNATURE,
    is_hdf5,
    is_of_scipy,
    open_by_scipy,
    open_hdf5,
)
from pcaimage.imaging.cubes.numpy_files import NPY, NPZ, open_numpy
from pcaimage.imaging.cubes.variables import Variables, no_arrays
from pcaimage.imaging.disk.urls import is_url
from pcaimage.imaging.image.contents import Contents, ReadAs, Reading
from pcaimage.imaging.image.image import Image, Stored
from pcaimage.imaging.image.limits import Limits
from pcaimage.imaging.image.pixels import ImageHeader
from pcaimage.imaging.image.source import CountingFile, Source, file_size, head_of, open_source, source_name
from pcaimage.imaging.moving.animation import ANIMATED, Animation, DamagedAnimationError, Layer
from pcaimage.imaging.moving.apng import png_animation
from pcaimage.imaging.moving.gif import SIGNATURES as GIF
from pcaimage.imaging.moving.gif import gif_animation
from pcaimage.imaging.moving.webp import webp_animation
from pcaimage.imaging.still.pillow import FUJI, decode_pillow, header_of, open_pillow, recognise, unrecognised
from pcaimage.imaging.still.png import SIGNATURE as PNG
from pcaimage.imaging.tiff.directories import is_tiff
from pcaimage.progress import Progress, no_progress

_READ_AS_DECODED = ("PNG", "JPEG", "TIFF", "BMP", "GIF", "PPM", "QOI")
"""Formats whose decoders read a file piece by piece; others read all of it before they begin."""
_ARRAYS = ("ENVI", "NPY", "NPZ", "IDX", "HDF5", "NetCDF", "MATLAB", *FORMATS)
_KIND_TEXTS = {"image": "one image", "bands": "bands", "stack": "a stack"}


def probe(source: Source) -> ImageHeader:
    """Return the header of an image as it is read by default, without decoding its pixels.

    ImageError if the file is missing, may not be read, or is not an image.
    """
    path = path_of(source)
    with open_picture(source) as (file, name):
        if _envi(path) is None and is_tiff(file):
            from pcaimage.imaging.tiff.read import tiff_header  # noqa: PLC0415 - other formats do without tifffile

            return tiff_header(file, name)
        if not _is_array(file, path, name):
            animation = animation_of(file, name)
            header = header_of(open_image(file, name, animation), file)
            return header if animation is None else animated_header(header, animation)
        return _header(_contents(file, path, name, None))


@contextmanager
def open_picture(source: Source) -> Iterator[tuple[BinaryIO, str]]:
    """Open a source as :func:`open_source` does; of a camera raw, the picture that the camera put into it."""
    with open_source(source) as (file, name):
        if head_of(file, len(FUJI)) == FUJI or is_tiff(file):
            from pcaimage.imaging.tiff.camera import camera_picture  # noqa: PLC0415 - others do without tifffile

            yield camera_picture(file, name) or file, name
        else:
            yield file, name


def file_contents(source: Source, member: str | None = None, limits: Limits | None = None) -> Contents:
    """Return the contents of a file; the limits are those of files that are decoded for it."""
    with open_picture(source) as (file, name):
        found = _contents(file, path_of(source), name, member, limits)
        if member is not None and not found.members:
            raise no_arrays(name)
        return found


def read_file(
    source: Source,
    limits: Limits,
    as_: ReadAs | None = None,
    member: str | None = None,
    progress: Progress = no_progress,
    contents: Contents | None = None,
) -> Image:
    """Read a file, except page by page, which :mod:`pcaimage.imaging.reading.read` does."""
    path = path_of(source)
    with open_picture(source) as (file, name):
        contents = contents or _contents(file, path, name, member, limits)
        wanted = reading_of(contents, as_)
        file.seek(0)
        told = progress is not no_progress and contents.format in _READ_AS_DECODED
        data = cast("BinaryIO", CountingFile(file, progress)) if told else file
        found = _decode(data, path, name, contents, wanted, limits, member)
        if wanted.kind == "stack" and not found.is_stack:
            alpha = None if found.alpha is None else found.alpha[None]
            found = replace(found, pixels=found.pixels[None], alpha=alpha)
        size, title = contents.file_size, source_name(source)
        return replace(found, name=title, format=contents.format, file_size=size)


def read_array(source: Source, limits: Limits | None = None, member: str | None = None) -> Stored | None:
    """Read an array of any type and shape as it stands in a file; None if files of its kind have none."""
    limits = limits or Limits.default()
    with open_source(source) as (file, name):
        path, found = path_of(source), cast("Stored | None", None)
        if _envi(path) is None and is_tiff(file):
            from pcaimage.imaging.tiff.read import tiff_array  # noqa: PLC0415 - other formats do without tifffile

            found = tiff_array(file, path, name, limits)
        elif (variables := _variables(file, path, name)) is not None:
            with variables as several:
                found = several.stored(name, limits, member)
        return found and replace(found, name=source_name(source), file_size=_size(file, path))


def _size(file: BinaryIO, path: Path | None) -> int | None:
    if (envi := _envi(path)) is not None:
        return sum(each.stat().st_size for each in envi)
    return None if path is not None and path.is_dir() else file_size(file)


def check_recognised(start: bytes, name: str) -> None:
    """Raise ImageError if no image begins with some bytes, 16 or all that there are."""
    arrays = start.startswith((NPY, NPZ, SIGNATURE, MATLAB_73)) or is_idx(start) or is_of_scipy(start)
    if recognise(start) is None and not arrays and kind_of(io.BytesIO(start), name) is None:
        raise unrecognised(name, start)


def reading_of(contents: Contents, as_: ReadAs | None) -> Reading:
    """Return the requested way to read a file, or raise an ImageError that names those there are."""
    found = contents.reading(as_)
    if found is None:
        ways = " or ".join(each.text for each in contents.readings)
        raise ImageError(f"{contents.name} cannot be read as {_KIND_TEXTS[as_ or 'image']}; it holds {ways}.")
    return found


def is_paged(contents: Contents, wanted: Reading) -> bool:
    """Return whether a file is read page by page, as images that may differ in alpha, profile and size."""
    return wanted.kind == "stack" and contents.format not in _ARRAYS and wanted.axes.endswith("YXC")


def is_frame(contents: Contents, wanted: Reading) -> bool:
    """Return whether the one image that is read of a file is the first frame of an animation."""
    return wanted.kind == "image" and contents.format in ANIMATED and len(contents.readings) > 1


def path_of(source: Source) -> Path | None:
    """Return the path of a source; None for URLs, bytes and open files."""
    at = isinstance(source, str | os.PathLike) and not is_url(os.fspath(source))
    return Path(cast("str", source)) if at else None


def _envi(path: Path | None) -> tuple[Path, Path] | None:
    found = None if path is None else find_envi(path)
    if found is None or path in found[:1]:
        return found
    try:
        with found[0].open("rb") as header:
            return found if header.read(4) == b"ENVI" else None
    except OSError:
        return None


def _is_array(file: BinaryIO, path: Path | None, name: str) -> bool:
    start = head_of(file, 16)
    known = start.startswith((NPY, NPZ)) or is_idx(start) or is_of_scipy(start) or is_hdf5(file)
    return known or kind_of(file, name) is not None or _envi(path) is not None


def _variables(file: BinaryIO, path: Path | None, name: str) -> AbstractContextManager[Variables] | None:
    """Return the arrays of a file that has them."""
    if (envi := _envi(path)) is not None:
        return open_envi(*envi)
    start = head_of(file, 16)
    if start.startswith((NPY, NPZ)):
        return open_numpy(file, path, name)
    if is_of_scipy(start):
        return open_by_scipy(file, name)
    if is_hdf5(file):
        return open_hdf5(file, path, name)
    if (kind := kind_of(file, name)) is not None:
        return open_known(kind, file, path, name)
    return open_idx(file, path, name) if is_idx(start) else None


def _contents(
    file: BinaryIO, path: Path | None, name: str, member: str | None, limits: Limits | None = None
) -> Contents:
    if _envi(path) is None and is_tiff(file):
        from pcaimage.imaging.tiff.read import tiff_contents  # noqa: PLC0415 - other formats do without tifffile

        return tiff_contents(file, path, name)
    if (variables := _variables(file, path, name)) is not None:
        with variables as found:
            return found.contents(name, _size(file, path), member)
    animation = animation_of(file, name)
    header = header_of(open_image(file, name, animation, limits), file)
    if animation is not None:
        header = animated_header(header, animation)
    shape = (header.height, header.width, header.channels)
    single = Reading("image", "YXC", shape)
    several = animation is not None or header.frames > 1
    stack = (Reading("stack", "NYXC", (header.frames, *shape)),) if several else ()
    return Contents(
        name=name,
        format=header.format,
        shape=shape if not stack else stack[0].shape,
        dtype=header.dtype,
        readings=(*stack, single) if header.format in ANIMATED else (single, *stack),
        has_alpha=header.has_alpha,
        file_size=header.file_size,
        timing=None if animation is None else animation.timing,
        frames_missing=0 if animation is None else animation.announced - len(animation.timing.durations),
    )


def _header(contents: Contents) -> ImageHeader:
    """Return the header of the default reading, as far as it does not depend on the array's values."""
    wanted, dtype = contents.default, np.dtype(contents.dtype)
    height, width, channels = wanted.shape[-3:]
    frames = wanted.shape[0] if wanted.kind == "stack" else 1
    bits, kind = (32, "f") if dtype.kind == "f" else (16, "i") if dtype in (np.int8, np.int16) else (16, "u")
    bits = 8 if dtype in (np.uint8, np.bool_) else bits
    size = contents.file_size or 0
    return ImageHeader(width, height, channels, False, bits, contents.format, frames, size, kind)


def _decode(
    file: BinaryIO,
    path: Path | None,
    name: str,
    contents: Contents,
    wanted: Reading,
    limits: Limits,
    member: str | None,
) -> Image:
    if contents.format == "TIFF":
        from pcaimage.imaging.tiff.read import decode_tiff  # noqa: PLC0415 - other formats do without tifffile

        return decode_tiff(file, path, name, wanted, limits)
    if (variables := _variables(file, path, name)) is not None:
        with variables as found:
            return found.decoded(name, wanted, limits, member)
    image = open_pillow(file, name, limits)
    header = header_of(image, file)
    limits.check(header.width, header.height, header.bytes_per_pixel, name=name)
    return decode_pillow(image, file, name)


def animation_of(file: BinaryIO, name: str) -> Animation | None:
    """Find the frames of an animated GIF, PNG or WebP, without decoding them; None for other files.

    ImageError if none of its frames is intact.
    """
    start, found = head_of(file, 16), None
    if start.startswith(GIF):
        found = gif_animation(file)
    elif start.startswith(PNG):
        found = png_animation(file)
    elif start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        found = webp_animation(file)
    file.seek(0)
    if found is None or found.announced < 2:
        return None
    if not found.timing.durations:
        raise ImageError(f"{name} is damaged or cut short: none of its frames is intact.")
    return found


def open_image(
    file: BinaryIO, name: str, animation: Animation | None, limits: Limits | None = None
) -> ImageFile.ImageFile:
    """Open a file with Pillow, as far as it is intact if it is an animation."""
    return open_pillow(file if animation is None else animation.file, name, limits)


def animated_header(header: ImageHeader, animation: Animation) -> ImageHeader:
    """Return the header of an image with that of its animation: its frames are as many as are intact."""
    channels, frames = 3 if header.format == "GIF" else header.channels, len(animation.timing.durations)
    return replace(header, channels=channels, has_alpha=animation.has_alpha, frames=frames)


def layers(animation: Animation, width: int, height: int, name: str, *, salvage: bool) -> Iterator[Layer]:
    """Yield the frames of an animation as a viewer shows them.

    With `salvage` they end before the first that is damaged; otherwise that is a DamagedAnimationError.
    """
    done = 0
    frames = animation.frames(width, height)
    while done < animation.announced:
        try:
            layer = next(frames)
        except StopIteration:
            break
        except Exception as error:  # decoders raise almost anything
            if not done or isinstance(error, MemoryError):
                raise
            if salvage:
                return
            raise DamagedAnimationError(name, done) from error
        yield layer
        done += 1
    if done < animation.announced and not salvage:
        raise DamagedAnimationError(name, done)
