"""Conversion of pictures to sRGB, the default colour space of files that name none."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image as PillowImage

from pcaimage.errors import ImageError

if TYPE_CHECKING:
    from pcaimage.imaging.image.image import Image
    from pcaimage.imaging.image.types import Pixels

_SPACES = {b"RGB ": 3, b"GRAY": 1}


def srgb_obstacle(image: Image) -> str | None:
    """Return a sentence that tells the user why an image cannot be converted; None if it can."""
    if not image.icc_profile:
        return "The image has no colour profile; it counts as sRGB."
    if image.is_stack or image.pixels.dtype != np.uint8:
        return "Colours of 8 bits a channel are converted; others keep their profile."
    if _SPACES.get(image.icc_profile[16:20]) != image.channels:
        return "The colour profile does not fit the channels of the image."
    return None


def to_srgb(image: Image) -> Image:
    """Convert a picture from its colour profile to sRGB, with relative colorimetric intent.

    The result, without a profile, means sRGB; a picture without one is returned as it is. ImageError if it
    has 16 bits, or a profile that is damaged or of another colour space.
    """
    if not image.icc_profile:
        return image
    reason = srgb_obstacle(image)
    if reason is not None:
        raise ImageError(reason)
    # Imported here, as most images need no colour management.
    from PIL import ImageCms  # noqa: PLC0415

    grey = image.channels == 1
    given = PillowImage.fromarray(image.pixels[..., 0] if grey else image.pixels)
    try:
        converted = ImageCms.profileToProfile(
            given,
            ImageCms.ImageCmsProfile(io.BytesIO(image.icc_profile)),
            ImageCms.createProfile("sRGB"),
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
            outputMode="RGB",
            flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )
    except (ImageCms.PyCMSError, OSError, ValueError) as error:
        raise ImageError("The colour profile is damaged, so colours cannot be converted to sRGB.") from error
    pixels: Pixels = np.asarray(converted)
    return replace(image, pixels=pixels[..., :1] if grey else pixels, icc_profile=None)
