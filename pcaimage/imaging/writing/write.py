"""Writing images in other formats."""

from __future__ import annotations

import io
import os
import struct
from contextlib import closing
from functools import partial
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple

from pcaimage.errors import ImageError, PcaImageError, SettingsError
from pcaimage.imaging.disk.atomic import atomic_write
from pcaimage.imaging.image.conversion import EXIF_PREFIX
from pcaimage.imaging.image.formats import (
    ANIMATIONS,
    JXL_MODULE,
    SEVERAL,
    Format,
    check_fits,
    format_named,
    format_of_path,
    resolve_quality,
)
from pcaimage.imaging.image.image import Image, ImageStream
from pcaimage.imaging.image.pixels import IPTC_RESOURCE, join_alpha
from pcaimage.imaging.image.timing import Timing
from pcaimage.imaging.still.deflate import MAX_LEVEL
from pcaimage.machine.mapped import check_unchanged
from pcaimage.progress import Progress, no_progress

_JPEG_SEGMENT, _XMP_SEGMENT, _IPTC_SEGMENT = 65_533, 65_504, 65_500
"""Largest EXIF, XMP and IPTC blocks that fit into a JPEG segment; larger ones are omitted."""
_WITH_XMP = frozenset({"JPEG", "WEBP", "AVIF"})
"""Formats whose Pillow encoders accept XMP; PNG and TIFF are written by this package."""


def write_image(
    path: str | os.PathLike[str],
    image: Image | ImageStream,
    progress: Progress = no_progress,
    *,
    quality: float | None = None,
    compression: int | None = None,
    overwrite: bool = False,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write an image in the format that the file's extension names, or in a way that `format` names.

    Alpha, 16 bits, signed and real numbers, bands and stacks are written losslessly or refused. Band metadata
    are written to TIFF, ENVI and ``.npz``; colour profile and EXIF block to all formats but BMP, JPEG 2000
    and the array formats; XMP to JPEG, WebP, AVIF, PNG and TIFF, and IPTC to JPEG and TIFF. AVIF compresses
    alpha lossily, like the pixels; the others store it losslessly. Stacks with timing become animations in
    GIF, WebP and PNG; a GIF has 255 colours a frame and opacity that is all or nothing. A stream is written
    while its next pixels are computed, in PNG, TIFF and the array formats.

    The quality is 1 to 100, for JPEG, which has quarters, and WebP (by default 90) and AVIF (by default 80);
    for JPEG 2000 the PSNR in decibels, by default lossless. The compression of PNG and TIFF is 0 to 9, by
    default optimised for speed; 6 takes about seven times as long for a few per cent. SettingsError is raised
    for others; ImageError if the format cannot store the image (the message names formats that can), the file
    exists, or it cannot be written. An existing file is then unchanged.
    """
    target = format_of_path(path) if format is None else format_named(format)
    stream = image if isinstance(image, ImageStream) else ImageStream.of(image)
    with closing(stream.strips):
        check_fits(stream, target)
        options = _Options(resolve_quality(target, quality), _checked(compression))
        if target.name == "ENVI":
            from pcaimage.imaging.cubes.envi import write_envi

            write_envi(path, stream, progress, overwrite=overwrite)
            return
        if target.name == "OME-Zarr":
            from pcaimage.imaging.writing.ome_zarr import write_ome_zarr

            write_ome_zarr(path, stream, progress, overwrite=overwrite)
            return
        atomic_write(path, lambda file: _encode(file, stream, target, options, progress), overwrite=overwrite)


def encode_image(
    image: Image,
    format: str,  # noqa: A002
    quality: float | None = None,
    compression: int | None = None,
    progress: Progress = no_progress,
) -> bytes:
    """Return the contents of the file that :func:`write_image` would write, which raises the same errors."""
    target, stream = format_named(format), ImageStream.of(image)
    check_fits(stream, target)
    if target.name in SEVERAL:
        raise ImageError(f"{target.title} is several files, which can only be written to a folder.")
    buffer, options = io.BytesIO(), _Options(resolve_quality(target, quality), _checked(compression))
    _encode(buffer, stream, target, options, progress)
    return buffer.getvalue()


class _Options(NamedTuple):
    """The quality of lossy formats, and the compression level of lossless ones."""

    quality: float | None
    compression: int | None


def _checked(compression: int | None) -> int | None:
    if compression is not None and not 0 <= compression <= MAX_LEVEL:
        raise SettingsError(f"The compression must be from 0 to {MAX_LEVEL}, not {compression}.")
    return compression


def _encode(
    file: BinaryIO, image: ImageStream, target: Format, options: _Options, progress: Progress = no_progress
) -> None:
    try:
        _write(file, image, target, options, progress)
        progress(1, 1)  # raises if the work was cancelled while an encoder ran
        if image.source is not None:
            check_unchanged(image.source)
    except (PcaImageError, OSError) as error:
        # An OSError with a number is the disk's, which atomic_write explains; without one it is an encoder's.
        if isinstance(error, PcaImageError) or error.errno is not None:
            raise
        raise ImageError(f"The image cannot be encoded as {target.name}.") from error
    except MemoryError as error:
        raise ImageError(f"There is not enough memory to encode the image as {target.name}.") from error
    except (ValueError, TypeError, KeyError, RuntimeError, SyntaxError) as error:
        raise ImageError(f"The image cannot be encoded as {target.name}.") from error


def _write(file: BinaryIO, image: ImageStream, target: Format, options: _Options, progress: Progress) -> None:
    """Write an image; each format's module is imported when it is first written."""
    # ruff: noqa: PLC0415 - commands load only the formats that they write
    if image.is_stack and image.timing is not None and target.name in ANIMATIONS:
        _write_animation(file, image, image.timing, target, options, progress)
    elif target.name == "TIFF":
        from pcaimage.imaging.tiff.write import write_tiff

        write_tiff(file, image, level=options.compression, progress=progress)
    elif target.name in ("NPY", "NPZ"):
        from pcaimage.imaging.cubes.numpy_files import write_numpy

        write_numpy(file, image, progress, archive=target.name == "NPZ")
    elif target.name == "PNG":
        from pcaimage.imaging.still.png import write_png

        profile = _fitting_profile(image, target)
        write_png(file, image, profile, level=options.compression, progress=progress)
    else:
        from PIL import Image as PillowImage

        from pcaimage.imaging.still import jpeg2000
        from pcaimage.imaging.still.pillow import few_colours, save

        parameters = _options(image, target, options.quality)
        values = join_alpha(image.image().pixels, image.alpha)
        picture = PillowImage.fromarray(values[..., 0] if values.shape[-1] == 1 else values)
        if target.kind == "JPEG2000":
            file.write(jpeg2000.encode(picture, parameters, partial(progress, 0, 1)))
            return
        if target.kind == "PNG":
            picture = few_colours(picture)
        if target.kind == "JXL":
            import_module(JXL_MODULE)  # registers the format with Pillow
        save(picture, file, target.kind, **parameters)


def _write_animation(
    file: BinaryIO, image: ImageStream, timing: Timing, target: Format, options: _Options, progress: Progress
) -> None:
    if target.name == "PNG":
        from pcaimage.imaging.moving.apng import write_animated_png

        profile = _fitting_profile(image, target)
        write_animated_png(file, image, timing, profile, level=options.compression, progress=progress)
    elif target.name == "GIF":
        from pcaimage.imaging.moving.gif import write_gif

        write_gif(file, image, timing, progress)
    else:
        from pcaimage.imaging.moving.webp import write_webp

        write_webp(file, image, timing, _options(image, target, options.quality), progress)


def _options(image: ImageStream, target: Format, quality: float | None) -> dict[str, Any]:
    """Return Pillow's options for a format: metadata and settings."""
    options: dict[str, Any] = {}
    profile = _fitting_profile(image, target)
    if profile:
        options["icc_profile"] = profile
    if image.exif and target.exif:
        options["exif"] = EXIF_PREFIX + image.exif
    if target.kind == "JPEG" and len(options.get("exif", b"")) > _JPEG_SEGMENT:
        del options["exif"]  # it exceeds the only JPEG segment for it
    if image.xmp and target.kind in _WITH_XMP and (target.kind != "JPEG" or len(image.xmp) <= _XMP_SEGMENT):
        options["xmp"] = image.xmp
    if image.iptc and target.kind == "JPEG" and len(image.iptc) <= _IPTC_SEGMENT:
        options["extra"] = _photoshop_segment(image.iptc)
    return options | _settings(image, target, quality)


def _settings(image: ImageStream, target: Format, quality: float | None) -> dict[str, Any]:
    """Return Pillow's settings for a format at a quality."""
    chosen: dict[str, Any] = {} if quality is None else {"quality": int(quality)}
    colours = "4:4:4" if target.name in ("JPEG-444", "AVIF-444") else "4:2:0"
    # The plug-in of JPEG XL takes the best quality as lossless, supported in the image's own colours only.
    exact = target.lossless or (target.kind == "JXL" and quality == target.max_quality)
    settings: dict[str, dict[str, Any]] = {
        "JPEG": {"subsampling": colours, "optimize": True, "progressive": True},
        "AVIF": {"subsampling": "4:0:0" if image.channels == 1 else colours},
        "WEBP": {"method": 6} | ({"lossless": True, "quality": 75} if exact else {}),
        "PNG": {"optimize": True},
        "JXL": {"lossless": True, "use_original_profile": True} if exact else {},
        # Pillow leaves colours as they are unless it is asked to mix them.
        "JPEG2000": {"mct": int(image.channels == 3)},
    }
    if target.kind == "JPEG" and quality and quality % 1:
        chosen = {"qtables": _tables_between(quality)}
    if target.name == "JPEG2000" and quality:
        chosen = {"irreversible": True, "quality_mode": "dB", "quality_layers": [quality]}
    return chosen | settings.get(target.kind, {})


def _tables_between(quality: float) -> list[list[int]]:
    """Return the quantisation tables of a JPEG between two whole qualities, by the rule of libjpeg.

    At quality 50 it writes the tables of ITU-T T.81, annex K, as they are, and others in per cent of them.
    """
    from PIL import Image as PillowImage
    from PIL import JpegImagePlugin

    share = 5000 / quality if quality < 50 else 200 - 2 * quality
    at_50 = io.BytesIO()
    PillowImage.new("RGB", (1, 1)).save(at_50, "JPEG", quality=50)
    at_50.seek(0)
    tables = JpegImagePlugin.JpegImageFile(at_50).quantization.values()
    return [[min(max(int(each * share + 50) // 100, 1), 255) for each in table] for table in tables]


def _photoshop_segment(iptc: bytes) -> bytes:
    """Return the JPEG segment with IPTC records: a Photoshop resource without a name.

    Adobe Photoshop File Formats Specification, 2019, 'Image Resource Blocks'.
    """
    resource = struct.pack(">4sHHI", b"8BIM", IPTC_RESOURCE, 0, len(iptc)) + iptc + b"\0" * (len(iptc) % 2)
    segment = b"Photoshop 3.0\0" + resource
    return b"\xff\xed" + struct.pack(">H", len(segment) + 2) + segment


def _fitting_profile(image: ImageStream, target: Format) -> bytes | None:
    """Return the profile if it fits the colour space of the written file."""
    space = {b"RGB ": 3, b"GRAY": 1}.get((image.icc_profile or b"")[16:20])
    written = 3 if image.channels == 1 and not target.grey else image.channels
    return image.icc_profile if target.profile and space == written else None
