"""Colour management of pictures for display, by the profiles of picture and screen."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage
from PIL import ImageCms

from pcaimage.errors import ImageError

_MODES = {b"GRAY": "L", b"RGB ": "RGB"}
_CHANNELS = {"L": 1, "RGB": 3}
_SCREENS = (b"mntr", b"spac")
"""Profile classes that are accepted for a screen: display devices and colour spaces."""
_STEPS, _SAME = 9, 1
"""Levels of each channel at which a profile is tested, and the largest change that is invisible."""


@dataclass(frozen=True, eq=False)
class ScreenColours:
    """Converts 8-bit pictures from their profile to the screen's; thread-safe.

    The conversion is direct, so that a wide gamut that both profiles have is kept.
    """

    mode: str  # input mode of the transform: ``"L"`` or ``"RGB"``
    transform: Any = field(repr=False)  # transform of :mod:`PIL.ImageCms`, from pictures of `mode` to RGB
    neutral: bool = False  # whether grey stays neutral, so that one channel is enough for it

    @classmethod
    def of(cls, profile: bytes | None, channels: int, screen: bytes | None = None) -> ScreenColours | None:
        """Return the conversion between the profiles of a picture of one or three channels, and of a screen.

        None as a profile counts as sRGB, the colour space of the web (IEC 61966-2-1), and so does one that is
        damaged or does not fit. The intent is relative colorimetric (ICC.1:2022); black points are matched as
        in ISO 18619. None where colours are the screen's, and for images of other numbers of channels.
        """
        if channels not in _CHANNELS.values():
            return None
        mode = _MODES.get((profile or b"")[16:20], "")
        source = _profile(profile) if _CHANNELS.get(mode) == channels else None
        target = _profile(screen) if screen and screen[16:20] == b"RGB " else None
        if source is None and target is None:
            return None
        found = _between(source, target, mode if source is not None else "RGB")
        if found is None and target is not None:
            # Either of the two may be of a kind that cannot be converted.
            return cls.of(profile, channels) or (cls.of(None, channels, screen) if source else None)
        return found if found is not None and _is_seen(found, channels) else None

    def applied(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return a uint8 picture, shape (h, w, 1, 3 or 4), in the screen's colours; opacity stays.

        It has three channels instead of one where the screen's grey has a tint.
        """
        colours = pixels[..., : min(pixels.shape[-1], 3)]
        if self.mode == "L":
            colours = colours[..., :1]
        shown = _converted(colours, self.mode, self.transform)
        if pixels.shape[-1] == 1 and self.neutral:
            return np.ascontiguousarray(shown[..., :1])
        return np.concatenate([shown, pixels[..., 3:]], axis=-1) if pixels.shape[-1] > 3 else shown


def screen_profile_name(profile: bytes) -> str:
    """Return the name of a screen's ICC profile; ImageError if it is no profile, or not one of a screen."""
    found = _profile(profile)
    if found is None:
        raise ImageError("This is no colour profile (ICC).")
    if profile[12:16] not in _SCREENS or profile[16:20] != b"RGB ":
        raise ImageError("This colour profile is not one of a screen.")
    if _between(None, found, "RGB") is None:
        raise ImageError("This colour profile is damaged, or of a kind that cannot be used for a screen.")
    return ImageCms.getProfileDescription(found).strip()


def _profile(data: bytes | None) -> Any:
    """Return a profile as Pillow holds it; None if it is none."""
    try:
        return ImageCms.ImageCmsProfile(io.BytesIO(data)) if data else None
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None


def _between(source: Any, target: Any, mode: str) -> ScreenColours | None:
    """Return the conversion from one profile to another, None for sRGB; None if it cannot be made."""
    try:
        transform = ImageCms.buildTransform(
            source or ImageCms.createProfile("sRGB"),
            target or ImageCms.createProfile("sRGB"),
            mode,
            "RGB",
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
            flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
        )
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None
    greys = _converted(np.arange(256, dtype=np.uint8)[None, :, None], mode, transform)
    return ScreenColours(mode, transform, bool((greys == greys[..., :1]).all()))


def _is_seen(colours: ScreenColours, channels: int) -> bool:
    """Return whether the conversion is visible."""
    levels = np.linspace(0, 255, _STEPS).astype(np.uint8)
    tried = np.stack(np.meshgrid(*[levels] * channels), axis=-1).reshape(1, -1, channels)
    return bool(np.abs(_converted(tried, colours.mode, colours.transform).astype(int) - tried).max() > _SAME)


def _converted(pixels: NDArray[np.uint8], mode: str, transform: Any) -> NDArray[np.uint8]:
    """Return red, green and blue for the screen, of pixels with one channel or three."""
    if mode == "L":
        given = pixels[..., 0]
    else:
        given = np.repeat(pixels, 3, axis=-1) if pixels.shape[-1] == 1 else pixels
    image = PillowImage.fromarray(np.ascontiguousarray(given))
    return np.asarray(ImageCms.applyTransform(image, transform))
