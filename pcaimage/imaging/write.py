"""Writing images in other formats."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from PIL import Image as PillowImage

from pcaimage.errors import ImageError, PcaImageError
from pcaimage.imaging.atomic import atomic_write
from pcaimage.imaging.envi import write_envi
from pcaimage.imaging.formats import Format, check_fits, format_named, format_of_path, resolve_quality
from pcaimage.imaging.numpy_files import write_numpy
from pcaimage.imaging.orientation import EXIF_PREFIX
from pcaimage.imaging.pillow_write import save
from pcaimage.imaging.png import write_png16
from pcaimage.imaging.tiff_write import write_tiff
from pcaimage.imaging.types import join_alpha
from pcaimage.mapped import check_unchanged
from pcaimage.progress import Progress, no_progress

if TYPE_CHECKING:
    import os

    from pcaimage.imaging.image import Image

_JPEG_SEGMENT = 65_533


def write_image(
    path: str | os.PathLike[str],
    image: Image,
    progress: Progress = no_progress,
    *,
    quality: int | None = None,
    overwrite: bool = False,
) -> None:
    """Write an image in the format that the file's extension names.

    Alpha, 16 bits, signed and real numbers, bands and stacks are written in full or refused. Band metadata
    are written to TIFF, ENVI and ``.npz``; colour profile and EXIF block to all formats but BMP, JPEG 2000
    and the array formats. AVIF stores alpha with loss, as it does the pixels; the others store it exactly.

    Parameters
    ----------
    path : path
        Ending in .png, .jpg, .webp, .avif, .tif, .bmp, .jp2, .hdr (ENVI), .npy, .npz or the like.
    image : Image
        The image.
    progress : Progress, optional
        Called with the rows written to TIFF, ENVI and ``.npy``, which may be many; raising from it stops the
        work.
    quality : int, optional
        1 to 100, for JPEG and WebP (by default 90) and AVIF (by default 80); for JPEG 2000 the PSNR in
        decibels, by default lossless. PNG, TIFF and BMP are always lossless.
    overwrite : bool, default False
        Whether to replace an existing file.

    Raises
    ------
    ImageError
        If the format cannot store the image (the message names formats that can), the file exists, or it
        cannot be written. An existing file is then unchanged.
    SettingsError
        If the quality is out of range.
    """
    target = format_of_path(path)
    check_fits(image, target)
    if target.name == "ENVI":
        write_envi(path, image, progress, overwrite=overwrite)
        return
    resolved = resolve_quality(target, quality)
    atomic_write(path, lambda file: _encode(file, image, target, resolved, progress), overwrite=overwrite)


def encode_image(image: Image, format: str, quality: int | None = None) -> bytes:  # noqa: A002
    """Encode an image in memory.

    Parameters
    ----------
    image : Image
        The image.
    format : str
        Name or extension of a format, such as ``"PNG"``, ``"jpeg"`` or ``".webp"``.
    quality : int, optional
        As for :func:`write_image`.

    Returns
    -------
    bytes
        The contents of the file that :func:`write_image` would write.

    Raises
    ------
    ImageError
        If the format is unknown or cannot store the image.
    SettingsError
        If the quality is out of range.
    """
    target = format_named(format)
    check_fits(image, target)
    if target.name == "ENVI":
        raise ImageError("An ENVI cube is two files, which can only be written to a folder.")
    buffer = io.BytesIO()
    _encode(buffer, image, target, resolve_quality(target, quality))
    return buffer.getvalue()


def _encode(
    file: BinaryIO, image: Image, target: Format, quality: int | None, progress: Progress = no_progress
) -> None:
    try:
        if target.name == "TIFF":
            write_tiff(file, image, progress)
        elif target.name in ("NPY", "NPZ"):
            write_numpy(file, image, progress, archive=target.name == "NPZ")
        elif (
            target.name == "PNG"
            and image.pixels.dtype == np.uint16
            and (image.channels > 1 or image.alpha is not None)
        ):
            profile = _fitting_profile(image, target)
            write_png16(file, join_alpha(image.pixels, image.alpha), profile, image.exif)
        else:
            options = _options(image, target, quality)
            save(_to_pillow(image), file, target.name, **options)
        check_unchanged(image.pixels)
    except (PcaImageError, OSError) as error:
        # OSError is the disk's, which atomic_write explains, unless an encoder has no number for it.
        if isinstance(error, PcaImageError) or error.errno is not None:
            raise
        raise ImageError(f"The image cannot be encoded as {target.name}.") from error
    except MemoryError as error:
        raise ImageError(f"There is not enough memory to encode the image as {target.name}.") from error
    except (ValueError, TypeError, KeyError, RuntimeError, SyntaxError) as error:
        raise ImageError(f"The image cannot be encoded as {target.name}.") from error


def _options(image: Image, target: Format, quality: int | None) -> dict[str, Any]:
    """Return Pillow's options for a format."""
    options: dict[str, Any] = {}
    profile = _fitting_profile(image, target)
    if profile:
        options["icc_profile"] = profile
    if image.exif and target.exif:
        options["exif"] = EXIF_PREFIX + image.exif
    if target.name == "JPEG" and len(options.get("exif", b"")) > _JPEG_SEGMENT:
        del options["exif"]  # it does not fit into the one segment that JPEG has for it
    if target.name == "JPEG2000":
        options |= (
            {"irreversible": True, "quality_mode": "dB", "quality_layers": [quality]} if quality else {}
        )
    elif quality is not None:
        options["quality"] = quality
    return options


def _fitting_profile(image: Image, target: Format) -> bytes | None:
    """Return the profile if it fits the colour space of the written file."""
    space = {b"RGB ": 3, b"GRAY": 1}.get((image.icc_profile or b"")[16:20])
    written = 3 if image.channels == 1 and not target.grey else image.channels
    return image.icc_profile if target.profile and space == written else None


def _to_pillow(image: Image) -> PillowImage.Image:
    values = join_alpha(image.pixels, image.alpha)
    return PillowImage.fromarray(values[..., 0] if values.shape[-1] == 1 else values)
