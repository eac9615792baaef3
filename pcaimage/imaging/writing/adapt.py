"""Adapting an image for its recipients: size, colour space and metadata."""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from pcaimage.errors import ImageError, SettingsError
from pcaimage.imaging.georeference.geo import rescaled
from pcaimage.imaging.image.conversion import through_profile
from pcaimage.imaging.image.image import Image, ImageStream
from pcaimage.imaging.image.pixels import Pixels, join_alpha
from pcaimage.machine.folders import tables
from pcaimage.progress import Progress, no_progress

AnyImage = TypeVar("AnyImage", "Image", "ImageStream")
"""An image in memory, or one whose pixels come strip by strip."""

Strip = Literal["nothing", "place", "all"]  # the metadata to remove

_GPS = 0x8825
_REMOVED = frozenset({_GPS, 700, 33723, 34377})
"""Tags removed with the place: the GPS directory, and XMP, IPTC and Photoshop's, which may repeat it."""
_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
"""Bytes of a value, by field type (TIFF 6.0 section 2)."""
_ENTRY = 12
_PLACE_FIELDS = frozenset(tables("files.json")["place fields"])
"""Fields of an ENVI header that reveal where an image was taken."""


def strip_metadata(image: AnyImage, what: Strip) -> AnyImage:
    """Return an image, which shares the pixels, without some of its metadata.

    What the pixels mean is kept: the colour profile, names and wavelengths of bands, the no-data value.
    ``"place"`` removes the GPS entries of EXIF, the georeferencing of bands, and XMP and IPTC, which may tell
    the place in words; ``"all"`` the whole EXIF block and all further fields as well. A maker note, whose
    format only its maker knows, is kept with ``"place"``.
    """
    if what == "nothing":
        return image
    exif = None if what == "all" or image.exif is None else without_place(image.exif)
    fields = () if what == "all" else image.bands.fields
    kept = tuple((name, value) for name, value in fields if name.strip().lower() not in _PLACE_FIELDS)
    bands = replace(image.bands, tags=(), fields=kept)
    return replace(image, exif=exif, bands=bands, xmp=None, iptc=None)


def without_place(exif: bytes) -> bytes | None:
    """Return an EXIF block without its GPS entries; None, for no block, if it is damaged.

    Everything else stays at its offset, so that maker notes, which refer to offsets, remain readable. The
    values are overwritten with zeros, not just unlinked (Exif 2.32 section 4.6.6; TIFF 6.0 section 2: Image
    File Directory).
    """
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None:
        return None
    block = bytearray(exif)
    try:
        (start,) = struct.unpack_from(order + "I", block, 4)
        seen: set[int] = set()
        while start and start not in seen:
            seen.add(start)
            start = _clean_directory(block, order, start)
    except (struct.error, KeyError, IndexError):
        return None
    return bytes(block)


def _clean_directory(block: bytearray, order: str, start: int) -> int:
    """Remove the entries that reveal the place from a directory; return the offset of the next one."""
    (count,) = struct.unpack_from(order + "H", block, start)
    first, end = start + 2, start + 2 + _ENTRY * count
    (following,) = struct.unpack_from(order + "I", block, end)
    kept = b""
    for offset in range(first, end, _ENTRY):
        tag, kind, number, value = struct.unpack_from(order + "HHII", block, offset)
        if tag not in _REMOVED:
            kept += block[offset : offset + _ENTRY]
        elif tag == _GPS:
            _blank_directory(block, order, value)
        else:
            _blank_values(block, kind, number, value)
    block[first : end + 4] = (kept + struct.pack(order + "I", following)).ljust(end + 4 - first, b"\0")
    struct.pack_into(order + "H", block, start, len(kept) // _ENTRY)
    return int(following)


def _blank_directory(block: bytearray, order: str, start: int) -> None:
    """Overwrite a directory and all values that it points to."""
    (count,) = struct.unpack_from(order + "H", block, start)
    end = start + 2 + _ENTRY * count
    for offset in range(start + 2, end, _ENTRY):
        _, kind, number, value = struct.unpack_from(order + "HHII", block, offset)
        _blank_values(block, kind, number, value)
    _blank(block, start, end - start)


def _blank_values(block: bytearray, kind: int, number: int, offset: int) -> None:
    """Overwrite the values of an entry that are stored outside of it."""
    size = _BYTES[kind] * number
    if size > 4:
        _blank(block, offset, size)


def _blank(block: bytearray, offset: int, size: int) -> None:
    if offset + size > len(block):
        raise IndexError("An entry points behind the block.")
    block[offset : offset + size] = bytes(size)


_SPACES = {b"RGB ": 3, b"GRAY": 1}


def srgb_obstacle(shape: Sequence[int], dtype: np.dtype[Any], profile: bytes | None) -> str | None:
    """Return a sentence that tells the user why an image cannot be converted; None if it can."""
    if not profile:
        return "The image has no colour profile; it counts as sRGB."
    if len(shape) == 4 or dtype != np.uint8:
        return "Colours of 8 bits a channel are converted; others keep their profile."
    if _SPACES.get(profile[16:20]) != shape[-1]:
        return "The colour profile does not fit the channels of the image."
    return None


def to_srgb(image: Image) -> Image:
    """Convert a picture from its colour profile to sRGB, with relative colorimetric intent.

    The result, without a profile, means sRGB; a picture without one is returned as it is. ImageError if it
    has 16 bits, or a profile that is damaged or of another colour space.
    """
    if not image.icc_profile:
        return image
    reason = srgb_obstacle(image.pixels.shape, image.pixels.dtype, image.icc_profile)
    if reason is not None:
        raise ImageError(reason)
    grey = image.channels == 1
    converted = through_profile(
        PillowImage.fromarray(image.pixels[..., 0] if grey else image.pixels), image.icc_profile
    )
    if converted is None:
        raise ImageError("The colour profile is damaged, so colours cannot be converted to sRGB.")
    pixels: Pixels = np.asarray(converted)
    return replace(image, pixels=pixels[..., :1] if grey else pixels, icc_profile=None)


_LANCZOS = PillowImage.Resampling.LANCZOS
_BOX = re.compile(r"(\d{1,9})?\s*[x×]\s*(\d{1,9})?", re.IGNORECASE)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%")


@dataclass(frozen=True)
class Resize:
    """A target size of a picture, which keeps its proportions and is never enlarged."""

    width: int | None = None  # the largest, in pixels; None for no limit
    height: int | None = None
    percent: float = 100.0  # of width and height, above 0

    def __post_init__(self) -> None:
        if not 0 < self.percent <= 100:
            raise SettingsError(
                f"A size of {self.percent:g} % is not possible; it is above 0 and at most 100 %."
            )
        if any(side is not None and side < 1 for side in (self.width, self.height)):
            raise SettingsError("A picture is at least one pixel wide and high.")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a size such as ``1920x`` (width), ``x1080`` (height), ``1920x1080`` (within) or ``50%``."""
        if found := _PERCENT.fullmatch(text.strip()):
            return cls(percent=float(found[1]))
        found = _BOX.fullmatch(text.strip())
        if found is None or not (found[1] or found[2]):
            raise SettingsError(f"{text!r} is not a size; write 1920x, x1080, 1920x1080 or 50%.")
        width, height = (int(side) if side else None for side in found.groups())
        return cls(width, height)

    def size_of(self, width: int, height: int) -> tuple[int, int]:
        """Return the resulting width and height in pixels."""
        factor = min(
            self.percent / 100,
            1.0 if self.width is None else self.width / width,
            1.0 if self.height is None else self.height / height,
        )
        return max(1, round(width * factor)), max(1, round(height * factor))


def resize_obstacle(shape: Sequence[int], dtype: np.dtype[Any]) -> str | None:
    """Return a sentence that tells the user why an image cannot be resized; None if it can."""
    if len(shape) == 4:
        return "A stack of images is not resized."
    if shape[-1] not in (1, 3) or dtype.kind != "u":
        return "Only grey and colour pictures are resized, not measured bands."
    return None


def resize_image(image: Image, resize: Resize, progress: Progress = no_progress) -> Image:
    """Downscale a picture with the Lanczos-3 kernel, stretched by the reduction.

    Pictures are grey or RGB of 8 or 16 bits, with or without alpha, by which colours are weighted; ImageError
    for a stack or bands. The pixels of its georeferencing grow; it is the image itself if its size does not
    change. The kernel is from C. E. Duchon, "Lanczos Filtering in One and Two Dimensions",
    J. Appl. Meteorology 18 (1979), 1016-1022.
    """
    size = resize.size_of(image.width, image.height)
    if size == (image.width, image.height):
        return image
    reason = resize_obstacle(image.pixels.shape, image.pixels.dtype)
    if reason is not None:
        raise ImageError(reason)
    progress(0, image.channels)
    resized = _resized_bytes if image.pixels.dtype == np.uint8 else _resized_words
    pixels, alpha = resized(image.pixels, image.alpha, size, progress)
    progress(image.channels, image.channels)
    bands = rescaled(image.bands, image.width / size[0], image.height / size[1])
    return replace(image, pixels=pixels, alpha=alpha, bands=bands)


def _resized_bytes(
    pixels: Pixels, alpha: Pixels | None, size: tuple[int, int], _: Progress
) -> tuple[Pixels, Pixels | None]:
    """Resize 8-bit images; Pillow premultiplies colours with opacity."""
    values = join_alpha(pixels, alpha)
    given = PillowImage.fromarray(values[..., 0] if values.shape[-1] == 1 else values)
    result: Pixels = np.asarray(given.resize(size, _LANCZOS)).reshape(size[1], size[0], values.shape[-1])
    if alpha is None:
        return result, None
    return result[..., :-1], result[..., -1]


def _resized_words(
    pixels: Pixels, alpha: Pixels | None, size: tuple[int, int], progress: Progress
) -> tuple[Pixels, Pixels | None]:
    """Resize 16-bit images, each channel as real numbers."""
    channels = pixels.shape[-1]
    result = np.empty((size[1], size[0], channels), pixels.dtype)
    opacity = None if alpha is None else alpha.astype(np.float32) / np.float32(65535)
    left = None if opacity is None else _resized_plane(opacity, size)
    for channel in range(channels):
        progress(channel, channels)
        plane: NDArray[np.float32] = pixels[..., channel].astype(np.float32)
        if opacity is None or left is None:
            resized = _resized_plane(plane, size)
        else:
            resized = _resized_plane(plane * opacity, size)
            np.divide(resized, left, out=resized, where=left > 0)
        result[..., channel] = np.clip(np.rint(resized), 0, 65535)
    if left is None:
        return result, None
    return result, np.clip(np.rint(left * 65535), 0, 65535).astype(pixels.dtype)


def _resized_plane(plane: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    return np.array(PillowImage.fromarray(plane).resize(size, _LANCZOS), np.float32)


@dataclass(frozen=True)
class Adaptation:
    """The changes to an image before it is written."""

    resize: Resize = field(default_factory=Resize)
    srgb: bool = False  # whether to convert colours to sRGB; otherwise the profile is kept
    strip: Strip = "nothing"

    @property
    def keeps_pixels(self) -> bool:
        """Whether only metadata change."""
        return self.resize == Resize() and not self.srgb

    def apply(self, image: Image, progress: Progress = no_progress) -> Image:
        """Return an image with all changes made, or the image itself if there are none."""
        image = resize_image(image, self.resize, progress)
        if self.srgb:
            image = to_srgb(image)
        return strip_metadata(image, self.strip)
