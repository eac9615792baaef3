"""Type of pixel arrays, the header of an image file, and splitting off alpha."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Pixels: TypeAlias = NDArray[np.uint8 | np.uint16 | np.int16 | np.float32]
"""Pixels or alpha of any shape."""

IPTC_RESOURCE = 0x0404
"""Number of Photoshop's resource with IPTC records, in JPEGs."""

_KINDS = {"u": "uint", "i": "int", "f": "float"}


@dataclass(frozen=True)
class ImageHeader:
    """The header of an image file, read without decoding it; sizes are those after reading."""

    width: int  # with the EXIF orientation applied
    height: int
    channels: int  # or bands, without alpha; a palette becomes three
    has_alpha: bool
    bits: int  # of one value: 8, 16 or 32
    format: str  # by Pillow's name, such as "PNG"
    frames: int  # pages or frames of an animation; pages that are read as bands are one image
    file_size: int  # in bytes
    kind: str = "u"  # "u", "i" or "f": unsigned, signed, or real numbers

    @property
    def dtype(self) -> str:
        """Name of the dtype of the pixels: ``"uint8"``, ``"uint16"``, ``"int16"`` or ``"float32"``."""
        return f"{_KINDS[self.kind]}{self.bits}"

    @property
    def bytes_per_pixel(self) -> int:
        """Bytes of one pixel's channels and alpha."""
        return (self.channels + self.has_alpha) * self.bits // 8

    @property
    def raw_bytes(self) -> int:
        """Bytes of one image, uncompressed."""
        return self.width * self.height * self.bytes_per_pixel


def split_alpha(array: Pixels) -> tuple[Pixels, Pixels]:
    """Split an array of shape (H, W, C + 1) into contiguous pixels (H, W, C) and alpha (H, W)."""
    return np.ascontiguousarray(array[..., :-1]), np.ascontiguousarray(array[..., -1])


def join_alpha(pixels: Pixels, alpha: Pixels | None) -> Pixels:
    """Append alpha, shape (H, W), to pixels, shape (H, W, C), as a last channel, if there is any."""
    return pixels if alpha is None else np.concatenate([pixels, alpha[..., None]], axis=-1)
