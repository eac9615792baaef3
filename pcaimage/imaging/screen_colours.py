"""Colour management of pictures for display, by their profile."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage
from PIL import ImageCms

_MODES = {b"GRAY": "L", b"RGB ": "RGB"}
_CHANNELS = {"L": 1, "RGB": 3}
_STEPS, _SAME = 9, 1
"""Levels of each channel at which a profile is tested, and the largest change that is invisible."""


@dataclass(frozen=True, eq=False)
class ScreenColours:
    """Converts 8-bit pictures from a profile to sRGB; thread-safe.

    Screens are taken to show sRGB (IEC 61966-2-1), the colour space of the web, as operating systems do.
    """

    mode: str
    transform: Any = field(repr=False)
    """Transform of :mod:`PIL.ImageCms`, from pictures of `mode` to RGB."""

    @classmethod
    def of(cls, profile: bytes | None, channels: int) -> ScreenColours | None:
        """Return the conversion from an ICC profile for images of one or three channels.

        None if there is nothing to convert: no profile, one that is damaged or does not fit the image, or one
        with the colours of sRGB.
        """
        mode = _MODES.get((profile or b"")[16:20])
        if profile is None or mode is None or _CHANNELS[mode] != channels:
            return None
        try:
            transform = ImageCms.buildTransform(
                ImageCms.ImageCmsProfile(io.BytesIO(profile)),
                ImageCms.createProfile("sRGB"),
                mode,
                "RGB",
                renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
                flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
            )
            found = cls(mode, transform)
            tried = np.stack(np.meshgrid(*[np.linspace(0, 255, _STEPS).astype(np.uint8)] * channels), axis=-1)
            tried = tried.reshape(1, -1, channels)
            change = np.abs(found.applied(tried).astype(int) - tried).max()
        except (ImageCms.PyCMSError, OSError, ValueError):
            return None
        return found if change > _SAME else None

    def applied(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return a picture of shape (h, w, 1, 3 or 4) in sRGB; a fourth channel is opacity, which is kept."""
        count = _CHANNELS[self.mode]
        if pixels.shape[-1] < count:
            return pixels
        colours = np.ascontiguousarray(pixels[..., 0] if count == 1 else pixels[..., :3])
        converted = ImageCms.applyTransform(PillowImage.fromarray(colours), self.transform)
        shown = np.asarray(converted)
        if count == 1 and pixels.shape[-1] == 1:
            return np.ascontiguousarray(shown[..., :1])
        return np.concatenate([shown, pixels[..., 3:]], axis=-1) if pixels.shape[-1] > 3 else shown
