"""Conversion of colour spaces, opacity and number types to those of an image."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging.image.pixels import Pixels

if TYPE_CHECKING:
    from PIL import Image as PillowImage


def to_rgb(image: PillowImage.Image, icc_profile: bytes | None) -> PillowImage.Image:
    """Convert CMYK, LAB, YCbCr or HSV to sRGB; CMYK through its profile if that is usable."""
    if image.mode == "CMYK" and icc_profile:
        converted = through_profile(image, icc_profile)
        if converted is not None:
            return converted
    return image.convert("RGB")


def through_profile(image: PillowImage.Image, icc_profile: bytes) -> PillowImage.Image | None:
    """Convert from a profile to sRGB, with relative colorimetric intent; None if the profile is damaged."""
    # Imported here: most images need no colour management.
    from PIL import ImageCms  # noqa: PLC0415

    try:
        return ImageCms.profileToProfile(
            image,
            ImageCms.ImageCmsProfile(io.BytesIO(icc_profile)),
            ImageCms.createProfile("sRGB"),
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
            outputMode="RGB",
            flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None


def unpremultiply(pixels: Pixels, alpha: Pixels) -> Pixels:
    """Divide colour, shape (H, W, C), by opacity, shape (H, W); pixels of zero opacity are unchanged."""
    peak = np.uint32(np.iinfo(pixels.dtype.name).max)
    result = np.empty_like(pixels)
    for row, (colour, opacity) in enumerate(zip(pixels, alpha, strict=True)):
        divisor = np.where(opacity, opacity, peak).astype(np.uint32)[:, None]
        straight = (colour.astype(np.uint32) * peak + divisor // 2) // divisor
        result[row] = np.minimum(straight, peak)
    return result


def narrow(array: NDArray[Any], name: str) -> Pixels:
    """Convert numbers of any type to one that images have, without changing whole numbers.

    Whole numbers become the smallest type of at least 16 bits that their type or their range fits in; real
    numbers are rounded to float32. ImageError if they fit in none.
    """
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype in (np.uint8, np.uint16, np.int16, np.float32):
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if array.dtype.kind in "uif" and array.size and (target := _fitting(array)) is not None:
        return array.astype(target)
    raise ImageError(
        f"{name} has pixels of type {array.dtype}; only whole numbers from 0 to 65535 or from "
        "-32768 to 32767, and real numbers that 32 bits hold, are supported."
    )


def _fitting(array: NDArray[Any]) -> type[np.uint16 | np.int16 | np.float32] | None:
    """Return the type that holds the array's values; None if there is none."""
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            highest = np.abs(array, where=np.isfinite(array), out=np.zeros_like(array)).max()
        return np.float32 if highest <= np.finfo(np.float32).max else None
    low, high = int(array.min()), int(array.max())
    if low >= 0 and high <= 65535:
        return np.uint16
    return np.int16 if low >= -32768 and high <= 32767 else None
