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
    """The header of an image file, read without decoding it.

    Parameters
    ----------
    width, height : int
        Size in pixels with the EXIF orientation applied.
    channels : int
        Channels or bands after reading (a palette becomes three), without alpha.
    has_alpha : bool
        Whether reading yields an alpha plane.
    bits : int
        Bits of one value after reading: 8, 16 or 32.
    format : str
        The file's format, by Pillow's name, such as ``"PNG"``.
    frames : int
        Images in the file: pages or frames of an animation. Pages that are read as bands are one image.
    file_size : int
        Bytes of the file.
    kind : {'u', 'i', 'f'}
        Whether values are unsigned, signed, or real numbers.
    """

    width: int
    height: int
    channels: int
    has_alpha: bool
    bits: int
    format: str
    frames: int
    file_size: int
    kind: str = "u"

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
