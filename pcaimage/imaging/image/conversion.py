"""Conversion of what decoders return: colour spaces, opacity, types of numbers, and orientation."""

from __future__ import annotations

import io
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pcaimage.errors import ImageError
from pcaimage.imaging.image.image import Image
from pcaimage.imaging.image.pixels import Pixels
from pcaimage.quality import TYPES

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
    if array.dtype.name in TYPES:
        return array
    if array.dtype == np.bool_:
        return array.astype(np.uint8) * np.uint8(255)
    if array.dtype.kind in "uif" and array.size and (target := _fitting(array)) is not None:
        return array.astype(target)
    raise ImageError(
        f"{name} has pixels of type {array.dtype}; only whole numbers from 0 to 65535 or from -32768 to 32767"
        ", and real numbers that 32 bits hold, are supported; `pcaimage encode` keeps others."
    )


def lost_bits(array: NDArray[Any], pixels: Pixels) -> int | None:
    """Return the bits of real numbers that :func:`narrow` has rounded; None if it changed none."""
    wider = array.dtype.kind == "f" and array.itemsize > pixels.itemsize
    return 8 * array.itemsize if wider and not np.array_equal(array, pixels, equal_nan=True) else None


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


_ORIENTATION = 0x0112
EXIF_PREFIX = b"Exif\0\0"  # prefix of an EXIF block in JPEG files and in Pillow


def find_orientation(exif: bytes | None) -> tuple[int, int]:
    """Return the orientation in an EXIF block, 1 to 8, and the offset of its value (0 if absent).

    The block is read here rather than by Pillow, which warns about harmless damage and would lose maker notes
    in writing it again. A damaged block counts as upright (1).
    """
    order = {b"II*\0": "<", b"MM\0*": ">"}.get((exif or b"")[:4])
    if exif is None or order is None:
        return 1, 0
    try:
        (start,) = struct.unpack_from(order + "I", exif, 4)
        (count,) = struct.unpack_from(order + "H", exif, start)
        for offset in range(start + 2, start + 2 + 12 * count, 12):
            tag, kind, n, value = struct.unpack_from(order + "HHIH", exif, offset)
            if tag == _ORIENTATION and kind == 3 and n == 1:
                return (value, offset + 8) if 1 <= value <= 8 else (1, offset + 8)
    except struct.error:
        pass
    return 1, 0


def upright(exif: bytes | None) -> bytes | None:
    """Return an EXIF block with its orientation set to 1, so that it is not applied twice."""
    _, offset = find_orientation(exif)
    if exif is None or not offset:
        return exif
    one = struct.pack("<H" if exif.startswith(b"II") else ">H", 1)
    return exif[:offset] + one + exif[offset + 2 :]


def orient(array: Pixels, orientation: int, axis: int = 0) -> Pixels:
    """Apply an EXIF orientation to an array whose rows are along an axis, and columns along the next one."""
    if orientation >= 5:
        array = array.swapaxes(axis, axis + 1)
    if orientation in (2, 3, 6, 7):
        array = np.flip(array, axis + 1)
    if orientation in (3, 4, 7, 8):
        array = np.flip(array, axis)
    return np.ascontiguousarray(array)


def turned(image: Image, orientation: int) -> Image:
    """Return an image as its EXIF orientation wants it; its EXIF block then says 1."""
    exif = upright(image.exif)
    if orientation == 1:
        return image if exif == image.exif else replace(image, exif=exif)
    axis = int(image.is_stack)
    alpha = None if image.alpha is None else orient(image.alpha, orientation, axis)
    return replace(image, pixels=orient(image.pixels, orientation, axis), alpha=alpha, exif=exif)
